// The flags as data, in the groups that several commands share.

/** One flag. `value` is the placeholder of a flag that takes a value; without it the flag is a switch. */
export type FlagSpec = {
  readonly name: string;
  readonly short?: string;
  readonly value?: string;
  /** May be given more than once. */
  readonly repeat?: true;
  /** The flag without which it means nothing. */
  readonly needs?: string;
  /** The flag that contradicts it. */
  readonly excludes?: string;
  readonly help: string;
};

/** Flags of every command. */
export const OUTPUT_FLAGS: readonly FlagSpec[] = [
  { name: "json", help: "print one JSON object on stdout, on every path" },
  { name: "no-color", help: "no colour on the terminal" },
  { name: "help", short: "h", help: "show help" },
];

const ANSWER_FLAGS: readonly FlagSpec[] = [
  { name: "schema", value: "FILE", help: "the answer is JSON that matches this JSON Schema" },
  { name: "output", short: "o", value: "FILE", help: "write the answer, or the JSON object, to FILE" },
  { name: "fail-on-denied", help: "exit 7 when a call was denied" },
  { name: "fail-on-tool-error", help: "exit 9 when a tool failed" },
];

const EVENT_FLAGS: readonly FlagSpec[] = [
  { name: "jsonl", excludes: "json", help: "print events as JSON Lines; the last one holds the result" },
  { name: "deltas", needs: "jsonl", help: "with --jsonl: text as it arrives" },
  { name: "include-output", needs: "jsonl", help: "with --jsonl: what tools print, cut to their limit" },
];

/** What tools may do. */
export const PERMISSION_FLAGS: readonly FlagSpec[] = [
  { name: "allow-run", value: "NAMES", help: "exactly these tools for this run (comma-separated)" },
  { name: "deny-run", value: "NAMES", help: "take these tools away from whatever list holds" },
  { name: "allow-net", help: "the network for every tool that can use it" },
  { name: "deny-net", help: "no network for any tool" },
  { name: "allow-read", value: "PATHS", repeat: true, help: "tools may read only these trees" },
  { name: "deny-read", value: "PATHS", repeat: true, help: "tools may not read these trees" },
  { name: "level", value: "LEVEL", help: "what runs unasked: read (default), ask or auto" },
];

/** Flags that choose the model and its server. */
export const MODEL_FLAGS: readonly FlagSpec[] = [
  { name: "model", short: "m", value: "ID", help: "model id, or sonnet, opus, haiku" },
  { name: "provider", value: "NAME", help: "preset of a model server, or script" },
  { name: "base-url", value: "URL", help: "address of a server that speaks the Messages API" },
];

const BUDGET_FLAGS: readonly FlagSpec[] = [
  { name: "max-turns", value: "N", help: "requests to the model (default 16)" },
  { name: "max-tool-calls", value: "N", help: "tool calls (default 64)" },
  { name: "max-tokens", value: "N", help: "tokens of all requests, input and output" },
  { name: "max-cost", value: "USD", help: "cost of all requests in US dollars, such as 0.50" },
  { name: "deadline", value: "TIME", help: "wall time of the whole run (default 10m)" },
];

const SESSION_FLAGS: readonly FlagSpec[] = [
  { name: "continue", short: "c", help: "go on with the newest session" },
  { name: "session", value: "ID", help: "go on with this session" },
  { name: "no-save", help: "keep no transcript of this run" },
];

const CRON_FLAGS: readonly FlagSpec[] = [
  { name: "lock", value: "NAME", help: "while another run holds this lock, exit 5 at once" },
  { name: "only-if-changed", help: "print the kept answer when nothing that is asked has changed" },
];

const PLAN_FLAGS: readonly FlagSpec[] = [
  { name: "plan", help: "run no call: print the calls the model would make, one JSON line each" },
  { name: "approve-plan", value: "FILE", help: "run exactly the calls of this plan, and no other" },
];

const INPUT_FLAGS: readonly FlagSpec[] = [
  {
    name: "file",
    short: "f",
    value: "FILE",
    repeat: true,
    help: "read FILE: the prompt when there are no words, else context; - is stdin",
  },
  { name: "no-stdin", help: "do not read stdin" },
  { name: "record", value: "FILE", help: "write the model's replies to FILE" },
  { name: "replay", value: "FILE", help: "play replies from FILE, or the embedded demo; tools really run" },
];

