// The first line of a module's docstring, found by looking at the text alone. Nothing is executed or imported.
import { shorten } from "../layout.ts";
import { sanitize } from "../sanitize.ts";

const LONGEST = 200;
const OPENING = /([rRuU]?)("""|'''|"|')/y;
const ESCAPE = /\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[^xuU])/gs;
const SIMPLE: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "" };

function unescaped(text: string): string {
  return text.replace(ESCAPE, (whole, escaped: string) => {
    if (escaped.length === 1) return SIMPLE[escaped] ?? escaped;
    const code = Number.parseInt(escaped.slice(1), 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** Where the first statement starts: after blank lines and comments. */
function firstStatement(text: string): number {
  let at = 0;
  for (;;) {
    const end = text.indexOf("\n", at);
    const line = end < 0 ? text.slice(at) : text.slice(at, end);
    const bare = line.trim();
    if (bare !== "" && !bare.startsWith("#")) return at + line.indexOf(bare);
    if (end < 0) return text.length;
    at = end + 1;
  }
}

/** Where the string whose content starts at `from` ends, or -1 when it does not. */
function closingAt(text: string, from: number, quote: string): number {
  for (let i = from; i < text.length; i += 1) {
    if (text[i] === "\\") i += 1;
    else if (text.startsWith(quote, i)) return i;
    else if (text[i] === "\n" && quote.length === 1) return -1;
  }
  return -1;
}

/** One clean line of a text, at most 200 characters; null when nothing is left of it. */
export function cleanLine(text: string): string | null {
  const line = sanitize(text).text.replace(/\s+/g, " ").trim();
  if (line === "") return null;
  return line.length > LONGEST ? shorten(line, LONGEST - 1) : line;
}

/** The first line of the docstring of a Python file, clean; null when there is no docstring. Lines end in LF. */
export function docstringLine(text: string): string | null {
  const start = firstStatement(text);
  OPENING.lastIndex = start;
  const opening = OPENING.exec(text);
  if (opening === null) return null;
  const [all, prefix = "", quote = ""] = opening;
  const from = start + all.length;
  const to = closingAt(text, from, quote);
  if (to < 0) return null;
  const raw = text.slice(from, to);
  const content = prefix.toLowerCase() === "r" ? raw : unescaped(raw);
  const first = content.split("\n").find((line) => line.trim() !== "");
  return first === undefined ? null : cleanLine(first);
}
