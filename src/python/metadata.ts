// What a Python script says about itself: its `# /// script` block (inline script metadata, PEP 723) and its
// one-line capability. Pure, and it never executes a script. What is nearly right is reported, never ignored.
import { invalidUtf8At } from "../text.ts";
import { type Declarations, NOTHING_DECLARED, readBlock } from "./declarations.ts";
import { docstringLine } from "./docstring.ts";
import { findScriptBlocks, type LineProblem } from "./scriptblock.ts";
import { admitsAll, type PythonVersion, parseSpecifiers } from "./specifier.ts";

/** What a script declares. */
export type Metadata = Omit<Declarations, "description"> & {
  /** What it does, in one line. */
  readonly capability: string | null;
  readonly hasBlock: boolean;
  /** What is wrong, in the order of lines. What cannot be read counts as not declared. */
  readonly problems: readonly LineProblem[];
};

const MOST_PROBLEMS = 20;

/** The text with LF line ends and no byte order mark, and what was wrong with its bytes. */
function readSource(source: string | Uint8Array, problems: LineProblem[]): string {
  let text: string;
  if (typeof source === "string") text = source;
  else {
    const wrong = invalidUtf8At(source);
    // `ignoreBOM` keeps the mark, so that it can be reported.
    text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(source);
    if (wrong >= 0) {
      const line = source.subarray(0, wrong).reduce((count, byte) => count + (byte === 0x0a ? 1 : 0), 1);
      problems.push({ line, message: `not UTF-8 at byte offset ${wrong}; save the file as UTF-8` });
    }
  }
  if (text.startsWith("\ufeff")) {
    problems.push({
      line: 1,
      message: "the file starts with a byte order mark; save it as UTF-8 without one",
    });
    text = text.slice(1);
  }
  const carriage = text.indexOf("\r");
  if (carriage < 0) return text;
  const line = text.slice(0, carriage).split("\n").length;
  problems.push({ line, message: "lines end in CR LF; save the file with Unix line ends (LF)" });
  return text.replace(/\r\n?/g, "\n");
}

/** Reads what a script declares. Never throws; what is wrong is in `problems`. */
export function parseMetadata(source: string | Uint8Array): Metadata {
  const problems: LineProblem[] = [];
  const text = readSource(source, problems);
  const found = findScriptBlocks(text.split("\n"));
  problems.push(...found.problems);
  const [block, second] = found.blocks;
  if (block !== undefined && second !== undefined) {
    problems.push({
      line: second.line,
      message: `a second script block (the first is in line ${block.line}); keep one of them`,
    });
  }
  const readable = block !== undefined && second === undefined;
  const { description, ...fields } = readable ? readBlock(block, problems) : NOTHING_DECLARED;
  return {
    ...fields,
    capability: description ?? docstringLine(text),
    hasBlock: block !== undefined,
    problems: problems.sort((a, b) => a.line - b.line).slice(0, MOST_PROBLEMS),
  };
}

/** What a script does in one line: `description` of [tool.ash], else the first line of its docstring, else null. */
export function capabilityOf(source: string | Uint8Array): string | null {
  return parseMetadata(source).capability;
}

/** True when a version of Python satisfies `requires-python`; null asks for nothing, nonsense admits none. */
export function satisfies(requiresPython: string | null, version: PythonVersion): boolean {
  if (requiresPython === null) return true;
  const parsed = parseSpecifiers(requiresPython);
  return parsed.ok && admitsAll(parsed.value, version);
}
