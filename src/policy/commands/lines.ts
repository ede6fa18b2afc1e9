// Rules of the commands that sort, compare and pick lines. Data only.
import {
  type Call,
  type CommandRule,
  command,
  operandProblem,
  optionProblem,
  type Problem,
  paths,
  textThenPaths,
  values,
} from "./rule.ts";

const MANY = 1_000_000;

/** Without a count, `-r` never ends; a wide range fills the memory. */
function shufBounds({ options }: Call): Problem | null {
  const valueGiven = (...names: readonly string[]): string | null =>
    options.find(({ name }) => names.includes(name))?.value ?? null;
  const repeats = options.some(({ name }) => name === "-r" || name === "--repeat");
  const count = valueGiven("-n", "--head-count");
  if (repeats && count === null) return optionProblem("-r needs -n NUM, or it never ends");
  if (repeats && Number(count) > MANY) return optionProblem(`with -r, -n goes up to ${MANY}`);
  const range = valueGiven("-i", "--input-range");
  const bounds = range === null ? null : /^(\d{1,9})-(\d{1,9})$/.exec(range);
  if (range !== null && bounds === null) return optionProblem("-i needs LO-HI, two numbers");
  const size = Number(bounds?.[2] ?? 0) - Number(bounds?.[1] ?? 0);
  return size > MANY * 10 ? optionProblem(`-i goes up to ${MANY * 10} numbers`) : null;
}

/** With `-e` or `-i` the operands are lines, not files: more than one is fine. */
function shufOperands(call: Call): Problem | null {
  const lines = call.options.some(({ name }) => name === "-e" || name === "--echo");
  if (!lines && call.operands.length > 1)
    return operandProblem("at most one file is allowed, or lines with -e");
  return shufBounds(call);
}

