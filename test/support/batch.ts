// Files of prompts, batches run with the compiled binary, and the records they write.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BatchRecord } from "../../src/schema.ts";
import { type Finished, finish, type Place, type RunOptions, startAsh } from "./ash.ts";
import { type Asking, KEY, useAsking } from "./asking.ts";
import { type Answer, promptIn, type ScriptedReply, says, streamed } from "./modelserver.ts";

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
    env: { ...KEY, ...options.env },
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

/** What a server does with a request, by its prompt and its number from 1. */
export type ReplyTo = (prompt: string, count: number) => ScriptedReply | Answer;

/** An answer to every request, by what it asks. */
export function answering(reply: ReplyTo): Answer {
  let count = 0;
  return (request, signal) => {
    count += 1;
    const made = reply(promptIn(request), count);
    return (typeof made === "function" ? made : streamed(made))(request, signal);
  };
}

/** Says back what it is asked. */
export const echo: ReplyTo = (prompt) => says(`you asked: ${prompt}`);

/** A place and servers for each test of the file, and batches there. */
export type Batching = Asking & {
  /** Starts a server that answers by what it is asked. */
  readonly answering: (reply: ReplyTo) => void;
  /** Starts a server that says back what it is asked. */
  readonly echoing: () => void;
  /** Runs a batch against the newest server. */
  readonly batch: (args: readonly string[], options?: RunOptions) => Promise<Finished>;
};

/** Makes a place before each test and removes it afterwards, with what its servers saw checked. */
export function useBatch(): Batching {
  const asking = useAsking();
  const { place, server } = asking;
  const starts = (reply: ReplyTo): void => void server.start([answering(reply)]);
  return {
    ...asking,
    answering: starts,
    echoing: () => starts(echo),
    batch: (args, options) => runBatch(place, server.url, args, options),
  };
}
