// The shapes ash prints and reads, each defined once: the types of the program, the published JSON Schemas and
// the checks all come from here. The only importer of the schema library.
import * as v from "valibot";
import { ERROR_TYPES } from "./errors.ts";
import type { Parsed } from "./limits.ts";

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
  decision: v.picklist(["allow", "deny", "error", "planned"]),
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
  status: v.picklist(["ok", "incomplete", "limit", "error", "interrupted", "locked"]),
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

/** One line `ash batch` writes. */
export const BatchRecordSchema = v.strictObject({
  schema: v.literal("ash.batch/1"),
  /** As the input line has it; null when it has none that can be used. */
  id: maybe(v.union([text, v.pipe(v.number(), v.integer())])),
  /** Number of the input line, from 1. */
  line: count,
  result: ResultSchema,
});

/** What one event of `--jsonl` says, without its `seq` and `ts`. */
export const EventSchema = v.variant("type", [
  v.strictObject({
    type: v.literal("run.start"),
    schema: v.literal("ash.event/1"),
    ash_version: text,
    session_id: maybe(text),
    provider: maybe(text),
    model: maybe(text),
    cwd: maybe(text),
    sandbox: ResultSchema.entries.sandbox,
    /** Settings of the run by name: budgets, limits of a call, permissions. */
    settings: v.record(text, v.unknown()),
  }),
  v.strictObject({ type: v.literal("turn.start"), turn: count }),
  v.strictObject({ type: v.literal("text.delta"), text }),
  /** Text of a reply; a long one comes in parts. */
  v.strictObject({ type: v.literal("message"), text, part: count, parts: count }),
  v.strictObject({
    type: v.literal("tool.start"),
    id: text,
    name: text,
    stages: v.array(v.array(text)),
    rule: text,
  }),
  v.strictObject({
    type: v.literal("tool.end"),
    id: text,
    ok: v.boolean(),
    exit_code: maybe(v.number()),
    signal: maybe(text),
    timed_out: v.boolean(),
    duration_ms: count,
    stdout_bytes: count,
    stderr_bytes: count,
    truncated: v.boolean(),
    /** Only with --include-output. */
    stdout: v.optional(text),
    stderr: v.optional(text),
  }),
  v.strictObject({
    type: v.literal("tool.denied"),
    id: text,
    name: text,
    stages: v.array(v.array(text)),
    rule: text,
    reason: text,
  }),
  v.strictObject({ type: v.literal("retry"), attempt: count, wait_ms: count, error_type: text }),
  v.strictObject({ type: v.literal("warning"), warning_type: text, message: text }),
  v.strictObject({ type: v.literal("turn.end"), turn: count, stop_reason: text, usage: UsageSchema }),
  v.strictObject({ type: v.literal("run.end"), result: ResultSchema }),
]);

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
/** One line `ash batch` writes. */
export type BatchRecord = v.InferOutput<typeof BatchRecordSchema>;
/** Tokens of a run or a reply. */
export type Usage = v.InferOutput<typeof UsageSchema>;
/** One tool call in a result. */
export type ToolRecord = v.InferOutput<typeof ToolRecordSchema>;
/** One refused call in a result. */
export type Denial = v.InferOutput<typeof DenialSchema>;
/** Something worth knowing that did not stop the run. */
export type Warning = v.InferOutput<typeof WarningSchema>;
const FILE_VALUES = {
  text,
  count: v.union([count, text]),
  switch: v.union([v.boolean(), text]),
  duration: v.union([v.number(), text]),
  size: v.union([count, text]),
  dollars: v.union([v.number(), text]),
  list: v.union([v.array(text), text]),
} as const;

type FileSetting = Readonly<{ key: string; kind: keyof typeof FILE_VALUES; help: string }>;

/** The shape of config.toml, from the settings that may stand in it. */
export function configFileSchema(settings: readonly FileSetting[]) {
  const entries = settings.map(({ key, kind, help }) => [
    key,
    v.optional(v.pipe(FILE_VALUES[kind] as v.GenericSchema<unknown>, v.description(help))),
  ]);
  return v.strictObject(Object.fromEntries(entries) as Record<string, v.GenericSchema<unknown>>);
}

/** One event of a run. */
export type AgentEvent = v.InferOutput<typeof EventSchema>;
/** Which locks hold around a tool. */
export type Sandbox = Result["sandbox"];

/** Checks a value; returns it typed, or one sentence that names the first thing wrong. */
export function check<S extends v.GenericSchema>(schema: S, value: unknown): Parsed<v.InferOutput<S>> {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return { ok: true, value: parsed.output };
  const [issue] = parsed.issues;
  const where = v.getDotPath(issue) ?? "the input";
  return {
    ok: false,
    problem: `${where}: expected ${issue.expected ?? "something else"}, got ${issue.received}`,
  };
}
