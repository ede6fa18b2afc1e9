// The shapes of what the commands besides a question print with --json: reports about ash itself. Shapes only.
import * as v from "valibot";
import { ResultSchema, ToolRecordSchema } from "../schema.ts";

const text = v.string();
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const time = v.pipe(v.string(), v.isoTimestamp());
const maybe = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);

const CheckSchema = v.strictObject({
  id: text,
  status: v.picklist(["ok", "warn", "fail"]),
  message: text,
  fix: maybe(text),
  facts: v.record(text, v.unknown()),
});

/** What `ash doctor --json` prints. */
export const DoctorSchema = v.strictObject({
  schema: v.literal("ash.doctor/1"),
  status: v.picklist(["ok", "warn", "fail"]),
  exit_code: count,
  ash_version: text,
  online: v.boolean(),
  checks: v.array(CheckSchema),
  counts: v.strictObject({ ok: count, warn: count, fail: count }),
  duration_ms: count,
});

const SettingSchema = v.strictObject({
  name: text,
  value: v.unknown(),
  unit: maybe(v.picklist(["ms", "bytes", "usd"])),
  shown: text,
  origin: text,
  default: text,
  flag: maybe(text),
  env: v.array(text),
  toml: maybe(text),
  help: text,
});

const PermissionsSchema = v.strictObject({
  source: text,
  allow: v.array(text),
  deny: v.array(text),
  unrestricted: v.array(text),
  ask: v.array(text),
  network: v.array(text),
  level: text,
  strict_arguments: v.boolean(),
  sandbox: maybe(ResultSchema.entries.sandbox),
});

const ModelSchema = v.strictObject({
  provider: text,
  base_url: maybe(text),
  model: maybe(text),
  key: v.picklist(["set", "not set"]),
  key_origin: maybe(text),
  problem: maybe(text),
});

/** What `ash config --json` prints. */
export const SettingsSchema = v.strictObject({
  schema: v.literal("ash.settings/1"),
  status: v.literal("ok"),
  exit_code: count,
  home: text,
  settings: v.array(SettingSchema),
  permissions: PermissionsSchema,
  model: ModelSchema,
  warnings: v.array(text),
});

const SummarySchema = v.strictObject({
  id: text,
  path: text,
  started: maybe(time),
  updated: maybe(time),
  running: v.boolean(),
  prompt: maybe(text),
  status: maybe(ResultSchema.entries.status),
  exit_code: maybe(count),
  turns: maybe(count),
  model: maybe(text),
  folder: maybe(text),
  bytes: count,
});

/** What `ash sessions list|rm|path --json` prints. */
export const SessionsSchema = v.strictObject({
  schema: v.literal("ash.sessions/1"),
  status: v.literal("ok"),
  exit_code: count,
  action: v.picklist(["list", "rm", "path"]),
  folder: text,
  total: count,
  sessions: v.array(SummarySchema),
});

const SessionEntrySchema = v.variant("type", [
  v.strictObject({ type: v.literal("text"), role: v.picklist(["user", "assistant"]), text }),
  v.strictObject({
    type: v.literal("call"),
    call: ToolRecordSchema,
    reason: maybe(text),
    output: maybe(text),
  }),
]);

/** What `ash sessions show --json` prints. */
export const SessionSchema = v.strictObject({
  schema: v.literal("ash.session/1"),
  status: v.literal("ok"),
  exit_code: count,
  id: text,
  path: text,
  running: v.boolean(),
  lost_lines: count,
  runs: v.array(
    v.strictObject({
      run: text,
      started: maybe(time),
      prompt: maybe(text),
      provider: maybe(text),
      model: maybe(text),
      folder: maybe(text),
      entries: v.array(SessionEntrySchema),
      result: maybe(v.omit(ResultSchema, ["tools", "denials"])),
    }),
  ),
});

/** What `ash models --json` prints. */
export const ModelsSchema = v.strictObject({
  schema: v.literal("ash.models/1"),
  status: v.picklist(["ok", "error", "interrupted"]),
  exit_code: count,
  provider: maybe(text),
  base_url: maybe(text),
  models: v.array(v.strictObject({ id: text, display_name: maybe(text), context_tokens: maybe(count) })),
  error: ResultSchema.entries.error,
  duration_ms: count,
});

/** What `ash init --json` prints. */
export const InitSchema = v.strictObject({
  schema: v.literal("ash.init/1"),
  status: v.picklist(["ok", "error", "interrupted"]),
  exit_code: count,
  home: text,
  dry_run: v.boolean(),
  files: v.array(
    v.strictObject({
      path: text,
      action: v.picklist(["unchanged", "installed", "updated", "kept", "replaced"]),
      beside: maybe(text),
    }),
  ),
  python: v.strictObject({
    state: v.picklist(["ready", "made", "skipped", "missing", "failed"]),
    folder: text,
    version: maybe(text),
  }),
  error: ResultSchema.entries.error,
  duration_ms: count,
});

/** What `ash batch --json` prints. */
export const BatchReportSchema = v.strictObject({
  schema: v.literal("ash.batch-report/1"),
  status: v.picklist(["ok", "incomplete", "error", "interrupted"]),
  exit_code: count,
  output: text,
  prompts: v.strictObject({ answered: count, failed: count, again: count, earlier: count }),
  error: ResultSchema.entries.error,
  duration_ms: count,
});

/** The report of `ash doctor`. */
export type DoctorReport = v.InferOutput<typeof DoctorSchema>;
/** One thing `ash doctor` looked at. */
export type Check = DoctorReport["checks"][number];
/** The report of `ash config`. */
export type SettingsReport = v.InferOutput<typeof SettingsSchema>;
/** What `ash sessions` tells of one session. */
export type SessionSummary = v.InferOutput<typeof SummarySchema>;
/** The report of `ash sessions list|rm|path`. */
export type SessionsReport = v.InferOutput<typeof SessionsSchema>;
/** The report of `ash sessions show`. */
export type SessionReport = v.InferOutput<typeof SessionSchema>;
/** The report of `ash models`. */
export type ModelsReport = v.InferOutput<typeof ModelsSchema>;
/** The report of `ash batch`. */
export type BatchReport = v.InferOutput<typeof BatchReportSchema>;
/** The report of `ash init`. */
export type InitReport = v.InferOutput<typeof InitSchema>;
