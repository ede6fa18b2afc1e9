// The shape of a line of a session file, as far as a reader relies on it. Shapes only.
import * as v from "valibot";
import { check, ResultSchema, ToolRecordSchema } from "../schema.ts";

const text = v.string();

const TextSchema = v.looseObject({ type: v.literal("text"), text });

const MessageSchema = v.variant("role", [
  v.looseObject({
    role: v.literal("user"),
    content: v.array(
      v.variant("type", [
        TextSchema,
        v.looseObject({ type: v.literal("tool_result"), id: text, content: text }),
      ]),
    ),
  }),
  v.looseObject({
    role: v.literal("assistant"),
    content: v.array(
      v.variant("type", [
        TextSchema,
        v.looseObject({ type: v.literal("tool_use"), id: text, name: text }),
        v.looseObject({ type: v.literal("server"), block: v.record(text, v.unknown()) }),
      ]),
    ),
  }),
]);

const ending = { status: ResultSchema.entries.status, exit_code: v.number(), turns: v.number() };

const SavedLineSchema = v.variant("type", [
  v.looseObject({
    type: v.literal("run.start"),
    ts: text,
    run: text,
    prompt: text,
    provider: text,
    model: text,
    folder: text,
  }),
  v.looseObject({
    type: v.literal("message"),
    ts: text,
    run: text,
    message: MessageSchema,
  }),
  v.looseObject({
    type: v.literal("call"),
    ts: text,
    run: text,
    record: ToolRecordSchema,
    denial: v.nullable(v.looseObject({ reason: text })),
  }),
  v.looseObject({
    type: v.literal("run.end"),
    ts: text,
    run: text,
    result: v.looseObject({ ...ending, model: v.nullable(text) }),
  }),
]);

const WholeResultSchema = v.omit(ResultSchema, ["tools", "denials"]);

/** One line of a session file. */
export type SavedLine = v.InferOutput<typeof SavedLineSchema>;

/** Reads a line; null when a crash cut it or it says nothing this ash knows. */
export function readSavedLine(line: string): SavedLine | null {
  try {
    const read = check(SavedLineSchema, JSON.parse(line));
    return read.ok ? read.value : null;
  } catch {
    return null;
  }
}

/** How a run ended, as `ash --json` says it without its lists. */
export type WholeResult = v.InferOutput<typeof WholeResultSchema>;

/**
 * Reads how a run ended. Another version of ash may have written less or more: what is missing is as in `unknown`. Null
 * when it means something else altogether.
 */
export function wholeResult(
  result: Readonly<Record<string, unknown>>,
  unknown: WholeResult,
): WholeResult | null {
  const keys = Object.keys(unknown) as readonly (keyof WholeResult)[];
  const filled = Object.fromEntries(
    keys.map((key) => [key, Object.hasOwn(result, key) ? result[key] : unknown[key]]),
  );
  const read = check(WholeResultSchema, filled);
  return read.ok ? read.value : null;
}
