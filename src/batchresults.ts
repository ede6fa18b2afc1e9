// The results of `ash batch`: lines on stdout, or a file that a later run of the same batch goes on with. What a
// killed run left in the file is put right first: a torn last line goes, and so does what will be asked again.
import type { BatchId } from "./batchline.ts";
import { AshError, configError, EXIT, systemCode, usageError } from "./errors.ts";
import { fileFacts } from "./host/files.ts";
import type { Host } from "./host/host.ts";
import { inputChunks } from "./host/input.ts";
import { type OwnedFile, ownFile } from "./host/ownedfile.ts";
import { type Line, splitLines } from "./lines.ts";
import { decodeText } from "./text.ts";

/** How a prompt of an earlier run ended, by its id as text. */
export type Earlier = ReadonlyMap<string, "answered" | "failed">;

/** Where results go. */
export type Results = {
  readonly earlier: Earlier;
  /** Writes one line; resolves when it is out. Throws a configuration error when it cannot be written. */
  write(line: string): Promise<void>;
  close(): void;
};

/** Results on stdout; nothing is known of earlier runs. */
export function printResults(host: Host): Results {
  return { earlier: new Map(), write: (line) => host.stdout.write(line), close() {} };
}

const RECORD_MAX = 64 * 1024 * 1024;
const BEGINNING = '{"schema":"ash.batch/1"';

type Known = { readonly id: BatchId | null; readonly exitCode: number };

/** The id and exit code of a record; null when the line is none. */
function parseRecord(line: Line): Known | null {
  const decoded = decodeText(line.bytes);
  if (!decoded.ok) return null;
  try {
    const { schema, id, result } = JSON.parse(decoded.text) as {
      schema?: unknown;
      id?: unknown;
      result?: { exit_code?: unknown };
    };
    const exitCode = result?.exit_code;
    if (schema !== "ash.batch/1" || typeof exitCode !== "number") return null;
    return { id: typeof id === "string" || typeof id === "number" ? id : null, exitCode };
  } catch {
    return null;
  }
}

/** A record that a kill cut short: its beginning is that of every record. */
function isTorn({ whole, bytes }: Line): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, BEGINNING.length));
  return !whole && BEGINNING.startsWith(start);
}

/** Errors after which the same prompt may have another end: nothing was asked (2, 3), or the server was at fault (5). */
const AGAIN: readonly number[] = [EXIT.usage, EXIT.config, EXIT.unavailable];

/** What is kept of a record: how its prompt ended; null when it is to be asked again. */
function endOf({ exitCode }: Known, retryFailed: boolean): "answered" | "failed" | null {
  if (exitCode === EXIT.ok) return "answered";
  return retryFailed || AGAIN.includes(exitCode) ? null : "failed";
}

type Reading = { readonly earlier: Map<string, "answered" | "failed">; readonly dropped: number };

/** Reads a results file; `keep` gets every line that stays. Throws when the file holds anything else. */
async function readResults(
  path: string,
  retryFailed: boolean,
  signal: AbortSignal,
  keep: (line: string) => void,
): Promise<Reading> {
  const earlier: Reading["earlier"] = new Map();
  let dropped = 0;
  for await (const line of splitLines(inputChunks(path, signal), RECORD_MAX)) {
    const known = parseRecord(line);
    if (known === null && !isTorn(line)) {
      throw usageError(
        `--output: line ${line.number} of ${path} is not a result of ash batch`,
        "name a file of such results, or one that does not exist",
      );
    }
    const end = known === null || known.id === null ? null : endOf(known, retryFailed);
    const id = String(known?.id);
    if (end === null || earlier.has(id)) dropped += 1;
    else {
      earlier.set(id, end);
      keep(`${new TextDecoder().decode(line.bytes)}\n`);
      // A whole record that only lacks its line feed is written anew.
      if (!line.whole) dropped += 1;
    }
  }
  return { earlier, dropped };
}

async function putRight(file: OwnedFile, retryFailed: boolean, signal: AbortSignal): Promise<Earlier> {
  const { earlier, dropped } = await readResults(file.path, retryFailed, signal, () => undefined);
  if (dropped === 0 || signal.aborted) return earlier;
  const version = file.startVersion();
  try {
    await readResults(file.path, retryFailed, signal, version.append);
    if (signal.aborted) version.discard();
    else version.putInPlace();
  } catch (thrown) {
    version.discard();
    throw thrown;
  }
  return earlier;
}

const cannotWrite = (path: string, thrown: unknown): AshError => {
  const code = systemCode(thrown);
  if (code === undefined) throw thrown;
  return configError(`--output: ${path} cannot be written (${code})`, "results so far are kept in it");
};

function claim(path: string): OwnedFile {
  if (path === "-") {
    throw usageError("--output -: it is not a file", "leave --output out, or name a file called - as ./-");
  }
  const facts = fileFacts(path);
  if (facts !== null && facts.kind !== "file") throw usageError(`--output: ${path} is not a regular file`);
  let file: OwnedFile | null;
  try {
    file = ownFile(path);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    throw usageError(`--output: ${path} cannot be written (${code})`);
  }
  if (file === null) {
    throw new AshError("locked", `another ash batch writes to ${path}`, {
      hint: "wait for it, or name another file",
    });
  }
  return file;
}

/**
 * Opens a results file, made when there is none, and reads what earlier runs left in it. Throws a usage error for a
 * file that holds something else, `locked` while another batch writes to it.
 */
export async function openResults(path: string, retryFailed: boolean, signal: AbortSignal): Promise<Results> {
  const file = claim(path);
  try {
    const earlier = await putRight(file, retryFailed, signal);
    return {
      earlier,
      async write(line) {
        try {
          file.append(line);
        } catch (thrown) {
          throw cannotWrite(path, thrown);
        }
      },
      close: file.close,
    };
  } catch (thrown) {
    file.close();
    throw systemCode(thrown) === undefined ? thrown : cannotWrite(path, thrown);
  }
}
