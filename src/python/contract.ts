// The contract of a Python tool, verified: offline, in the engine, under the limits of a real call. It prints nothing
// and changes nothing.
import { inParallel } from "../parallel.ts";
import { excerpt } from "./answer.ts";
import { broken, doubtful, type Finding, hasError, type Rule } from "./finding.ts";
import { readHelp } from "./helpoptions.ts";
import { satisfies } from "./metadata.ts";
import { type Observed, observe, type Probe, type ProbeContext } from "./observation.ts";
import type { SourceReport } from "./source.ts";
import type { Surroundings } from "./surroundings.ts";
import {
  DOCS_MS,
  judgeCall,
  judgeDocs,
  judgeHelp,
  judgeOptions,
  judgeSections,
  type NamedRun,
  type Subject,
} from "./verdict.ts";

/** A tool to check: its file as it was inspected, and how to run it. */
export type CheckedTool = {
  readonly source: SourceReport;
  /** The path it is started by. */
  readonly script: string;
  /** Declared packages that are not installed, with the command that installs them; null when nothing is missing. */
  readonly missing: { readonly names: readonly string[]; readonly command: string } | null;
};

/** What a check needs. */
export type CheckContext = ProbeContext & { readonly surroundings: Surroundings };

type Check = {
  readonly subject: Subject;
  readonly tool: CheckedTool;
  readonly context: CheckContext;
  /** The empty folder calls run in. */
  readonly folder: string;
};

const AT_ONCE = 2;
const MOST_SUBCOMMANDS = 12;
const UNKNOWN_FLAG = "--no-such-flag";

const run = ({ context, folder }: Check, probe: Omit<Probe, "folder"> & Partial<Probe>): Promise<Observed> =>
  observe(context, { folder, ...probe });

