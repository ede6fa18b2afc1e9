// How far a batch has come: counts, the line that shows them, and the exit code they stand for. Pure.
import { type AshError, EXIT } from "./errors.ts";
import { formatDuration } from "./limits.ts";

/** How one prompt ended. */
export type BatchEnd = "answered" | "failed" | "again";

/** Counts of prompts; those of earlier runs are in them. */
export type BatchCounts = {
  readonly answered: number;
  /** Without an answer, and asking again would not help. */
  readonly failed: number;
  /** Without an answer, and asking again may help. */
  readonly again: number;
  /** Of all these, those an earlier run had finished. */
  readonly earlier: number;
};

/** Counts how prompts end. */
export type BatchTally = {
  counts(): BatchCounts;
  add(end: BatchEnd, wasEarlier?: boolean): void;
  /** How many in a row ended with `again`. */
  inARow(): number;
};

/** How a prompt ended, by the exit code of its result. */
export function endOfExit(exitCode: number): BatchEnd {
  if (exitCode === EXIT.ok) return "answered";
  return exitCode === EXIT.unavailable ? "again" : "failed";
}

/** Opens a tally at zero. */
export function openTally(): BatchTally {
  const counts = { answered: 0, failed: 0, again: 0, earlier: 0 };
  let row = 0;
  return {
    counts: () => ({ ...counts }),
    add(end, wasEarlier = false) {
      counts[end] += 1;
      if (wasEarlier) counts.earlier += 1;
      else row = end === "again" ? row + 1 : 0;
    },
    inARow: () => row,
  };
}

/** The exit code of a batch that was not stopped: 0, 5 when asking again may help, else 8. */
export function batchExit({ failed, again }: BatchCounts): number {
  if (again > 0) return EXIT.unavailable;
  return failed > 0 ? EXIT.noAnswer : EXIT.ok;
}

const plural = (count: number): string => `${count} ${count === 1 ? "prompt" : "prompts"}`;

const parts = ({ answered, failed, again, earlier }: BatchCounts): string =>
  [
    `${answered} answered`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(again > 0 ? [`${again} to try again`] : []),
    ...(earlier > 0 ? [`${earlier} done before`] : []),
  ].join(", ");

/** The last line of a batch on stderr. */
export function summaryLine(counts: BatchCounts, durationMs: number, stopped: AshError | null): string {
  const { answered, failed, again } = counts;
  const why = stopped === null ? "" : `; stopped: ${stopped.message}`;
  const hint = stopped?.details.hint === undefined ? "" : ` (${stopped.details.hint})`;
  return `ash: ${plural(answered + failed + again)}: ${parts(counts)} in ${formatDuration(durationMs)}${why}${hint}`;
}

/** The line a terminal shows meanwhile. `share` is the part of the input that was read, from 0 to 1, when known. */
export function progressLine(counts: BatchCounts, running: number, share: number | null): string {
  const percent = share === null ? "" : `, ${Math.floor(share * 100)}% read`;
  return `${parts(counts)}, ${running} running${percent}`;
}
