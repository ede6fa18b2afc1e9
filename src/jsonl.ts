// Events as JSON Lines: numbered, timed, none longer than a reader's buffer. Pure but for the clock it is given.
import type { AgentEvent, Result } from "./schema.ts";

/** No line is longer than this many bytes. */
export const LINE_BYTES = 64 * 1024;

/** Room for what surrounds a text in its line. */
const MARGIN = 2048;
const CUT = "[cut: too long for one line]";

const size = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Splits a text so that each part, escaped as JSON, fits a line. */
export function splitText(text: string): readonly string[] {
  const parts: string[] = [];
  let part = "";
  let bytes = 0;
  for (const char of text) {
    const more = size(char) - 2;
    if (bytes + more > LINE_BYTES - MARGIN) {
      parts.push(part);
      part = "";
      bytes = 0;
    }
    part += char;
    bytes += more;
  }
  return part === "" && parts.length > 0 ? parts : [...parts, part];
}

/** Cuts the longest strings of a value until it fits; what a call was given can be as long as its arguments. */
function shorten<V>(value: V, most: number): V {
  if (typeof value === "string")
    return (value.length > most ? `${value.slice(0, most).toWellFormed()}${CUT}` : value) as V;
  if (Array.isArray(value)) return value.map((item) => shorten(item, most)) as V;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shorten(item, most)])) as V;
}

const note = (type: string, message: string): Result["warnings"][number] => ({ type, message });

/**
 * A result that fits one line: an answer that is too long is left to the `message` events, then long arguments are
 * cut, then the list of calls is left to the `tool.*` events.
 */
export function fitResult(result: Result): Result {
  const fits = (candidate: Result): boolean => size(candidate) <= LINE_BYTES - MARGIN;
  if (fits(result)) return result;
  let smaller: Result = {
    ...result,
    result: null,
    structured: null,
    warnings: [
      ...result.warnings,
      note("result_in_messages", "the answer is too long for one line: see the message events"),
    ],
  };
  for (const most of [4096, 512, 64]) {
    if (fits(smaller)) return smaller;
    smaller = shorten(smaller, most);
  }
  if (fits(smaller)) return smaller;
  const lists = note("calls_in_events", "the calls are too many for one line: see the tool events");
  return { ...smaller, tools: [], denials: [], warnings: [...smaller.warnings.slice(0, 20), lists] };
}

function fitEvent(event: AgentEvent): readonly AgentEvent[] {
  if (event.type === "message") {
    const parts = splitText(event.text);
    return parts.map((text, i) => ({ ...event, text, part: i + 1, parts: parts.length }));
  }
  if (event.type === "text.delta") return splitText(event.text).map((text) => ({ ...event, text }));
  if (event.type === "run.end") return [{ ...event, result: fitResult(event.result) }];
  return [size(event) <= LINE_BYTES - MARGIN ? event : shorten(event, 512)];
}

/** What the user wants to see besides the events that are always there. */
export type JsonlOptions = { readonly deltas: boolean; readonly includeOutput: boolean };

/** Turns events into lines. */
export type LineMaker = (event: AgentEvent) => readonly string[];

/** Makes a line maker. `now` gives milliseconds since the epoch. */
export function createLineMaker({ deltas, includeOutput }: JsonlOptions, now: () => number): LineMaker {
  let seq = 0;
  return (event) => {
    if (event.type === "text.delta" && !deltas) return [];
    const shown =
      event.type === "tool.end" && !includeOutput
        ? { ...event, stdout: undefined, stderr: undefined }
        : event;
    return fitEvent(shown as AgentEvent).map((fitted) => {
      seq += 1;
      const { type, ...rest } = fitted;
      return `${JSON.stringify({ type, seq, ts: new Date(now()).toISOString(), ...rest })}\n`;
    });
  };
}
