// The rule of awk: -F and -v, one program screened by awkprogram.ts, then paths and variable assignments.
import { awkProgramProblem, isPlainVariable } from "./awkprogram.ts";
import {
  type Call,
  type CommandRule,
  command,
  type OptionRule,
  operandProblem,
  optionProblem,
  type Problem,
} from "./rule.ts";
import { valueProblem } from "./values.ts";

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=/;

function judgeAssignment(text: string): Problem | null {
  const name = ASSIGNMENT.exec(text)?.[1];
  if (name === undefined) return optionProblem("-v needs NAME=VALUE");
  return isPlainVariable(name) ? null : optionProblem(`the variable ${name} may not be set`);
}

function judgeOperand(operand: string, { facts }: Call): Problem | null {
  if (ASSIGNMENT.test(operand)) return judgeAssignment(operand);
  if (operand.length > 1 && operand.startsWith("-"))
    return operandProblem(`write ./${operand} for a file of that name`);
  // gawk opens these as network connections.
  if (/^\/+inet/.test(operand))
    return { rule: "network", reason: `${operand} would open a connection; files are allowed` };
  return valueProblem("path", operand, facts);
}

function judgeCall(call: Call): Problem | null {
  for (const { name, value } of call.options) {
    const problem = name === "-v" ? judgeAssignment(value ?? "") : null;
    if (problem !== null) return problem;
  }
  const [program = "", ...operands] = call.operands;
  const reason = awkProgramProblem(program);
  if (reason !== null) return { rule: "program-text", reason };
  return operands.map((operand) => judgeOperand(operand, call)).find((problem) => problem !== null) ?? null;
}

const awk = (names: readonly string[], forced: readonly string[], bsd?: OptionRule["bsd"]): CommandRule =>
  command({
    names,
    does: "Runs an awk program that calculates and prints to standard output. It starts nothing and writes no file.",
    options: "-Fv=",
    operands: { kinds: ["text"], min: 1, max: 256 },
    parsing: { permutes: false },
    forced,
    check: judgeCall,
    ...(bsd === undefined ? {} : { bsd }),
    match: [
      ["{print $1}", "a.txt"],
      ["-F,", "$2 > 4 {print $1}", "b.csv"],
      ["-F", "|", '$3 ~ /a|b/ {n++} END {printf "%.2f\\n", n/NR}', "a.txt"],
      ["-v", "n=2", "NR==n{print;exit}", "a.txt"],
      ["{print (a > b) ? $1 : $2}", "x=1", "a.txt"],
      ['BEGIN{print "system(1) | getline > x"}'],
      ["/^#/ || $1 == 0 {next} {s[$1] += $2} END {for (k in s) print k, s[k]}", "a.txt"],
    ],
    notMatch: [
      ['BEGIN{system("id")}'],
      ['BEGIN{"id"|getline x;print x}'],
      ['{print|"sh"}', "a.txt"],
      ['BEGIN{print "x" |& "id"}'],
      ['{print > "W"}', "a.txt"],
      ['{print $1>>"W"}', "a.txt"],
      ['{print "a",\n"b" > "W"}', "a.txt"],
      ['BEGIN { x = 1 / 2; print x | "sh" } # /'],
      ['BEGIN{length / "/ ; system("id") #"}'],
      ['BEGIN{if (1) / "/ ; system("id") #"}'],
      ['BEGIN{f="system";@f("id")}'],
      ['BEGIN{ARGV[1]="x";ARGC=2}{print}'],
      ["-f", "prog", "a.txt"],
      ["-i", "inplace", "{print}", "a.txt"],
      ["-e", 'BEGIN{system("id")}'],
      ["-oW", "BEGIN{}"],
      ["{print}", "~/.ssh/id_rsa"],
      ["{print}", "/inet/tcp/0/x.example/80"],
      ["-v", "ARGV=1", "{print}"],
      ["{print}", "-f"],
      [],
    ],
  });

/** The rules of awk under its names. gawk and BWK awk get their own safe modes too. */
export const AWK_RULES: readonly CommandRule[] = [
  awk(["awk"], [], { forced: ["-safe"] }),
  awk(["mawk", "nawk"], []),
  awk(["gawk"], ["--sandbox"]),
  awk(["original-awk"], ["-safe"]),
];
