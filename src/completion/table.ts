// What can be completed where, from the tables of the command line: the one source of all three shell scripts. Pure.

import type { FlagSpec } from "../flags.ts";
import { MODEL_ALIASES, PRESETS } from "../providers/presets.ts";
import { SETTINGS, type Setting } from "../settings.ts";
import { COMMAND_NAMES, type CommandName, commandSpec, subcommandsOf } from "../spec.ts";

/** What stands in a place of the line. */
export type Slot =
  | { readonly kind: "nothing" }
  | { readonly kind: "files" }
  | { readonly kind: "sessions" }
  | { readonly kind: "words"; readonly words: readonly string[] };

/** A flag; `value` is null for a switch. */
export type FlagEntry = {
  readonly name: string;
  readonly short: string | null;
  readonly help: string;
  readonly placeholder: string;
  readonly value: Slot | null;
};

/** A command. */
export type CommandEntry = {
  readonly name: CommandName;
  readonly summary: string;
  readonly flags: readonly FlagEntry[];
  /** What its first operand is. */
  readonly first: Slot;
  /** What the operands after a subcommand are. */
  readonly after: readonly (readonly [subcommand: string, slot: Slot])[];
  /** What every other operand is. */
  readonly rest: Slot;
};

const NOTHING: Slot = { kind: "nothing" };
const FILES: Slot = { kind: "files" };
const SESSIONS: Slot = { kind: "sessions" };
const words = (list: readonly string[]): Slot =>
  list.length === 0 ? NOTHING : { kind: "words", words: list };

const FILE_PLACEHOLDERS = ["FILE", "FILES", "PATH", "PATHS", "FOLDER"];

function valueSlot({ name, value }: FlagSpec): Slot | null {
  if (value === undefined) return null;
  if (name === "provider") return words([...PRESETS.map((preset) => preset.name), "script"]);
  if (name === "model") return words(Object.keys(MODEL_ALIASES));
  if (name === "session") return SESSIONS;
  if (FILE_PLACEHOLDERS.includes(value)) return FILES;
  const setting = Object.values(SETTINGS).find((candidate: Setting<unknown>) => candidate.flag === name);
  return words((setting as Setting<unknown> | undefined)?.words ?? []);
}

const flagEntry = (flag: FlagSpec): FlagEntry => ({
  name: flag.name,
  short: flag.short ?? null,
  help: flag.help,
  placeholder: flag.value ?? "",
  value: valueSlot(flag),
});

/** Subcommands of `ash sessions` that take the id of one. */
const TAKES_SESSION = ["show", "rm", "path"];

function commandEntry(name: CommandName): CommandEntry {
  const { summary, flags, usage } = commandSpec(name);
  const takesFiles = name === "ask" || / FILE\b/.test(usage);
  return {
    name,
    summary,
    flags: flags.map(flagEntry),
    first: takesFiles ? FILES : words(subcommandsOf(name)),
    after: name === "sessions" ? TAKES_SESSION.map((word) => [word, SESSIONS] as const) : [],
    rest: takesFiles ? FILES : NOTHING,
  };
}

/** Every command. A line without one is a prompt and takes the flags of `ask`. */
export function completionTable(): readonly CommandEntry[] {
  return COMMAND_NAMES.map(commandEntry);
}

/** Every flag that takes a value, as it is written: `--model` and `-m`. */
export function valueFlags(table: readonly CommandEntry[]): readonly string[] {
  const all = table.flatMap(({ flags }) => flags).filter(({ value }) => value !== null);
  return [
    ...new Set(all.flatMap(({ name, short }) => [`--${name}`, ...(short === null ? [] : [`-${short}`])])),
  ];
}
