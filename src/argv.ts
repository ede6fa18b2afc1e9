// The strict router: argv → Invocation. Every word is accounted for or refused; it reads nothing but argv.
import { usageError } from "./errors.ts";
import type { FlagSpec } from "./flags.ts";
import { COMMAND_NAMES, type CommandName, commandSpec, isCommandName } from "./spec.ts";
import { closest } from "./suggest.ts";

/** A parsed command line. */
export type Invocation = {
  readonly command: CommandName;
  /** The command was named; false for a bare prompt. */
  readonly named: boolean;
  /** Words before `--` without the command's own name: prompt words or operands. */
  readonly words: readonly string[];
  /** Everything after `--`, byte for byte; null when there was no `--`. */
  readonly rest: readonly string[] | null;
  /** Values by flag name in the order given; a switch has one empty value. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
};

/** How the answer is printed. */
export type OutputMode = "text" | "json" | "jsonl";

/** The output mode argv asks for, found even when argv as a whole is refused. */
export function outputMode(argv: readonly string[]): OutputMode {
  const end = argv.indexOf("--");
  const head = end < 0 ? argv : argv.slice(0, end);
  if (head.includes("--jsonl")) return "jsonl";
  return head.includes("--json") ? "json" : "text";
}

/**
 * The file the answer of a prompt goes to, found even when argv as a whole is refused. Undefined when that file may be
 * there for something else (the results of a batch, what another flag reads), or when its name could not be read.
 */
export function outputFile(argv: readonly string[]): string | undefined {
  const end = argv.indexOf("--");
  const head = end < 0 ? argv : argv.slice(0, end);
  const command = namedCommand(argv);
  if (command !== null && command !== "ask") return undefined;
  const at = head.findIndex((token) => /^(--output|-o)(=|$)/.test(token));
  if (at < 0) return undefined;
  const [, attached] = /^[^=]*=(.*)$/s.exec(head[at] ?? "") ?? [];
  const file = attached ?? head[at + 1];
  const uses = head.filter((token) => token === file || token.endsWith(`=${file}`));
  return uses.length > 1 || file === "" || file?.includes("\ufffd") ? undefined : file;
}

/**
 * The command argv names, found even when argv as a whole is refused; null for a prompt. After a flag nobody knows,
 * which may have a value, any word that is the name of a command counts.
 */
export function namedCommand(argv: readonly string[]): CommandName | null {
  let isSure = true;
  for (let i = 0; i < argv.length; i += 1) {
    const token = argv[i] ?? "";
    if (token === "--") return null;
    if (!token.startsWith("-")) {
      if (isCommandName(token)) return token;
      if (isSure) return null;
      continue;
    }
    const [name = "", ...attached] = token.split("=");
    const flag = name.startsWith("--") ? ALL_FLAGS.get(name.slice(2)) : BY_SHORT.get(name.slice(1));
    if (flag === undefined) isSure = false;
    else if (flag.value !== undefined && attached.length === 0) i += 1;
  }
  return null;
}

/** True when the flag was given. */
export function hasFlag(invocation: Invocation, name: string): boolean {
  return invocation.flags.has(name);
}

/** The value of a flag, or undefined when it was not given. */
export function flagValue(invocation: Invocation, name: string): string | undefined {
  return invocation.flags.get(name)?.[0];
}

/** The text a flag gives to a setting: a switch that was given says true, a repeated flag lists its values. */
export function settingText(invocation: Invocation, name: string): string | undefined {
  const values = invocation.flags.get(name);
  return values?.every((value) => value === "") ? "true" : values?.join(",");
}

/** All operands: the words, then what followed `--`. */
export function operands(invocation: Invocation): readonly string[] {
  return [...invocation.words, ...(invocation.rest ?? [])];
}

const ALL_FLAGS: ReadonlyMap<string, FlagSpec> = new Map(
  COMMAND_NAMES.flatMap((name) => commandSpec(name).flags.map((flag) => [flag.name, flag] as const)),
);
const BY_SHORT: ReadonlyMap<string, FlagSpec> = new Map(
  [...ALL_FLAGS.values()].flatMap((flag) => (flag.short === undefined ? [] : [[flag.short, flag] as const])),
);

/** What to do about a flag nobody knows, by what it stands in. */
function hintFor(token: string, command: CommandName | null): string {
  const [name = ""] = token.replace(/^-+/, "").split("=");
  const near = token.startsWith("--") ? closest(name, ALL_FLAGS.keys()) : undefined;
  if (near !== undefined) return `did you mean --${near}?`;
  const short = token.startsWith("--") ? undefined : BY_SHORT.get(token.slice(1, 2));
  if (short?.value !== undefined) return `a value stands apart: -${short.short} ${token.slice(2)}`;
  const judged = command === "run" ? "run" : command === "policy" ? "policy check" : null;
  if (judged !== null) return `a tool and its arguments go after --, as in: ash ${judged} -- ls -la`;
  if (command !== null && command !== "ask") return `see: ash ${command} --help`;
  return "a prompt that starts with - goes after --, as in: ash -- '-5 + 3'";
}

function findFlag(token: string, argv: readonly string[]): FlagSpec {
  const equals = token.indexOf("=");
  const bare = equals < 0 ? token : token.slice(0, equals);
  const flag = bare.startsWith("--") ? ALL_FLAGS.get(bare.slice(2)) : BY_SHORT.get(bare.slice(1));
  if (flag === undefined) throw usageError(`unknown flag ${token}`, hintFor(token, namedCommand(argv)));
  return flag;
}

function takeValue(flag: FlagSpec, token: string, next: string | undefined): { value: string; used: number } {
  const equals = token.indexOf("=");
  if (flag.value === undefined) {
    if (equals >= 0) throw usageError(`--${flag.name} takes no value`);
    return { value: "", used: 0 };
  }
  const attached = equals >= 0 ? token.slice(equals + 1) : undefined;
  const value = attached ?? (next?.startsWith("-") && next !== "-" ? undefined : next);
  if (value === undefined || value === "") {
    throw usageError(`--${flag.name} needs a value`, `write --${flag.name}=${flag.value}`);
  }
  return { value, used: attached === undefined ? 1 : 0 };
}

type Tokens = { words: string[]; rest: readonly string[] | null; flags: Map<string, string[]> };

function tokenize(argv: readonly string[]): Tokens {
  const tokens: Tokens = { words: [], rest: null, flags: new Map() };
  for (let i = 0; i < argv.length; i += 1) {
    const token = argv[i] ?? "";
    if (token === "--") {
      tokens.rest = argv.slice(i + 1);
      break;
    }
    if (!token.startsWith("-") || token === "-") {
      tokens.words.push(token);
      continue;
    }
    const flag = findFlag(token, argv);
    const { value, used } = takeValue(flag, token, argv[i + 1]);
    i += used;
    const earlier = tokens.flags.get(flag.name);
    if (earlier !== undefined && !flag.repeat) throw usageError(`--${flag.name} is given twice`);
    tokens.flags.set(flag.name, [...(earlier ?? []), value]);
  }
  return tokens;
}

/** Refuses a flag that means nothing without one that is not there, or that contradicts one that is. */
function checkTogether(flags: ReadonlyMap<string, unknown>): void {
  for (const name of flags.keys()) {
    const { needs, excludes } = ALL_FLAGS.get(name) ?? {};
    if (excludes !== undefined && flags.has(excludes))
      throw usageError(`--${excludes} and --${name} exclude each other`, "leave one of them out");
    if (needs !== undefined && !flags.has(needs)) {
      throw usageError(`--${name} needs --${needs}`, `give --${needs} as well, or leave --${name} out`);
    }
  }
}

function checkFlags(command: CommandName, flags: ReadonlyMap<string, unknown>): void {
  const own = commandSpec(command).flags.map((flag) => flag.name);
  for (const name of flags.keys()) {
    if (own.includes(name)) continue;
    const near = closest(name, own);
    throw usageError(
      `ash ${command} has no flag --${name}`,
      near === undefined ? `see: ash ${command} --help` : `did you mean --${near}?`,
    );
  }
}

function refuseMistypedCommand(words: readonly string[]): void {
  const [only] = words;
  if (words.length !== 1 || only === undefined) return;
  const near = closest(only, COMMAND_NAMES);
  if (near === undefined) return;
  throw usageError(
    `unknown command ${only}`,
    `did you mean: ash ${near}? To ask the model about it: ash -- ${only}`,
  );
}

/** Reads a command line. Throws a usage error that names the word and the fix. */
export function parseArgv(argv: readonly string[]): Invocation {
  const { words, rest, flags } = tokenize(argv);
  const [first] = words;
  const isCommand = first !== undefined && isCommandName(first);
  const command = isCommand ? first : "ask";
  if (!isCommand && rest === null) refuseMistypedCommand(words);
  checkFlags(command, flags);
  if (command === "ask") checkTogether(flags);
  return { command, named: isCommand, words: isCommand ? words.slice(1) : words, rest, flags };
}
