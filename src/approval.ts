// Asks a person whether a call may run: what exactly would be started, where, and why it needs a yes. One question
// at a time; a yes holds for exactly that argv, for this run.
import { canAsk, confirm } from "./host/confirm.ts";
import type { Output } from "./host/output.ts";
import type { Decision, Permit, RuleName } from "./policy/policy.ts";
import { visible } from "./sanitize.ts";

/** What a person, or their absence, decided. */
export type Answer =
  | { readonly verdict: "allow"; readonly rule: RuleName }
  | { readonly verdict: "deny"; readonly rule: RuleName; readonly reason: string };

/** Decides about calls that need a yes. */
export type Approver = (decision: Extract<Decision, { verdict: "ask" }>) => Promise<Answer>;

/** Says no to whatever needs a yes: nobody is asked. */
export const askNobody: Approver = ({ rule, reason }) => Promise.resolve({ verdict: "deny", rule, reason });

/** What asking needs. */
export type ApproverParts = {
  readonly stderr: Output;
  readonly signal: AbortSignal;
  /** The current directory. */
  readonly folder: string;
  /** False where nobody must be asked: a program reads the output. */
  readonly mayAsk: boolean;
};

const shownArgv = (argv: readonly string[]): string =>
  `[${argv.map((word) => visible(JSON.stringify(word))).join(", ")}]`;

function describe(permits: readonly Permit[], reason: string, folder: string): string {
  const stages = permits.flatMap(({ executable, argv }) => [
    `  program  ${visible(executable.path)}`,
    `  argv     ${shownArgv(argv)}`,
  ]);
  return [
    "the model wants to run:",
    ...stages,
    `  in       ${visible(folder)}`,
    `  why ask  ${visible(reason)}`,
    "run it?",
  ].join("\n");
}

const keyOf = (permits: readonly Permit[]): string =>
  JSON.stringify(permits.map(({ executable, argv }) => [executable.path, ...argv]));

/** Makes the approver of a run. */
export function createApprover({ stderr, signal, folder, mayAsk }: ApproverParts): Approver {
  const approved = new Set<string>();
  let before: Promise<unknown> = Promise.resolve();
  const ask = async ({ permits, reason }: Parameters<Approver>[0]): Promise<Answer> => {
    const key = keyOf(permits);
    if (!approved.has(key)) {
      if (!(await confirm(describe(permits, reason, folder), stderr, signal)))
        return {
          verdict: "deny",
          rule: "declined",
          reason: "the user was asked and did not say yes; do not try it again",
        };
      approved.add(key);
    }
    return { verdict: "allow", rule: "approved" };
  };
  return (decision) => {
    if (!mayAsk || !canAsk(stderr)) {
      return Promise.resolve({
        verdict: "deny",
        rule: decision.rule,
        reason: `it needs a yes from a person, and nobody can be asked here: ${decision.reason}`,
      });
    }
    const answer = before.then(() => ask(decision));
    before = answer.catch(() => undefined);
    return answer;
  };
}
