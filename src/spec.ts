// The command line as data: every command and every flag, read by the router, the help, the completions and
// the documentation. It holds no behaviour.
import {
  ASK_FLAGS,
  BATCH_FLAGS,
  CONFIG_FLAGS,
  DOCTOR_FLAGS,
  type FlagSpec,
  INIT_FLAGS,
  MODEL_FLAGS,
  OUTPUT_FLAGS,
  PERMISSION_FLAGS,
  PIPE_FLAG,
  RUN_FLAGS,
  SESSIONS_FLAGS,
  TOOLS_FLAGS,
} from "./flags.ts";

/** One command. */
export type CommandSpec = {
  readonly summary: string;
  /** What follows the name on the usage line. */
  readonly usage: string;
  /** The forms of a command that has several, each with what it does. */
  readonly forms?: readonly (readonly [form: string, meaning: string])[];
  readonly flags: readonly FlagSpec[];
  /** What its help says besides the flags, line by line. */
  readonly notes?: readonly string[];
};

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

/** Every command, in the order help shows them. */
export const COMMANDS = {
  ask: {
    summary: "ask once; the spelling for scripts",
    usage: "[flags] -- PROMPT…",
    flags: ASK_FLAGS,
  },
  init: {
    summary: "install or upgrade ~/.ash and its Python environment",
    usage: "[flags]",
    flags: INIT_FLAGS,
  },
  run: {
    summary: "run one tool by hand under the same policy and limits",
    usage: "[flags] -- TOOL ARG…",
    flags: RUN_FLAGS,
  },
  tools: {
    summary: "list, document, check and write Python tools",
    usage: "list | docs NAME | check [NAME…] | new NAME | add PATH | sync [NAME…]",
    forms: [
      ["list", "every tool: allowed or not and why, network, packages, what it does"],
      ["docs NAME", "what the model sees of it"],
      ["check [NAME…]", "the contract, offline; exit 9 when one breaks it"],
      ["new NAME", "a skeleton that obeys the contract, with --option for each option"],
      ["add PATH", "copy a script, check it, and list it after a y"],
      ["sync [NAME…]", "make the environments scripts need; without a name remove the others"],
    ],
    flags: TOOLS_FLAGS,
  },
  policy: {
    summary: "would this call run, and which rule says so",
    usage: "check -- TOOL ARG… | list | test [FILE] | why SESSION CALL | suggest SESSION",
    forms: [
      ["check -- TOOL ARG…", "exit 0 when it would run unasked, 7 when it is denied or needs a yes"],
      ["list", "every allowed name and what it may do"],
      ["test [FILE]", "try the examples of the list or of FILE; exit 7 when one comes out otherwise"],
      ["why SESSION CALL", "which rule decided a call; SESSION may be last, CALL is its number or id"],
      ["suggest SESSION", "the smallest lines that would allow what was denied"],
    ],
    flags: [PIPE_FLAG, ...PERMISSION_FLAGS, ...OUTPUT_FLAGS],
  },
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
  },
  doctor: {
    summary: "probe every moving part; exit 3 when one does not work",
    usage: "[flags]",
    flags: DOCTOR_FLAGS,
  },
  config: {
    summary: "effective settings, each with where it came from",
    usage: "[flags]",
    flags: CONFIG_FLAGS,
  },
  schema: {
    summary: "JSON Schemas of what ash prints and reads",
    usage:
      "[result | event | batch | batch-report | config | doctor | settings | sessions | session | init | models]",
    flags: OUTPUT_FLAGS,
  },
  models: {
    summary: "models the server lists",
    usage: "[flags]",
    flags: [...MODEL_FLAGS, ...OUTPUT_FLAGS],
  },
  batch: {
    summary: "many prompts from a JSON Lines file",
    usage: "[flags] FILE",
    flags: BATCH_FLAGS,
    notes: BATCH_NOTES,
  },
  completion: {
    summary: "shell completions",
    usage: "bash|zsh|fish",
    forms: [
      ["bash", "in ~/.bashrc: source <(ash completion bash)"],
      ["zsh", "in ~/.zshrc, after compinit: source <(ash completion zsh)"],
      ["fish", "once: ash completion fish > ~/.config/fish/completions/ash.fish"],
    ],
    flags: OUTPUT_FLAGS,
  },
  help: {
    summary: "help about a command, or about env, config, limits, exit-codes",
    usage: "[COMMAND or TOPIC]",
    flags: OUTPUT_FLAGS,
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
