// When a reply is the answer of a run: how replies end, what a schema asks of the text, and what is said to a model
// whose answer does not fit. Pure.
import { AshError } from "./errors.ts";
import type { Reply } from "./provider.ts";
import type { Denial, ToolRecord } from "./schema.ts";

/**
 * An answer that was looked at: the text to show and the value it stands for, or what is wrong with it and what the
 * model is told about that.
 */
export type CheckedAnswer =
  | { readonly ok: true; readonly text: string; readonly value: unknown }
  | { readonly ok: false; readonly problem: string; readonly request: string };

/** Looks at the text of an answer. */
export type AnswerCheck = (text: string) => CheckedAnswer;

/** Takes every text as it is. */
export const anyAnswer: AnswerCheck = (text) => ({ ok: true, text, value: null });

/** Why a reply without tool calls is no answer, or null when it is one. */
export function answerError({ stopReason, stopDetail, content }: Reply, text: string): AshError | null {
  switch (stopReason) {
    case "end_turn":
    case "stop_sequence":
      if (content.some(({ type }) => type === "tool_use"))
        return new AshError(
          "protocol",
          `the server sent a tool call but ended with ${stopReason}: it was not run`,
        );
      return text.trim() === "" ? new AshError("empty_answer", "the model gave an empty answer") : null;
    case "max_tokens":
    case "model_context_window_exceeded":
      return new AshError("max_tokens", "the answer was cut: the model reached its token limit");
    case "refusal":
      return new AshError(
        "refusal",
        `the model refused to answer${stopDetail === null ? "" : `: ${stopDetail}`}`,
      );
    case "tool_use":
      return new AshError("protocol", "the server stopped for a tool call but sent none");
    default:
      return new AshError("protocol", `the server ended the reply in a way ash does not know: ${stopReason}`);
  }
}

/** The error of an answer that still does not fit its schema. */
export const mismatchError = (problem: string): AshError =>
  new AshError("schema_mismatch", `the answer does not match the schema: ${problem}`, {
    hint: "simplify the schema, say in the prompt what each field holds, or use a stronger model",
  });

/** What makes a run that answered fail all the same. */
export type Strictness = { readonly onDenied: boolean; readonly onToolError: boolean };

const named = ({ name, argv, stages }: Pick<ToolRecord, "name" | "argv" | "stages">): string =>
  argv?.[0] ?? stages?.map((stage) => stage.argv[0]).join(" | ") ?? name;

function howItEnded(record: ToolRecord): string {
  if (record.timed_out) return "timed out";
  return record.signal === null ? `exited with ${record.exit_code}` : `was ended by ${record.signal}`;
}

const more = (count: number): string => (count > 1 ? ` (and ${count - 1} more)` : "");

/** The error of a run that answered but did something the caller does not accept; a denial before a failure. */
export function strictError(
  { onDenied, onToolError }: Strictness,
  { denials, failures }: { readonly denials: readonly Denial[]; readonly failures: readonly ToolRecord[] },
): AshError | null {
  const [denial] = denials;
  if (onDenied && denial !== undefined) {
    const what = denial.argv?.[0] ?? denial.name;
    return new AshError("denied", `a call was denied: ${what}: ${denial.reason}${more(denials.length)}`);
  }
  const [failure] = failures;
  if (!onToolError || failure === undefined) return null;
  return new AshError(
    "tool_failed",
    `a tool failed: ${named(failure)} ${howItEnded(failure)}${more(failures.length)}`,
  );
}
