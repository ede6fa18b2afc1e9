// What the command line asks of an answer: that it follows a schema, and that nothing on the way to it was denied or
// failed.
import { type AnswerCheck, anyAnswer, type Strictness, strictError } from "./answer.ts";
import { flagValue, hasFlag, type Invocation } from "./argv.ts";
import type { AshError } from "./errors.ts";
import type { Provider } from "./provider.ts";

/** The demands on the answer of one run. */
export type Demands = {
  readonly check: AnswerCheck;
  /** The text of the schema, or null. */
  readonly asked: string | null;
  /** The provider that is told of them. */
  ask(provider: Provider, warn: (type: string, message: string) => void): Provider;
  /** The error of a run that answered but did what the caller does not accept, else null. */
  strict(outcome: Parameters<typeof strictError>[1]): AshError | null;
};

/** Reads the demands. Throws a usage error when the schema is none. */
export async function openDemands(invocation: Invocation, signal: AbortSignal): Promise<Demands> {
  const strictness: Strictness = {
    onDenied: hasFlag(invocation, "fail-on-denied"),
    onToolError: hasFlag(invocation, "fail-on-tool-error"),
  };
  const strict: Demands["strict"] = (outcome) => strictError(strictness, outcome);
  const path = flagValue(invocation, "schema");
  if (path === undefined) return { check: anyAnswer, asked: null, ask: (provider) => provider, strict };
  // The validator is loaded only for those who want it.
  const { openStructured } = await import("./structured.ts");
  return { ...(await openStructured(path, signal)), strict };
}
