// One line of the input of `ash batch` → what is asked, or why it cannot be. A line may ask for less than the batch
// allows, never for more: the file may come from somebody else. Pure.
import { AshError, usageError } from "./errors.ts";
import { type Parsed, parseDuration } from "./limits.ts";
import type { Line } from "./lines.ts";
import { BATCH_KEYS } from "./spec.ts";
import { closest } from "./suggest.ts";
import { decodeText } from "./text.ts";
import { word } from "./values.ts";

/** A line may be this long, in bytes; as much as ash reads from stdin. */
export const LINE_MAX = 10 * 1024 * 1024;

const ID_MAX = 256;

/** The name of a prompt, as its line has it: a text or a whole number. */
export type BatchId = string | number;

/** What a line asks for. */
export type BatchPrompt = {
  readonly id: BatchId;
  readonly prompt: string;
  /** Data that belongs to the prompt and is marked as such. */
  readonly context: string | null;
  readonly model: string | null;
  readonly maxTurns: number | null;
  readonly deadlineMs: number | null;
  /** The only tools for this prompt; each of them is one the batch allows. */
  readonly tools: readonly string[] | null;
};

/** What the batch allows at most. */
export type BatchBounds = {
  readonly maxTurns: number;
  readonly deadlineMs: number;
  readonly tools: ReadonlySet<string>;
};

/** A line read: what it asks for, or what is wrong with it and the id it has all the same. */
export type BatchReading =
  | { readonly ok: true; readonly asked: BatchPrompt }
  | { readonly ok: false; readonly id: BatchId | null; readonly error: AshError };

const KEYS = BATCH_KEYS.map(([key]) => key);

type Fields = Readonly<Record<string, unknown>>;

const shown = (value: unknown): string => JSON.stringify(value);

/** The id of a line, or null when it has none that can be used. */
function idOf({ id }: Fields): BatchId | null {
  if (typeof id === "number") return Number.isSafeInteger(id) ? id : null;
  return typeof id === "string" && id.trim() !== "" && id.length <= ID_MAX && id.isWellFormed() ? id : null;
}

function textOf(fields: Fields, key: string): string | null {
  const value = fields[key] ?? null;
  if (value !== null && typeof value !== "string") throw usageError(`${key} is not a text`);
  if (value?.isWellFormed() === false) throw usageError(`${key} is not valid Unicode`);
  return value;
}

/** The value of a key by its reader; null when the line has none. */
function readKey<V>(fields: Fields, key: string, read: (value: unknown) => Parsed<V>): V | null {
  const value = fields[key] ?? null;
  if (value === null) return null;
  const parsed = read(value);
  if (!parsed.ok) throw usageError(`${key}: ${shown(value)} ${parsed.problem}`);
  return parsed.value;
}

const bad = (problem: string): Parsed<never> => ({ ok: false, problem });

const atMost = (most: number, parsed: Parsed<number>): Parsed<number> =>
  parsed.ok && parsed.value > most ? bad("is more than the batch allows") : parsed;

const readTurns = (value: unknown): Parsed<number> =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 1
    ? { ok: true, value }
    : bad("is not a whole number from 1");

const readDeadline = (value: unknown): Parsed<number> =>
  typeof value === "string" || typeof value === "number"
    ? parseDuration(String(value))
    : bad("is not a duration (write 30s)");

const readModel = (value: unknown): Parsed<string> =>
  typeof value === "string" && value !== "" ? word.parse(value) : bad("is not the name of a model");

function readTools(value: unknown, allowed: ReadonlySet<string>): Parsed<readonly string[]> {
  if (!Array.isArray(value)) return bad("is not a list of names");
  const names = value as readonly unknown[];
  const wrong = names.find((name) => typeof name !== "string" || !allowed.has(name));
  return wrong === undefined
    ? { ok: true, value: names.map(String) }
    : bad(`holds ${shown(wrong)}, which the batch does not allow`);
}

function refuseUnknownKey(fields: Fields): void {
  const key = Object.keys(fields).find((name) => !KEYS.includes(name));
  if (key === undefined) return;
  const near = closest(key, KEYS);
  throw usageError(
    `unknown key ${shown(key)}`,
    near === undefined ? `known: ${KEYS.join(", ")}` : `did you mean ${near}?`,
  );
}

function askedBy(fields: Fields, bounds: BatchBounds): BatchPrompt {
  refuseUnknownKey(fields);
  const id = idOf(fields);
  if (id === null) {
    throw usageError(
      "id is missing or cannot be used",
      `a text of 1 to ${ID_MAX} characters, or a whole number`,
    );
  }
  const prompt = textOf(fields, "prompt");
  if (prompt === null || prompt.trim() === "") throw usageError("prompt is missing or empty");
  const { maxTurns, deadlineMs, tools } = bounds;
  return {
    id,
    prompt,
    context: textOf(fields, "context"),
    model: readKey(fields, "model", readModel),
    maxTurns: readKey(fields, "max_turns", (value) => atMost(maxTurns, readTurns(value))),
    deadlineMs: readKey(fields, "deadline", (value) => atMost(deadlineMs, readDeadline(value))),
    tools: readKey(fields, "allow_run", (value) => readTools(value, tools)),
  };
}

function parseObject(text: string): Fields {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw usageError("not valid JSON");
  }
  if (typeof data !== "object" || data === null || Array.isArray(data)) {
    throw usageError("not an object", 'write {"id": "a", "prompt": "…"}');
  }
  return data as Fields;
}

/** Reads a line; null when it is blank. */
export function readBatchLine(line: Line, bounds: BatchBounds): BatchReading | null {
  let fields: Fields = {};
  try {
    if (line.tooLong) throw usageError(`longer than ${LINE_MAX / 1024 / 1024} MiB`);
    const decoded = decodeText(line.bytes);
    if (!decoded.ok) throw usageError(`it ${decoded.problem}`);
    const text = decoded.text.replace(/^\ufeff/, "").trim();
    if (text === "") return null;
    fields = parseObject(text);
    return { ok: true, asked: askedBy(fields, bounds) };
  } catch (thrown) {
    if (!(thrown instanceof AshError)) throw thrown;
    const { message, type, details } = thrown;
    return {
      ok: false,
      id: idOf(fields),
      error: new AshError(type, `line ${line.number}: ${message}`, details),
    };
  }
}
