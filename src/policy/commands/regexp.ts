// Finds where a delimited regular expression ends, for awk and sed programs. Programs disagree about brackets and
// backslashes: the end must be the same under every reading of them, and where some programs ignore brackets
// altogether, the caller is told their end too.

/** One way of reading brackets in a regular expression. */
type Reading = {
  /** A backslash inside brackets hides the next character. */
  readonly escapes: boolean;
  /** A `]` that comes first inside brackets is a member of the set. */
  readonly firstIsMember: boolean;
  /** `[:alpha:]` inside brackets is one unit. */
  readonly classes: boolean;
};

const BOTH = [true, false] as const;
const READINGS: readonly Reading[] = BOTH.flatMap((escapes) =>
  BOTH.flatMap((firstIsMember) => BOTH.map((classes) => ({ escapes, firstIsMember, classes }))),
);

/** Where the set that opens at `open` closes, or -1. */
function closing(text: string, open: number, reading: Reading): number {
  let at = open + 1;
  if (text[at] === "^") at += 1;
  if (reading.firstIsMember && text[at] === "]") at += 1;
  for (; at < text.length; at += 1) {
    const here = text[at];
    if (here === "\\" && reading.escapes) at += 1;
    else if (here === "[" && reading.classes && /[:.=]/.test(text[at + 1] ?? "")) {
      const end = text.indexOf(`${text[at + 1]}]`, at + 2);
      if (end < 0) return -1;
      at = end + 1;
    } else if (here === "]") return at;
  }
  return -1;
}

/** The index after the delimiter that ends the expression under this reading, or -1. */
function endUnder(text: string, from: number, delimiter: string, reading: Reading): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === delimiter) return at + 1;
    else if (text[at] === "[") {
      at = closing(text, at, reading);
      if (at < 0) return -1;
    }
  }
  return -1;
}

/** The index after the next delimiter that no backslash hides, or -1. A newline that is not hidden ends the search. */
export function afterDelimiter(text: string, from: number, delimiter: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === delimiter) return at + 1;
    else if (text[at] === "\n") return -1;
  }
  return -1;
}

/** Where a regular expression ends: for programs that know brackets, and for those that take any delimiter for the end. */
export type RegexpEnds = { readonly aware: number; readonly plain: number };

/** The ends of a regular expression, or null when programs that know brackets could disagree, or there is no end. */
export function regexpEnds(text: string, from: number, delimiter: string): RegexpEnds | null {
  const plain = afterDelimiter(text, from, delimiter);
  const ends = new Set(READINGS.map((reading) => endUnder(text, from, delimiter, reading)));
  const [aware = -1] = ends;
  if (ends.size !== 1 || plain < 0 || aware < 0 || text.slice(from, aware).includes("\n")) return null;
  return { aware, plain };
}