/** Flags of a question. */
export const ASK_FLAGS: readonly FlagSpec[] = [
  ...MODEL_FLAGS,
  ...PERMISSION_FLAGS,
  ...BUDGET_FLAGS,
  ...SESSION_FLAGS,
  ...INPUT_FLAGS,
  ...ANSWER_FLAGS,
  ...PLAN_FLAGS,
  ...CRON_FLAGS,
  ...EVENT_FLAGS,
  ...OUTPUT_FLAGS,
  { name: "version", short: "V", help: "show the version" },
];

/** Flags of `ash batch`. */
export const BATCH_FLAGS: readonly FlagSpec[] = [
  { name: "jobs", short: "j", value: "N", help: "prompts at a time (default 4)" },
  {
    name: "output",
    short: "o",
    value: "FILE",
    help: "append the results to FILE; what it has already is not asked again",
  },
  { name: "retry-failed", help: "with --output: ask again what failed for good" },
  ...MODEL_FLAGS,
  ...PERMISSION_FLAGS,
  ...BUDGET_FLAGS,
  { name: "no-save", help: "keep no transcripts" },
  { name: "replay", value: "FILE", help: "play every reply from FILE; tools really run" },
  ...CRON_FLAGS,
  { name: "json", help: "with --output: print one JSON object about the whole batch on stdout" },
  { name: "no-color", help: "no progress line on the terminal" },
  { name: "help", short: "h", help: "show help" },
];

const LIMIT_FLAGS: readonly FlagSpec[] = [
  { name: "timeout", value: "TIME", help: "wall time of the call (default 15s)" },
  { name: "output-max", value: "SIZE", help: "bytes kept of each of stdout and stderr (default 8192)" },
  { name: "memory-max", value: "SIZE", help: "memory (default 1GiB)" },
  { name: "cpu-max", value: "TIME", help: "CPU time (default 10s)" },
  { name: "file-max", value: "SIZE", help: "size of a file it writes (default 16MiB)" },
  { name: "process-max", value: "N", help: "processes (default 64)" },
];

/** The flag that makes a command line a pipeline. */
export const PIPE_FLAG: FlagSpec = {
  name: "pipe",
  help: "a pipeline: stages separated by an argument that is exactly |",
};

/** Flags of `ash run`. */
export const RUN_FLAGS: readonly FlagSpec[] = [
  PIPE_FLAG,
  ...PERMISSION_FLAGS,
  ...LIMIT_FLAGS,
  ...OUTPUT_FLAGS,
];

/** Every flag of a question and of a call, so that one can see what these would use. */
export const CONFIG_FLAGS: readonly FlagSpec[] = [
  ...ASK_FLAGS.filter(({ name }) => name !== "version"),
  ...LIMIT_FLAGS,
];

/** Flags of `ash doctor`. */
export const DOCTOR_FLAGS: readonly FlagSpec[] = [
  { name: "online", help: "also ask the model for one small tool call" },
  { name: "facts", help: "show the single facts behind each finding" },
  ...MODEL_FLAGS,
  ...OUTPUT_FLAGS,
];

/** Flags of `ash init`. */
export const INIT_FLAGS: readonly FlagSpec[] = [
  { name: "dry-run", help: "say what would be done and change nothing" },
  { name: "no-python", help: "files only, no Python environment" },
  { name: "offline", help: "use only packages that are already here" },
  { name: "force", help: "replace files you changed; they are kept as NAME.old" },
  ...OUTPUT_FLAGS,
];

/** Flags of `ash tools`. */
export const TOOLS_FLAGS: readonly FlagSpec[] = [
  {
    name: "option",
    value: "NAME[:TYPE]",
    repeat: true,
    help: "new: an option of the tool; str (default), int, float or bool",
  },
  { name: "description", value: "TEXT", help: "new: what the tool does, in one line" },
  { name: "offline", help: "sync: use only packages that are already here" },
  ...OUTPUT_FLAGS,
];

/** Flags of `ash sessions`. */
export const SESSIONS_FLAGS: readonly FlagSpec[] = [
  { name: "limit", value: "N", help: "list: at most so many (default 20)" },
  { name: "older-than", value: "AGE", help: "rm: those not written for so long (30d, 12h, 2w)" },
  { name: "all", help: "rm: every session" },
  { name: "yes", short: "y", help: "rm: do not ask" },
  ...OUTPUT_FLAGS,
];
