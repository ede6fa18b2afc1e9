// A file an answer goes into: found out to be writable before the answer is paid for, and written whole or not at all.
import { accessSync, closeSync, constants, openSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemCode, usageError } from "../errors.ts";
import { fileFacts, linkFacts, realPath, replaceFile } from "./files.ts";

/** Where to write, and with which permission bits. */
export type Target = { readonly path: string; readonly mode: number };

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "the folder does not exist",
  ENOTDIR: "the folder does not exist",
  EACCES: "it may not be written",
  EPERM: "it may not be written",
  EROFS: "the file system is read-only",
};

const NEW_FILE = 0o666;

/** The file behind a path: what a link leads to is replaced, not the link. Its bits are kept. */
function targetAt(path: string): Target {
  const facts = fileFacts(path);
  if (facts === null) {
    if (linkFacts(path) !== null) throw usageError(`--output ${path}: it is a link that leads nowhere`);
    return { path, mode: NEW_FILE & ~process.umask() };
  }
  if (facts.kind === "directory") throw usageError(`--output ${path}: it is a folder`);
  if (facts.kind === "other") throw usageError(`--output ${path}: it is not a regular file`);
  return { path: realPath(path) ?? path, mode: facts.mode & 0o777 };
}

function attempt<V>(path: string, work: () => V): V {
  try {
    return work();
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    throw usageError(`--output ${path}: ${REASONS[code] ?? code}`);
  }
}

/** Finds out whether a file can be written. Throws a usage error that says why not; leaves nothing behind. */
export function checkTarget(path: string): void {
  attempt(path, () => {
    const target = targetAt(path);
    if (fileFacts(target.path) !== null) accessSync(target.path, constants.W_OK);
    // Only making a file tells whether the one beside it can be replaced.
    const probe = join(dirname(target.path), `.${basename(target.path)}.${process.pid}.probe`);
    closeSync(openSync(probe, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
    unlinkSync(probe);
  });
}

/** Writes the file in one step. Throws a usage error that says why it cannot. */
export function writeTarget(path: string, text: string): void {
  attempt(path, () => {
    const target = targetAt(path);
    replaceFile(target.path, text, target.mode);
  });
}
