// Rules of the commands that print, calculate and wait, with the checks that keep them small. Data and checks only.
import {
  type Call,
  type CommandRule,
  command,
  NONE,
  operandProblem,
  optionProblem,
  type Problem,
  paths,
  values,
} from "./rule.ts";
import { formatProblem } from "./values.ts";

const MOST_NUMBERS = 10_000_000;
/** A smaller step is lost in rounding: the bound would never be reached. */
const SMALLEST_STEP = 1e-6;
const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?$/;
const LONGEST_SLEEP_S = 10;

function seqBounds({ operands }: Call): Problem | null {
  const wrong = operands.find((operand) => !DECIMAL.test(operand));
  if (wrong !== undefined) return operandProblem(`${wrong} is not a plain decimal number`);
  const [first = 1, second = 1, third] = operands.map(Number);
  const [from, by, to] =
    operands.length === 1 ? [1, 1, first] : [first, third === undefined ? 1 : second, third ?? second];
  const count = (to - from) / by;
  return Number.isFinite(count) &&
    count <= MOST_NUMBERS &&
    Math.abs(to) <= MOST_NUMBERS &&
    Math.abs(from) <= MOST_NUMBERS &&
    Math.abs(by) >= SMALLEST_STEP
    ? null
    : operandProblem(
        "bounds go up to 10,000,000, and so does the count of numbers; a step is 0.000001 or more",
      );
}

/** The format is the first operand, or the second after `--`. */
function printfWidths({ operands }: Call): Problem | null {
  const reason =
    formatProblem(operands[0] ?? "") ?? (operands[0] === "--" ? formatProblem(operands[1] ?? "") : null);
  return reason === null ? null : { rule: "program-text", reason };
}

const zoneIsPlain = (text: string): boolean =>
  [...text.matchAll(/TZ\s*=\s*"?([^"]*)/gi)].every(([, zone]) =>
    /^[A-Za-z0-9_+-]+(?:\/[A-Za-z0-9_+-]+)*,?[^/.]*$/.test(zone ?? ""),
  );

function dateCall({ options, operands }: Call): Problem | null {
  const wrong = operands.find((operand) => !operand.startsWith("+"));
  if (wrong !== undefined)
    return operandProblem("only one +FORMAT is allowed; another operand would set the clock");
  const day = options.find(({ name, value }) => ["-d", "--date"].includes(name) && !zoneIsPlain(value ?? ""));
  return day === undefined ? null : optionProblem('a time zone is a name such as TZ="Europe/Berlin"');
}

/** Without -j, the date of BSD and macOS sets the clock from an operand. */
function dateCallBsd({ options, operands }: Call): Problem | null {
  const has = (wanted: string): boolean => options.some(({ name }) => name === wanted);
  const bare = operands.filter((operand) => !operand.startsWith("+"));
  if (has("-f") && !has("-j")) return optionProblem("-f needs -j, or it sets the clock");
  if (bare.length > 0 && !has("-j"))
    return operandProblem("an operand without + needs -j, or it sets the clock");
  return bare.length > 1 ? operandProblem("one date and one +FORMAT are allowed") : null;
}

function sleepTime({ operands }: Call): Problem | null {
  const total = operands.reduce((sum, operand) => sum + Number(operand.replace(/s$/, "")), 0);
  return total <= LONGEST_SLEEP_S ? null : operandProblem(`at most ${LONGEST_SLEEP_S} s are allowed`);
}

