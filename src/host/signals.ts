// SIGINT, SIGTERM and SIGHUP become an abort of the run; a second one ends the process by that signal.
import { readFileSync } from "node:fs";
import { constants } from "node:os";

/** The signals that end a run in an orderly way. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Why a run was stopped from outside. */
export type StopCause = StopSignal | "stdout closed";

/** The stop switch of the process. */
export type Stop = {
  readonly signal: AbortSignal;
  /** The first cause, or null while nothing asked to stop. */
  cause(): StopCause | null;
  /** From now on SIGINT calls `handler` and stops nothing; until the function it returns is called. */
  divert(handler: () => void): () => void;
  /** Stops as if from outside. */
  trigger(cause: StopCause): void;
  /** From now on a signal ends the process at once: there is nothing left to tidy. */
  surrender(): void;
};

const SIGNALS: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * The stop signals that whoever started ash told it to ignore: `nohup` does so with SIGHUP, a script that starts it in
 * the background with SIGINT. A handler would undo that.
 */
function ignoredSignals(): readonly StopSignal[] {
  let mask = 0n;
  try {
    const [, hex] = /^SigIgn:\s*([0-9a-f]+)/m.exec(readFileSync("/proc/self/status", "latin1")) ?? [];
    mask = BigInt(`0x${hex ?? "0"}`);
  } catch {
    // Where the system does not tell, every signal counts.
  }
  return SIGNALS.filter((name) => ((mask >> BigInt(constants.signals[name] - 1)) & 1n) === 1n);
}

/** Takes over the stop signals. `beforeLeaving` runs when a second signal ends the process by force. */
export function installStop(beforeLeaving: () => void): Stop {
  const controller = new AbortController();
  let first: StopCause | null = null;
  let surrendered = false;
  let diverted: (() => void) | null = null;

  const leave = (name: StopSignal): void => {
    beforeLeaving();
    process.removeAllListeners(name);
    process.kill(process.pid, name);
  };
  const trigger = (cause: StopCause): void => {
    if (first !== null) return;
    first = cause;
    controller.abort();
  };
  const ignored = ignoredSignals();
  for (const name of SIGNALS.filter((one) => !ignored.includes(one))) {
    process.on(name, () => {
      if (name === "SIGINT" && diverted !== null && first === null) diverted();
      else if (surrendered || (first !== null && first !== "stdout closed")) leave(name);
      else trigger(name);
    });
  }
  return {
    signal: controller.signal,
    cause: () => first,
    trigger,
    divert(handler) {
      diverted = handler;
      return () => {
        diverted = null;
      };
    },
    surrender() {
      surrendered = true;
    },
  };
}
