// The command line as data: every command and every flag, read by the router, the help, the completions and
// the documentation. It holds no behaviour.

/** One flag. `value` is the placeholder of a flag that takes a value; without it the flag is a switch. */
export type FlagSpec = {
  readonly name: string;
  readonly short?: string;
  readonly value?: string;
  /** May be given more than once. */
  readonly repeat?: true;
  readonly help: string;
};

/** One command. */
export type CommandSpec = {
  readonly summary: string;
  /** What follows the name on the usage line. */
  readonly usage: string;
  readonly flags: readonly FlagSpec[];
  /** False while the command is only reserved. */
  readonly built: boolean;
  /** What its help says besides the flags, line by line. */
  readonly notes?: readonly string[];
};

const OUTPUT_FLAGS: readonly FlagSpec[] = [
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
  { name: "jsonl", help: "print events as JSON Lines; the last one holds the result" },
  { name: "deltas", help: "with --jsonl: text as it arrives" },
  { name: "include-output", help: "with --jsonl: what tools print, cut to their limit" },
];

const PERMISSION_FLAGS: readonly FlagSpec[] = [
  { name: "allow-run", value: "NAMES", help: "exactly these tools for this run (comma-separated)" },
  { name: "deny-run", value: "NAMES", help: "take these tools away from whatever list holds" },
  { name: "allow-net", help: "the network for every tool that can use it" },
  { name: "deny-net", help: "no network for any tool" },
  { name: "allow-read", value: "PATHS", repeat: true, help: "tools may read only these trees" },
  { name: "deny-read", value: "PATHS", repeat: true, help: "tools may not read these trees" },
  { name: "level", value: "LEVEL", help: "what runs unasked: read (default), ask or auto" },
];

const MODEL_FLAGS: readonly FlagSpec[] = [
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

const ASK_FLAGS: readonly FlagSpec[] = [
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

const BATCH_FLAGS: readonly FlagSpec[] = [
  { name: "jobs", short: "j", value: "N", help: "prompts at a time (default 4)" },
  {
    name: "output",
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

/** The keys a line of a batch may have, each with its meaning. */
export const BATCH_KEYS: readonly (readonly [key: string, help: string])[] = [
  ["id", "text or whole number, once in the file: the name of the result"],
  ["prompt", "what is asked"],
  ["context", "data for the prompt, marked as data, as what is piped into ash"],
  ["model", "instead of --model"],
  ["max_turns", "at most --max-turns"],
  ["deadline", "such as 30s, or seconds; at most --deadline"],
  ["allow_run", "list of names: only these of the tools the batch allows"],
];

const BATCH_NOTES: readonly string[] = [
  "FILE holds JSON Lines (- is stdin), one object a line; id and prompt are needed:",
  ...BATCH_KEYS.map(([key, help]) => `  ${key.padEnd(10)} ${help}`),
  "A line asks for less than the flags allow, never for more. Budgets hold for each prompt.",
  "",
  "Results come as they are ready: {schema, id, line, result}, where result is the object of ash --json. A bad",
  "line gets a result too (exit_code 2), with id null when it has none or that of another line.",
  "",
  "With --output, running the same command again goes on where it was, also after a kill: what has an answer is",
  "not asked again, nor what failed for good (without --retry-failed). Asked again is what ended with 2, 3 or 5.",
  "",
  "Exit codes of the whole batch:",
  "  0   every prompt has an answer",
  "  5   some may get one when the same command is run again; also: --lock is held, FILE of --output is in use",
  "  8   some have none, and asking again would not help",
  "  3   it was stopped: the key was refused, or the results cannot be written",
  "  2, 130, 143, 141 as everywhere",
];

const LIMIT_FLAGS: readonly FlagSpec[] = [
  { name: "timeout", value: "TIME", help: "wall time of the call (default 15s)" },
  { name: "output-max", value: "SIZE", help: "bytes kept of each of stdout and stderr (default 8192)" },
  { name: "memory-max", value: "SIZE", help: "memory (default 1GiB)" },
  { name: "cpu-max", value: "TIME", help: "CPU time (default 10s)" },
  { name: "file-max", value: "SIZE", help: "size of a file it writes (default 16MiB)" },
  { name: "process-max", value: "N", help: "processes (default 64)" },
];

const PIPE_FLAG: FlagSpec = {
  name: "pipe",
  help: "a pipeline: stages separated by an argument that is exactly |",
};

const RUN_FLAGS: readonly FlagSpec[] = [PIPE_FLAG, ...PERMISSION_FLAGS, ...LIMIT_FLAGS, ...OUTPUT_FLAGS];

const INIT_FLAGS: readonly FlagSpec[] = [
  { name: "dry-run", help: "say what would be done and change nothing" },
  { name: "no-python", help: "files only, no Python environment" },
  { name: "offline", help: "use only packages that are already here" },
  { name: "force", help: "replace files you changed; they are kept as NAME.old" },
  ...OUTPUT_FLAGS,
];

const TOOLS_FLAGS: readonly FlagSpec[] = [
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

const reserved = (summary: string, usage: string): CommandSpec => ({
  summary,
  usage,
  flags: OUTPUT_FLAGS,
  built: false,
});

/** Every command, in the order help shows them. */
export const COMMANDS = {
  ask: {
    summary: "ask once; the spelling for scripts",
    usage: "[flags] -- PROMPT…",
    flags: ASK_FLAGS,
    built: true,
  },
  init: {
    summary: "install or upgrade ~/.ash and its Python environment",
    usage: "[flags]",
    flags: INIT_FLAGS,
    built: true,
  },
  run: {
    summary: "run one tool by hand under the same policy and limits",
    usage: "[flags] -- TOOL ARG…",
    flags: RUN_FLAGS,
    built: true,
  },
  tools: {
    summary: "list, document, check and write Python tools",
    usage: "list | docs NAME | check [NAME…] | new NAME | add PATH | sync [NAME…]",
    flags: TOOLS_FLAGS,
    built: true,
  },
  policy: {
    summary: "would this call run, and which rule says so",
    usage: "check -- TOOL ARG… | list | test [FILE] | why SESSION CALL | suggest SESSION",
    flags: [PIPE_FLAG, ...PERMISSION_FLAGS, ...OUTPUT_FLAGS],
    built: true,
  },
  sessions: reserved("saved conversations", "list|show|rm|path"),
  doctor: reserved("probe every moving part", "[flags]"),
  config: reserved("effective settings, each with where it came from", "[flags]"),
  schema: reserved("JSON Schemas of what ash prints and reads", "result|event|batch|config"),
  models: reserved("models the server lists", "[flags]"),
  batch: {
    summary: "many prompts from a JSON Lines file",
    usage: "[flags] FILE",
    flags: BATCH_FLAGS,
    built: true,
    notes: BATCH_NOTES,
  },
  completion: reserved("shell completions", "bash|zsh|fish"),
  help: {
    summary: "help about a command, env or exit-codes",
    usage: "[TOPIC]",
    flags: OUTPUT_FLAGS,
    built: true,
  },
} as const satisfies Readonly<Record<string, CommandSpec>>;

/** A reserved first word. */
export type CommandName = keyof typeof COMMANDS;

/** Every reserved first word. */
export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];

/** True when `word` is exactly a reserved command. */
export function isCommandName(word: string): word is CommandName {
  return Object.hasOwn(COMMANDS, word);
}

/** The specification of a command. */
export function commandSpec(name: CommandName): CommandSpec {
  return COMMANDS[name];
}
