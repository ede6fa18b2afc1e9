// The rule of find: it may test files and print about them, nothing else.
//
//   find       = { option } { path } { expression }
//   option     = "-H" | "-L" | "-P" | "-O0".."-O3"              on BSD and macOS also "-E" | "-s" | "-x" | "-d"
//   path       = any argument that does not start the expression; judged by the path rule
//   expression = "(" | ")" | "!" | "," | alone | taker value
//   alone      = a test, an operator or an action without a value: -empty, -o, -print …
//   taker      = a test or an action with exactly one value: -name, -size, -printf …
//
// A value may be anything, also a word that looks like an action: find reads it as the value too.
import { judgePath, type PathFacts } from "../paths.ts";
import { asksAboutItself, type CommandRule, type Judged, type Problem } from "./rule.ts";
import { valueProblem } from "./values.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ""));

const ALONE = words(`
  ( ) ! , -a -and -o -or -not -empty -print -print0 -ls -prune -true -false -readable -writable -executable
  -nouser -nogroup -depth -d -daystart -follow -mount -xdev -noleaf -nowarn -warn -quit -ignore_readdir_race
  -noignore_readdir_race
`);
const TEXT_TAKERS = words(`
  -name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -mtime -mmin -atime -amin -ctime
  -cmin -inum -links -user -uid -group -gid -perm -maxdepth -mindepth -regextype -fstype -lname -ilname -used
`);
const BSD_TAKERS = words("-Bmin -Btime -flags");
const PATH_TAKERS = words("-newer -anewer -cnewer -samefile");
const NEWER = /^-newer[aBcm]([aBcmt])$/;
const OPTIONS = /^-(?:[HLP]|O[0-3])$/;
const BSD_OPTIONS = /^-[EHLPsxd]$/;

const ADVICE = "only tests and -print, -print0, -ls, -printf are";

/** The kind of value an expression word takes, null for none, or undefined when the word is not allowed. */
function takes(word: string, facts: PathFacts): "text" | "path" | "format" | null | undefined {
  if (ALONE.has(word)) return null;
  if (TEXT_TAKERS.has(word) || (facts.platform === "bsd" && BSD_TAKERS.has(word))) return "text";
  if (PATH_TAKERS.has(word)) return "path";
  if (word === "-printf") return "format";
  const newer = NEWER.exec(word)?.[1];
  return newer === undefined ? undefined : newer === "t" ? "text" : "path";
}

/** True when find takes the argument for the start of the expression and not for a path. */
const startsExpression = (argument: string): boolean =>
  (argument.startsWith("-") && argument !== "-") || ["(", ")", "!", ","].includes(argument);

function judgeExpression(args: readonly string[], from: number, facts: PathFacts): Problem | null {
  for (let index = from; index < args.length; index += 1) {
    const word = args[index] ?? "";
    const kind = takes(word, facts);
    if (kind === undefined) {
      if (!startsExpression(word))
        return { rule: "operand", reason: `put the path ${word} before the tests` };
      return { rule: "option", reason: `${word} is not allowed; ${ADVICE}` };
    }
    if (kind === null) continue;
    index += 1;
    const value = args[index];
    if (value === undefined) return { rule: "option", reason: `${word} needs a value` };
    const problem = valueProblem(kind, value, facts);
    if (problem !== null) return { ...problem, reason: `${word}: ${problem.reason}` };
  }
  return null;
}

function judge(args: readonly string[], facts: PathFacts, name: string): Judged {
  if (asksAboutItself(args)) return { ok: true, args };
  const option = facts.platform === "bsd" ? BSD_OPTIONS : OPTIONS;
  let at = 0;
  while (at < args.length && option.test(args[at] ?? "")) at += 1;
  for (; at < args.length && !startsExpression(args[at] ?? ""); at += 1) {
    const reason = judgePath(args[at] ?? "", facts);
    if (reason !== null) return { ok: false, rule: "path", reason: `${name}: ${reason}` };
  }
  const problem = judgeExpression(args, at, facts);
  return problem === null
    ? { ok: true, args }
    : { ok: false, rule: problem.rule, reason: `${name}: ${problem.reason}` };
}

/** The rule of find. */
export const FIND_RULE: CommandRule = {
  kind: "parser",
  names: ["find"],
  does: "Finds files by name, size, time and the like, and prints about them. It changes nothing and starts nothing.",
  level: "read",
  judge,
  match: [
    "",
    ". -name *.ts",
    ". -name *.ts -not -path */node_modules/* -size +1M",
    [".", "-printf", "%s %p\\n"],
    ["src", "(", "-name", "*.a", "-o", "-regex", "a|b", ")", "-print0"],
    "-L src -maxdepth 2 -newermt 2026-01-01 -ls",
    ". -name -exec",
  ],
  notMatch: [
    ". -delete",
    ". -exec id ;",
    ". -exec id {} +",
    ". -execdir id ;",
    ". -ok id ;",
    ". -okdir id ;",
    "a.txt -fprint W",
    "a.txt -fprint0 W",
    "a.txt -fprintf W %p",
    "a.txt -fls W",
    "-files0-from list",
    "~/.ssh -type f",
    ". -newer ~/.ssh/id_rsa",
    ". -dele",
    ". -printf %0999999999s",
    "-D exec .",
    ". -name",
  ],
};
