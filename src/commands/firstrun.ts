// The first run on a terminal: the Python environment of the bundled tools is made while somebody watches, and who
// does not want to wait skips it. Where nobody watches it is made when a tool first needs it.
import { hasFlag, type Invocation } from "../argv.ts";
import type { Config } from "../config.ts";
import { AshError } from "../errors.ts";
import type { HomeState } from "../home.ts";
import type { Host } from "../host/host.ts";
import { isTerminal } from "../host/native.ts";
import { formatDuration } from "../limits.ts";
import { openLog } from "../log.ts";
import { provisionContext } from "../machine.ts";
import { ensureEnvironment, sharedEnvironment } from "../python/environments.ts";

/** Says on stderr what is going on, with the time since it began. */
export function openProgress(config: Config, host: Host): (line: string) => void {
  const began = host.elapsed();
  return (line) =>
    void host.stderr.write(
      `[${formatDuration(host.elapsed() - began).padStart(7)}] ${config.redact(line)}\n`,
    );
}

// Output for a program means that a program waits; a recording plays without a network.
const QUIET = ["json", "jsonl", "replay"];

/** Makes the environment when ash has just set its home up and a person watches. Never throws for a failure. */
export async function setUpPython(
  invocation: Invocation,
  config: Config,
  host: Host,
  home: HomeState,
): Promise<void> {
  const isWatched =
    isTerminal(0) && host.stderr.isTerminal && !QUIET.some((name) => hasFlag(invocation, name));
  if (home.state !== "installed" || !isWatched || config.settings.python !== null) return;
  const skip = new AbortController();
  const restore = host.stop.divert(() => skip.abort());
  const say = openProgress(config, host);
  say("installing the Python packages of the bundled tools, once; Ctrl-C skips it for now");
  try {
    await ensureEnvironment(sharedEnvironment(config.home), provisionContext(config), null, {
      offline: false,
      signal: AbortSignal.any([host.stop.signal, skip.signal]),
      progress: say,
    });
    say("done");
  } catch (thrown) {
    if (!(thrown instanceof AshError)) throw thrown;
    if (skip.signal.aborted) say("skipped; to make up for it, run: ash init");
    else
      openLog(host.stderr).warn(
        `${thrown.message}${thrown.details.hint === undefined ? "" : ` (${thrown.details.hint})`}`,
      );
  } finally {
    restore();
  }
}
