// Screens awk programs: a tokenizer that knows where strings, regular expressions and comments end, and refuses every
// way out to files and programs. It holds for gawk, mawk, busybox awk and BWK awk: where their lexers differ, the
// program is refused.
//
//   program = { token }
//   token   = blank | "\" newline | newline | comment | number | string | regexp | word | operator
//   comment = "#" up to the newline, not ending with a backslash
//   string  = '"' { character | "\" character } '"'                      on one line
//   regexp  = "/" … "/" where an operand is expected                     on one line, its end clear (regexp.ts)
//   word    = letter { letter | digit | "_" }, none of REFUSED
//   operator = { } ( ) [ ] ; , + - * / % ^ ! < > = & | ? : ~ $           "|" only as "||", ">" not in a print's list
//
// Some programs end a regular expression at a "/" inside brackets: the program is read their way too, and must be
// harmless then, or have an unbalanced bracket, which no awk accepts.
//
// A "/" after an operand divides. After "++", "--", a function's name without parentheses, a regular expression, or
// the ")" of if, while and for, programs disagree about it: refused.
import { regexpEnds } from "./regexp.ts";

/** Words that reach files, programs, the argument list or code in other files. */
const REFUSED: ReadonlySet<string> = new Set(
  "system getline ARGV ARGC ARGIND PROCINFO SYMTAB FUNCTAB extension bindtextdomain dcgettext dcngettext".split(
    " ",
  ),
);

/** Words after which an operand starts, so that "/" starts a regular expression. */
const BEFORE_OPERAND = new Set(
  "print printf return in case else do exit delete if while for switch BEGIN END".split(" "),
);
const CONTROL = new Set(["if", "while", "for", "switch"]);
const BUILTINS = new Set(
  (
    "length substr index split sub gsub gensub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper " +
    "close fflush strftime systime mktime strtonum and or xor compl lshift rshift asort asorti patsplit isarray typeof " +
    "mkbool next nextfile break continue default function func"
  ).split(" "),
);

/** What stood before: an operand that is complete, a place where one starts, or one where programs disagree. */
type Before = "operand" | "start" | "unclear";

/** The state of one reading. `at` moves forward only. */
type Reader = {
  readonly text: string;
  at: number;
  before: Before;
  /** Open brackets, innermost last; "control" is the parenthesis of if, while and for. */
  readonly open: ("(" | "[" | "control")[];
  /** The word before, when nothing else came after it. */
  lastWord: string;
  /** How many brackets were open at the print that is not finished, or null. */
  printing: number | null;
  /** Regular expressions end where programs that know brackets end them, or where the others do. */
  readonly brackets: "aware" | "plain";
  /** A / inside brackets was met. */
  differs: boolean;
  /** The brackets do not balance: no awk runs such a program. */
  unbalanced: boolean;
};

/** True for a name that may be given as a variable with -v or as an operand. */
export function isPlainVariable(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !REFUSED.has(name) && name !== "ENVIRON";
}

function readString(reader: Reader): string | null {
  let at = reader.at + 1;
  for (; at < reader.text.length && reader.text[at] !== '"'; at += 1) {
    if (reader.text[at] === "\\") at += 1;
    if (reader.text[at] === "\n") return "a newline in a string is not allowed; write \\n";
  }
  if (at >= reader.text.length) return "a string has no end";
  reader.at = at + 1;
  reader.before = "operand";
  return null;
}

function readSlash(reader: Reader): string | null {
  switch (reader.before) {
    case "unclear":
      return "it is not clear whether a / divides here; use parentheses";
    case "operand":
      reader.at += 1;
      reader.before = "start";
      return null;
    case "start": {
      const ends = regexpEnds(reader.text, reader.at + 1, "/");
      if (ends === null)
        return "a regular expression has no clear end; write \\/ for a slash, also inside brackets";
      if (ends.plain !== ends.aware) reader.differs = true;
      reader.at = ends[reader.brackets];
      reader.before = "unclear";
      return null;
    }
  }
}

function readWord(reader: Reader, word: string): string | null {
  reader.at += word.length;
  if (REFUSED.has(word)) return `${word} is not allowed; calculating and printing to standard output are`;
  if (word === "print" || word === "printf") reader.printing = reader.open.length;
  reader.before = BEFORE_OPERAND.has(word) ? "start" : BUILTINS.has(word) ? "unclear" : "operand";
  reader.lastWord = word;
  return null;
}

