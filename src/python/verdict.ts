// Judges observed runs of a tool: what it printed, how it ended, what it tried to do. Pure.
import { type CallLimit, formatDuration, type Limits } from "../limits.ts";
import { excerpt, readAnswers } from "./answer.ts";
import { broken, doubtful, type Finding } from "./finding.ts";
import { mentions, readHelp } from "./helpoptions.ts";
import type { Observed, ObservedEvent } from "./observation.ts";
import { importLine } from "./source.ts";

/** The tool a run belongs to. */
export type Subject = {
  /** The path as Python's tracebacks name it. */
  readonly script: string;
  /** The text of the script. */
  readonly text: string;
  readonly network: boolean;
  readonly limits: Limits;
};

/** A run with the words that name it in a message. */
export type NamedRun = { readonly run: Observed; readonly how: string };

/** Milliseconds --ai-docs may take. */
export const DOCS_MS = 5000;
/** Bytes --ai-docs may print. */
export const DOCS_BYTES = 8192;
const SECTIONS = ["Capabilities", "Arguments", "Return format", "Usage guidance"];
const TRACEBACK = "Traceback (most recent call last)";

function limitFinding(limit: CallLimit, how: string, limits: Limits): Finding {
  if (limit === "time") {
    const message = `${how} does not end within ${formatDuration(limits.timeoutMs)}`;
    return broken("time", { message, fix: "give everything it waits for a time-out well inside that" });
  }
  const fix = limit === "output" ? "print less" : "use less";
  return broken("limit", { message: `${how} hits the limit of ${limit.replace("_", " ")}`, fix });
}

function traceback({ script }: Subject, { run, how }: NamedRun): Finding | null {
  const text = run.stderr.includes(TRACEBACK)
    ? run.stderr
    : run.stdout.includes(TRACEBACK)
      ? run.stdout
      : null;
  if (text === null) return null;
  const frames = [...text.matchAll(/File "([^"]+)", line (\d+)/g)].filter(([, path]) => path === script);
  const last = text.split("\n").findLast((line) => /^[\w.]+(?:: |$)/.test(line)) ?? "";
  const line = Number(frames.at(-1)?.[2] ?? 0) || null;
  const what = last === "" ? "" : `: ${excerpt(last)}`;
  const fix = "catch it and print a JSON object with status error and a message";
  return broken("traceback", { line, message: `${how} prints a traceback${what}`, fix });
}

function eventFinding({ kind, line, detail }: ObservedEvent, subject: Subject, how: string): Finding | null {
  switch (kind) {
    case "write":
      return broken("writes-outside", {
        line,
        message: `${how} writes ${detail}, which is outside TMPDIR`,
        fix: "write below the folder that TMPDIR names (tempfile does)",
      });
    case "shadow":
      return broken("shadowed", {
        line: importLine(subject.text, detail),
        message: `${how} imports ${detail} from the working folder`,
        fix: "leave the working folder out of sys.path",
      });
    case "network": {
      if (subject.network) return null;
      const message = `${how} connects to ${detail} without declaring the network`;
      return doubtful("network-undeclared", { line, message, fix: "put network = true under [tool.ash]" });
    }
    case "program": {
      const message = `${how} starts ${detail}, which a tool may not`;
      return doubtful("starts-programs", { line, message, fix: "do it in Python" });
    }
    case "syntax":
    case "python":
      return null;
  }
}

/** What is wrong with a run whatever it was for; an error means that nothing else about it is worth telling. */
function judgeAny(subject: Subject, named: NamedRun): readonly Finding[] {
  const { run, how } = named;
  if (run.problem !== null)
    return [broken("start", { message: `${how}: ${run.problem}`, fix: "see: ash doctor" })];
  const events = run.events.flatMap((event) => eventFinding(event, subject, how) ?? []);
  if (events.some(({ level }) => level === "error")) return events;
  if (run.limit !== null) return [...events, limitFinding(run.limit, how, subject.limits)];
  const trace = traceback(subject, named);
  if (trace !== null) return [...events, trace];
  if (run.code !== null) return events;
  const message = `${how} is ended by ${run.signal ?? "a signal"}`;
  return [...events, broken("limit", { message, fix: "let it end by itself" })];
}

const isBroken = (findings: readonly Finding[]): boolean => findings.some(({ level }) => level === "error");

/** The answers of a call, with how they agree with its exit code. */
function judgeAnswers({ limits }: Subject, { run, how }: NamedRun, isWrongCall: boolean): readonly Finding[] {
  if (run.bytes > limits.outputMax) {
    const message = `${how} prints ${run.bytes} bytes, and ${limits.outputMax} are kept`;
    return [broken("output-size", { message, fix: "print less, and say in the JSON what was left out" })];
  }
  const read = readAnswers(run.stdout);
  if (!read.ok) return [{ ...read.finding, message: `${how}: ${read.finding.message}` }];
  const { answers } = read;
  const failed = run.code !== 0;
  if (isWrongCall && !failed) {
    const message = `${how} is a wrong call, and exits with 0`;
    return [
      broken("usage-exit", { message, fix: "refuse it: exit with 2 and a JSON object with status error" }),
    ];
  }
  if ((isWrongCall || failed) && answers.length > 1) {
    const message = `${how} fails with ${answers.length} JSON objects`;
    return [broken("output-values", { message, fix: "print exactly one for a failure" })];
  }
  const [first] = answers;
  if (failed && answers.some(({ status }) => status === "ok")) {
    const message = `${how} exits with ${run.code}, and its status is ok`;
    return [broken("status-exit", { message, fix: "give it another status, such as error, or exit with 0" })];
  }
  if (!failed && answers.length === 1 && first?.status === "error") {
    const message = `${how} exits with 0, and its status is error`;
    return [doubtful("status-exit", { message, fix: "exit with a code other than 0" })];
  }
  const reasons = [first?.value.message, first?.value.error];
  if (failed && !reasons.some((reason) => typeof reason === "string" && reason !== "")) {
    const message = `${how} fails and does not say why`;
    return [broken("failure-reason", { message, fix: "put the reason in message, as text" })];
  }
  return [];
}

