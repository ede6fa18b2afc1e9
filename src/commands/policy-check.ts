// `ash policy check -- CMD ARG…`: would this call run, and which rule says so.

import { toAction } from "../builtins/stages.ts";
import { EXIT } from "../errors.ts";
import { commandRule } from "../policy/arguments.ts";
import { decide } from "../policy/decide.ts";
import type { Action, Decision, Permit } from "../policy/policy.ts";
import { isAllowed, type PolicyContext, printAnswer, shortPath } from "./policy-context.ts";

/** What `ash policy check --json` prints. */
type CheckReport = {
  readonly schema: "ash.policy-check/1";
  readonly decision: Decision["verdict"];
  readonly rule: string;
  readonly reason: string;
  /** The program of the stage the decision is about. */
  readonly resolved_path: string | null;
  readonly source: string | null;
  /** The stage the decision is about, from 0. */
  readonly stage: number;
  /** What would be started, forced safe flags included; null when nothing would. */
  readonly argv: readonly (readonly string[])[] | null;
  readonly exit_code: number;
};

function resolvedPath(action: Action, stage: number, { world }: PolicyContext): string | null {
  const { command } = action.stages[stage] ?? { command: "" };
  const found = command.endsWith(".py") ? world.findTool(command) : world.findExecutable(command);
  return found.ok ? found.located.path : null;
}

function whyAllowed(action: Action, permits: readonly Permit[]): string {
  const parts = action.stages.map(({ command }, i) => {
    const network = permits[i]?.network === true ? ", with the network" : "";
    if (permits[i]?.unrestricted === true) return `${command} is unrestricted${network}`;
    if (command.endsWith(".py")) return `${command} is a Python tool on the allowlist${network}`;
    const rule = commandRule(command);
    return rule === undefined
      ? `${command} is on the allowlist and has no rule of its own${network}`
      : `${command}: ${rule.does}${network}`;
  });
  return parts.join("; ");
}

/** What the policy says about an action. */
function report(action: Action, context: PolicyContext): CheckReport {
  const decision = decide(action, context.policy, context.world);
  const stage = decision.verdict === "deny" ? decision.stage : 0;
  const permits = decision.verdict === "deny" ? null : decision.permits;
  return {
    schema: "ash.policy-check/1",
    decision: decision.verdict,
    rule: decision.rule,
    reason: decision.verdict === "allow" ? whyAllowed(action, decision.permits) : decision.reason,
    resolved_path:
      permits?.[0]?.script?.path ?? permits?.[0]?.executable.path ?? resolvedPath(action, stage, context),
    source: decision.source,
    stage,
    argv: permits === null ? null : permits.map(({ argv }) => argv),
    exit_code: isAllowed(decision) ? EXIT.ok : EXIT.denied,
  };
}

const VERDICTS = {
  allow: "allow",
  ask: "ask: it runs after a yes from a person at a terminal",
  deny: "deny",
};

function asText(found: CheckReport, context: PolicyContext): string {
  const lines = [
    `${VERDICTS[found.decision]}`,
    `  rule     ${found.rule}`,
    `  why      ${found.reason}`,
    ...(found.resolved_path === null ? [] : [`  program  ${found.resolved_path}`]),
    ...(found.source === null ? [] : [`  line     ${shortPath(context, found.source)}`]),
    ...(found.argv ?? []).map((argv) => `  argv     ${JSON.stringify(argv)}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** Judges one call. Resolves to 0 when it would run unasked, else to 7. */
export async function policyCheck(
  context: PolicyContext,
  words: readonly string[],
  isPipeline: boolean,
): Promise<number> {
  const found = report(toAction(words, isPipeline, "ash policy check"), context);
  await printAnswer(context, found, asText(found, context));
  return found.exit_code;
}