/** What makes every other run pointless; null when nothing does. */
function hopeless({ tool }: Check, docs: Observed): Finding | null {
  const { metadata } = tool.source;
  const python = docs.events.find(({ kind }) => kind === "python")?.detail ?? "";
  const [, major, minor, micro] = /(\d+)\.(\d+)\.(\d+)/.exec(python) ?? [];
  if (
    major !== undefined &&
    !satisfies(metadata.requiresPython, [Number(major), Number(minor), Number(micro)])
  ) {
    const message = `it requires Python ${metadata.requiresPython} and would run with ${major}.${minor}.${micro}`;
    return broken("python-version", {
      message,
      fix: "install that Python and set ASH_PYTHON, or relax requires-python",
    });
  }
  const syntax = docs.events.find(({ kind }) => kind === "syntax");
  if (syntax !== undefined) {
    const [, line = "1", what = ""] = /^['"](\d+): (.*)['"]$/.exec(syntax.detail) ?? [];
    return broken("syntax", {
      line: Number(line),
      message: `Python cannot read it: ${what}`,
      fix: "correct it",
    });
  }
  if (tool.missing !== null && /\b(ModuleNotFoundError|ImportError)\b/.test(docs.stderr + docs.stdout)) {
    const message = `it needs ${tool.missing.names.join(", ")}, which is not installed`;
    return broken("dependencies", { message, fix: `run: ${tool.missing.command}` });
  }
  return null;
}

const SITUATIONS: readonly { readonly rule: Rule; readonly text: string; readonly probe: Partial<Probe> }[] =
  [
    { rule: "closed-stdin", text: "with a closed stdin", probe: { closedStdin: true } },
    { rule: "locale", text: "with LC_ALL=C", probe: { plainLocale: true } },
  ];

type Trial = {
  readonly args: readonly string[];
  readonly how: string;
  readonly wrong: (run: NamedRun) => Finding | null;
};

/**
 * Runs a call, that works in peace, under all adverse circumstances at once, and only when it fails under each of
 * them alone, to say which it is.
 */
async function inAdversity(check: Check, { args, how, wrong }: Trial): Promise<readonly Finding[]> {
  const { hostile } = check.context.surroundings;
  const attempt = async (probe: Partial<Probe>): Promise<Finding | null> =>
    wrong({ run: await run(check, { args, ...probe }), how });
  const found = await attempt({ folder: hostile, plainLocale: true, closedStdin: true });
  if (found === null) return [];
  if (found.rule === "shadowed") return [found];
  const inFolder = {
    rule: "hostile-folder",
    text: "in a read-only folder with files named like modules",
    probe: { folder: hostile },
  } as const;
  const tried = await inParallel(AT_ONCE, [...SITUATIONS, inFolder], async ({ rule, text, probe }) => {
    const alone = await attempt(probe);
    return alone === null ? [] : [broken(rule, { ...alone, message: `${alone.message}, ${text}` })];
  });
  const named = tried.flat();
  return named.length > 0
    ? named
    : [broken("hostile-folder", { ...found, message: `${found.message}, ${inFolder.text}` })];
}

const firstError = (findings: readonly Finding[]): Finding | null =>
  findings.find(({ level }) => level === "error") ?? null;

const CHANGED = {
  message: "--ai-docs prints something else each time",
  fix: "print the same text each time",
};

/** --ai-docs once more: before other validation, the same again, and under adverse circumstances. */
async function repeatDocs(check: Check, docs: Observed): Promise<readonly Finding[]> {
  const how = `${UNKNOWN_FLAG} --ai-docs`;
  const again = await run(check, { args: [UNKNOWN_FLAG, "--ai-docs"], timeoutMs: DOCS_MS, unobserved: true });
  const refused = firstError(judgeDocs(check.subject, { run: again, how }));
  if (refused !== null) {
    const said = excerpt((again.stderr.trim() || again.stdout.trim()).split("\n").at(-1) ?? "");
    const message = `after an unknown flag, --ai-docs exits with ${again.code ?? again.signal}: ${said}`;
    return [
      broken("docs-first", { message, fix: "look for --ai-docs in sys.argv before argparse reads it" }),
    ];
  }
  if (again.stdout !== docs.stdout) return [broken("docs-stable", CHANGED)];
  return inAdversity(check, {
    args: ["--ai-docs"],
    how: "--ai-docs",
    wrong: (named) =>
      firstError(judgeDocs(check.subject, named)) ??
      (named.run.stdout === docs.stdout ? null : broken("docs-stable", CHANGED)),
  });
}

/** A wrong flag, in peace and in adversity. */
async function refuseFlag(check: Check): Promise<readonly Finding[]> {
  const args = [UNKNOWN_FLAG];
  const how = UNKNOWN_FLAG;
  const found = judgeCall(check.subject, { run: await run(check, { args }), how }, true);
  if (hasError(found)) return found;
  const wrong = (named: NamedRun): Finding | null => firstError(judgeCall(check.subject, named, true));
  return [...found, ...(await inAdversity(check, { args, how, wrong }))];
}

/** The help texts of the tool and of its subcommands, and what is wrong with them. */
async function readHelps(
  check: Check,
): Promise<{ readonly texts: readonly string[]; readonly found: readonly Finding[] }> {
  const help = await run(check, { args: ["--help"] });
  const found = judgeHelp(check.subject, { run: help, how: "--help" });
  if (hasError(found)) return { texts: [], found };
  const names = readHelp(help.stdout).subcommands.slice(0, MOST_SUBCOMMANDS);
  const more = await inParallel(AT_ONCE, names, async (name) => {
    const text = await run(check, { args: [name, "--help"] });
    return text.code === 0 ? [text.stdout] : [];
  });
  return { texts: [help.stdout, ...more.flat()], found };
}

async function checkRuns(check: Check, docs: Observed): Promise<readonly Finding[]> {
  const { subject, tool } = check;
  const missing = tool.missing;
  const warned =
    missing === null
      ? []
      : [
          doubtful("dependencies", {
            message: `${missing.names.join(", ")} is not installed`,
            fix: `run: ${missing.command}`,
          }),
        ];
  const docsFound = judgeDocs(subject, { run: docs, how: "--ai-docs" });
  const hasDocs = !hasError(docsFound);
  const helps = await readHelps(check);
  const [helpText = ""] = helps.texts;
  const jobs: readonly (() => Promise<readonly Finding[]>)[] = [
    () => (hasDocs ? repeatDocs(check, docs) : Promise.resolve([])),
    () => refuseFlag(check),
    async () => {
      const named = { run: await run(check, { args: [] }), how: "a call without arguments" };
      return judgeCall(subject, named, readHelp(helpText).needsArguments);
    },
  ];
  const found = await inParallel(AT_ONCE, jobs, (job) => job());
  return [
    ...warned,
    ...docsFound,
    ...(hasDocs ? judgeSections(docs.stdout) : []),
    ...(hasDocs ? judgeOptions(subject, docs.stdout, helps.texts) : []),
    ...helps.found,
    ...found.flat(),
  ];
}

/** The same thing wrong in several runs is told once. */
function once(findings: readonly Finding[]): readonly Finding[] {
  const key = ({ rule, line, message }: Finding): string =>
    `${rule}:${line ?? ""}:${rule === "docs-options" || rule === "metadata" ? message : ""}`;
  const unique = new Map<string, Finding>();
  for (const finding of findings) if (!unique.has(key(finding))) unique.set(key(finding), finding);
  return [...unique.values()].sort(
    (a, b) => Number(a.level === "warning") - Number(b.level === "warning") || (a.line ?? 0) - (b.line ?? 0),
  );
}

/** Checks one tool by running it. Never throws; when the signal aborts, what was found means nothing. */
export async function checkTool(tool: CheckedTool, context: CheckContext): Promise<readonly Finding[]> {
  const { source, script } = tool;
  const { surroundings, limits } = context;
  if (!source.isText) return source.findings;
  const subject = { script, text: source.text, network: source.metadata.network, limits };
  const check: Check = { subject, tool, context, folder: surroundings.empty() };
  const docs = await run(check, { args: ["--ai-docs"], timeoutMs: DOCS_MS });
  const end = hopeless(check, docs);
  const found = end === null ? await checkRuns(check, docs) : [end];
  const left = surroundings.leftIn(check.folder);
  const fix = "write below the folder that TMPDIR names";
  const written =
    left.length > 0 && !found.some(({ rule }) => rule === "writes-outside")
      ? [broken("writes-outside", { message: `it leaves ${left.join(", ")} in the working folder`, fix })]
      : [];
  return once([...source.findings, ...found, ...written]);
}
