// Finds the `# /// script` block of a Python file by the rules of inline script metadata, and says what looks like
// one and is none. Pure: lines in, lines out; it knows nothing of TOML, and blocks of other types are never read.
import { closest } from "../suggest.ts";

/** Something wrong with a line, counted from 1. */
export type LineProblem = { readonly line: number; readonly message: string };

/** A closed script block: its first line, counted from 1, and its content without the comment signs. */
export type ScriptBlock = { readonly line: number; readonly content: readonly string[] };

/** The script blocks of a file, and near misses. */
export type FoundBlocks = {
  readonly blocks: readonly ScriptBlock[];
  readonly problems: readonly LineProblem[];
};

const TYPE = "script";
const START_LINE = `# /// ${TYPE}`;
const END_LINE = "# ///";
const START = /^# \/\/\/ ([a-zA-Z0-9-]+)$/;
const NEAR_START = /^[ \t]*#+[ \t]*\/{2,4}[ \t]*script[ \t]*:?[ \t]*$/i;
const NEAR_END = /^[ \t]*#+[ \t]*\/{2,4}[ \t]*$/;
/** How far below a broken line its block's end may be. */
const REACH = 200;

const isContent = (line: string | undefined): line is string => line === "#" || !!line?.startsWith("# ");
const isNearEnd = (line: string | undefined): line is string =>
  line !== undefined && line !== END_LINE && NEAR_END.test(line);

// A tab or a blank at the end is the very thing that cannot be seen.
const quoted = (line: string): string => `'${line.slice(0, 60).replaceAll("\t", "<tab>")}'`;

/** For each line the last end line in the unbroken run of content lines from it on, or -1. */
function endsOfRuns(lines: readonly string[]): readonly number[] {
  const ends: number[] = new Array(lines.length).fill(-1);
  for (let i = lines.length - 1; i >= 0; i -= 1) {
    if (!isContent(lines[i])) continue;
    const later = ends[i + 1] ?? -1;
    ends[i] = later >= 0 ? later : lines[i] === END_LINE ? i : -1;
  }
  return ends;
}

function brokenLine(lines: readonly string[], at: number): LineProblem | null {
  const rest = lines.slice(at + 1, at + 1 + REACH);
  const end = rest.findIndex((line) => line === END_LINE || isNearEnd(line) || START.test(line));
  if (end < 0 || START.test(rest[end] ?? "")) return null;
  const line = lines[at] ?? "";
  const fix =
    line.trim() === ""
      ? "an empty line cuts the block; write '#'"
      : line.startsWith("#")
        ? `${quoted(line)} cuts the block; put one blank after the #`
        : `${quoted(line)} cuts the block; start the line with '# '`;
  return { line: at + 1, message: fix };
}

/** Why the block that starts at `start` is not closed. */
function unclosed(lines: readonly string[], start: number): LineProblem {
  if (lines[start + 1] === END_LINE) {
    return {
      line: start + 1,
      message: "the block is empty; write dependencies = [] into it, or remove it",
    };
  }
  let end = start + 1;
  while (isContent(lines[end]) && !isNearEnd(lines[end])) end += 1;
  const last = lines[end];
  if (isNearEnd(last))
    return { line: end + 1, message: `${quoted(last)} does not end the block; write exactly '${END_LINE}'` };
  const broken = end < lines.length ? brokenLine(lines, end) : null;
  return broken ?? { line: start + 1, message: `the block is not closed; end it with a line '${END_LINE}'` };
}

function nearStart(line: string): string | null {
  if (line === START_LINE) return null;
  const type = START.exec(line)?.[1] ?? "";
  const looksLikeIt = NEAR_START.test(line) || (type !== "" && closest(type, [TYPE]) !== undefined);
  return looksLikeIt ? `${quoted(line)} does not start a block; write exactly '${START_LINE}'` : null;
}

/** Finds the script blocks. A second one is for the caller to refuse. */
export function findScriptBlocks(lines: readonly string[]): FoundBlocks {
  const ends = endsOfRuns(lines);
  const blocks: ScriptBlock[] = [];
  const problems: LineProblem[] = [];
  // Only the first unclosed block of a run of comment lines is worth a word.
  let said = -1;
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i] ?? "";
    if (!line.includes("//")) continue;
    const type = START.exec(line)?.[1];
    const near = nearStart(line);
    if (near !== null) problems.push({ line: i + 1, message: near });
    if (type === undefined) continue;
    const end = ends[i + 1] ?? -1;
    if (end > i + 1) {
      const content = lines.slice(i + 1, end).map((text) => text.slice(text.startsWith("# ") ? 2 : 1));
      if (type === TYPE) blocks.push({ line: i + 1, content });
      i = end;
    } else if (type === TYPE && i > said) {
      problems.push(unclosed(lines, i));
      said = i;
      while (isContent(lines[said + 1])) said += 1;
    }
  }
  return { blocks, problems };
}
