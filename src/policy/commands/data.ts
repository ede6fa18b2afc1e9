// Rules of the commands that read structured files: jq, sqlite3, zip archives, bc. Data and checks only.
import { judgePath } from "../paths.ts";
import {
  type Call,
  type CommandRule,
  command,
  operandProblem,
  optionProblem,
  type Problem,
  paths,
  textThenPaths,
} from "./rule.ts";

const program = (reason: string): Problem => ({ rule: "program-text", reason });

/** Directives stand at the start of a jq program; the words below read files or tell their names. */
const JQ_DIRECTIVE = /^(?:\s|#[^\n\\]*\n)*(?:import|include|module)\b/;
const JQ_WORD = /(?<![.\w])(?:get_search_list|modulemeta|input_filename)\b|\$__prog_args\b/;

function jqProgram({ operands }: Call): Problem | null {
  const [text = ""] = operands;
  if (JQ_DIRECTIVE.test(text))
    return program("import, include and module are not allowed; write the program in one text");
  if (/^(?:\s|#[^\n\\]*\n)*#[^\n]*\\/.test(text)) return program("a comment with a backslash is not allowed");
  const word = JQ_WORD.exec(text)?.[0];
  return word === undefined ? null : program(`${word} is not allowed; filters, functions and operators are`);
}

/** Functions and words that reach files, other databases or code, even in SQLite's safe mode. */
const SQL_WORD =
  /\b(?:attach|detach|vacuum|pragma|fsdir|lsmode|readfile|writefile|zipfile|sqlar_\w*|load_extension|fts3_tokenizer|sha3_query|sha1_query|eval|completion|shell_\w*)\b|\bedit\s*\(/i;
const DOT_COMMAND =
  /^\.(?:(?:tables|schema|indexes|indices|fullschema|dump|mode)(?: +[A-Za-z0-9_%]+)?|headers? +(?:on|off))\s*$/;
/** Pragmas that only show: some take the name of a table, the others no value, which would set them. */
const PRAGMA =
  /^\s*pragma\s+(?:table_info|table_xinfo|index_list|index_info|foreign_key_list|table_list|database_list)\b[\w\s("')]*;?\s*$|^\s*pragma\s+(?:main\.)?(?:user_version|application_id|schema_version|page_count|page_size|freelist_count|encoding|journal_mode|auto_vacuum|foreign_keys|integrity_check|quick_check|foreign_key_check|compile_options|collation_list|function_list)\s*;?\s*$/i;

function sqlText({ operands }: Call): Problem | null {
  const [database = "", ...texts] = operands;
  if (/^(?:file:|-)/i.test(database)) return operandProblem("the database is a plain path, not a file: URI");
  for (const text of texts) {
    if (text.startsWith(".") && !DOT_COMMAND.test(text)) {
      return program(
        "of the dot commands only .tables, .schema, .indexes, .fullschema, .dump, .headers and .mode are allowed",
      );
    }
    const word = PRAGMA.test(text) ? undefined : SQL_WORD.exec(text)?.[0];
    if (word !== undefined) return program(`${word} is not allowed; queries of this database are`);
  }
  return null;
}

/** unzip and zipinfo expand wildcards themselves, and look for options after the archive. */
function archiveName({ operands, facts }: Call): Problem | null {
  const [archive = ""] = operands;
  const signed = operands.find((operand) => operand.startsWith("-"));
  if (signed !== undefined)
    return operandProblem(`${signed} is not allowed after the archive; only names of members are`);
  if (/[*?[\]\\]/.test(archive)) return operandProblem("the archive is one plain path, without wildcards");
  const reason = judgePath(archive, facts) ?? judgePath(`${archive}.zip`, facts);
  return reason === null ? null : { rule: "path", reason };
}

function listingOnly(call: Call): Problem | null {
  const lists = call.options.some(({ name }) => ["-l", "-v", "-p", "-t", "-Z", "-z"].includes(name));
  return lists
    ? archiveName(call)
    : optionProblem(
        "-l, -v, -p, -t, -z or -Z is needed: archives are listed, tested or printed, not extracted",
      );
}

const ARCHIVE = { ...textThenPaths(), kinds: ["path", "text"] } as const;

/** The rules of jq and its like. */
export const DATA_RULES: readonly CommandRule[] = [
  command({
    names: ["jq"],
    does: "Filters and changes JSON. It reads no modules and no program files.",
    options:
      "-rRcCMSsneja --raw-output --raw-input --compact-output --color-output --monochrome-output --sort-keys --slurp " +
      "--null-input --exit-status --join-output --ascii-output --raw-output0 --tab --indent=small --arg== --argjson== --args " +
      "--jsonargs --stream --stream-errors --seq --unbuffered",
    operands: textThenPaths(),
    check: jqProgram,
    match: [
      [".a | .b", "d.json"],
      ["-r", ".a | map(.b) | @csv", "d.json"],
      ['.a[0].b // "none"', "d.json"],
      ["--arg", "x", "1", "-n", "$x"],
      ['select(.type == "import") | .include', "d.json"],
    ],
    notMatch: [
      ["-n", "--rawfile", "x", "f", "$x"],
      ["--slurpfile", "x", "f", "."],
      "-f prog.jq d.json",
      "--from-file prog.jq d.json",
      ["-L", "lib", 'import "x" as x; x::y'],
      ['include "x"; y', "d.json"],
      "input_filename d.json",
      ". ~/.ssh/id_rsa",
    ],
  }),
  command({
    names: ["sqlite3"],
    does: "Queries one SQLite database, read only and in safe mode.",
    options:
      "-header -noheader -csv -json -column -line -list -table -box -markdown -quote -tabs -html -ascii -bail -readonly -safe -batch -separator= " +
      "-nullvalue= -newline=",
    operands: { kinds: ["path", "text"], min: 2, max: 9 },
    parsing: { words: true },
    forced: ["-batch", "-safe", "-readonly", "-init", "/dev/null"],
    check: sqlText,
    match: [
      ["a.db", "select * from t where x > 3"],
      ["-header", "-csv", "a.db", "select 1;"],
      ["a.db", ".tables"],
      ["a.db", "pragma table_info(t)"],
      ["a.db", "PRAGMA integrity_check;"],
      ["a.db", "select edit from t"],
    ],
    notMatch: [
      ["a.db"],
      [":memory:", ".output |id"],
      [":memory:", ".shell id"],
      ["-init", "rc", ":memory:", "select 1"],
      ["-cmd", ".shell id", "a.db", "select 1"],
      [":memory:", "select writefile('W','x')"],
      [":memory:", "select data from fsdir('/etc')"],
      [":memory:", "attach 'W' as w"],
      ["a.db", "vacuum into 'W'"],
      ["a.db", "pragma journal_mode = wal"],
      ["a.db", "pragma writable_schema"],
      [":memory:", "select edit('x', 'id')"],
      ["a.db", ".tables\n.shell id"],
      ["file:a.db?mode=rwc", "select 1"],
      ["a.db", ".trace W"],
    ],
  }),
  command({
    names: ["zipinfo"],
    does: "Lists what is in a zip archive.",
    options: "-12smlvhtTzC",
    operands: ARCHIVE,
    parsing: { permutes: false },
    check: archiveName,
    match: ["-1 a.zip", "-l a.zip"],
    notMatch: ["-M a.zip", "~/.ssh/x.zip", "*.zip", "-1 -- -M a.zip"],
  }),
  command({
    names: ["unzip"],
    does: "Lists or tests a zip archive, or prints its members to standard output. It extracts nothing.",
    options: "-lvptZ1qCzj",
    operands: ARCHIVE,
    parsing: { permutes: false },
    check: listingOnly,
    match: ["-l a.zip", "-p a.zip b.txt", "-Z1 a.zip", "-tq a.zip"],
    notMatch: [
      "a.zip",
      "-o a.zip",
      "-o -l a.zip",
      "-l a.zip -d out",
      "-x a.zip",
      "-q a.zip",
      "-M -l a.zip",
      "-p -- -o a.zip",
    ],
  }),
  command({
    names: ["bc"],
    does: "Calculates what standard input or files say.",
    options: "-lqsw --mathlib --quiet --standard --warn",
    operands: paths(0, 4),
    bsd: { options: "-lqsw" },
    match: ["-l", "a.bc"],
    notMatch: ["-i", "~/.ssh/id_rsa", "-e 1+1"],
  }),
];