function readBracket(reader: Reader, sign: string, wordBefore: string): string | null {
  reader.at += 1;
  if (sign === "(" || sign === "[") {
    reader.open.push(sign === "(" && CONTROL.has(wordBefore) ? "control" : sign);
    reader.before = "start";
    return null;
  }
  const opened = reader.open.pop();
  if (opened === undefined || (opened === "[") !== (sign === "]")) {
    reader.unbalanced = true;
    return `there is a ${sign} too many`;
  }
  reader.before = opened === "control" ? "unclear" : "operand";
  return null;
}

/** A newline ends a statement only after a complete operand; after a comma or an operator the statement goes on. */
function readNewline(reader: Reader): string | null {
  reader.at += 1;
  const complete = reader.before !== "start" || /^printf?$/.test(reader.lastWord);
  if (!complete) return null;
  if (reader.open.length > 0)
    return "a newline inside parentheses is allowed only after a comma or an operator";
  if (reader.before === "operand" || reader.lastWord !== "") reader.printing = null;
  reader.before = "start";
  return null;
}

function readSeparator(reader: Reader, sign: string): string | null {
  reader.at += 1;
  const inside = reader.open.length > 0;
  if (inside && (sign !== ";" || reader.open.at(-1) !== "control"))
    return `${sign} is not allowed inside parentheses`;
  reader.printing = null;
  reader.before = "start";
  return null;
}

function readGreater(reader: Reader): string | null {
  if (reader.text[reader.at + 1] === ">") return ">> writes a file; print to standard output";
  if (reader.printing !== null && reader.open.length <= reader.printing) {
    return "> after print writes a file; to compare, put the comparison in parentheses";
  }
  reader.at += reader.text[reader.at + 1] === "=" ? 2 : 1;
  reader.before = "start";
  return null;
}

function readBar(reader: Reader): string | null {
  if (reader.text[reader.at + 1] !== "|") return "a single | starts a program; || is allowed";
  reader.at += 2;
  reader.before = "start";
  return null;
}

function readOperator(reader: Reader, sign: string): string | null {
  const twice = (sign === "+" || sign === "-") && reader.text[reader.at + 1] === sign;
  reader.at += twice ? 2 : 1;
  // x++ / 2 divides for one program and starts a regular expression for another.
  reader.before = twice && reader.before !== "start" ? "unclear" : "start";
  return null;
}

function readComment(reader: Reader): string | null {
  const end = reader.text.indexOf("\n", reader.at);
  const stop = end < 0 ? reader.text.length : end;
  if (reader.text[stop - 1] === "\\") return "a comment may not end with a backslash";
  reader.at = stop;
  return null;
}

const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y;

function match(pattern: RegExp, reader: Reader): string | null {
  pattern.lastIndex = reader.at;
  return pattern.exec(reader.text)?.[0] ?? null;
}

function readToken(reader: Reader): string | null {
  const sign = reader.text[reader.at] ?? "";
  const wordBefore = reader.lastWord;
  const word = match(WORD, reader);
  if (word !== null) return readWord(reader, word);
  if (sign === "\n") return readNewline(reader);
  reader.lastWord = "";
  const number = match(NUMBER, reader);
  if (number !== null) {
    reader.at += number.length;
    reader.before = "operand";
    return null;
  }
  if (sign === '"') return readString(reader);
  if (sign === "/") return readSlash(reader);
  if (sign === ">") return readGreater(reader);
  if (sign === "|") return readBar(reader);
  if (";{}".includes(sign)) return readSeparator(reader, sign);
  if ("()[]".includes(sign)) return readBracket(reader, sign, wordBefore);
  if ("+-*%^!<=&?:,~$".includes(sign)) return readOperator(reader, sign);
  return `the character ${JSON.stringify(sign)} is not allowed outside strings and regular expressions`;
}

function read(
  text: string,
  brackets: "aware" | "plain",
): { readonly reader: Reader; readonly reason: string | null } {
  const reader: Reader = {
    text,
    at: 0,
    before: "start",
    open: [],
    lastWord: "",
    printing: null,
    brackets,
    differs: false,
    unbalanced: false,
  };
  while (reader.at < text.length) {
    const sign = text[reader.at] ?? "";
    if (sign === " " || sign === "\t") reader.at += 1;
    else if (sign === "\\" && text[reader.at + 1] === "\n") reader.at += 2;
    else {
      const reason = sign === "#" ? readComment(reader) : readToken(reader);
      if (reason !== null) return { reader, reason };
    }
  }
  return { reader, reason: reader.open.length === 0 ? null : "a parenthesis or a bracket is not closed" };
}

/** Why an awk program is refused, or null. */
export function awkProgramProblem(text: string): string | null {
  const aware = read(text, "aware");
  if (aware.reason !== null || !aware.reader.differs) return aware.reason;
  const plain = read(text, "plain");
  return plain.reader.unbalanced ? null : plain.reason;
}
