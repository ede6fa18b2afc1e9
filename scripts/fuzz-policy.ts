// The differential fuzzer of the argument rules: what judgeArguments accepts is run for real, and must change nothing,
// start nothing, show no secret and end. Started by scripts/fuzz-policy.
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import {
  COMMAND_RULES,
  commandRule,
  judgeArguments,
  type RuleTable,
  ruleTable,
} from "../src/policy/arguments.ts";
import { type CommandRule, exampleArguments, type OptionRule } from "../src/policy/commands/rule.ts";
import { generate, keep, type Source } from "./fuzz/generate.ts";
import { type Random, randomFrom } from "./fuzz/random.ts";
import { environmentFor, openWorker, runCall, type Worker } from "./fuzz/run.ts";
import { DANGEROUS_VALUES, filledIn, vocabularyOf } from "./fuzz/vocabulary.ts";
import { ENVIRONMENT_CANARY } from "./fuzz/world.ts";

const FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"];
/** Commands that read, write or run most by nature are tried more often. */
const WEIGHTY = new Set(
  "sort uniq xxd tree sed awk gawk mawk original-awk find git rg fd fdfind sqlite3 jq unzip zipinfo diff grep file man ps date".split(
    " ",
  ),
);
/** Their time is what they are about, or they talk to other machines. */
const LEFT_OUT = new Set(["sleep", "ping", "ping6", "dig", "host", "nslookup", "test"]);
const FLAGS = new Set(["--accepted", "--seed", "--workers", "--only", "--plant"]);
const TRIES = 400;
const MOST_FINDINGS = 12;
/** Second locks: half of the runs go without them, so that the rules hold by themselves. */
const SECOND_LOCKS = new Set(["--sandbox"]);

type Target = {
  readonly name: string;
  readonly path: string;
  readonly rule: CommandRule;
  readonly source: Source;
  generated: number;
  accepted: number;
};
type Finding = { readonly name: string; readonly args: readonly string[]; readonly what: readonly string[] };
type Settings = {
  readonly accepted: number;
  readonly seed: number;
  readonly workers: number;
  readonly only: readonly string[];
  readonly plant: string | null;
};

const widen = (name: string, change: (rule: OptionRule) => OptionRule): readonly CommandRule[] =>
  COMMAND_RULES.map((rule) => (rule.kind === "options" && rule.names.includes(name) ? change(rule) : rule));

/** The rules with one hole opened: the fuzzer must find it. */
function planted(name: string | null): readonly CommandRule[] {
  switch (name) {
    case null:
      return COMMAND_RULES;
    case "sort-output":
      return widen("sort", (rule) => ({ ...rule, options: `${rule.options} -o= --output=` }));
    case "uniq-two":
      return widen("uniq", (rule) => ({ ...rule, operands: { ...rule.operands, max: 2 } }));
    case "tree-output":
      return widen("tree", (rule) => ({ ...rule, options: `${rule.options} -o=` }));
    case "rg-pre":
      return widen("rg", (rule) => ({ ...rule, options: `${rule.options} --pre=` }));
    case "tail-follow":
      return widen("tail", (rule) => ({ ...rule, options: `${rule.options} -fF --follow` }));
    case "cat-secret":
      return widen("cat", (rule) => ({ ...rule, operands: { ...rule.operands, kinds: ["text"] } }));
    default:
      throw new TypeError(
        `unknown plant ${name}; known: sort-output, uniq-two, tree-output, rg-pre, tail-follow, cat-secret`,
      );
  }
}

function settingsFrom(argv: readonly string[]): Settings {
  const given = new Map<string, string>();
  for (let index = 0; index < argv.length; index += 2) {
    const [flag = "", value] = argv.slice(index, index + 2);
    if (!FLAGS.has(flag) || value === undefined)
      throw new TypeError(`usage: scripts/fuzz-policy ${[...FLAGS].map((name) => `[${name} …]`).join(" ")}`);
    given.set(flag, value);
  }
  const number = (name: string, fallback: number): number => {
    const value = Number(given.get(name) ?? fallback);
    if (!Number.isInteger(value) || value < 0) throw new TypeError(`${name} needs a number`);
    return value;
  };
  return {
    accepted: number("--accepted", 20_000),
    seed: number("--seed", Date.now() % 1_000_000),
    workers: number("--workers", 3 * cpus().length),
    only: given.get("--only")?.split(",") ?? [],
    plant: given.get("--plant") ?? null,
  };
}

