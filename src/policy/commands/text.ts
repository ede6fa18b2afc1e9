// Rules of the commands that print, cut and reshape text. Data only.
import { type Call, type CommandRule, command, operandProblem, type Problem, paths, values } from "./rule.ts";

/** `+5f` is an old spelling of "follow" that tail still takes from an operand. */
function tailOperands({ operands }: Call): Problem | null {
  const wrong = operands.find((operand) => operand.startsWith("+") && !/^\+\d+$/.test(operand));
  return wrong === undefined
    ? null
    : operandProblem(`${wrong} is not allowed; write -n +NUM, or ./ before a name`);
}

function lessOperands({ operands }: Call): Problem | null {
  const wrong = operands.find((operand) => operand.startsWith("+"));
  return wrong === undefined
    ? null
    : operandProblem("commands that start with + are not allowed; only file names are");
}

/** The rules of cat and its like. */
export const TEXT_RULES: readonly CommandRule[] = [
  command({
    names: ["cat"],
    does: "Prints files.",
    options:
      "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
    operands: paths(0),
    bsd: { options: "-benstuv" },
    match: ["a.txt", "-n a.txt -", "/proc/cpuinfo", ".env.example"],
    notMatch: ["~/.ssh/id_rsa", "/proc/self/environ", "/dev/zero", ".env", "--show", "sub/../.env"],
  }),
  command({
    names: ["tac"],
    does: "Prints files with the last line first.",
    options: "-br -s= --before --regex --separator=",
    operands: paths(0),
    match: ["a.txt"],
    notMatch: ["-x a.txt", "/dev/zero"],
  }),
  command({
    names: ["head"],
    does: "Prints the first lines or bytes of files.",
    options: "-qvz -nc=count --lines,--bytes=count --quiet --silent --verbose --zero-terminated",
    operands: paths(0),
    parsing: { numeric: true },
    match: ["-5 a.txt", "-n -3 a.txt", "-c 1K a.txt", "-n5"],
    notMatch: ["-c 10 /dev/urandom", "--line=5", "-5x a.txt"],
  }),
  command({
    names: ["tail"],
    does: "Prints the last lines or bytes of files; it never waits for more.",
    options: "-qvz -nc=count --lines,--bytes=count --quiet --silent --verbose --zero-terminated",
    operands: paths(0),
    parsing: { numeric: true },
    check: tailOperands,
    bsd: { options: "-qr -nbc=count --lines,--bytes=count --quiet" },
    match: ["-n +3 a.txt", "-20 a.txt", "-c 100 a.txt"],
    notMatch: ["-f a.txt", "-F a.txt", "--follow=name a.txt", "-n5f a.txt", "+5f a.txt", "--retry a.txt"],
  }),
  command({
    names: ["less"],
    does: "Prints files, as cat does: there is no terminal to page on.",
    options: "",
    operands: paths(0, 8),
    check: lessOperands,
    match: ["a.txt"],
    notMatch: ["-o out a.txt", "+!id a.txt", "--lesskey-src=x a.txt"],
  }),
  command({
    names: ["wc"],
    does: "Counts lines, words and bytes.",
    options: "-clmLw --bytes --chars --lines --words --max-line-length --total=word",
    operands: paths(0),
    match: ["-l a.txt", "--lines a.txt b.txt"],
    notMatch: ["--files0-from=list", "-c /dev/zero", "--line a.txt"],
  }),
  command({
    names: ["nl"],
    does: "Numbers lines.",
    options:
      "-p -bdfhns= -ivlw=small --body-numbering= --section-delimiter= --footer-numbering= --header-numbering= " +
      "--line-increment=small --join-blank-lines=small --number-format= --no-renumber --number-separator= " +
      "--starting-line-number=small --number-width=small",
    operands: paths(0),
    bsd: { operands: paths(0, 1) },
    match: ["-ba -w 3 a.txt"],
    notMatch: ["-w 999999999 a.txt", "-o out a.txt"],
  }),
  command({
    names: ["cut"],
    does: "Prints chosen columns of each line.",
    options:
      "-nsz -bcdf= --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= " +
      "--zero-terminated",
    operands: paths(0),
    bsd: { options: "-nsw -bcdf=" },
    match: ["-d: -f1,3- a.txt", ["-d", ";", "-f2", "a.txt"], ["-d", "|", "-f", "1", "--output-delimiter=\t"]],
    notMatch: ["-c1- /proc/self/environ", "--field=1 a.txt"],
  }),
  command({
    names: ["paste"],
    does: "Puts lines of files side by side.",
    options: "-sz -d= --serial --delimiters= --zero-terminated",
    operands: paths(0),
    match: ["-sd, a.txt", "a.txt b.txt"],
    notMatch: ["a.txt ~/.ssh/id_rsa"],
  }),
  command({
    names: ["tr"],
    does: "Replaces or deletes characters of standard input.",
    options: "-cCdst --complement --delete --squeeze-repeats --truncate-set1",
    operands: values("text", 1, 2),
    parsing: { permutes: false },
    bsd: { options: "-cCdsu" },
    match: [
      ["a-z", "A-Z"],
      ["-d", "\n"],
      ["-s", " "],
    ],
    notMatch: ["", "a b c", "--del x"],
  }),
  command({
    names: ["fold"],
    does: "Breaks long lines.",
    options: "-bs -w=small --bytes --spaces --width=small",
    operands: paths(0),
    parsing: { numeric: true },
    match: ["-sw 80 a.txt"],
    notMatch: ["-w 99999999 a.txt"],
  }),
  command({
    names: ["fmt"],
    does: "Fills paragraphs.",
    options:
      "-cstu -p= -wg=small --crown-margin --prefix= --split-only --tagged-paragraph --uniform-spacing --width=small " +
      "--goal=small",
    operands: paths(0),
    parsing: { numeric: true },
    bsd: { options: "-cmnps -d= -ltw=small" },
    match: ["-w 60 a.txt", "-60 a.txt"],
    notMatch: ["-o a.txt"],
  }),
  command({
    names: ["pr"],
    does: "Lays text out in pages and columns.",
    options:
      "-acdfFJmrtTv -h= -D=format -lowWN=small --columns=small --across --double-space --form-feed --header= --join-lines " +
      "--length=small --merge --indent=small --omit-header --omit-pagination --show-nonprinting --width=small " +
      "--page-width=small --first-line-number=small --date-format=format",
    operands: paths(0),
    values: {
      "-NUM": { pattern: /^[1-9]\d?$/, says: "1 to 99 columns are" },
      "--columns": { pattern: /^[1-9]\d?$/, says: "1 to 99 columns are" },
    },
    parsing: { numeric: true },
    bsd: { options: "-adFfmprt -hL= -low=small" },
    match: ["-2 -t a.txt", "-t -w 60 a.txt"],
    notMatch: ["--columns=999999 a.txt", "/proc/self/environ"],
  }),
  command({
    names: ["rev"],
    does: "Reverses each line.",
    options: "",
    operands: paths(0),
    match: ["a.txt"],
    notMatch: ["~/.ssh/id_rsa", "-x"],
  }),
  command({
    names: ["expand"],
    does: "Turns tabs into spaces.",
    options: "-i -t=word --initial --tabs=word",
    operands: paths(0),
    values: {
      "-t": { pattern: /^[\d,]{1,64}$/, says: "tab stops are" },
      "--tabs": { pattern: /^[\d,]{1,64}$/, says: "tab stops are" },
    },
    match: ["-t 4 a.txt"],
    notMatch: ["--tab=4 a.txt"],
  }),
  command({
    names: ["unexpand"],
    does: "Turns spaces into tabs.",
    options: "-a -t=word --all --first-only --tabs=word",
    operands: paths(0),
    match: ["-a a.txt"],
    notMatch: ["--first a.txt"],
  }),
  command({
    names: ["column"],
    does: "Lines text up in columns.",
    options:
      "-texdLJ -csoNOHRTWEnirp= -l=small --table --table-name= --table-order= --table-columns= " +
      "--table-columns-limit=small --table-noextreme= --table-noheadings --table-header-repeat --table-hide= " +
      "--table-right= --table-truncate= --table-wrap= --keep-empty-lines --json --tree= --tree-id= --tree-parent= " +
      "--output-width=small --output-separator= --separator= --fillrows",
    operands: paths(0),
    values: { "-c": { pattern: /^\d{1,4}$/, says: "a width up to 9999 is" } },
    bsd: { options: "-tx -cs= -l=small" },
    match: ["-t -s, a.csv", ["-t", "-s", "|", "-N", "a,b", "a.txt"], "-tJ -N a,b -n rows a.txt"],
    notMatch: ["-c 99999999 a.txt", "--output a.txt"],
  }),
];
