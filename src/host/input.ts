// stdin: what it is, and all of its bytes. It never waits for a terminal, and never for ever.
import { readSync } from "node:fs";
import { AshError, usageError } from "../errors.ts";
import { sleep } from "./clock.ts";
import { descriptorKind } from "./files.ts";
import { isTerminal } from "./native.ts";

/** Bytes of one input ash takes at most. */
export const INPUT_MAX = 10 * 1024 * 1024;

const CHUNK = 256 * 1024;

/** What is said about an input that is too long. */
export const tooLong = (name: string): AshError =>
  usageError(`${name} holds more than ${INPUT_MAX / 1024 / 1024} MiB`, "give ash a part of it");

/** What is said about a pipe nobody writes to. */
export const silentPipe = (name: string, silenceMs: number, hint: string): AshError =>
  usageError(`${name} is an open pipe that sent nothing for ${Math.round(silenceMs / 1000)} s`, hint);

/** Where stdin comes from: `none` covers /dev/null, a closed stdin and other devices. */
export type InputKind = "terminal" | "data" | "none";

/** What stdin is, without reading it. Throws a usage error for a folder. */
export function inputKind(): InputKind {
  const kind = descriptorKind(0);
  if (kind === "directory") throw usageError("stdin is a folder", "redirect a file, or give --no-stdin");
  if (kind === "file" || kind === "pipe" || kind === "socket") return "data";
  return kind === "character" && isTerminal(0) ? "terminal" : "none";
}

/** What is left of a file: a script may have read its first lines, which the runtime's own stream would repeat. */
function readRest(): Uint8Array {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const buffer = new Uint8Array(CHUNK);
    const count = readSync(0, buffer, 0, CHUNK, null);
    if (count === 0) return Buffer.concat(chunks);
    chunks.push(buffer.subarray(0, count));
    size += count;
    if (size > INPUT_MAX) throw tooLong("stdin");
  }
}

/**
 * Reads stdin to its end. Throws a usage error when an open pipe stays silent for `silenceMs` before its first
 * byte, or when there is more than `INPUT_MAX`; throws `interrupted` when the signal aborts first.
 */
export async function readInput(silenceMs: number, signal: AbortSignal): Promise<Uint8Array> {
  if (descriptorKind(0) === "file") return readRest();
  const reader = Bun.file(0).stream().getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stopWaiting = new AbortController();
  const aborted = new Promise<"aborted">((resolve) => {
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
    if (signal.aborted) resolve("aborted");
  });
  const silence = sleep(silenceMs, stopWaiting.signal).then(() => "silent" as const);
  try {
    for (;;) {
      const next = reader.read();
      const got = await Promise.race(chunks.length === 0 ? [next, aborted, silence] : [next, aborted]);
      if (got === "aborted") throw new AshError("interrupted", "interrupted while reading stdin");
      if (got === "silent") {
        throw silentPipe("stdin", silenceMs, "end it with </dev/null or give --no-stdin");
      }
      if (got.done) return Buffer.concat(chunks);
      chunks.push(got.value);
      stopWaiting.abort();
      size += got.value.length;
      if (size > INPUT_MAX) throw tooLong("stdin");
    }
  } finally {
    stopWaiting.abort();
    reader.cancel().catch(() => undefined);
  }
}

/** The bytes of a file by its path, or of stdin for null, as they are asked for. Throws the system error. */
export async function* inputChunks(path: string | null, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = (path === null ? Bun.file(0) : Bun.file(path)).stream().getReader();
  // Racing each read against one promise would keep every chunk alive as long as that promise.
  const leave = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", leave, { once: true });
  try {
    while (!signal.aborted) {
      const got = await reader.read();
      if (got.done) return;
      yield got.value;
    }
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
}
