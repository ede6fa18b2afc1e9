// `ash policy why SESSION CALL` and `ash policy suggest SESSION`: what a saved run was not allowed to do, why, and
// what would allow it. Both judge again with the policy of now; neither changes anything.
import { EXIT, usageError } from "../errors.ts";
import { decide } from "../policy/decide.ts";
import type { Action, Decision } from "../policy/policy.ts";
import { type DeniedCall, type Suggestion, suggestLines } from "../policy/suggest.ts";
import type { Denial, ToolRecord } from "../schema.ts";
import { newestSession, readSession } from "../session.ts";
import { type PolicyContext, printAnswer, refuseWords } from "./policy-context.ts";

type SavedCall = { readonly record: ToolRecord; readonly denial: Denial | null };

function callsOf(context: PolicyContext, session: string | undefined): readonly SavedCall[] {
  const { home } = context.config;
  if (session === undefined) throw usageError("there is no session named", "see: ash sessions list");
  const id = session === "last" ? newestSession(home) : session;
  return readSession(home, id).flatMap(({ entry }) => (entry.type === "call" ? [entry] : []));
}

function actionOf({ argv, stages }: ToolRecord): Action | null {
  const argvs = argv === null ? stages?.map((stage) => stage.argv) : [argv];
  if (argvs === undefined || argvs.length === 0) return null;
  return { stages: argvs.map(([command = "", ...args]) => ({ command, args })) };
}

/** What `ash policy why --json` prints. */
type WhyReport = {
  readonly schema: "ash.policy-why/1";
  readonly id: string;
  readonly argv: readonly (readonly string[])[] | null;
  /** What was decided then. */
  readonly decided: {
    readonly decision: string;
    readonly rule: string | null;
    readonly reason: string | null;
  };
  /** What the policy says now; null when the call had no readable arguments. */
  readonly judged_now: {
    readonly decision: string;
    readonly rule: string;
    readonly reason: string | null;
  } | null;
  readonly exit_code: number;
};

const judged = (decision: Decision): WhyReport["judged_now"] => ({
  decision: decision.verdict,
  rule: decision.rule,
  reason: decision.verdict === "allow" ? null : decision.reason,
});

function whyText({ id, argv, decided, judged_now: now }: WhyReport): string {
  const line = (
    label: string,
    said: { decision: string; rule: string | null; reason: string | null },
  ): string =>
    `  ${label}  ${said.decision}${said.rule === null ? "" : ` (${said.rule})`}${said.reason === null ? "" : `: ${said.reason}`}`;
  const calls = argv?.map((words) => JSON.stringify(words)).join(" | ") ?? "a call that could not be read";
  return `${[`${id}  ${calls}`, line("then", decided), ...(now === null ? [] : [line("now ", now)])].join("\n")}\n`;
}

/** Explains one call of a session. Resolves to 0. */
export async function policyWhy(context: PolicyContext, words: readonly string[]): Promise<number> {
  refuseWords("why", words, 2);
  const [session, call] = words;
  const calls = callsOf(context, session);
  if (call === undefined) {
    const known = calls.map(({ record }) => record.id).join(", ") || "none";
    throw usageError("there is no call named", `write: ash policy why ${session} CALL (calls: ${known})`);
  }
  // A call can be named by its id, or by its place from 1.
  const found =
    calls.find(({ record }) => record.id === call) ??
    (/^\d+$/.test(call) ? calls[Number(call) - 1] : undefined);
  if (found === undefined) throw usageError(`session ${session} has no call ${call}`);
  const { record, denial } = found;
  const action = actionOf(record);
  const report: WhyReport = {
    schema: "ash.policy-why/1",
    id: record.id,
    argv: action?.stages.map(({ command, args }) => [command, ...args]) ?? null,
    decided: { decision: record.decision, rule: record.rule, reason: denial?.reason ?? null },
    judged_now: action === null ? null : judged(decide(action, context.policy, context.world)),
    exit_code: EXIT.ok,
  };
  await printAnswer(context, report, whyText(report));
  return EXIT.ok;
}

/** What is still denied of the calls a session was denied. */
function deniedNow(context: PolicyContext, calls: readonly SavedCall[]): readonly DeniedCall[] {
  return calls.flatMap(({ record, denial }): DeniedCall[] => {
    const action = denial === null ? null : actionOf(record);
    if (action === null) return [];
    const decision = decide(action, context.policy, context.world);
    if (decision.verdict === "allow") return [];
    const denied = action.stages[decision.verdict === "deny" ? decision.stage : 0];
    return denied === undefined ? [] : [{ id: record.id, ...denied, rule: decision.rule }];
  });
}

/** What `ash policy suggest --json` prints. */
type SuggestReport = {
  readonly schema: "ash.policy-suggest/1";
  readonly suggestions: readonly Suggestion[];
  readonly exit_code: number;
};

function suggestText({ suggestions }: SuggestReport): string {
  if (suggestions.length === 0) return "nothing that was denied is still denied\n";
  const lines = suggestions.map(({ name, line, replaces, opens, calls }) => {
    if (line === null) return `# ${name}: ${opens} (${calls.join(", ")})`;
    const place = replaces === null ? "" : `, in the place of ${replaces}`;
    return `${line}\n    # opens: ${opens} (${calls.join(", ")}${place})`;
  });
  return `${lines.join("\n")}\n`;
}

/** Suggests lines for what a session was denied. Resolves to 0. */
export async function policySuggest(context: PolicyContext, words: readonly string[]): Promise<number> {
  refuseWords("suggest", words, 1);
  const denied = deniedNow(context, callsOf(context, words[0]));
  const report: SuggestReport = {
    schema: "ash.policy-suggest/1",
    suggestions: suggestLines(denied, context.policy),
    exit_code: EXIT.ok,
  };
  await printAnswer(context, report, suggestText(report));
  return EXIT.ok;
}
