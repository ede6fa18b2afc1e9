// What every key of the published schemas means, by its path. Texts only; a test holds that none is missing and none is
// left over.

/** Descriptions by path: `error.type`, `tools[].argv`; for events `KIND:key`, where `*` stands for every kind. */
export type Descriptions = Readonly<Record<string, string>>;

const below = (path: string, texts: Descriptions): Descriptions =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [`${path}.${key}`, text]));

const USAGE: Descriptions = {
  input_tokens: "Tokens of the requests that were not read from a cache; null when the server did not say.",
  output_tokens: "Tokens of the replies; null when the server did not say.",
  cache_read_input_tokens: "Tokens read from the server's cache; null when the server did not say.",
  cache_creation_input_tokens: "Tokens written to the server's cache; null when the server did not say.",
};

const ERROR: Descriptions = {
  type: "What kind of error it is; each kind has one exit code.",
  message: "What went wrong, in one sentence.",
  hint: "What to do about it, or null.",
  http_status: "The status the model server answered with, or null.",
  retryable: "True exactly when the same call may succeed later (exit code 5).",
  retry_after_s: "Seconds the server asked to wait, or null.",
  request_id: "The server's id of the request that failed, or null.",
};

const MEASURED: Descriptions = {
  stderr: "What it wrote to stderr, cut to the limit. Only with ash run.",
  cpu_ms: "CPU time in milliseconds; null when unknown. Only with ash run.",
  peak_memory_bytes: "The most memory it held, in bytes; null when unknown. Only with ash run.",
};

const CALL: Descriptions = {
  id: "The id the model gave the call.",
  name: "The tool the model called: run_unix_command or run_unix_pipeline.",
  argv: "The command and its arguments; null for a pipeline and for a call that could not be read.",
  stages: "The programs of a pipeline in order; null for a single command.",
  "stages[].argv": "The program and its arguments.",
  "stages[].exit_code": "Its exit code; null when it was ended by a signal or did not run.",
  "stages[].signal": "The signal that ended it, or null.",
  ...below("stages[]", MEASURED),
  decision:
    "allow: it ran. deny: the policy refused it. planned: it was noted and not run. error: the call could not be understood.",
  rule: "The rule of the policy that decided, or null.",
  exit_code:
    "The exit code; of the last stage for a pipeline; null when it was ended by a signal or did not run.",
  signal: "The signal that ended it, or null.",
  timed_out: "True when it was ended because its time was up.",
  duration_ms: "Wall time in milliseconds.",
  stdout_bytes: "Bytes it wrote to stdout, before anything was cut.",
  stderr_bytes: "Bytes it wrote to stderr, before anything was cut.",
  truncated: "True when a part of its output was dropped.",
  tool_status: "The `status` of the JSON object a Python tool printed, or null.",
  stdout: "What it wrote to stdout, cut to the limit. Only with ash run.",
  limit: "The limit that ended it, or null. Only with ash run.",
  ...MEASURED,
};

const DENIAL: Descriptions = {
  id: "The id the model gave the call.",
  name: "The tool the model called.",
  argv: "The call; the stages of a pipeline are separated by an argument that is exactly |.",
  rule: "The rule of the policy that refused it.",
  reason: "Why, and what would be allowed.",
};

const WARNING: Descriptions = {
  type: "What kind of warning it is.",
  message: "What is worth knowing, in one sentence.",
};

/** The object of `ash --json`. */
export const RESULT: Descriptions = {
  schema: "The name and version of this shape.",
  status:
    "ok: a complete answer. incomplete: none that can be used. limit: a budget ended the run. error. interrupted: a signal or a closed stdout. locked: another run holds the lock.",
  exit_code: "The exit code of the process; ash help exit-codes explains it.",
  result: "The answer; what there is of it when the run did not end well; null when there is none.",
  structured: "The answer as data, when a schema was asked for; else null.",
  error: "Why the status is not ok, or null.",
  ...below("error", ERROR),
  stop_reason: "Why the model ended its last reply, as the server names it; null when there was none.",
  limit: "The budget that ended the run, or null.",
  model: "The model that answered, as the server names it; null when none was asked.",
  session_id: "The session this run was saved in; null when it was not.",
  turns: "Requests made to the model.",
  usage: "Tokens as the server counted them.",
  ...below("usage", USAGE),
  cost_usd: "What the run cost in US dollars; null when the price is not known.",
  duration_ms: "Wall time of the run in milliseconds.",
  tools: "Every tool call in the order asked.",
  ...below("tools[]", CALL),
  denials: "Every call the policy refused.",
  ...below("denials[]", DENIAL),
  warnings: "What is worth knowing and did not stop the run.",
  ...below("warnings[]", WARNING),
  sandbox: "Which locks held around tools.",
};

