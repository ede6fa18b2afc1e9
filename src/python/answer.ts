// Judges what a tool wrote on stdout: one JSON object with a status, or one per line, and nothing else. Pure.
import { shorten } from "../layout.ts";
import { visible } from "../sanitize.ts";
import { broken, type Finding, type Rule } from "./finding.ts";

/** A JSON object with a status. */
export type Answer = { readonly status: string; readonly value: Readonly<Record<string, unknown>> };

/** The answers on stdout, or what is wrong with it. */
export type Answers =
  | { readonly ok: true; readonly answers: readonly Answer[] }
  | { readonly ok: false; readonly finding: Finding };

const SHOWN = 60;

/** The start of a text as it can be shown in a message. */
export const excerpt = (text: string): string => {
  const short = text.trim();
  return `'${visible(shorten(short, SHOWN))}'`;
};

const wrong = (rule: Rule, message: string, fix: string): Answers => ({
  ok: false,
  finding: broken(rule, { message, fix }),
});

function parsed(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}

const linesOf = (text: string): readonly string[] => text.split("\n").filter((line) => line.trim() !== "");

/** The values of a text that is JSON, or JSON in every line; null when it is neither. */
function valuesOf(text: string): readonly unknown[] | null {
  const whole = parsed(text);
  if (whole !== null) return [whole.value];
  const lines = linesOf(text).map(parsed);
  return lines.length > 1 && lines.every((line) => line !== null) ? lines.map((line) => line.value) : null;
}

const STRINGS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;
const withoutNaN = (text: string): string =>
  text.replace(STRINGS_AND_NUMBERS, (found) => (found.startsWith('"') ? found : "null"));

/** Where the object or list that starts at `start` ends, or -1. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i += 1) {
    const char = text[i];
    if (char === '"') {
      for (i += 1; i < text.length && text[i] !== '"'; i += 1) if (text[i] === "\\") i += 1;
    } else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return -1;
}

const TO_STDERR = "print it on stderr, or not at all";

/** What is wrong with a text that holds no clean JSON. */
function diagnose(text: string): Answers {
  if (text.startsWith("\ufeff")) {
    return wrong("output-text", "stdout starts with a byte order mark", "write UTF-8 without one");
  }
  if (valuesOf(withoutNaN(text)) !== null) {
    return wrong(
      "output-nan",
      "stdout holds NaN or Infinity, which is not JSON",
      "use json.dumps(…, allow_nan=False)",
    );
  }
  const start = text.search(/[{[]/);
  const end = start < 0 ? -1 : endOfValue(text, start);
  const value = end < 0 ? null : parsed(text.slice(start, end));
  if (value === null) {
    return wrong("output-text", `stdout is not JSON: ${excerpt(text)}`, "print one JSON object with status");
  }
  const before = text.slice(0, start).trim();
  if (before !== "")
    return wrong("output-text", `stdout holds ${excerpt(before)} before the JSON`, TO_STDERR);
  const after = text.slice(end).trim();
  const next = /^[{[]/.test(after) ? endOfValue(after, 0) : -1;
  if (next > 0 && parsed(after.slice(0, next)) !== null) {
    return wrong(
      "output-values",
      "stdout holds several JSON values in one line",
      "print one object, or one per line",
    );
  }
  return wrong("output-text", `stdout holds ${excerpt(after)} after the JSON`, TO_STDERR);
}

/** Reads the answers on stdout. */
export function readAnswers(stdout: string): Answers {
  if (stdout.trim() === "" && !stdout.includes("\ufeff")) {
    return wrong(
      "output-empty",
      "stdout is empty",
      'print one JSON object such as {"status": "error", "message": …}',
    );
  }
  const values = valuesOf(stdout);
  if (values === null) return diagnose(stdout);
  const answers: Answer[] = [];
  for (const value of values) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      const shown = excerpt(JSON.stringify(value));
      return wrong("output-status", `${shown} is no JSON object`, 'print an object with "status"');
    }
    const { status } = value as { readonly status?: unknown };
    if (typeof status !== "string") {
      const problem = status === undefined ? "has no status" : "has a status that is no text";
      return wrong("output-status", `the JSON object ${problem}`, 'give it "status": "ok" or "error"');
    }
    answers.push({ status, value: value as Answer["value"] });
  }
  return { ok: true, answers };
}
