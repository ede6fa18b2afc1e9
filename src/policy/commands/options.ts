// Takes an argument list apart with a table of accepted options. It is at least as strict as getopt_long: long names
// are exact, each letter of a cluster is looked up, and what is not in the table is a problem, never an operand.
//
//   list   = { option " " }
//   option = "-" letters [ takes ]                  short: "-abc" or, with a value, "-n="
//          | name { "," name } [ takes ]            the same option under several names: "-n,--lines=count"
//   takes  = "=" [ kind ] | "?" [ kind ] | "=="     required, optional and attached, two values
//          | "!"                                    a whole word with one dash: "-ps!"
import type { Given, Parsing, Problem, ValueKind } from "./rule.ts";

/** How an option takes its value. */
export type Takes = "none" | "required" | "optional" | "two";

/** One accepted option. */
export type OptionSpec = { readonly takes: Takes; readonly kind: ValueKind };

/** Accepted options by exact name, dashes included. */
export type OptionTable = ReadonlyMap<string, OptionSpec>;

/** An argument list, taken apart. */
export type Split = {
  readonly options: readonly Given[];
  readonly operands: readonly string[];
  /** Where `--` stands, or -1. */
  readonly dashes: number;
  /** An option stands after an operand. */
  readonly mixed: boolean;
};

const KINDS: Readonly<Record<string, ValueKind>> = {
  "": "text",
  text: "text",
  path: "path",
  count: "count",
  small: "small",
  format: "format",
  word: "word",
};

const LIST_ITEM = /^(?<names>[^=?!]+)(?:(?<sign>==|=|\?|!)(?<kind>[a-z]*))?$/;
const TAKES: Readonly<Record<string, Takes>> = { "=": "required", "?": "optional", "==": "two" };

function readItem(item: string, words: boolean): [string, OptionSpec][] {
  const groups = LIST_ITEM.exec(item)?.groups;
  const kind = KINDS[groups?.kind ?? ""];
  if (groups?.names === undefined || kind === undefined) throw new TypeError(`bad option list item: ${item}`);
  const spec: OptionSpec = { takes: TAKES[groups.sign ?? ""] ?? "none", kind };
  const whole = words || groups.sign === "!";
  return groups.names
    .split(",")
    .flatMap((name) => (whole || name.startsWith("--") ? [name] : [...name.slice(1)].map((c) => `-${c}`)))
    .map((name) => [name, spec]);
}

const known = new Map<string, OptionTable>();

