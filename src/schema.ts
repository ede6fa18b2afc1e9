// The shapes ash prints and reads, each defined once: the types of the program, the published JSON Schemas and
// the checks all come from here. The only importer of the schema library.
import * as v from "valibot";
import { ERROR_TYPES } from "./errors.ts";

const text = v.string();
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const maybe = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);

/** Tokens as the server counted them; null where it did not say. */
export const UsageSchema = v.strictObject({
  input_tokens: maybe(count),
  output_tokens: maybe(count),
  cache_read_input_tokens: maybe(count),
  cache_creation_input_tokens: maybe(count),
});

const CallLimitSchema = v.picklist(["time", "output", "memory", "cpu", "file_size", "processes"]);

/** What `ash run` tells of one program besides how it ended. */
const MEASURED = {
  stderr: v.optional(text),
  cpu_ms: v.optional(maybe(v.number())),
  peak_memory_bytes: v.optional(maybe(count)),
};

const StageRecordSchema = v.strictObject({
  argv: v.array(text),
  exit_code: maybe(v.number()),
  signal: maybe(text),
  ...MEASURED,
});

/** One tool call of a run. */
export const ToolRecordSchema = v.strictObject({
  id: text,
  name: text,
  /** [command, ...args]; null for a pipeline. */
  argv: maybe(v.array(text)),
  /** The stages of a pipeline; null for a single command. */
  stages: maybe(v.array(StageRecordSchema)),
  decision: v.picklist(["allow", "deny", "error"]),
  rule: maybe(text),
  exit_code: maybe(v.number()),
  signal: maybe(text),
  timed_out: v.boolean(),
  duration_ms: count,
  stdout_bytes: count,
  stderr_bytes: count,
  truncated: v.boolean(),
  /** `status` of the JSON a Python tool printed. */
  tool_status: maybe(text),
  /** Only with `ash run`. */
  stdout: v.optional(text),
  limit: v.optional(maybe(CallLimitSchema)),
  ...MEASURED,
});

const DenialSchema = v.strictObject({
  id: text,
  name: text,
  argv: maybe(v.array(text)),
  rule: text,
  reason: text,
});

const WarningSchema = v.strictObject({ type: text, message: text });

const ErrorSchema = v.strictObject({
  type: v.picklist(ERROR_TYPES),
  message: text,
  hint: maybe(text),
  http_status: maybe(count),
  retryable: v.boolean(),
  retry_after_s: maybe(v.number()),
  request_id: maybe(text),
});

/** The object `ash --json` prints on every path. */
export const ResultSchema = v.strictObject({
  schema: v.literal("ash.result/1"),
  status: v.picklist(["ok", "incomplete", "limit", "error", "interrupted"]),
  exit_code: count,
  result: maybe(text),
  structured: v.unknown(),
  error: maybe(ErrorSchema),
  stop_reason: maybe(text),
  limit: maybe(v.picklist(["turns", "tool_calls", "deadline", "tokens", "cost", "cost_per_day"])),
  model: maybe(text),
  session_id: maybe(text),
  /** Requests made to the model. */
  turns: count,
  usage: UsageSchema,
  cost_usd: maybe(v.number()),
  duration_ms: count,
  tools: v.array(ToolRecordSchema),
  denials: v.array(DenialSchema),
  warnings: v.array(WarningSchema),
  sandbox: v.picklist(["jail", "bwrap", "rlimits", "none"]),
});

const RecordedBlockSchema = v.variant("type", [
  v.looseObject({ type: v.literal("text"), text }),
  v.pipe(
    v.looseObject({ type: v.literal("tool_use"), id: text, name: text, input: v.unknown() }),
    v.transform((block) => ({ malformed: null, ...block })),
  ),
  v.looseObject({ type: v.literal("server"), block: v.record(text, v.unknown()) }),
]);

/** First line of a recording. */
export const RecordingHeaderSchema = v.looseObject({
  type: v.literal("recording"),
  schema: v.literal("ash.recording/1"),
  model: text,
});

/** Every other line of a recording: one reply, and the ids of the results it came after. */
export const RecordedReplySchema = v.looseObject({
  type: v.literal("reply"),
  answers: v.array(text),
  content: v.array(RecordedBlockSchema),
  stop_reason: text,
  stop_detail: v.optional(maybe(text)),
  usage: v.optional(UsageSchema),
  model: v.optional(text),
});

/** Input of the tool `run_unix_command`. */
export const CommandInputSchema = v.strictObject({ command: text, args: v.optional(v.array(text), []) });

/** Input of the tool `run_unix_pipeline`. */
export const PipelineInputSchema = v.strictObject({
  stages: v.pipe(v.array(CommandInputSchema), v.minLength(2), v.maxLength(16)),
});

/** The object `ash --json` prints. */
export type Result = v.InferOutput<typeof ResultSchema>;
/** Tokens of a run or a reply. */
export type Usage = v.InferOutput<typeof UsageSchema>;
/** One tool call in a result. */
export type ToolRecord = v.InferOutput<typeof ToolRecordSchema>;
/** One refused call in a result. */
export type Denial = v.InferOutput<typeof DenialSchema>;
/** Something worth knowing that did not stop the run. */
export type Warning = v.InferOutput<typeof WarningSchema>;
/** Which locks hold around a tool. */
export type Sandbox = Result["sandbox"];

/** Checks a value; returns it typed, or one sentence that names the first thing wrong. */
export function check<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
):
  | { readonly ok: true; readonly value: v.InferOutput<S> }
  | { readonly ok: false; readonly problem: string } {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return { ok: true, value: parsed.output };
  const [issue] = parsed.issues;
  const path = v.getDotPath(issue);
  const where = path === null ? "the input" : path;
  return {
    ok: false,
    problem: `${where}: expected ${issue.expected ?? "something else"}, got ${issue.received}`,
  };
}
