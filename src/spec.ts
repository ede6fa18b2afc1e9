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
};

const OUTPUT_FLAGS: readonly FlagSpec[] = [
  { name: "json", help: "print one JSON object on stdout, on every path" },
  { name: "no-color", help: "no colour on the terminal" },
  { name: "help", short: "h", help: "show help" },
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
  { name: "deadline", value: "TIME", help: "wall time of the whole run (default 10m)" },
];

const SESSION_FLAGS: readonly FlagSpec[] = [
  { name: "continue", short: "c", help: "go on with the newest session" },
  { name: "session", value: "ID", help: "go on with this session" },
  { name: "no-save", help: "keep no transcript of this run" },
];

const INPUT_FLAGS: readonly FlagSpec[] = [
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
  ...EVENT_FLAGS,
  ...OUTPUT_FLAGS,
  { name: "version", short: "V", help: "show the version" },
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
  schema: reserved("JSON Schemas of what ash prints and reads", "result|event|config"),
  models: {
    summary: "models the server lists",
    usage: "[flags]",
    flags: [...MODEL_FLAGS, ...OUTPUT_FLAGS],
    built: true,
  },
  batch: reserved("many prompts from a JSON Lines file", "[flags] FILE"),
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
