// The first run on a terminal goes on to make the Python environment, shows what it does, and can be told to skip it.
import type { Config } from "./config.ts";
import { AshError } from "./errors.ts";
import type { Host } from "./host/host.ts";
import { inputKind } from "./host/input.ts";
import { formatDuration } from "./limits.ts";
import { openLog } from "./log.ts";
import { provisionContext } from "./machine.ts";
import { ensureEnvironment, sharedEnvironment } from "./python/environments.ts";

/** True when a person sees what happens and can say that it takes too long. */
export const isWatched = (host: Host): boolean => host.stderr.isTerminal && inputKind() === "terminal";

/** Makes the environment of the bundled tools. Ctrl-C skips it for now; a failure is told and the run goes on. */
export async function provisionFirstRun(config: Config, host: Host): Promise<void> {
  if (config.settings.python !== null) return;
  const log = openLog(host.stderr);
  const skip = new AbortController();
  const began = host.elapsed();
  await host.stderr.write(
    "ash: first run: installing what the Python tools need (Ctrl-C skips it; ash init does it later)\n",
  );
  const restore = host.stop.divert(() => skip.abort());
  try {
    await ensureEnvironment(sharedEnvironment(config.home), provisionContext(config), null, {
      offline: false,
      signal: AbortSignal.any([skip.signal, host.stop.signal]),
      progress: (line) =>
        void host.stderr.write(`[${formatDuration(host.elapsed() - began).padStart(7)}] ${line}\n`),
    });
  } catch (thrown) {
    if (!(thrown instanceof AshError)) throw thrown;
    if (skip.signal.aborted) log.warn("skipped; tools that need packages say so until: ash init");
    else if (!host.stop.signal.aborted) {
      const { hint } = thrown.details;
      log.warn(`${thrown.message}${hint === undefined ? "" : ` (${hint})`}`);
    }
  } finally {
    restore();
  }
}