/** The rules of sort and its like. */
export const LINE_RULES: readonly CommandRule[] = [
  command({
    names: ["sort"],
    does: "Sorts lines to standard output. It cannot write a file or start a compressor.",
    options:
      "-bdfgiMhnRrVcCmsuz -kt= --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort " +
      "--ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --sort=word " +
      "--version-sort --check?word --key= --merge --stable --field-separator= --unique --zero-terminated --debug",
    operands: paths(0),
    bsd: {
      options:
        "-bdfgiMhnRrVcCmsuz -kt= --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort " +
        "--month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --version-sort --key= --merge " +
        "--stable --field-separator= --unique",
    },
    match: ["-k2,2nr a.txt", "-t: -k3 -n a.txt", "-u", "-rn a.txt", ["-t", "|", "-k", "2"]],
    notMatch: [
      "-o out a.txt",
      "-oout a.txt",
      "-uo out a.txt",
      "a.txt --outp=x",
      "--output=x a.txt",
      "--compress-program=x -S 1 a.txt",
      "--compress-prog x a.txt",
      "-T /tmp a.txt",
      "--files0-from=list",
      "--random-source=x a.txt",
    ],
  }),
  command({
    names: ["uniq"],
    does: "Drops repeated lines of one file. A second operand would be written to and is refused.",
    options:
      "-cdDiuz -fsw=count --count --repeated --all-repeated?word --skip-fields=count --group?word --ignore-case " +
      "--skip-chars=count --unique --zero-terminated --check-chars=count",
    operands: paths(0, 1),
    parsing: { numeric: true },
    bsd: { options: "-cdDiu -fs=count --count --repeated --ignore-case --unique" },
    match: ["-c a.txt", "-d", "-f 1 a.txt", "--group=both a.txt"],
    notMatch: ["a.txt out", "-c -- a.txt out", "--all a.txt", "a.txt -"],
  }),
  command({
    names: ["comm"],
    does: "Compares two sorted files line by line.",
    options: "-123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated",
    operands: paths(2, 2),
    bsd: { options: "-123i" },
    match: ["-12 a.txt b.txt"],
    notMatch: ["a.txt", "a.txt ~/.ssh/id_rsa"],
  }),
  command({
    names: ["join"],
    does: "Joins lines of two sorted files on a common field.",
    options: "-iz -aejotv12= --check-order --nocheck-order --header --ignore-case --zero-terminated",
    operands: paths(2, 2),
    bsd: { options: "-aejotv12=" },
    match: [["-t", ",", "-1", "1", "-2", "2", "a.csv", "b.csv"], "-o 1.1,2.2 a.txt b.txt"],
    notMatch: ["a.txt b.txt c.txt", "--head a.txt b.txt"],
  }),
  command({
    names: ["tsort"],
    does: "Sorts pairs topologically.",
    options: "",
    operands: paths(0, 1),
    match: ["a.txt"],
    notMatch: ["a.txt b.txt"],
  }),
  command({
    names: ["look"],
    does: "Prints the lines of a sorted file, or the word list, that start with a text.",
    options: "-adf -t= --alternative --alphanum --ignore-case --terminate=",
    operands: { ...textThenPaths(), max: 2 },
    bsd: { options: "-df -t=" },
    match: ["-f pre a.txt"],
    notMatch: ["pre ~/.ssh/id_rsa", "a b c"],
  }),
  command({
    names: ["shuf"],
    does: "Prints lines, arguments or numbers in random order.",
    options: "-erz -n=count -i= --echo --repeat --zero-terminated --head-count=count --input-range=",
    operands: paths(0),
    check: shufOperands,
    match: ["-n 3 a.txt", "-i 1-10", "-e a b c", "-r -n 5 -i 1-6"],
    notMatch: ["-o out a.txt", "--random-source=x a.txt", "-r a.txt", "-i 1-999999999", "a.txt b.txt"],
  }),
  command({
    names: ["diff"],
    does: "Compares two files or folders. Credential files in folders are left out.",
    options:
      "-qscupeniEZbwBaNtTyrd -CUWIFxL= --normal --brief --report-identical-files --context?count --unified?count --ed " +
      "--rcs --side-by-side --width=small --left-column --suppress-common-lines --show-c-function --show-function-line= " +
      "--label= --expand-tabs --initial-tab --tabsize=small --suppress-blank-empty --recursive --no-dereference " +
      "--new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --exclude= " +
      "--ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space " +
      "--ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --minimal --speed-large-files " +
      "--color?word",
    operands: paths(2, 2),
    values: {
      "-W": { pattern: /^\d{1,4}$/, says: "a width up to 9999 is" },
      "-C": { pattern: /^\d{1,6}$/, says: "a number of lines is" },
      "-U": { pattern: /^\d{1,6}$/, says: "a number of lines is" },
    },
    // Two folders are compared file by file even without -r.
    recursion: { options: ["-r", "--recursive"], folders: true, hides: "diff" },
    bsd: {
      options:
        "-abBcdeinNpqrstTuwyP -CUWIxL= --brief --context?count --unified?count --side-by-side --width=small " +
        "--recursive --new-file --exclude= --ignore-case --ignore-space-change --ignore-all-space " +
        "--ignore-blank-lines --text --label= --no-dereference --color?word",
    },
    match: [
      "-u a.txt b.txt",
      "-rq a b",
      "--color=never -U3 a.txt b.txt",
      ["-y", "-W", "120", "a.txt", "b.txt"],
    ],
    notMatch: [
      "--from-file=a b c",
      "--to-file=a b",
      "a.txt",
      "-r ~ src",
      "-l a.txt b.txt",
      "-X list a b",
      "-D x a b",
    ],
  }),
  command({
    names: ["cmp"],
    does: "Compares two files byte by byte.",
    options: "-bls -in=count --print-bytes --verbose --silent --quiet --ignore-initial= --bytes=count",
    operands: { kinds: ["path", "path", "count"], min: 1, max: 4 },
    values: { "-i": { pattern: /^\d{1,15}(?::\d{1,15})?$/, says: "a number of bytes is" } },
    match: ["a.bin b.bin", "-l a.bin b.bin"],
    notMatch: ["a.bin ~/.ssh/id_rsa", "--byte=3 a b"],
  }),
  command({
    names: ["numfmt"],
    does: "Converts numbers to and from human-readable form.",
    options:
      "-d= -z --delimiter= --field=word --format=format --from=word --from-unit=count --grouping --header?small " +
      "--invalid=word --padding=small --round=word --suffix= --to=word --to-unit=count --zero-terminated --debug",
    operands: values("text", 0),
    parsing: { negative: true },
    match: ["--to=iec 1048576", "--from=si 5K", "--field=2 --to=si"],
    notMatch: ["--padding=999999999 1", "--format=%0999999999f 1"],
  }),
];
