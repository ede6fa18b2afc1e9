// The shape of a command's rule: readonly data that says which arguments are accepted. Nothing here judges a call.
import type { PathFacts } from "../paths.ts";

/** What kind of argument a refusal is about. */
export type ArgumentRule = "option" | "operand" | "path" | "program-text" | "subcommand" | "network";

/** Why arguments are refused: one or two sentences that say what is allowed instead. */
export type Problem = { readonly rule: ArgumentRule; readonly reason: string };

/** What was decided about the arguments of one call. */
export type Judged =
  /** The arguments as they will be given, forced safe flags included. */
  | { readonly ok: true; readonly args: readonly string[] }
  | { readonly ok: false; readonly rule: ArgumentRule; readonly reason: string };

/** A pattern a value must match in full, and what to say when it does not. */
export type Shape = { readonly pattern: RegExp; readonly says: string };

/** What an operand or an option's value is, by name, or by a pattern of its own. */
export type ValueKind = "text" | "path" | "count" | "small" | "format" | "word" | Shape;

/** The operands of a command, by position: the last kind repeats. */
export type Operands = {
  readonly kinds: readonly ValueKind[];
  readonly min: number;
  readonly max: number;
  /** Options that take the place of the first operand. */
  readonly givenBy?: readonly string[];
};

/** How a program reads its options. The defaults are those of getopt_long: clusters, attached values, any order. */
export type Parsing = {
  /** Every argument is an operand: the program has no options worth having. */
  readonly raw?: true;
  /** Options are whole words with one dash, each an argument of its own. */
  readonly words?: true;
  /** False: letters are never put together, every option is an argument of its own. */
  readonly clusters?: false;
  /** False: the value of a letter is always the next argument. */
  readonly attached?: false;
  /** A value in an argument of its own may start with a dash only for these options; for all when left out. */
  readonly dashValues?: readonly string[];
  /** False: the first operand ends the options. */
  readonly permutes?: false;
  /** `-5` is an option of its own. */
  readonly numeric?: true;
  /** `-5` is an operand. */
  readonly negative?: true;
  /** No argument may start with `@`: the program would replace it by the content of a file. */
  readonly responseFiles?: true;
};

/** An option as it was given: its exact name with dashes, `-NUM` for the numeric form. */
export type Given = { readonly name: string; readonly value: string | null };

/** The arguments of a call, taken apart. */
export type Call = {
  readonly options: readonly Given[];
  readonly operands: readonly string[];
  readonly facts: PathFacts;
};

/** Looks at what data cannot say. */
export type Check = (call: Call) => Problem | null;

/** When a command reads the content of whole folders, and how it is told to leave credential files out. */
export type Recursion = {
  /** Options that make it read folders; null means it always does. */
  readonly options: readonly string[] | null;
  /** An operand that is a folder makes it read folders too. */
  readonly folders?: true;
  /** How names are hidden from it. */
  readonly hides: "grep" | "glob" | "diff";
};

/** What an ordinary command accepts. */
export type Accepts = {
  /** The accepted options, in the notation of options.ts. */
  readonly options: string;
  readonly operands: Operands;
  readonly parsing?: Parsing;
  /** Value kinds of options that need a pattern of their own. */
  readonly values?: Readonly<Record<string, Shape>>;
  /** Options that are given to the program as another option, which does the same in a safer way. */
  readonly readAs?: Readonly<Record<string, string>>;
  /** Safe flags put in front of the arguments. */
  readonly forced?: readonly string[];
  readonly recursion?: Recursion;
  readonly check?: Check;
};

/** Arguments written as one text, split at spaces, or as a list when one of them holds a space. */
export type Example = string | readonly string[];

/** What every rule says about its command. */
export type Described = {
  /** The command and its other names. */
  readonly names: readonly string[];
  /** What it may do, in words for people. */
  readonly does: string;
  /** `read` runs unasked; `ask` needs a yes from a person. */
  readonly level: "read" | "ask";
  /** It talks to other machines. */
  readonly network?: true;
  /** It asks the kernel about this machine's interfaces, routes and sockets, which takes sockets that reach nobody. */
  readonly kernelSockets?: true;
  /** It starts helper programs of its own, which a jail must let it do. */
  readonly helpers?: true;
  readonly match: readonly Example[];
  readonly notMatch: readonly Example[];
};

/** A rule that is data. `bsd` replaces parts of it on BSD and macOS. */
export type OptionRule = Described & { readonly kind: "options"; readonly bsd?: Partial<Accepts> } & Accepts;

/** A rule that needs a parser of its own. */
export type ParserRule = Described & {
  readonly kind: "parser";
  readonly judge: (args: readonly string[], facts: PathFacts, name: string) => Judged;
};

/** The rule of one command and its aliases. */
export type CommandRule = OptionRule | ParserRule;

type Ordinary = Omit<OptionRule, "kind" | "level"> & { readonly level?: "ask" };

/** Makes a rule that is data; its level is `read` unless it says `ask`. */
export function command(rule: Ordinary): OptionRule {
  return { level: "read", ...rule, kind: "options" };
}

/** No operand at all. */
export const NONE: Operands = { kinds: ["text"], min: 0, max: 0 };

/** `min` to `max` operands that are paths. */
export function paths(min: number, max = 256): Operands {
  return { kinds: ["path"], min, max };
}

/** `min` to `max` operands of another kind. */
export function values(kind: ValueKind, min: number, max = 256): Operands {
  return { kinds: [kind], min, max };
}

/** A text, then paths. The options in `givenBy` take the place of the text. */
export function textThenPaths(...givenBy: readonly string[]): Operands {
  return { kinds: ["text", "path"], min: 1, max: 256, givenBy };
}

/** A problem with an operand. */
export function operandProblem(reason: string): Problem {
  return { rule: "operand", reason };
}

/** A problem with an option. */
export function optionProblem(reason: string): Problem {
  return { rule: "option", reason };
}

/** True for a call that only asks a program about itself; every program answers and ends. */
export function asksAboutItself(args: readonly string[]): boolean {
  return args.length === 1 && (args[0] === "--help" || args[0] === "--version");
}

/** The arguments of an example. */
export function exampleArguments(example: Example): readonly string[] {
  if (typeof example !== "string") return example;
  return example === "" ? [] : example.split(" ");
}