/** The rules of echo and its like. */
export const WORD_RULES: readonly CommandRule[] = [
  command({
    names: ["echo"],
    does: "Prints its arguments.",
    options: "",
    operands: values("text", 0),
    parsing: { raw: true },
    match: [["$(id) && x > f | g"], "-n a", "--"],
    notMatch: [],
  }),
  command({
    names: ["printf"],
    does: "Prints its arguments in a format; field widths go up to 9999.",
    options: "",
    operands: values("text", 1),
    parsing: { raw: true },
    check: printfWidths,
    match: [["%s\\n", "a", "b"], "%5.2f 3.14159", "%% x"],
    notMatch: [
      "%0999999999d 1",
      "%1$0999999999d 1",
      "%2$*1$d 1 2",
      "%*d 99999999 1",
      "-- %99999s x",
      "%.99999f 1",
      "",
    ],
  }),
  command({
    names: ["seq"],
    does: "Prints numbers, at most 10,000,000.",
    options: "-w -f=format -s= --equal-width --format=format --separator=",
    operands: values("text", 1, 3),
    parsing: { permutes: false, negative: true },
    check: seqBounds,
    match: ["5", "1 10", "10 -1 1", "-w 1 .5 3", "-5 5"],
    notMatch: ["1 1e12", "1 1e-99 1", "inf", "0 0.0000001 1000000", "1 0 5", "0x1p60", "-f %0999999f 3", ""],
  }),
  command({
    names: ["expr"],
    does: "Calculates, compares and cuts texts.",
    options: "",
    operands: values("text", 1),
    parsing: { raw: true },
    match: ["2 * ( 3 + 4 )", "length abc"],
    notMatch: [""],
  }),
  command({
    names: ["test"],
    does: "Compares values and asks about files.",
    options: "",
    operands: paths(0),
    parsing: { raw: true },
    match: ["-f a.txt", "3 -gt 2"],
    notMatch: ["-r ~/.ssh/id_rsa"],
  }),
  command({
    names: ["factor"],
    does: "Prints prime factors of numbers with up to 30 digits.",
    options: "",
    operands: values({ pattern: /^\d{1,30}$/, says: "a number of up to 30 digits is" }, 0),
    match: ["360 97"],
    notMatch: ["1111111111111111111111111111111111111111", "-x"],
  }),
  command({
    names: ["true", "false"],
    does: "Succeeds, or fails, and does nothing else.",
    options: "",
    operands: NONE,
    match: [""],
    notMatch: ["x"],
  }),
  command({
    names: ["sleep"],
    does: "Waits, at most 10 s.",
    options: "",
    operands: values({ pattern: /^\d{0,2}(?:\.\d{1,6})?s?$/, says: "seconds are" }, 1, 4),
    check: sleepTime,
    match: ["1", "0.5s"],
    notMatch: ["11", "1m", "9 9", "infinity"],
  }),
  command({
    names: ["date"],
    does: "Prints dates. It cannot set the clock.",
    options:
      "-uR -I?word -d= -r=path --utc --universal --rfc-email --iso-8601?word --rfc-3339=word --date= " +
      "--reference=path --debug",
    operands: values("format", 0, 1),
    check: dateCall,
    bsd: {
      options: "-jnuR -I?word -f= -r=path -v=word",
      operands: values("format", 0, 2),
      check: dateCallBsd,
    },
    match: ["", "+%s", "-u +%F", ["-d", "yesterday", "+%F"], ["-d", 'TZ="Europe/Berlin" now'], "-r a.txt"],
    notMatch: [
      "-s 2000-01-01",
      "--se=2000-01-01",
      "-us 2000-01-01",
      "010100002026",
      "-f dates.txt",
      "-r ~/.ssh/id_rsa",
      "+%0999999999d",
      ["-d", 'TZ="../../x" now'],
    ],
  }),
  command({
    names: ["cal", "ncal"],
    does: "Prints a calendar.",
    options: "-13bhjJpwySMCeoYN -AB=small -m= -n=small -d=word -s=word -H=word",
    operands: values({ pattern: /^[A-Za-z0-9]{1,9}$/, says: "a month and a year are" }, 0, 3),
    match: ["11 2026", "-3", "-j 2026"],
    notMatch: ["-A 99999999", "--help 1", "1 2 3 4"],
  }),
  command({
    names: ["uuidgen"],
    does: "Prints a random UUID.",
    options: "-r --random",
    operands: NONE,
    match: [""],
    notMatch: ["-t", "--time"],
  }),
];
