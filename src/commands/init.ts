// `ash init`: installs or upgrades everything under ASH_HOME and makes the Python environment of the bundled tools.
import { hasFlag, type Invocation, type OutputMode, operands } from "../argv.ts";
import type { Config } from "../config.ts";
import { type AshError, configError, EXIT, systemCode, toAshError, usageError, writeFix } from "../errors.ts";
import { killMarked } from "../exec/family.ts";
import { makeFolder } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import { waitForLock } from "../host/lock.ts";
import { openLog } from "../log.ts";
import { provisionContext } from "../machine.ts";
import { ensureEnvironment, sharedEnvironment } from "../python/environments.ts";
import { removeLeftovers } from "../python/provision.ts";
import { provisionMark } from "../python/sources.ts";
import { readMark, venvState } from "../python/venv.ts";
import { damageIn } from "../python/wholeness.ts";
import { describeError, stopError } from "../result.ts";
import type { InitReport } from "../schema/reports.ts";
import { planUpgrade, type UpgradeStep, upgrade } from "../upgrade.ts";
import { openProgress } from "./firstrun.ts";

type PythonState = InitReport["python"]["state"];

type Say = (line: string) => void;

/** What one run of `ash init` was asked to do, and how it tells what it does. */
type Task = {
  readonly config: Config;
  readonly host: Host;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly offline: boolean;
  readonly noPython: boolean;
  readonly say: Say;
};

async function installFiles({ config, host, dryRun, force, say }: Task): Promise<readonly UpgradeStep[]> {
  const { home } = config;
  if (dryRun) return planUpgrade(home, force);
  try {
    makeFolder(home.root);
    const lock = await waitForLock(home.lock, host.stop.signal, () =>
      say("waiting for another ash that is at it"),
    );
    if (lock === null) throw stopError(host.stop.cause() ?? "SIGINT");
    try {
      removeLeftovers(home);
      return upgrade(home, force);
    } finally {
      lock.release();
    }
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    throw configError(`${home.root} cannot be written (${code})`, `${writeFix(code)}, or set ASH_HOME`);
  }
}

const isReady = ({ home }: Config): boolean => {
  const { folder, digest } = sharedEnvironment(home);
  return venvState(folder, digest) === "ready" && damageIn(folder) === null;
};

async function makePython({ config, host, dryRun, offline, noPython, say }: Task): Promise<PythonState> {
  if (noPython) return "skipped";
  if (dryRun) return isReady(config) ? "ready" : "missing";
  return await ensureEnvironment(sharedEnvironment(config.home), provisionContext(config), null, {
    ...{ offline, signal: host.stop.signal, progress: say },
    mustBeWhole: true,
  });
}

const ACTION_TEXT: Readonly<Record<UpgradeStep["action"], string>> = {
  unchanged: "unchanged",
  installed: "installed",
  updated: "updated",
  kept: "kept: you changed it; the new version is beside it as",
  replaced: "replaced; what was there is beside it as",
};

const fileLine = ({ path, action, beside }: UpgradeStep, dryRun: boolean): string =>
  `${dryRun ? "would be " : ""}${ACTION_TEXT[action]}${beside === null ? "" : ` ${beside}`}: ${path}`;

function summary({ files, python, dry_run: dryRun, home }: InitReport): string {
  const changed = files.filter(({ action }) => action !== "unchanged" && action !== "kept").length;
  const isDone = changed === 0 && (python.state === "ready" || python.state === "skipped");
  if (dryRun)
    return isDone
      ? "up to date: nothing would change\n"
      : `nothing was changed; without --dry-run ${home} would be\n`;
  const isKept = files.some(({ action }) => action === "kept");
  if (isDone) return isKept ? "up to date, but for the files you changed\n" : "up to date\n";
  const environment =
    python.state === "skipped" ? "without its Python environment" : `with Python ${python.version ?? "?"}`;
  return `ash is set up in ${home}, ${environment}\n`;
}

type Work = {
  files: readonly UpgradeStep[];
  python: PythonState;
  error: AshError | null;
};

/** Does the work as far as it goes. Never throws. */
async function perform(task: Task, mode: OutputMode): Promise<Work> {
  const { host, dryRun, say } = task;
  const work: Work = { files: [], python: task.noPython ? "skipped" : "missing", error: null };
  try {
    work.files = await installFiles(task);
    const changes = work.files.filter(({ action }) => action !== "unchanged");
    for (const step of mode === "text" ? changes : []) say(fileLine(step, dryRun));
    work.python = "failed";
    work.python = await makePython(task);
  } catch (thrown) {
    const cause = host.stop.cause();
    work.error = cause === null ? toAshError(thrown) : stopError(cause);
  }
  return work;
}

function reportOf({ config, dryRun }: Task, { files, python, error }: Work, durationMs: number): InitReport {
  const { home } = config;
  const described = error === null ? null : describeError(error);
  return {
    schema: "ash.init/1",
    status: error === null ? "ok" : error.exitCode >= EXIT.interrupted ? "interrupted" : "error",
    exit_code: error?.exitCode ?? EXIT.ok,
    home: home.root,
    dry_run: dryRun,
    files: [...files],
    python: { state: python, folder: home.venv, version: readMark(home.venv)?.version ?? null },
    error: described === null ? null : { ...described, message: config.redact(described.message) },
    duration_ms: Math.round(durationMs),
  };
}

/**
 * Sets up ASH_HOME. Throws a usage error for words; resolves to 0, 3 (the home cannot be written), 9 (no Python environment could be made) or the
 * code of a signal.
 */
export async function init(
  invocation: Invocation,
  config: Config,
  host: Host,
  mode: OutputMode,
): Promise<number> {
  const [extra] = operands(invocation);
  if (extra !== undefined)
    throw usageError(`ash init takes no '${extra}'`, `to ask the model about it: ash -- init ${extra}`);
  const began = host.elapsed();
  const say = openProgress(config, host);
  const task: Task = {
    config,
    host,
    dryRun: hasFlag(invocation, "dry-run"),
    force: hasFlag(invocation, "force"),
    offline: hasFlag(invocation, "offline"),
    noPython: hasFlag(invocation, "no-python"),
    say,
  };
  // A second signal ends ash at once, and what it started must not go on alone.
  host.onForcedExit(() => killMarked(provisionMark(config.home)));
  const work = await perform(task, mode);
  const report = reportOf(task, work, host.elapsed() - began);
  host.stop.surrender();
  if (work.error !== null) {
    const { message, details } = work.error;
    openLog(host.stderr).error(
      config.redact(details.hint === undefined ? message : `${message} (${details.hint})`),
    );
    await host.stderr.flush();
  }
  if (mode !== "text") await host.stdout.write(`${JSON.stringify(report)}\n`);
  else if (work.error === null) await host.stdout.write(summary(report));
  return host.stdout.closed() ? EXIT.brokenPipe : report.exit_code;
}
