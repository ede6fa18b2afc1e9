// Judges the arguments of a command whose rule is data: options, values, operands, recursion, then the rule's own
// check. It gives back the arguments with the safe flags the rule forces.
import { posix } from "node:path";
import { judgeRecursion, type PathFacts } from "../paths.ts";
import { hidingFlags } from "./hiding.ts";
import { type OptionTable, optionTable, respelled, type Split, splitArguments } from "./options.ts";
import type { Accepts, Call, Judged, Operands, OptionRule, Problem, Recursion, ValueKind } from "./rule.ts";
import { operandProblem } from "./rule.ts";
import { valueProblem } from "./values.ts";

type Judging = { readonly accepts: Accepts; readonly table: OptionTable; readonly facts: PathFacts };

function judgeValues({ accepts, table, facts }: Judging, split: Split): Problem | null {
  for (const { name, value } of split.options) {
    if (value === null) continue;
    const kind: ValueKind = accepts.values?.[name] ?? table.get(name)?.kind ?? "text";
    const problem = valueProblem(kind, value, facts);
    if (problem !== null) return { ...problem, reason: `${name}: ${problem.reason}` };
  }
  return null;
}

const countOf = (min: number, max: number): string => {
  if (max === 0) return "no operands are allowed";
  if (min === max) return `exactly ${max} operand${max === 1 ? " is" : "s are"} needed`;
  return min === 0
    ? `at most ${max} operand${max === 1 ? " is" : "s are"} allowed`
    : `${min} to ${max} operands are needed`;
};

/** The kinds of the operands and how many are left, once an option has taken the place of the first. */
function expected(operands: Operands, split: Split): Operands {
  const given =
    operands.givenBy?.some((name) => split.options.some((option) => option.name === name)) ?? false;
  if (!given) return operands;
  const kinds = operands.kinds.length > 1 ? operands.kinds.slice(1) : operands.kinds;
  return { kinds, min: Math.max(0, operands.min - 1), max: operands.max };
}

function judgeOperands({ accepts, facts }: Judging, split: Split): Problem | null {
  const { kinds, min, max } = expected(accepts.operands, split);
  const { operands } = split;
  if (operands.length < min || operands.length > max) return operandProblem(countOf(min, max));
  for (const [index, operand] of operands.entries()) {
    const kind = kinds[Math.min(index, kinds.length - 1)] ?? "text";
    const problem = valueProblem(kind, operand, facts);
    if (problem !== null) return problem;
  }
  return null;
}

/** The recursion of the rule when this call reads folders, else null. */
function recursionOf({ accepts, facts }: Judging, split: Split): Recursion | null {
  const { recursion } = accepts;
  if (recursion === undefined) return null;
  const { options, folders } = recursion;
  const asked = options === null || split.options.some(({ name }) => options.includes(name));
  const isFolder = (path: string): boolean => facts.kind(posix.resolve(facts.folder, path)) === "directory";
  return asked || (folders === true && split.operands.some(isFolder)) ? recursion : null;
}

function judgeFolders(judging: Judging, split: Split): Problem | null {
  const { accepts, facts } = judging;
  if (recursionOf(judging, split) === null) return null;
  const { kinds } = expected(accepts.operands, split);
  const folders = split.operands.filter((_, index) => kinds[Math.min(index, kinds.length - 1)] === "path");
  const reason = (folders.length > 0 ? folders : ["."])
    .map((folder) => judgeRecursion(folder, facts))
    .find((item) => item !== null);
  return reason === undefined || reason === null ? null : { rule: "path", reason };
}

function judgeSplit(judging: Judging, split: Split): Problem | null {
  const { accepts, facts } = judging;
  const call: Call = { options: split.options, operands: split.operands, facts };
  return (
    judgeValues(judging, split) ??
    judgeOperands(judging, split) ??
    judgeFolders(judging, split) ??
    accepts.check?.(call) ??
    null
  );
}

/** The arguments with the forced flags: safe modes first, hidden names last, so that they win over earlier ones. */
function withForced(judging: Judging, args: readonly string[], split: Split): readonly string[] {
  const recursion = recursionOf(judging, split);
  const hidden = recursion === null ? [] : hidingFlags(recursion.hides);
  const end = split.dashes < 0 ? args.length : split.dashes;
  return [...(judging.accepts.forced ?? []), ...args.slice(0, end), ...hidden, ...args.slice(end)];
}

const isProblem = (value: Split | Problem): value is Problem => "reason" in value;

/** Judges arguments by a rule that is data. `name` is the name the command was called by. */
export function judgeByOptions(
  rule: OptionRule,
  asked: readonly string[],
  facts: PathFacts,
  name: string,
): Judged {
  const accepts: Accepts = facts.platform === "bsd" ? { ...rule, ...rule.bsd } : rule;
  const parsing = accepts.parsing ?? {};
  const table = optionTable(accepts.options, parsing.words === true);
  const judging = { accepts, table, facts };
  const refuse = ({ rule: kind, reason }: Problem): Judged => ({
    ok: false,
    rule: kind,
    reason: `${name}: ${reason}`,
  });
  const args = accepts.readAs === undefined ? asked : respelled(asked, table, parsing, accepts.readAs);
  if (parsing.responseFiles && args.some((argument) => argument.startsWith("@"))) {
    return refuse(
      operandProblem("no argument may start with @, which names a file of options; write ./@name"),
    );
  }
  const split = splitArguments(args, table, parsing);
  if (isProblem(split)) return refuse(split);
  const problem = judgeSplit(judging, split);
  if (problem !== null) return refuse(problem);
  if (facts.platform === "bsd" && split.mixed) {
    // There the first operand may end the options: what follows must be harmless as operands too.
    const strict = splitArguments(args, table, { ...parsing, permutes: false });
    const other = isProblem(strict) ? strict : judgeSplit(judging, strict);
    if (other !== null) return refuse({ ...other, reason: `${other.reason} (put options before operands)` });
  }
  return { ok: true, args: withForced(judging, args, split) };
}
