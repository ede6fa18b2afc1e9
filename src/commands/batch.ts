// `ash batch FILE`: many prompts, several at a time in this process, each answered as `ash ask` would.
import { flagValue, hasFlag, type Invocation, type OutputMode, operands } from "../argv.ts";
import { openResults, printResults } from "../batchresults.ts";
import { batchExit, summaryLine } from "../batchtally.ts";
import type { Config } from "../config.ts";
import { type AshError, EXIT, usageError } from "../errors.ts";
import { ensureHome } from "../home.ts";
import { fileFacts, workingFolder } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import { inputKind } from "../host/input.ts";
import { parseCount } from "../limits.ts";
import { type Machine, openMachine } from "../machine.ts";
import { loadPolicy } from "../permissions.ts";
import type { Policy } from "../policy/policy.ts";
import { openProvider } from "../providers/open.ts";
import { describeError, stopError } from "../result.ts";
import type { BatchReport } from "../schema/reports.ts";
import { type BatchOutcome, runBatch } from "./batch-run.ts";

const JOBS = 4;
const JOBS_MAX = 64;

/** Flags of the batch itself; all others are those of every prompt. */
const OWN_FLAGS: readonly string[] = ["jobs", "output", "retry-failed", "lock", "json", "no-color"];

type Options = {
  /** Null is stdin. */
  readonly path: string | null;
  readonly size: number | null;
  readonly output: string | null;
  readonly jobs: number;
  readonly retryFailed: boolean;
  readonly showsProgress: boolean;
};

type Input = Pick<Options, "path" | "size">;

function inputOf(invocation: Invocation): Input {
  const [file, ...more] = operands(invocation);
  if (file === undefined || more.length > 0) {
    throw usageError("ash batch takes one file of prompts", "write: ash batch FILE.jsonl, or - for stdin");
  }
  if (file === "-") {
    if (inputKind() === "terminal")
      throw usageError("stdin is a terminal", "pipe the prompts in, or name a file");
    return { path: null, size: null };
  }
  const facts = fileFacts(file);
  if (facts === null) throw usageError(`there is no file ${file}`);
  if (facts.kind === "directory") throw usageError(`${file} is a folder`, "name a file of prompts");
  return { path: file, size: facts.kind === "file" ? facts.size : null };
}

function jobsOf(invocation: Invocation): number {
  const text = flagValue(invocation, "jobs");
  const jobs = text === undefined ? JOBS : parseCount(text);
  if (typeof jobs === "number") return jobs;
  if (!jobs.ok) throw usageError(`--jobs: '${text}' ${jobs.problem}`);
  if (jobs.value > JOBS_MAX) throw usageError(`--jobs: '${text}' must be at most ${JOBS_MAX}`);
  return jobs.value;
}

function refuseSameFile({ path }: Input, output: string): void {
  const [from, to] = [path === null ? null : fileFacts(path), fileFacts(output)];
  if (from !== null && to !== null && from.device === to.device && from.inode === to.inode) {
    throw usageError(`--output: ${output} is the file of the prompts`);
  }
}

function optionsOf(invocation: Invocation, config: Config, host: Host, mode: OutputMode): Options {
  const output = flagValue(invocation, "output") ?? null;
  const retryFailed = hasFlag(invocation, "retry-failed");
  if (output === null && retryFailed) {
    throw usageError("--retry-failed needs --output FILE", "the file says which prompts failed");
  }
  if (output === null && mode !== "text") {
    throw usageError(
      "ash batch --json needs --output FILE",
      "without it the results are JSON Lines on stdout",
    );
  }
  const input = inputOf(invocation);
  if (output !== null) refuseSameFile(input, output);
  const showsProgress =
    host.stderr.isTerminal && config.surroundings.colour && !hasFlag(invocation, "no-color");
  return { ...input, output, jobs: jobsOf(invocation), retryFailed, showsProgress };
}

/** What would stop every prompt is found before the first one: no key, an unreadable allowlist. */
async function checkAhead(invocation: Invocation, config: Config, signal: AbortSignal): Promise<Policy> {
  const home = ensureHome(config.home);
  const { policy } = loadPolicy(config, home.state !== "unavailable");
  const replay = flagValue(invocation, "replay");
  await openProvider(config, { replay, record: null }, signal);
  return policy;
}

function openSharedMachine(config: Config, folder: string, host: Host): Machine {
  const machine = openMachine(config, folder);
  host.onForcedExit(machine.engine.killAll);
  return machine;
}

async function runWith(
  options: Options,
  invocation: Invocation,
  config: Config,
  host: Host,
): Promise<BatchOutcome> {
  const policy = await checkAhead(invocation, config, host.stop.signal);
  const { output, retryFailed, jobs, path, size } = options;
  const folder = workingFolder();
  const results =
    output === null ? printResults(host) : await openResults(output, retryFailed, host.stop.signal);
  try {
    const machine = openSharedMachine(config, folder, host);
    try {
      return await runBatch({
        invocation: {
          ...invocation,
          command: "ask",
          words: [],
          rest: null,
          flags: new Map([...invocation.flags].filter(([name]) => !OWN_FLAGS.includes(name))),
        },
        config,
        host,
        machine,
        folder,
        bounds: {
          maxTurns: config.settings.maxTurns,
          deadlineMs: config.settings.deadline,
          tools: new Set([...policy.entries.keys()].filter((name) => !policy.denied.has(name))),
        },
        results,
        usesStdout: output === null,
        jobs,
        path,
        size,
        showsProgress: options.showsProgress,
      });
    } finally {
      await machine.engine.close();
    }
  } finally {
    results.close();
  }
}

function statusOf(exitCode: number): BatchReport["status"] {
  if (exitCode === EXIT.ok) return "ok";
  if (exitCode >= EXIT.interrupted) return "interrupted";
  return exitCode === EXIT.unavailable || exitCode === EXIT.noAnswer ? "incomplete" : "error";
}

/** Why the batch ended before its last line, or null. */
function reasonOf({ stopped }: BatchOutcome, host: Host): AshError | null {
  const cause = host.stop.cause();
  return cause === null ? stopped : stopError(cause);
}

/**
 * Answers every prompt of a file. Resolves to 0 when each has an answer, 5 when asking again may help, 8 when some
 * have none for good; to the code of what stopped it otherwise.
 */
export async function batch(
  invocation: Invocation,
  config: Config,
  host: Host,
  mode: OutputMode,
): Promise<number> {
  const options = optionsOf(invocation, config, host, mode);
  const outcome = await runWith(options, invocation, config, host);
  const reason = reasonOf(outcome, host);
  const exitCode = reason?.exitCode ?? batchExit(outcome.counts);
  host.stop.surrender();
  if (options.showsProgress) await host.stderr.write("\r\x1b[K");
  if (reason?.type !== "broken_pipe") {
    await host.stderr.write(`${summaryLine(outcome.counts, host.elapsed(), reason)}\n`);
  }
  if (mode !== "text") {
    const report: BatchReport = {
      schema: "ash.batch-report/1",
      status: statusOf(exitCode),
      exit_code: exitCode,
      output: options.output ?? "",
      prompts: outcome.counts,
      error: reason === null ? null : describeError(reason),
      duration_ms: Math.round(host.elapsed()),
    };
    await host.stdout.write(`${JSON.stringify(report)}\n`);
  }
  await host.stdout.flush();
  return exitCode;
}
