// Reads sed scripts strictly: what GNU sed could read in another way is refused. Nothing here writes, reads files or
// starts programs: w, W, r, R, e and the flags w and e of s are not in the grammar.
//
//   script   = { blank | ";" | newline } [ command { end command } ]
//   command  = [ address [ "," ( address | "+" num | "~" num ) ] ] { blank } [ "!" { blank } ] verb
//   address  = num [ "~" num ] | "$" | "/" regexp "/" { "I" | "M" } | "\" mark regexp mark { "I" | "M" }
//   verb     = one of  p P d D g G h H x n N = z F
//            | "l" | "q" | "Q" , each with an optional number
//            | ":" label | ( "b" | "t" | "T" ) [ label ]           ended by ";", newline, "}" or the end of the script
//            | "s" mark regexp mark replacement mark { "g" | "p" | "i" | "I" | "m" | "M" | digit }
//            | "y" mark text mark text mark
//            | ( "a" | "i" | "c" ) { blank } ( text | "\" newline text | "\" text )      up to an unhidden newline
//            | "{" commands "}" | "#" comment
//   end      = { blank } ( ";" | newline | "#" | before "}" | end of the script )
//   mark     = one of  / | , # @ ! : % ~ + = _ ; & - "
import { afterDelimiter, type RegexpEnds, regexpEnds } from "./regexp.ts";

const MARKS = new Set('/|,#@!:%~+=_;&-"');
const PLAIN = new Set("pPdDgGhHxnN=zF");
const ALLOWED = "p d q = n N g G h H x D P l y a i c b t : { } and s with the flags g p i m and a number are";

/** The state of one reading. `at` moves forward only. */
type Reader = {
  readonly text: string;
  at: number;
  depth: number;
  /** A label goes up to the end of its line, as BSD reads it. */
  readonly longLabels: boolean;
};

/** A reason, or null when the part was read. */
type Outcome = string | null;

const peek = (reader: Reader): string => reader.text[reader.at] ?? "";

function skip(reader: Reader, characters: RegExp): void {
  while (reader.at < reader.text.length && characters.test(peek(reader))) reader.at += 1;
}

function take(reader: Reader, pattern: RegExp): string {
  const sticky = new RegExp(pattern.source, "y");
  sticky.lastIndex = reader.at;
  const found = sticky.exec(reader.text)?.[0] ?? "";
  reader.at += found.length;
  return found;
}

function readMark(reader: Reader): string | null {
  const mark = peek(reader);
  if (!MARKS.has(mark)) return null;
  reader.at += 1;
  return mark;
}

/** Reads a regular expression. `stops` says whether a program that ignores brackets surely stops at its own end. */
function readRegexp(reader: Reader, mark: string, stops: (ends: RegexpEnds) => boolean): Outcome {
  const ends = regexpEnds(reader.text, reader.at, mark);
  if (ends === null || (ends.plain !== ends.aware && !stops(ends))) {
    return `a regular expression has no clear end; close it with ${mark}, and write \\${mark} inside brackets`;
  }
  reader.at = ends.aware;
  return null;
}

/** Reads one address. `found` is false when there is none. */
function readAddress(reader: Reader): { readonly found: boolean; readonly reason: Outcome } {
  if (take(reader, /\$|\d+(?:~\d+)?/) !== "") return { found: true, reason: null };
  if (peek(reader) !== "/" && peek(reader) !== "\\") return { found: false, reason: null };
  if (peek(reader) === "\\") reader.at += 1;
  const mark = readMark(reader);
  if (mark === null) return { found: true, reason: `after \\ one of ${[...MARKS].join(" ")} is needed` };
  // There is no command ].
  const reason = readRegexp(reader, mark, ({ plain }) => reader.text[plain] === "]");
  if (reason === null) take(reader, /[IM]*/);
  return { found: true, reason };
}

/** Reads the addresses before a verb. */
function readAddresses(reader: Reader): { readonly found: boolean; readonly reason: Outcome } {
  const first = readAddress(reader);
  if (!first.found || first.reason !== null) return first;
  const before = reader.at;
  skip(reader, /[ \t]/);
  if (peek(reader) !== ",") {
    reader.at = before;
    return first;
  }
  reader.at += 1;
  skip(reader, /[ \t]/);
  if (take(reader, /[+~]\d+/) !== "") return first;
  const second = readAddress(reader);
  return second.found ? second : { found: true, reason: "an address is needed after the comma" };
}

/** Reads what must follow a command. */
function readEnd(reader: Reader): Outcome {
  skip(reader, /[ \t]/);
  const next = peek(reader);
  if (next === ";" || next === "\n") reader.at += 1;
  else if (next !== "" && next !== "}" && next !== "#")
    return `${JSON.stringify(next)} is not allowed after a command`;
  return null;
}

/** True when a program that ignores brackets finds no end of s, or a flag that does not exist. */
function substitutionStops(text: string, mark: string, plain: number): boolean {
  const end = afterDelimiter(text, plain, mark);
  return end < 0 || /^[gpiImM\d]*[^gpiImM\dew\s;}#]/.test(text.slice(end));
}

