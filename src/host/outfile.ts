// A file an answer goes into: found out to be writable before the answer is paid for, and written whole or not at all.
import { accessSync, closeSync, constants, openSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type AshError, systemCode, usageError } from "../errors.ts";
import { fileFacts, linkFacts, realPath, replaceFile } from "./files.ts";

/** A file a flag names. `newMode` are the bits it gets when there is none yet; without it the umask decides. */
export type NamedFile = { readonly flag: string; readonly path: string; readonly newMode?: number };

/** Where to write, and with which permission bits. */
type Target = { readonly path: string; readonly mode: number };

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "the folder does not exist",
  ENOTDIR: "the folder does not exist",
  EACCES: "it may not be written",
  EPERM: "it may not be written",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EFBIG: "it would be larger than files may be here",
  EDQUOT: "the disk quota is used up",
  ENAMETOOLONG: "the name is too long",
};

const NEW_FILE = 0o666;

const refused = ({ flag, path }: NamedFile, why: string, hint?: string): AshError =>
  usageError(`--${flag} ${path}: ${why}`, hint);

/** The file behind a path: what a link leads to is replaced, not the link. Its bits are kept. */
function targetOf(named: NamedFile): Target {
  const { flag, path, newMode = NEW_FILE & ~process.umask() } = named;
  if (path === "-") {
    throw refused(named, "it is not a file", `leave --${flag} out, or name a file called - as ./-`);
  }
  const facts = fileFacts(path);
  if (facts === null) {
    if (linkFacts(path) !== null) throw refused(named, "it is a link that leads nowhere");
    return { path, mode: newMode };
  }
  if (facts.kind === "directory") throw refused(named, "it is a folder");
  if (facts.kind === "other") throw refused(named, "it is not a regular file");
  return { path: realPath(path) ?? path, mode: facts.mode & 0o777 };
}

function attempt<V>(named: NamedFile, work: () => V): V {
  try {
    return work();
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    throw refused(named, REASONS[code] ?? code);
  }
}

/** Finds out whether a file can be written. Throws a usage error that says why not; leaves nothing behind. */
export function checkTarget(named: NamedFile): void {
  attempt(named, () => {
    const target = targetOf(named);
    if (fileFacts(target.path) !== null) accessSync(target.path, constants.W_OK);
    // Only making a file tells whether the one beside it can be replaced.
    const probe = join(dirname(target.path), `.${basename(target.path)}.${process.pid}.probe`);
    closeSync(openSync(probe, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
    unlinkSync(probe);
  });
}

/** Writes the file in one step. Throws a usage error that says why it cannot. */
export function writeTarget(named: NamedFile, text: string): void {
  attempt(named, () => {
    const target = targetOf(named);
    replaceFile(target.path, text, target.mode);
  });
}
