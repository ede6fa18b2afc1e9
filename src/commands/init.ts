// `ash init`: installs or upgrades everything under ASH_HOME and makes the Python environment of the bundled tools.
import { hasFlag, type Invocation, type OutputMode } from "../argv.ts";
import type { Config } from "../config.ts";
import { type AshError, configError, EXIT, systemCode, toAshError } from "../errors.ts";
import { makeFolder } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import { waitForLock } from "../host/lock.ts";
import { formatDuration } from "../limits.ts";
import { openLog } from "../log.ts";
import { provisionContext } from "../machine.ts";
import { ensureEnvironment, sharedEnvironment } from "../python/environments.ts";
import { readMark, venvState } from "../python/venv.ts";
import { describeError, stopError } from "../result.ts";
import type { InitReport } from "../schema/reports.ts";
import { planUpgrade, type UpgradeStep, upgrade } from "../upgrade.ts";

type Say = (line: string) => void;

async function installFiles(
  config: Config,
  host: Host,
  force: boolean,
  say: Say,
): Promise<readonly UpgradeStep[]> {
  const { home } = config;
  try {
    makeFolder(home.root);
    const lock = await waitForLock(home.lock, host.stop.signal, () =>
      say("waiting for another ash that is at it"),
    );
    if (lock === null) throw stopError(host.stop.cause() ?? "SIGINT");
    try {
      return upgrade(home, force);
    } finally {
      lock.release();
    }
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    throw configError(`${home.root} cannot be written (${code})`, "make it writable, or set ASH_HOME");
  }
}

type Made = { readonly python: InitReport["python"]; readonly error: AshError | null };

async function makePython(invocation: Invocation, config: Config, host: Host, say: Say): Promise<Made> {
  const shared = sharedEnvironment(config.home);
  const outcome = (state: InitReport["python"]["state"]): InitReport["python"] => ({
    state,
    folder: shared.folder,
    version: readMark(shared.folder)?.version ?? null,
  });
  if (hasFlag(invocation, "no-python")) return { python: outcome("skipped"), error: null };
  if (hasFlag(invocation, "dry-run")) {
    const isReady = venvState(shared.folder, shared.digest) === "ready";
    return { python: outcome(isReady ? "ready" : "missing"), error: null };
  }
  try {
    const state = await ensureEnvironment(shared, provisionContext(config), null, {
      offline: hasFlag(invocation, "offline"),
      signal: host.stop.signal,
      progress: say,
    });
    return { python: outcome(state), error: null };
  } catch (thrown) {
    const cause = host.stop.cause();
    return { python: outcome("failed"), error: cause === null ? toAshError(thrown) : stopError(cause) };
  }
}

const ACTION_TEXT: Readonly<Record<UpgradeStep["action"], string>> = {
  unchanged: "unchanged",
  installed: "installed",
  updated: "updated",
  kept: "kept: you changed it; the new version is beside it as",
  replaced: "replaced; what was there is beside it as",
};

function fileLine({ path, action }: UpgradeStep, dryRun: boolean): string {
  const beside = action === "kept" ? ` ${path}.new` : action === "replaced" ? ` ${path}.old` : "";
  return `${dryRun ? "would be " : ""}${ACTION_TEXT[action]}${beside}: ${path}`;
}

function summary({ files, python, dry_run: dryRun, home }: InitReport): string {
  const changed = files.filter(({ action }) => action !== "unchanged" && action !== "kept").length;
  const isDone = changed === 0 && (python.state === "ready" || python.state === "skipped");
  if (dryRun)
    return isDone
      ? "up to date: nothing would change\n"
      : `nothing was changed; without --dry-run ${home} would be\n`;
  if (isDone) return "up to date\n";
  const environment =
    python.state === "skipped" ? "without its Python environment" : `with Python ${python.version ?? "?"}`;
  return `ash is set up in ${home}, ${environment}\n`;
}

/** Sets up ASH_HOME. Resolves to 0, 3 (the home cannot be written) or 9 (no Python environment could be made). */
export async function init(
  invocation: Invocation,
  config: Config,
  host: Host,
  mode: OutputMode,
): Promise<number> {
  const began = host.elapsed();
  const dryRun = hasFlag(invocation, "dry-run");
  const force = hasFlag(invocation, "force");
  const say: Say = (line) =>
    void host.stderr.write(`[${formatDuration(host.elapsed() - began).padStart(7)}] ${line}\n`);
  const files = dryRun ? planUpgrade(config.home, force) : await installFiles(config, host, force, say);
  for (const step of files) if (step.action !== "unchanged" && mode === "text") say(fileLine(step, dryRun));
  const { python, error } = await makePython(invocation, config, host, say);
  const report: InitReport = {
    schema: "ash.init/1",
    status: error === null ? "ok" : error.exitCode >= EXIT.interrupted ? "interrupted" : "error",
    exit_code: error?.exitCode ?? EXIT.ok,
    home: config.home.root,
    dry_run: dryRun,
    files: [...files],
    python,
    error: error === null ? null : describeError(error),
    duration_ms: Math.round(host.elapsed() - began),
  };
  host.stop.surrender();
  if (error !== null) {
    openLog(host.stderr).error(
      error.details.hint === undefined ? error.message : `${error.message} (${error.details.hint})`,
    );
    await host.stderr.flush();
  }
  if (mode !== "text") await host.stdout.write(`${JSON.stringify(report)}\n`);
  else if (error === null) await host.stdout.write(summary(report));
  return report.exit_code;
}
