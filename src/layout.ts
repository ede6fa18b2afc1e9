// Text for people, laid out in columns: folding, padding and cutting by the width a terminal shows. Pure.

/** Columns of a terminal nobody can ask. */
export const USUAL_WIDTH = 80;

/** A text filled up with blanks to `width` columns; a longer one stays as it is. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
}

/** The first `length` UTF-16 units of a text, never half a character; what is cut off shows as an ellipsis. */
export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

/** A text of at most `width` columns; what is cut off shows as an ellipsis. */
export function clip(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  let kept = "";
  let used = 1;
  const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { segment } of graphemes.segment(text)) {
    used += Bun.stringWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return width < 1 ? "" : `${kept.trimEnd()}…`;
}

/**
 * Folds a text at blanks into lines of at most `width` columns; all but the first begin with `indent` blanks. A word
 * that is too long stays whole, so that a path can be copied.
 */
export function fold(text: string, width: number, indent = 0): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/ +/)) {
    const room = width - (lines.length === 0 ? 0 : indent);
    if (line !== "" && Bun.stringWidth(line) + 1 + Bun.stringWidth(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${" ".repeat(indent)}`);
}

const MARGIN = 2;
const WIDEST_TERM = 34;
const NARROWEST_MEANING = 24;

/**
 * Terms and what they mean, in two columns below each other. A term that is too long for its column stands on a line of
 * its own, and on a narrow terminal every one does.
 */
export function definitions(
  rows: readonly (readonly [term: string, meaning: string])[],
  width: number,
): string {
  const longest = Math.max(0, ...rows.map(([term]) => Bun.stringWidth(term)));
  const fits = Math.min(longest, WIDEST_TERM);
  const column = width - fits - 2 * MARGIN < NARROWEST_MEANING ? 2 * MARGIN : fits + 2 * MARGIN;
  const indent = " ".repeat(MARGIN);
  return rows
    .map(([term, meaning]) => {
      const folded = fold(meaning, width - column).replaceAll("\n", `\n${" ".repeat(column)}`);
      if (meaning === "") return `${indent}${term}`;
      const isBeside = Bun.stringWidth(term) + 2 * MARGIN <= column;
      return isBeside
        ? `${indent}${pad(term, column - MARGIN)}${folded}`
        : `${indent}${term}\n${" ".repeat(column)}${folded}`;
    })
    .join("\n");
}
