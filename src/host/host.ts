// The outside world of one process of ash, opened once and handed to whoever needs it.
import { monotonic } from "./clock.ts";
import { type Output, openOutput } from "./output.ts";
import { installStop, type Stop } from "./signals.ts";

/** Streams, clock and stop switch. */
export type Host = {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stop: Stop;
  /** Milliseconds since the process began its work. */
  readonly elapsed: () => number;
  /** What must happen before a second signal ends the process by force. */
  onForcedExit(action: () => void): void;
};

/** Opens the host. From here on signals stop the run in an orderly way. */
export function openHost(): Host {
  // What ash makes it must be able to open again, whatever the umask it was started with.
  process.umask(process.umask() & 0o077);
  const began = monotonic();
  const actions: (() => void)[] = [];
  const stop = installStop(() => {
    for (const action of actions) action();
  });
  return {
    stdout: openOutput(1, () => stop.trigger("stdout closed")),
    stderr: openOutput(2, () => undefined),
    stop,
    elapsed: () => monotonic() - began,
    onForcedExit: (action) => void actions.push(action),
  };
}

/** A host inside another: what is printed is kept, and only the outer one hears signals. */
export type InnerHost = Host & { printed(): string };

/**
 * Opens a host for one of several runs in this process, stopped by `signal`. It is closed when the outer stdout is,
 * where the results go there.
 */
export function openInnerHost(outer: Host, signal: AbortSignal, usesStdout: boolean): InnerHost {
  const began = monotonic();
  let text = "";
  const keep = (add: (more: string) => void): Output => ({
    isTerminal: false,
    async write(more) {
      add(more);
    },
    flush: () => Promise.resolve(),
    closed: (check) => usesStdout && outer.stdout.closed(check),
    lost: () => null,
    busy: () => false,
  });
  return {
    stdout: keep((more) => {
      text += more;
    }),
    stderr: keep(() => undefined),
    stop: {
      signal,
      cause: outer.stop.cause,
      trigger() {},
      divert: () => () => undefined,
      surrender() {},
    },
    elapsed: () => monotonic() - began,
    onForcedExit() {},
    printed: () => text,
  };
}
