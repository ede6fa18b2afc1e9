// Plan mode: with `--plan` no call runs and every call is noted; with `--approve-plan FILE` exactly the calls of a plan
// run. The policy judges both first: a plan allows nothing that is denied.
import { usageError } from "./errors.ts";
import type { Action, RuleName } from "./policy/policy.ts";
import type { Result } from "./schema.ts";

/** What a plan says about a call the policy does not deny. */
export type PlanVerdict =
  | { readonly verdict: "run" }
  /** It runs without a question: the user has seen exactly this call. */
  | { readonly verdict: "approved" }
  | { readonly verdict: "note" | "deny"; readonly rule: RuleName; readonly reason: string };

/** Decides by a plan. */
export type PlanGate = (action: Action) => PlanVerdict;

/** No plan: everything the policy allows runs. */
export const noPlan: PlanGate = () => ({ verdict: "run" });

/** Notes every call. */
export const notePlan: PlanGate = () => ({
  verdict: "note",
  rule: "planned",
  reason: "this run makes a plan: the call was noted and not run. Go on planning; say what you would look at",
});

type Argvs = readonly (readonly string[])[];

const argvsOf = ({ stages }: Action): Argvs => stages.map(({ command, args }) => [command, ...args]);
const keyOf = (argvs: Argvs): string => JSON.stringify(argvs);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");

/** One line of a plan: an argv, or the stages of a pipeline. */
function argvsIn(value: unknown): Argvs | null {
  if (isTexts(value)) return [value];
  if (typeof value !== "object" || value === null || !("stages" in value)) return null;
  const { stages } = value;
  return Array.isArray(stages) && stages.length > 1 && stages.every(isTexts) ? stages : null;
}

/** The calls a result object noted. */
function argvsOfResult({ tools }: Pick<Result, "tools">): readonly Argvs[] {
  return tools
    .filter(({ decision }) => decision === "planned")
    .flatMap(({ argv, stages }): Argvs[] =>
      argv === null ? (stages === null ? [] : [stages.map((stage) => stage.argv)]) : [[argv]],
    );
}

function parsePlan(text: string, label: string): readonly Argvs[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw usageError(`${label}:${index + 1}: not JSON`, "write a plan with: ash --plan …");
    }
    if (typeof value === "object" && value !== null && "schema" in value && value.schema === "ash.result/1")
      return argvsOfResult(value as Result);
    const argvs = argvsIn(value);
    if (argvs === null)
      throw usageError(
        `${label}:${index + 1}: not a call`,
        'a call is ["ls", "-l"] or {"stages": [["ls"], ["wc"]]}',
      );
    return [argvs];
  });
}

/** Allows exactly the calls of a plan. Throws a usage error with the line that is none. */
export function approvedPlan(text: string, label: string): PlanGate {
  const approved = new Set(parsePlan(text, label).map(keyOf));
  return (action) =>
    approved.has(keyOf(argvsOf(action)))
      ? { verdict: "approved" }
      : { verdict: "deny", rule: "not-in-plan", reason: "the approved plan does not hold exactly this call" };
}

/** The noted calls of a result, a line each, as `--approve-plan` reads them. */
export function planText(result: Pick<Result, "tools">): string {
  return argvsOfResult(result)
    .map((argvs) => `${JSON.stringify(argvs.length === 1 ? argvs[0] : { stages: argvs })}\n`)
    .join("");
}
