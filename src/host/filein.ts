// A file somebody named on the command line: all of its bytes, whatever kind of file it is. It never waits for ever.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { AshError, systemCode, usageError } from "../errors.ts";
import { sleep } from "./clock.ts";
import { INPUT_MAX, silentPipe, tooLong } from "./input.ts";
import { isAbandoned } from "./native.ts";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "it may not be read",
  EISDIR: "it is a folder",
  ENXIO: "it is a socket, not a file",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "the name is too long",
};

function unreadable(name: string, thrown: unknown): AshError {
  const code = systemCode(thrown);
  const reason = code === undefined ? undefined : REASONS[code];
  return usageError(`${name}: ${reason ?? code ?? String(thrown)}`);
}

function openAny(name: string, path: string): number {
  try {
    // Without O_NONBLOCK the opening itself waits for a pipe's writer.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    throw unreadable(name, thrown);
  }
}

const CHUNK = 64 * 1024;

/** The next bytes, none at the end, or null when there are none yet. */
function readSome(fd: number, name: string): Uint8Array | null {
  const buffer = new Uint8Array(CHUNK);
  try {
    return buffer.subarray(0, readSync(fd, buffer, 0, CHUNK, null));
  } catch (thrown) {
    if (systemCode(thrown) === "EAGAIN") return null;
    throw unreadable(name, thrown);
  }
}

const isNull = (stat: Stats): boolean => stat.rdev === statSync("/dev/null").rdev;

function refuseKind(name: string, stat: Stats): void {
  if (stat.isDirectory()) throw usageError(`${name}: it is a folder`);
  if (stat.isFile() && stat.size > INPUT_MAX) throw tooLong(name);
  const isReadable = stat.isFile() || stat.isFIFO() || (stat.isCharacterDevice() && isNull(stat));
  if (!isReadable) throw usageError(`${name}: it is a device, not a file`);
}

/** How to wait for a pipe. */
export type Patience = { readonly silenceMs: number; readonly signal: AbortSignal };

const ROUND_MS = 10;

async function readToEnd(fd: number, name: string, { silenceMs, signal }: Patience): Promise<Uint8Array> {
  const isPipe = fstatSync(fd).isFIFO();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let waitedMs = 0;
  for (;;) {
    if (signal.aborted) throw new AshError("interrupted", `interrupted while reading ${name}`);
    const chunk = readSome(fd, name);
    const isEnd = chunk !== null && chunk.length === 0;
    const hasNoWriterYet = isEnd && isPipe && size === 0 && !isAbandoned(fd);
    if (isEnd && !hasNoWriterYet) return Buffer.concat(chunks);
    if (chunk === null || hasNoWriterYet) {
      if (size === 0 && waitedMs >= silenceMs) throw silentPipe(name, silenceMs, "check what writes to it");
      await sleep(ROUND_MS, signal);
      waitedMs += ROUND_MS;
      continue;
    }
    chunks.push(chunk);
    size += chunk.length;
    if (size > INPUT_MAX) throw tooLong(name);
  }
}

/**
 * Reads a file, a pipe or /dev/null to its end. `name` is how messages call it. Throws a usage error when it is
 * something else, longer than `INPUT_MAX`, or a pipe that stays silent; `interrupted` when the signal aborts.
 */
export async function readNamedFile(path: string, name: string, patience: Patience): Promise<Uint8Array> {
  const fd = openAny(name, path);
  try {
    refuseKind(name, fstatSync(fd));
    return await readToEnd(fd, name, patience);
  } finally {
    closeSync(fd);
  }
}
