// Reads what argparse (and most other libraries) print for --help: options, subcommands, and whether something is
// required. Pure text; it tolerates any layout and finds less rather than more.

/** What a help text says. */
export type HelpText = {
  /** Each option with all its names, such as ["-n", "--limit"]. */
  readonly options: readonly (readonly string[])[];
  readonly subcommands: readonly string[];
  /** A call without arguments is a wrong call. */
  readonly needsArguments: boolean;
};

const ENTRY = /^( *)(-{1,2}[A-Za-z0-9?][^\n]*)$/;
const OPTION_NAME = /^-{1,2}[A-Za-z0-9?][\w?-]*/;
const SUBCOMMAND = /^ +([A-Za-z0-9][\w-]*)(?: \([^()]*\))?(?: {2,}.*)?$/;

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Splits a help text into its usage, in one line, and the rest. */
function splitUsage(text: string): { readonly usage: string; readonly rest: readonly string[] } {
  const lines = text.replaceAll("\t", "        ").split("\n");
  const start = lines.findIndex((line) => /^usage:/i.test(line));
  if (start < 0) return { usage: "", rest: lines };
  const blank = lines.findIndex((line, i) => i > start && line.trim() === "");
  const end = blank < 0 ? lines.length : blank;
  const usage = lines.slice(start, end).map((line) => line.trim());
  return { usage: usage.join(" ").replace(/^usage: */i, ""), rest: lines.slice(end) };
}

function withoutOptional(usage: string): string {
  let shorter = usage;
  for (let before = ""; before !== shorter; ) {
    before = shorter;
    shorter = shorter.replace(/\[[^[\]]*\]/g, " ");
  }
  return shorter;
}

function needsArguments(usage: string): boolean {
  const words = withoutOptional(usage).trim().split(/\s+/);
  const program = words.findLastIndex((word) => word.endsWith(".py"));
  return words.slice(Math.max(1, program + 1)).some((word) => word !== "...");
}

/** The names in the left part of an entry: `-n N, --limit N`, `--shout / --no-shout`. */
function namesIn(entry: string): readonly string[] {
  const [left = ""] = entry.split(/ {2,}/);
  const bare = left.replace(/\{[^{}]*\}/g, "CHOICE").replace(/\[[^[\]]*\]/g, "");
  return bare.split(/, *| *\/ *| *\| */).flatMap((piece) => OPTION_NAME.exec(piece)?.[0] ?? []);
}

/** `--no-x` beside `--x` does something else, so that it counts as an option of its own. */
function apart(names: readonly string[]): readonly (readonly string[])[] {
  const opposites = names.filter(
    (name) => name.startsWith("--no-") && names.includes(`--${name.slice("--no-".length)}`),
  );
  const others = names.filter((name) => !opposites.includes(name));
  return [others, ...opposites.map((name) => [name])].filter((group) => group.length > 0);
}

function readOptions(lines: readonly string[]): readonly (readonly string[])[] {
  const entries = lines.flatMap((line) => {
    const [, indent, entry] = ENTRY.exec(line) ?? [];
    return indent === undefined || entry === undefined ? [] : [{ indent: indent.length, entry }];
  });
  // What is deeper than the first column of entries is a help text that happens to go on with an option.
  const indented = entries.filter(({ indent }) => indent > 0);
  const column = Math.min(...(indented.length > 0 ? indented : entries).map(({ indent }) => indent));
  const found = entries
    .filter(({ indent }) => indent === column)
    .flatMap(({ entry }) => apart(namesIn(entry)));
  return [...new Map(found.map((names) => [names.join(), names])).values()];
}

/** Subcommands: from `{add,list} ...` at the end of the usage, or listed below a placeholder. */
function readSubcommands(usage: string, rest: readonly string[]): readonly string[] {
  const listed = /\{([^{}]+)\} \.\.\.$/.exec(usage)?.[1];
  if (listed !== undefined) return listed.split(",").map((name) => name.trim());
  const placeholder = /(?:^|[\s\]])([^\s[\]{}]+) \.\.\.$/.exec(usage)?.[1];
  if (placeholder === undefined) return [];
  const head = rest.findIndex((line) => line.trim().split(/ {2,}/)[0] === placeholder);
  if (head < 0) return [];
  const names: string[] = [];
  let column: number | null = null;
  for (const line of rest.slice(head + 1)) {
    const indent = indentOf(line);
    if (line.trim() === "" || indent <= indentOf(rest[head] ?? "")) break;
    column ??= indent;
    const name = indent === column ? SUBCOMMAND.exec(line)?.[1] : undefined;
    if (name !== undefined) names.push(name);
  }
  return names;
}

/** Reads a help text. */
export function readHelp(text: string): HelpText {
  const { usage, rest } = splitUsage(text);
  return {
    options: readOptions(rest),
    subcommands: readSubcommands(usage, rest),
    needsArguments: needsArguments(usage),
  };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** True when a text names a word: not as a part of a longer one. */
export function mentions(text: string, word: string): boolean {
  if (new RegExp(`(?<![\\w-])${escaped(word)}(?![\\w-])`).test(text)) return true;
  return word.startsWith("--no-") && text.includes(`--[no-]${word.slice("--no-".length)}`);
}