/** The result lines of `ash batch`. */
export const BATCH: Descriptions = {
  schema: "The name and version of this shape.",
  id: "The id of the prompt as its line has it; null when it has none that can be used.",
  line: "The number of the prompt's line in the file, from 1.",
  result: "What ash --json would print for this prompt.",
  ...below("result", RESULT),
};

/** The lines of `ash --jsonl`. */
export const EVENT: Descriptions = {
  "run.start": "The first line of every run.",
  "turn.start": "A request goes to the model.",
  "text.delta": "Text of a reply as it arrives. Only with --deltas.",
  message: "Text of a reply, whole.",
  "tool.start": "A call was allowed and starts.",
  "tool.end": "A call has ended.",
  "tool.denied": "The policy refused a call.",
  retry: "The server could not be reached or was busy; it is asked again.",
  warning: "Something worth knowing that does not stop the run.",
  "turn.end": "A reply is complete.",
  "run.end": "The last line of every run, also after a signal.",
  "*:type": "The kind of the line.",
  "*:seq": "The number of the line in this run, from 1.",
  "*:ts": "When it happened (UTC).",
  "*:id": "The id the model gave the call.",
  "*:name": "The tool the model called.",
  "*:turn": "The number of the request, from 1.",
  "*:rule": "The rule of the policy that decided.",
  "*:stages": "The programs and their arguments; a single command is one stage.",
  "run.start:schema": "The name and version of the shape of these lines.",
  "run.start:ash_version": "The version of ash.",
  "run.start:session_id": "The session this run is saved in; null when it is not.",
  "run.start:provider": "The model server's preset, or script for a replay; null when none was opened.",
  "run.start:model": "The model that is asked; null when none is.",
  "run.start:cwd": "The folder the tools run in.",
  "run.start:sandbox": "Which locks hold around tools.",
  "run.start:settings": "Settings of the run by name; a secret shows as [secret].",
  "text.delta:text": "The next piece of text.",
  "message:text": "The text; a long one comes in parts.",
  "message:part": "Which part this is, from 1.",
  "message:parts": "How many parts there are.",
  "tool.end:ok": "True when the call counts as done.",
  "tool.end:exit_code": "The exit code; null when it was ended by a signal or could not start.",
  "tool.end:signal": "The signal that ended it, or null.",
  "tool.end:timed_out": "True when it was ended because its time was up.",
  "tool.end:duration_ms": "Wall time in milliseconds.",
  "tool.end:stdout_bytes": "Bytes it wrote to stdout, before anything was cut.",
  "tool.end:stderr_bytes": "Bytes it wrote to stderr, before anything was cut.",
  "tool.end:truncated": "True when a part of its output was dropped.",
  "tool.end:stdout": "What it wrote to stdout, cut to the limit. Only with --include-output.",
  "tool.end:stderr": "What it wrote to stderr, cut to the limit. Only with --include-output.",
  "tool.denied:reason": "Why, and what would be allowed.",
  "retry:attempt": "The number of the attempt that failed, from 1.",
  "retry:wait_ms": "Milliseconds until the next one.",
  "retry:error_type": "Why the attempt failed.",
  "warning:warning_type": "What kind of warning it is.",
  "warning:message": "What is worth knowing, in one sentence.",
  "turn.end:stop_reason": "Why the model ended the reply, as the server names it.",
  "turn.end:usage": "Tokens of this reply as the server counted them.",
  ...below("turn.end:usage", USAGE),
  "run.end:result": "The object ash --json would print.",
};