/** Reads a list of accepted options. `words` means options are whole words with one dash. */
export function optionTable(list: string, words = false): OptionTable {
  const key = `${words}${list}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const items = list.split(/\s+/).filter((item) => item !== "");
  const entries = items.flatMap((item) => readItem(item, words));
  const table = new Map(entries);
  if (table.size !== entries.length) throw new TypeError(`an option is listed twice: ${list}`);
  known.set(key, table);
  return table;
}

type Step = { readonly given: readonly Given[]; readonly used: number };
type Stepped = Step | Problem;

const refuse = (reason: string): Problem => ({ rule: "option", reason });

/** The accepted options in the shortest spelling, for a message. */
export function listOptions(table: OptionTable): string {
  const letters = [...table.keys()].filter((name) => name.length === 2).map((name) => name.slice(1));
  const long = [...table.keys()].filter((name) => name.length > 2);
  const shown = [...(letters.length > 0 ? [`-${letters.join("")}`] : []), ...long].join(" ");
  if (shown === "") return "it takes no options";
  return `allowed: ${shown.length > 240 ? `${shown.slice(0, shown.lastIndexOf(" ", 240))} …` : shown}`;
}

function unknown(name: string, table: OptionTable): Problem {
  const full = [...table.keys()].filter((key) => name.length > 2 && key.startsWith(name));
  const [only] = full;
  if (only !== undefined && full.length === 1) return refuse(`write ${only} in full, not ${name}`);
  return refuse(`${name} is not allowed; ${listOptions(table)}`);
}

function nextValue(args: readonly string[], index: number, name: string, parsing: Parsing): string | Problem {
  const value = args[index];
  if (value === undefined) return refuse(`${name} needs a value`);
  const dashes = parsing.dashValues?.includes(name) ?? true;
  if (!dashes && value.length > 1 && value.startsWith("-")) {
    return refuse(`the value of ${name} may not start with a dash`);
  }
  return value;
}

function stepLong(args: readonly string[], index: number, table: OptionTable, parsing: Parsing): Stepped {
  const argument = args[index] ?? "";
  const equals = argument.indexOf("=");
  const name = equals < 0 ? argument : argument.slice(0, equals);
  const attached = equals < 0 ? null : argument.slice(equals + 1);
  const spec = table.get(name);
  if (spec === undefined) return unknown(name, table);
  if (spec.takes === "none" || spec.takes === "two") {
    if (attached !== null) return refuse(`${name} takes no value after =`);
    if (spec.takes === "none") return { given: [{ name, value: null }], used: 1 };
    if (args[index + 2] === undefined) return refuse(`${name} needs two values`);
    return { given: [{ name, value: `${args[index + 1]}=${args[index + 2]}` }], used: 3 };
  }
  if (attached !== null || spec.takes === "optional") return { given: [{ name, value: attached }], used: 1 };
  const value = nextValue(args, index + 1, name, parsing);
  return typeof value === "string" ? { given: [{ name, value }], used: 2 } : value;
}

function stepCluster(args: readonly string[], index: number, table: OptionTable, parsing: Parsing): Stepped {
  const letters = [...(args[index] ?? "").slice(1)];
  const given: Given[] = [];
  for (const [at, letter] of letters.entries()) {
    const name = `-${letter}`;
    const spec = table.get(name);
    if (spec === undefined) return unknown(name, table);
    if (parsing.clusters === false && at > 0) return refuse(`give ${name} as an argument of its own`);
    const rest = letters.slice(at + 1).join("");
    if (spec.takes === "none") given.push({ name, value: null });
    else if (rest !== "" && parsing.attached === false) {
      return refuse(`the value of ${name} must be the next argument, and ${name} the last letter`);
    } else if (rest !== "" || spec.takes === "optional") {
      return { given: [...given, { name, value: rest === "" ? null : rest }], used: 1 };
    } else {
      const value = nextValue(args, index + 1, name, parsing);
      return typeof value === "string" ? { given: [...given, { name, value }], used: 2 } : value;
    }
  }
  return { given, used: 1 };
}

const isOperand = (argument: string, parsing: Parsing): boolean =>
  argument === "-" || !argument.startsWith("-") || (parsing.negative === true && /^-\.?\d/.test(argument));

function step(args: readonly string[], index: number, table: OptionTable, parsing: Parsing): Stepped {
  const argument = args[index] ?? "";
  if (parsing.numeric && /^-\d+$/.test(argument)) {
    return { given: [{ name: "-NUM", value: argument.slice(1) }], used: 1 };
  }
  if (parsing.words || argument.startsWith("--") || (argument.length > 2 && table.has(argument)))
    return stepLong(args, index, table, parsing);
  return stepCluster(args, index, table, parsing);
}

/** Takes arguments apart, or says which option is refused. */
export function splitArguments(
  args: readonly string[],
  table: OptionTable,
  parsing: Parsing = {},
): Split | Problem {
  if (parsing.raw) return { options: [], operands: args, dashes: -1, mixed: false };
  const options: Given[] = [];
  const operands: string[] = [];
  let mixed = false;
  for (let index = 0; index < args.length; ) {
    const argument = args[index] ?? "";
    if (argument === "--") {
      return { options, operands: [...operands, ...args.slice(index + 1)], dashes: index, mixed };
    }
    if (isOperand(argument, parsing)) {
      if (parsing.permutes === false) {
        return { options, operands: [...operands, ...args.slice(index)], dashes: -1, mixed };
      }
      operands.push(argument);
      index += 1;
      continue;
    }
    const stepped = step(args, index, table, parsing);
    if ("reason" in stepped) return stepped;
    if (operands.length > 0) mixed = true;
    options.push(...stepped.given);
    index += stepped.used;
  }
  return { options, operands, dashes: -1, mixed };
}

/** Other names of options, by exact name: what they are read as. */
export type ReadAs = Readonly<Record<string, string>>;

function respelledOption(argument: string, given: readonly Given[], readAs: ReadAs): string {
  if (argument.startsWith("--")) return readAs[argument] ?? argument;
  const flags = given.filter(({ value }) => value === null).length;
  const letters = [...argument.slice(1)].map((letter, at) =>
    at < flags ? (readAs[`-${letter}`]?.slice(1) ?? letter) : letter,
  );
  return `-${letters.join("")}`;
}

/** The arguments with options spelled as what they are read as; values and operands stay. Stops at what is refused. */
export function respelled(
  args: readonly string[],
  table: OptionTable,
  parsing: Parsing,
  readAs: ReadAs,
): readonly string[] {
  const spelled = [...args];
  for (let index = 0; index < args.length && args[index] !== "--"; ) {
    const argument = args[index] ?? "";
    if (isOperand(argument, parsing)) index += 1;
    else {
      const stepped = step(args, index, table, parsing);
      if ("reason" in stepped) break;
      spelled[index] = respelledOption(argument, stepped.given, readAs);
      index += stepped.used;
    }
  }
  return spelled;
}