function findTargets(settings: Settings, table: RuleTable, worker: Worker): readonly Target[] {
  return [...table].flatMap(([name, rule]) => {
    const path = FOLDERS.map((folder) => join(folder, name)).find((file) => existsSync(file));
    const wanted = settings.only.length === 0 ? !LEFT_OUT.has(name) : settings.only.includes(name);
    if (path === undefined || !wanted) return [];
    const vocabulary = vocabularyOf(
      name,
      path,
      commandRule(name) ?? rule,
      environmentFor(worker.world, true),
    );
    const examples = rule.match.map(exampleArguments);
    return [
      {
        name,
        path,
        rule,
        source: { vocabulary, values: DANGEROUS_VALUES, examples, seeds: [] },
        generated: 0,
        accepted: 0,
      },
    ];
  });
}

type Chosen = { readonly args: readonly string[]; readonly judged: readonly string[] };

/** Draws arguments for a command until the rules accept some. */
function choose(random: Random, target: Target, worker: Worker, table: RuleTable): Chosen | null {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const drawn = generate(random, target.source);
    const args = filledIn(drawn, worker.world);
    target.generated += 1;
    const judged = args.some((arg) => arg.includes("\0"))
      ? null
      : judgeArguments(target.name, args, worker.world.facts, table);
    if (judged?.ok !== true) continue;
    keep(random, target.source, drawn);
    target.accepted += 1;
    return { args, judged: judged.args };
  }
  return null;
}

type Run = {
  readonly random: Random;
  readonly targets: readonly Target[];
  readonly table: RuleTable;
  left: number;
};

async function work(run: Run, worker: Worker, findings: Finding[], most: number): Promise<void> {
  const bag = run.targets.flatMap((target) =>
    Array.from({ length: WEIGHTY.has(target.name) ? 4 : 1 }, () => target),
  );
  while (run.left > 0 && findings.length < most) {
    const target = run.random.pick(bag);
    const chosen = choose(run.random, target, worker, run.table);
    if (chosen === null) continue;
    run.left -= 1;
    const bare = run.random.chance(0.5)
      ? chosen.judged.filter((arg) => !SECOND_LOCKS.has(arg))
      : chosen.judged;
    const what = await runCall(worker, {
      name: target.name,
      path: target.path,
      args: bare,
      helpers: target.rule.helpers === true,
      input: run.random.chance(0.5) ? "file" : "nothing",
    });
    if (what.length > 0) findings.push({ name: target.name, args: bare, what });
  }
}

function printTable(targets: readonly Target[]): void {
  const rows = [...targets].sort((a, b) => a.name.localeCompare(b.name));
  for (const { name, generated, accepted } of rows) {
    console.log(
      `${name.padEnd(14)} ${String(accepted).padStart(7)} accepted of ${String(generated).padStart(9)}`,
    );
  }
}

/** Gives up root: what goes wrong then stays in the throw-away folders. */
function becomeNobody(root: string): void {
  if (process.getuid?.() !== 0) return;
  chownSync(root, 65534, 65534);
  process.setgid?.(65534);
  process.setuid?.(65534);
}

/** Runs all workers and gives the findings. A process with a canary in its environment runs beside them. */
async function fuzz(settings: Settings, root: string, table: RuleTable): Promise<[Run, readonly Finding[]]> {
  const bystander = Bun.spawn(["/bin/sleep", "3600"], {
    env: { X: ENVIRONMENT_CANARY },
    stdout: "ignore",
    stderr: "ignore",
  });
  try {
    const workers = Array.from({ length: settings.workers }, (_, index) =>
      openWorker(join(root, `w${index}`)),
    );
    const [first] = workers;
    if (first === undefined) throw new TypeError("--workers needs at least 1");
    const targets = findTargets(settings, table, first);
    const run: Run = { random: randomFrom(settings.seed), targets, table, left: settings.accepted };
    const findings: Finding[] = [];
    const most = settings.plant === null ? MOST_FINDINGS : 1;
    await Promise.all(workers.map((worker) => work(run, worker, findings, most)));
    return [run, findings];
  } finally {
    bystander.kill("SIGKILL");
  }
}

async function main(argv: readonly string[]): Promise<number> {
  const settings = settingsFrom(argv);
  const table = ruleTable(planted(settings.plant));
  const root = mkdtempSync(join(tmpdir(), "ash-fuzz-"));
  const start = performance.now();
  try {
    becomeNobody(root);
    const [{ targets }, findings] = await fuzz(settings, root, table);
    printTable(targets);
    const sum = (of: "generated" | "accepted"): number =>
      targets.reduce((total, target) => total + target[of], 0);
    const seconds = Math.round((performance.now() - start) / 1000);
    console.log(
      `${targets.length} commands, ${sum("generated")} generated, ${sum("accepted")} accepted and run in ${seconds} s, seed ${settings.seed}`,
    );
    for (const { name, args, what } of findings) {
      console.log(`FINDING ${name} ${JSON.stringify(args)}: ${what.join(", ")}`);
    }
    console.log(findings.length === 0 ? "no findings" : `${findings.length} findings`);
    return findings.length === 0 ? 0 : 1;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof TypeError ? error.message : error);
  process.exitCode = 2;
}
