// The JSON value in a model's answer, and JSON as a text that survives a terminal. Pure.
import { sanitize } from "./sanitize.ts";

/** A JSON value and the text it was read from. */
export type JsonText = { readonly text: string; readonly value: unknown };

const FENCED = /^[ \t]*```[a-z0-9]*[ \t]*\r?\n([\s\S]*?)\r?\n?[ \t]*```[ \t]*$/gim;

function parse(text: string): JsonText | null {
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Finds the one JSON value an answer consists of; a code fence around it is tolerated, and so is prose around that. */
export function jsonIn(answer: string): JsonText | null {
  const trimmed = answer.replace(/^\uFEFF/, "").trim();
  const whole = parse(trimmed);
  if (whole !== null) return whole;
  const fenced = [...trimmed.matchAll(FENCED)];
  return fenced.length === 1 ? parse((fenced[0]?.[1] ?? "").trim()) : null;
}

/** The same JSON without characters that are taken out of what a terminal gets: they are written as escapes. */
export function plainJson(text: string): string {
  if (sanitize(text).text === text) return text;
  return text.replace(/[^\t\n\r -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
