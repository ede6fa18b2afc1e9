// Files of prompts, batches run with the compiled binary, and the records they write.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BatchRecord } from "../../src/schema.ts";
import { type Finished, finish, type Place, type RunOptions, startAsh } from "./ash.ts";

/** Writes a file of prompts; a text is a line as it stands. Returns its path. */
export function writePrompts(
  place: Place,
  lines: readonly (string | Readonly<Record<string, unknown>>)[],
  name = "prompts.jsonl",
): string {
  const path = join(place.folder, name);
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  writeFileSync(path, texts.map((text) => `${text}\n`).join(""));
  return path;
}

/** Prompts `p0`, `p1` … that ask for their own number. */
export const numbered = (count: number): readonly { readonly id: string; readonly prompt: string }[] =>
  Array.from({ length: count }, (_, i) => ({ id: `p${i}`, prompt: `number ${i}` }));

/** The records of a text; every line must be whole. */
export function recordsIn(text: string): readonly BatchRecord[] {
  if (text !== "" && !text.endsWith("\n")) throw new Error(`torn: ${text.slice(-100)}`);
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as BatchRecord);
}

/** The records of a results file. */
export const recordsOf = (path: string): readonly BatchRecord[] => recordsIn(readFileSync(path, "utf8"));

/** Starts a batch against a server. */
export function startBatch(place: Place, url: string, args: readonly string[], options: RunOptions = {}) {
  return startAsh(place, ["batch", "--base-url", url, ...args], {
    ...options,
    env: { ANTHROPIC_API_KEY: "test-key", ...options.env },
  });
}

/** Runs a batch to its end. */
export function runBatch(
  place: Place,
  url: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Finished> {
  return finish(startBatch(place, url, args, options));
}
