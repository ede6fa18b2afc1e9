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
  /** The forms of a command that has several, each with what it does. */
  readonly forms?: readonly (readonly [form: string, meaning: string])[];
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

const RUN_FLAGS: readonly FlagSpec[] = [
  { name: "pipe", help: "a pipeline: stages separated by an argument that is exactly |" },
  ...PERMISSION_FLAGS,
  ...LIMIT_FLAGS,
  ...OUTPUT_FLAGS,
];

/** Every flag of a question and of a call, so that one can see what these would use. */
const CONFIG_FLAGS: readonly FlagSpec[] = [
  ...ASK_FLAGS.filter(({ name }) => name !== "version"),
  ...LIMIT_FLAGS,
];

const DOCTOR_FLAGS: readonly FlagSpec[] = [
  { name: "online", help: "also ask the model for one small tool call" },
  { name: "facts", help: "show the single facts behind each finding" },
  ...MODEL_FLAGS,
  ...OUTPUT_FLAGS,
];

const INIT_FLAGS: readonly FlagSpec[] = [
  { name: "dry-run", help: "say what would be done and change nothing" },
  { name: "no-python", help: "files only, no Python environment" },
  { name: "offline", help: "use only packages that are already here" },
  { name: "force", help: "replace files you changed; they are kept as NAME.old" },
  ...OUTPUT_FLAGS,
];

const SESSIONS_FLAGS: readonly FlagSpec[] = [
  { name: "limit", value: "N", help: "list: at most so many (default 20)" },
  { name: "older-than", value: "AGE", help: "rm: those not written for so long (30d, 12h, 2w)" },
  { name: "all", help: "rm: every session" },
  { name: "yes", short: "y", help: "rm: do not ask" },
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
  tools: reserved("list, document, check and write Python tools", "list|docs|check|new|add|sync"),
  policy: reserved("would this call run, and which rule says so", "check|list|test|why|suggest"),
  sessions: {
    summary: "saved conversations",
    usage: "list | show ID | rm ID… | path [ID]",
    forms: [
      ["list", "the newest first: when, how it ended, what was asked"],
      ["show ID", "the conversation with its calls; last means the newest"],
      ["rm ID…", "remove these; or --older-than 30d, or --all"],
      ["path [ID]", "where the sessions are, or one of them"],
    ],
    flags: SESSIONS_FLAGS,
    built: true,
  },
  doctor: {
    summary: "probe every moving part; exit 3 when one does not work",
    usage: "[flags]",
    flags: DOCTOR_FLAGS,
    built: true,
  },
  config: {
    summary: "effective settings, each with where it came from",
    usage: "[flags]",
    flags: CONFIG_FLAGS,
    built: true,
  },
  schema: {
    summary: "JSON Schemas of what ash prints and reads",
    usage: "[result|event|config|doctor|settings|sessions|session|init]",
    flags: OUTPUT_FLAGS,
    built: true,
  },
  models: reserved("models the server lists", "[flags]"),
  batch: reserved("many prompts from a JSON Lines file", "[flags] FILE"),
  completion: {
    summary: "shell completions",
    usage: "bash|zsh|fish",
    forms: [
      ["bash", "in ~/.bashrc: source <(ash completion bash)"],
      ["zsh", "in ~/.zshrc, after compinit: source <(ash completion zsh)"],
      ["fish", "once: ash completion fish > ~/.config/fish/completions/ash.fish"],
    ],
    flags: OUTPUT_FLAGS,
    built: true,
  },
  help: {
    summary: "help about a command, or about env, config, limits, exit-codes",
    usage: "[COMMAND or TOPIC]",
    flags: OUTPUT_FLAGS,
    built: true,
  },
} as const satisfies Readonly<Record<string, CommandSpec>>;

/** What `ash help` explains besides the commands. */
export const HELP_TOPICS = ["env", "config", "limits", "exit-codes"] as const;

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

/** The words a command takes first, as its usage line names them: `list | show ID` gives list and show. */
export function subcommandsOf(name: CommandName): readonly string[] {
  if (name === "help") return [...new Set([...COMMAND_NAMES, ...HELP_TOPICS])];
  const choices = commandSpec(name)
    .usage.replace(/^\[(.*)\]$/, "$1")
    .split("|");
  const words = choices.map((choice) => choice.trim().split(" ")[0] ?? "");
  return words.length > 1 && words.every((word) => /^[a-z-]+$/.test(word)) ? words : [];
}
