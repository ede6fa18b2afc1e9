// `ash policy test [FILE]`: calls with the answer somebody expects, judged and compared. Nothing is started.
import { beforeDeadline } from "../budget.ts";
import { configError, EXIT, usageError } from "../errors.ts";
import { readOwnFile } from "../home.ts";
import { judgeArguments } from "../policy/arguments.ts";
import { decide } from "../policy/decide.ts";
import {
  examplesInList,
  examplesInTable,
  NO_FILES,
  type PolicyExample,
  type PolicyExamples,
  ruleExamples,
} from "../policy/examples.ts";
import type { Decision } from "../policy/policy.ts";
import { readTextFile } from "../question.ts";
import { isAllowed, type PolicyContext, printAnswer, refuseWords, shortPath } from "./policy-context.ts";

/** An example the policy answers otherwise than expected. */
type Failure = {
  readonly source: string;
  readonly argv: readonly string[];
  readonly expected: "allow" | "deny";
  readonly decision: Decision["verdict"];
  readonly rule: string;
  readonly reason: string | null;
};

/** What `ash policy test --json` prints. */
type TestReport = {
  readonly schema: "ash.policy-test/1";
  /** Examples judged, those of the rules included. */
  readonly total: number;
  readonly failures: readonly Failure[];
  readonly exit_code: number;
};

function judgeExample({ source, action, expected }: PolicyExample, context: PolicyContext): Failure | null {
  const decision = decide(action, context.policy, context.world);
  if (isAllowed(decision) === (expected === "allow")) return null;
  const argv = action.stages.flatMap(({ command, args }, i) => [...(i === 0 ? [] : ["|"]), command, ...args]);
  const reason = decision.verdict === "allow" ? null : decision.reason;
  return { source, argv, expected, decision: decision.verdict, rule: decision.rule, reason };
}

function judgeRules(): { readonly total: number; readonly failures: readonly Failure[] } {
  const examples = ruleExamples();
  const failures = examples.flatMap(({ name, args, accepted }): Failure[] => {
    const judged = judgeArguments(name, args, NO_FILES);
    if (judged === null || judged.ok === accepted) return [];
    const answer = judged.ok
      ? { decision: "allow" as const, rule: "listed", reason: null }
      : { decision: "deny" as const, rule: judged.rule, reason: judged.reason };
    return [
      {
        source: `the rule of ${name}`,
        argv: [name, ...args],
        expected: accepted ? "allow" : "deny",
        ...answer,
      },
    ];
  });
  return { total: examples.length, failures };
}

async function readExamples(context: PolicyContext, file: string | undefined): Promise<PolicyExamples> {
  const { config, folder } = context;
  if (file === undefined) {
    const path = config.home.allowlist;
    return examplesInList(readOwnFile(path) ?? "", shortPath(context, path));
  }
  const { signal } = context.host.stop;
  const text = await beforeDeadline(config.settings.deadline, signal, (until) =>
    readTextFile(file, file, until),
  );
  const isTable = text.slice(0, text.indexOf("\n")).includes("\t");
  const places = { CWD: folder, HOME: config.surroundings.userHome, ASH: config.home.root };
  return isTable ? examplesInTable(text, file, places) : examplesInList(text, file);
}

function failureLine({ source, argv, expected, decision, rule, reason }: Failure): string {
  const why = reason === null ? "" : `: ${reason}`;
  return `${source}: expected ${expected}, got ${decision} (${rule})${why}\n    ${JSON.stringify(argv)}\n`;
}

/** Tests the policy. Resolves to 0, or to 7 when an example is answered otherwise than expected. */
export async function policyTest(context: PolicyContext, words: readonly string[]): Promise<number> {
  refuseWords("test", words, 1);
  const [file] = words;
  const { examples, problems } = await readExamples(context, file);
  const [problem] = problems;
  if (problem !== undefined) {
    const message = `${problem.source}: ${problem.message}`;
    throw file === undefined ? configError(message) : usageError(message);
  }
  if (file !== undefined && examples.length === 0)
    throw usageError(`${file} holds no examples`, "write lines such as: # ok: grep -E 'a|b' FILE");
  const rules = file === undefined ? judgeRules() : { total: 0, failures: [] };
  const failures = [
    ...examples.flatMap((example) => judgeExample(example, context) ?? []),
    ...rules.failures,
  ];
  const report: TestReport = {
    schema: "ash.policy-test/1",
    total: examples.length + rules.total,
    failures,
    exit_code: failures.length === 0 ? EXIT.ok : EXIT.denied,
  };
  const counted = `${report.total - failures.length} as expected, ${failures.length} not\n`;
  await printAnswer(context, report, `${failures.map(failureLine).join("")}${counted}`);
  return report.exit_code;
}
