// The limits of one tool call, the budgets of one run, and how people write durations and sizes.
// Pure: it reads nothing and enforces nothing.

/** Limits of one tool call; times in milliseconds, sizes in bytes. */
export type Limits = {
  readonly timeoutMs: number;
  /** Kept of each of stdout and stderr. */
  readonly outputMax: number;
  readonly memoryMax: number;
  readonly cpuMs: number;
  readonly fileMax: number;
  readonly processMax: number;
};

/** Budgets of one run; null means no limit. */
export type Budgets = {
  /** Requests to the model. */
  readonly maxTurns: number;
  readonly maxToolCalls: number;
  readonly deadlineMs: number;
  /** Input and output tokens together. */
  readonly maxTokens: number | null;
  readonly maxCostUsd: number | null;
};

/** The limit that ended a tool call. */
export type CallLimit = "time" | "output" | "memory" | "cpu" | "file_size" | "processes";

/** The limit that ended a run. */
export type RunLimit = "turns" | "tool_calls" | "deadline" | "tokens" | "cost" | "cost_per_day";

/** Bytes of one stream after which its producer is stopped. */
export const FLOOD_BYTES = 1024 * 1024;

/** A value read from text, or what is wrong with the text. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

const ok = <T>(value: T): Parsed<T> => ({ ok: true, value });
const bad = (problem: string): Parsed<never> => ({ ok: false, problem });

const DURATION_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const LONGEST_MS = 24 * 3_600_000;

/** Reads a duration such as `15s`, `2m`, `500ms`; a bare number means seconds. Returns milliseconds. */
export function parseDuration(text: string): Parsed<number> {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(text);
  if (match?.[1] === undefined) return bad("is not a duration (write 15s, 2m or 500ms)");
  const ms = Math.round(Number(match[1]) * (DURATION_UNITS[match[2] ?? "s"] ?? 1000));
  if (ms < 1) return bad("must be longer than zero");
  if (ms > LONGEST_MS) return bad("must be at most 24h");
  return ok(ms);
}

const AGE_UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Reads an age such as `30d`, `12h`, `2w` or `90m`. Returns milliseconds. */
export function parseAge(text: string): Parsed<number> {
  const match = /^(\d{1,5})([mhdw])$/.exec(text);
  if (match?.[1] === undefined) return bad("is not an age (write 30d, 12h or 2w)");
  return ok(Number(match[1]) * (AGE_UNITS[match[2] ?? ""] ?? 0));
}

const SIZE_UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
};

/** Reads a size such as `8192`, `64KiB`, `1GiB` (also KB, MB, GB in powers of ten). Returns bytes. */
export function parseBytes(text: string): Parsed<number> {
  const match = /^(\d{1,15})\s?([a-z]{1,3})?$/i.exec(text);
  const unit = SIZE_UNITS[(match?.[2] ?? "b").toLowerCase()];
  if (match?.[1] === undefined || unit === undefined) return bad("is not a size (write 8192, 64KiB or 1GiB)");
  const bytes = Number(match[1]) * unit;
  if (!Number.isSafeInteger(bytes)) return bad("is too large");
  return bytes < 1 ? bad("must be at least 1") : ok(bytes);
}

/** Reads a size of at most `FLOOD_BYTES`: a producer of more is stopped, so that no more can be kept. */
export function parseKept(text: string): Parsed<number> {
  const bytes = parseBytes(text);
  return bytes.ok && bytes.value > FLOOD_BYTES ? bad("must be at most 1MiB") : bytes;
}

/** Near what Linux can count at all: more would be refused only when the first tool starts. */
const MOST_PROCESSES = 1_000_000;

/** Reads a number of processes. */
export function parseProcesses(text: string): Parsed<number> {
  const count = parseCount(text);
  return count.ok && count.value > MOST_PROCESSES ? bad(`must be at most ${MOST_PROCESSES}`) : count;
}

/** Reads a whole number from 1 to 1,000,000,000. */
export function parseCount(text: string): Parsed<number> {
  if (!/^\d{1,10}$/.test(text)) return bad("is not a whole number");
  const value = Number(text);
  if (value < 1) return bad("must be at least 1");
  return value > 1e9 ? bad("must be at most 1000000000") : ok(value);
}

/** Reads an amount of US dollars such as `0.50`. */
export function parseDollars(text: string): Parsed<number> {
  const match = /^\$?(\d{1,6}(?:\.\d{1,6})?)$/.exec(text);
  if (match?.[1] === undefined) return bad("is not an amount of dollars (write 0.50)");
  const value = Number(match[1]);
  return value > 0 ? ok(value) : bad("must be more than zero");
}

/** Reads `true`/`false`, `1`/`0`, `yes`/`no`, `on`/`off`. */
export function parseSwitch(text: string): Parsed<boolean> {
  const word = text.toLowerCase();
  if (["true", "1", "yes", "on"].includes(word)) return ok(true);
  if (["false", "0", "no", "off"].includes(word)) return ok(false);
  return bad("is neither true nor false");
}

/** Reads a comma-separated list; blank items are dropped, an empty list is allowed. */
export function parseList(text: string): Parsed<readonly string[]> {
  return ok(
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== ""),
  );
}

/** Writes a duration the way people read it: `340 ms`, `2.1 s`, `3m 20s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
}

/** The number of the largest unit that divides a value, with the unit. */
function inUnits(value: number, units: readonly (readonly [name: string, size: number])[]): string | null {
  const [name, size] = units.find(([, unit]) => value >= unit && value % unit === 0) ?? [];
  return name === undefined || size === undefined ? null : `${value / size}${name}`;
}

/** Writes a duration in the form it is read: `15s`, `10m`, `1500ms`. */
export function writeDuration(ms: number): string {
  return (
    inUnits(ms, [
      ["h", 3_600_000],
      ["m", 60_000],
      ["s", 1000],
    ]) ?? `${ms}ms`
  );
}

/** Writes a size in the form it is read: `1GiB`, `16MiB`, `8192`; small ones stay bytes. */
export function writeBytes(bytes: number): string {
  const large =
    bytes < 64 * 1024
      ? null
      : inUnits(bytes, [
          ["GiB", 1024 ** 3],
          ["MiB", 1024 ** 2],
          ["KiB", 1024],
        ]);
  return large ?? String(bytes);
}
