// What all runs of a day have spent: a file below ASH_HOME of whole lines that are only ever added. A request is
// written down before it is sent and again when its cost is known, so that a killed run still counts.
import { join } from "node:path";
import { AshError, configError, systemCode, writeFix } from "./errors.ts";
import { readOwnFile } from "./home.ts";
import { appendWhole } from "./host/append.ts";
import { makeFolder } from "./host/files.ts";
import { waitForLock } from "./host/lock.ts";

/** A request that is counted; `left` is what the day has left for it in US dollars, null without a limit. */
export type Hold = { readonly left: number | null; settle(dollars: number): void };

/** The ledger as one run uses it. */
export type Ledger = {
  /** What all runs of a day may spend in US dollars, or null. */
  readonly limitUsd: number | null;
  /**
   * Counts a request that costs at least so many US dollars, or says that the day's limit forbids it. It waits for
   * other processes, but no longer than until `until` aborts.
   */
  hold(least: number, until?: AbortSignal): Promise<Hold | "limit">;
};

/** What a ledger needs; `now` gives milliseconds since the epoch. */
export type LedgerParts = {
  readonly folder: string;
  readonly limitUsd: number | null;
  readonly now: () => number;
  readonly signal: AbortSignal;
};

/** The local date, which is what a day is. */
export function localDay(ms: number): string {
  const date = new Date(ms);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The sum of a day's file in US dollars: of each request, the last line about it. */
export function spentIn(text: string): number {
  const last = new Map<string, number>();
  for (const line of text.split("\n")) {
    try {
      const { id, usd } = JSON.parse(line) as { id?: unknown; usd?: unknown };
      if (typeof id === "string" && typeof usd === "number" && usd >= 0) last.set(id, usd);
    } catch {
      // A blank line, or one the disk did not take whole.
    }
  }
  return [...last.values()].reduce((sum, usd) => sum + usd, 0);
}

type Entry = { readonly id: string; readonly state: "held" | "spent"; readonly usd: number };

/** Opens the ledger. Nothing is read or written before the first request. */
export function openLedger({ folder, limitUsd, now, signal }: LedgerParts): Ledger {
  const fileOf = (day: string): string => join(folder, `${day}.jsonl`);
  const append = (path: string, entry: Entry): void =>
    appendWhole(path, `${JSON.stringify({ ts: new Date(now()).toISOString(), ...entry })}\n`);
  const settler =
    (path: string, id: string): Hold["settle"] =>
    (usd) => {
      try {
        append(path, { id, state: "spent", usd });
      } catch {
        // The reply is paid for and shown all the same; what was held for it stays counted.
      }
    };

  const holdUnderLimit = async (
    limit: number,
    least: number,
    ended: AbortSignal,
  ): Promise<Hold | "limit"> => {
    makeFolder(folder);
    const lock = await waitForLock(join(folder, ".lock"), ended, () => undefined);
    if (lock === null) throw new AshError("interrupted", "interrupted while waiting for the ledger");
    try {
      const path = fileOf(localDay(now()));
      const left = limit - spentIn(readOwnFile(path) ?? "");
      if (left < least) return "limit";
      const id = crypto.randomUUID();
      append(path, { id, state: "held", usd: least });
      return { left, settle: settler(path, id) };
    } finally {
      lock.release();
    }
  };

  const holdFreely = (least: number): Hold => {
    const path = fileOf(localDay(now()));
    const id = crypto.randomUUID();
    try {
      makeFolder(folder);
      append(path, { id, state: "held", usd: least });
    } catch {
      // Without a limit nothing depends on it, and a home that cannot be written was reported already.
      return { left: null, settle() {} };
    }
    return { left: null, settle: settler(path, id) };
  };

  return {
    limitUsd,
    async hold(least, until) {
      if (limitUsd === null) return holdFreely(least);
      try {
        const ended = until === undefined ? signal : AbortSignal.any([signal, until]);
        return await holdUnderLimit(limitUsd, least, ended);
      } catch (thrown) {
        if (thrown instanceof AshError) throw thrown;
        throw configError(
          `${folder} cannot be written (${systemCode(thrown) ?? "unknown error"}), and max_cost_per_day needs it`,
          `${writeFix(systemCode(thrown))}, or take max_cost_per_day away`,
        );
      }
    },
  };
}