/** Judges a call of the tool; a wrong call must be refused. */
export function judgeCall(subject: Subject, named: NamedRun, isWrongCall: boolean): readonly Finding[] {
  const found = judgeAny(subject, named);
  return isBroken(found) ? found : [...found, ...judgeAnswers(subject, named, isWrongCall)];
}

/** Judges a run of --help. */
export function judgeHelp(subject: Subject, named: NamedRun): readonly Finding[] {
  const { run, how } = named;
  const found = judgeAny(subject, named);
  if (isBroken(found)) return found;
  const problem =
    run.code !== 0 ? `exits with ${run.code}` : run.stdout.trim() === "" ? "prints nothing" : null;
  if (problem === null) return found;
  return [...found, broken("help", { message: `${how} ${problem}`, fix: "let argparse answer it" })];
}

function judgeDocsText({ run }: NamedRun): readonly Finding[] {
  if (run.bytes > DOCS_BYTES) {
    const message = `--ai-docs prints ${run.bytes} bytes, and ${DOCS_BYTES} are allowed`;
    return [broken("docs-size", { message, fix: "shorten it" })];
  }
  if (run.code !== 0) {
    const said = run.stderr.trim() || run.stdout.trim();
    const what = said === "" ? "" : `: ${excerpt(said.split("\n").at(-1) ?? "")}`;
    const fix = "print the documentation and exit with 0 before anything else";
    return [broken("docs-exit", { message: `--ai-docs exits with ${run.code}${what}`, fix })];
  }
  if (run.stdout.trim() === "") {
    const message = run.stderr.trim() === "" ? "--ai-docs prints nothing" : "--ai-docs prints on stderr only";
    return [broken("docs-empty", { message, fix: "print the documentation on stdout" })];
  }
  return [];
}

/** Judges a run of --ai-docs, all but what it says. */
export function judgeDocs(subject: Subject, named: NamedRun): readonly Finding[] {
  const { run } = named;
  const network = run.events.find(({ kind }) => kind === "network");
  if (network !== undefined) {
    const message = `--ai-docs connects to ${network.detail}`;
    return [
      broken("docs-network", { line: network.line, message, fix: "print documentation without network" }),
    ];
  }
  if (run.limit === "time") {
    const message = `--ai-docs does not end within ${formatDuration(Math.min(DOCS_MS, subject.limits.timeoutMs))}`;
    return [broken("docs-time", { message, fix: "print the documentation before anything slow" })];
  }
  if (run.limit === "output") return judgeDocsText(named);
  const found = judgeAny(subject, named);
  return isBroken(found) ? found : [...found, ...judgeDocsText(named)];
}

/** Sections that are missing from a documentation. */
export function judgeSections(docs: string): readonly Finding[] {
  const headings = docs.split("\n").map((line) =>
    line
      .trim()
      .replace(/^[#=*_\s]*(?:\d+[.)]\s+)?|[#=*_:\s]+$/g, "")
      .toLowerCase(),
  );
  const missing = SECTIONS.filter((section) => !headings.includes(section.toLowerCase()));
  if (missing.length === 0) return [];
  const message = `--ai-docs lacks the section${missing.length > 1 ? "s" : ""} ${missing.join(", ")}`;
  const fix = `add the heading${missing.length > 1 ? "s" : ""} ${missing.map((name) => `'## ${name}'`).join(", ")}`;
  return [broken("docs-sections", { message, fix })];
}

function lineNaming(text: string, name: string): number | null {
  const lines = text.split("\n");
  const quoted = lines.findIndex((line) => line.includes(`"${name}"`) || line.includes(`'${name}'`));
  return quoted < 0 ? null : quoted + 1;
}

/** --help and --ai-docs are what every tool has. */
const isUniversal = (names: readonly string[]): boolean =>
  names.includes("--help") || names.includes("--ai-docs") || names.join() === "-h";

/** Options and subcommands of help texts that a documentation does not name. */
export function judgeOptions({ text }: Subject, docs: string, helps: readonly string[]): readonly Finding[] {
  const read = helps.map(readHelp);
  const options = read.flatMap((help) => help.options.filter((names) => !isUniversal(names)));
  const named = [...options, ...read.flatMap((help) => help.subcommands.map((name) => [name]))];
  const missing = named.filter((names) => !names.some((name) => mentions(docs, name)));
  return [...new Map(missing.map((names) => [names.join(), names])).values()].map((names) => {
    const shown = names.find((name) => name.startsWith("--")) ?? names[0] ?? "";
    const line = lineNaming(text, shown);
    return broken("docs-options", {
      line,
      message: `${shown} is not in --ai-docs`,
      fix: "add it to the Arguments section",
    });
  });
}