function readSubstitution(reader: Reader): Outcome {
  const mark = readMark(reader);
  if (mark === null) return `s needs one of ${[...MARKS].join(" ")} around its parts`;
  const reason = readRegexp(reader, mark, ({ plain }) => substitutionStops(reader.text, mark, plain));
  if (reason !== null) return reason;
  const end = afterDelimiter(reader.text, reader.at, mark);
  if (end < 0) return "the replacement of s has no end";
  reader.at = end;
  take(reader, /[gpiImM\d]*/);
  const flag = peek(reader);
  if (/[a-zA-Z]/.test(flag))
    return `the flag ${flag} of s is not allowed (w writes a file, e starts a program); g p i m and a number are`;
  return readEnd(reader);
}

function readTransliteration(reader: Reader): Outcome {
  const mark = readMark(reader);
  const middle = mark === null ? -1 : afterDelimiter(reader.text, reader.at, mark);
  const end = mark === null || middle < 0 ? -1 : afterDelimiter(reader.text, middle, mark);
  if (end < 0) return "y needs three marks, as in y/abc/xyz/";
  reader.at = end;
  return readEnd(reader);
}

/** Some programs take blanks, # and } for parts of a label: nothing may follow that hides a command from them. */
function readLabel(reader: Reader, defines: boolean): Outcome {
  skip(reader, /[ \t]/);
  const label = take(reader, /[A-Za-z0-9_]{0,40}/);
  if (defines && label === "") return "a label is needed after :";
  if (!defines) skip(reader, /[ \t]/);
  const next = peek(reader);
  if (next === "" || next === "\n") return readEnd(reader);
  if (reader.longLabels)
    return "on this system a label goes up to the end of its line; put a newline after it";
  return next === ";" || (next === "}" && !defines)
    ? readEnd(reader)
    : "a label holds letters, digits and _ only; end it with ; or a newline";
}

/** Reads the text of a, i and c, which goes up to a newline that no backslash hides. */
function readText(reader: Reader): Outcome {
  skip(reader, /[ \t]/);
  if (peek(reader) === "\\") {
    reader.at += 1;
    if (/[ \t]/.test(peek(reader))) return "no blank is allowed after the backslash of a, i and c";
    if (peek(reader) === "\n") reader.at += 1;
    // Whether this backslash hides the next character depends on the version.
    if (peek(reader) === "\\") return "the text of a, i and c may not start with a backslash";
  }
  if (peek(reader) === "" || peek(reader) === "\n") return "a text is needed after a, i and c";
  while (reader.at < reader.text.length && peek(reader) !== "\n") reader.at += peek(reader) === "\\" ? 2 : 1;
  reader.at += 1;
  return null;
}

function readComment(reader: Reader): Outcome {
  const comment = take(reader, /[^\n]*/);
  return comment.endsWith("\\") ? "a comment may not end with a backslash" : null;
}

function closeBlock(reader: Reader, addressed: boolean): Outcome {
  reader.depth -= 1;
  if (reader.depth < 0) return "there is a } too many";
  return addressed ? "} takes no address" : readEnd(reader);
}

function readVerb(reader: Reader, addressed: boolean): Outcome {
  const verb = peek(reader);
  reader.at += 1;
  if (PLAIN.has(verb)) return readEnd(reader);
  switch (verb) {
    case "":
      return "a command is missing at the end";
    case "{":
      reader.depth += 1;
      return null;
    case "}":
      return closeBlock(reader, addressed);
    case "#":
      return addressed ? "a comment takes no address" : readComment(reader);
    case "s":
      return readSubstitution(reader);
    case "y":
      return readTransliteration(reader);
    case ":":
      return addressed ? ": takes no address" : readLabel(reader, true);
    case "b":
    case "t":
    case "T":
      return readLabel(reader, false);
    case "a":
    case "i":
    case "c":
      return readText(reader);
    case "l":
    case "q":
    case "Q":
      skip(reader, /[ \t]/);
      take(reader, /\d{1,4}/);
      return readEnd(reader);
    default:
      return `the command ${JSON.stringify(verb)} is not allowed (e starts programs, w and W write, r and R read files); ${ALLOWED}`;
  }
}

/** Why a sed script is refused, or null. `platform` decides where labels end. */
export function sedScriptProblem(text: string, platform: "gnu" | "bsd"): string | null {
  const reader: Reader = { text, at: 0, depth: 0, longLabels: platform === "bsd" };
  for (;;) {
    skip(reader, /[ \t;\n]/);
    if (reader.at >= text.length) break;
    const addresses = readAddresses(reader);
    if (addresses.reason !== null) return addresses.reason;
    skip(reader, /[ \t]/);
    if (peek(reader) === "!") {
      reader.at += 1;
      skip(reader, /[ \t]/);
    }
    const reason = readVerb(reader, addresses.found);
    if (reason !== null) return reason;
  }
  return reader.depth === 0 ? null : "a } is missing";
}
