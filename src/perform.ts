// One action from the decision to its result: environments made ready, judged, approved where a yes is needed, run.
// The action that was judged is the action that is performed.
import type { Approver } from "./approval.ts";
import type { CallResult } from "./exec/call.ts";
import type { Limits } from "./limits.ts";
import type { Machine } from "./machine.ts";
import type { PlanGate } from "./plan.ts";
import { decide } from "./policy/decide.ts";
import type { Action, Permit, Policy, RuleName } from "./policy/policy.ts";

/** What performing needs from the run. */
export type Performance = {
  readonly machine: Machine;
  readonly policy: Policy;
  readonly approve: Approver;
  readonly plan: PlanGate;
  readonly folder: string;
  readonly remainingMs: number;
  readonly signal: AbortSignal;
  /** Hears what is worth knowing about the Python environment. */
  readonly tell: (message: string) => void;
  /** Called when the decision is made and before anything is started. */
  readonly onStart: (rule: RuleName) => void;
};

/** What became of an action. */
export type Performed =
  /** Noted for a plan and not run. */
  | { readonly verdict: "note"; readonly rule: RuleName; readonly reason: string }
  | { readonly verdict: "deny"; readonly rule: RuleName; readonly reason: string }
  | {
      readonly verdict: "allow";
      readonly rule: RuleName;
      readonly call: CallResult;
      readonly limits: Limits;
    };

type Judged =
  | { readonly verdict: "note"; readonly rule: RuleName; readonly reason: string }
  | { readonly verdict: "deny"; readonly rule: RuleName; readonly reason: string }
  | { readonly verdict: "allow"; readonly rule: RuleName; readonly permits: readonly Permit[] };

async function judge(action: Action, situation: Performance): Promise<Judged> {
  const { machine, policy, signal, tell, approve, plan } = situation;
  const first = decide(action, policy, machine.world);
  if (first.verdict === "deny") return first;
  const planned = plan(action);
  if ("reason" in planned) return planned;
  await machine.prepareTools(action, signal, tell);
  // A tool that got its environment now runs with another interpreter: what is judged last is what is started.
  const decision = decide(action, policy, machine.world);
  if (decision.verdict !== "ask") return decision;
  if (planned.verdict === "approved")
    return { verdict: "allow", rule: "approved", permits: decision.permits };
  const answer = await approve(decision);
  return answer.verdict === "deny" ? answer : { ...answer, permits: decision.permits };
}

/** Performs an action under the policy. */
export async function perform(action: Action, situation: Performance): Promise<Performed> {
  const { machine, folder, signal, remainingMs, onStart } = situation;
  const judged = await judge(action, situation);
  if (judged.verdict !== "allow") return judged;
  const { permits, rule } = judged;
  onStart(rule);
  const limits = machine.limitsFor(permits);
  const call = await machine.engine.perform({ permits, folder, limits, remainingMs, signal });
  return { verdict: "allow", rule, call, limits };
}
