// Files and folders. Writes are whole or not at all; an existing file is replaced only by `replaceFile`.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { systemCode, usageError } from "../errors.ts";
import { accountOf } from "./native.ts";

/** What `stat` says, as far as ash needs it; times in milliseconds. */
export type FileFacts = {
  readonly kind: "file" | "directory" | "other";
  readonly mode: number;
  readonly uid: number;
  readonly device: number;
  readonly inode: number;
  readonly size: number;
  readonly modifiedMs: number;
};

const factsOf = (stat: Stats): FileFacts => ({
  kind: stat.isFile() ? "file" : stat.isDirectory() ? "directory" : "other",
  mode: stat.mode & 0o7777,
  uid: stat.uid,
  device: stat.dev,
  inode: stat.ino,
  size: stat.size,
  modifiedMs: stat.mtimeMs,
});

const orNull = <V>(read: () => V): V | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

/** Facts of what the path leads to, or null when there is nothing to be seen there. */
export const fileFacts = (path: string): FileFacts | null => orNull(() => factsOf(statSync(path)));

/** Facts of the path itself: a symbolic link is `other`. Null when there is nothing. */
export const linkFacts = (path: string): FileFacts | null => orNull(() => factsOf(lstatSync(path)));

/** The path with every symbolic link resolved, or null when something on it is missing. */
export const realPath = (path: string): string | null => orNull(() => realpathSync(path));

/** The same text for two paths exactly when they lead to the same place, whether something is there or not. */
export function placeOf(path: string): string {
  const facts = fileFacts(path);
  return facts === null
    ? join(realPath(dirname(path)) ?? dirname(path), basename(path))
    : `${facts.device}:${facts.inode}`;
}

/** Names in a folder, sorted; null when it cannot be read. */
export const listFolder = (path: string): readonly string[] | null => orNull(() => readdirSync(path).sort());

/** One entry of a folder; links are `other`. */
export type Entry = { readonly name: string; readonly kind: FileFacts["kind"] };

/** Entries of a folder with their kinds; null when it cannot be read. */
export const listEntries = (path: string): readonly Entry[] | null =>
  orNull(() =>
    readdirSync(path, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      kind: entry.isFile() ? "file" : entry.isDirectory() ? "directory" : "other",
    })),
  );

/** The first bytes of a file, or null when it cannot be read. */
export const readStart = (path: string, length: number): Uint8Array | null => readPart(path, 0, length);

/** At most `length` bytes of a file from an offset on, or null when it cannot be read. */
export function readPart(path: string, from: number, length: number): Uint8Array | null {
  const fd = orNull(() => openSync(path, "r"));
  if (fd === null) return null;
  try {
    const buffer = new Uint8Array(length);
    return buffer.subarray(0, readSync(fd, buffer, 0, length, from));
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}

/** Bytes of a file. Throws the system error. */
export const readBytes = (path: string): Buffer => readFileSync(path);

/** Text of a file. Throws the system error. */
export const readText = (path: string): string => readFileSync(path, "utf8");

/** Text of a file, or null when there is no such file. Throws any other system error. */
export function readTextIfAny(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT" || systemCode(thrown) === "ENOTDIR") return null;
    throw thrown;
  }
}

/** True when this user may read what is at the path. */
export const isReadable = (path: string): boolean =>
  orNull(() => {
    accessSync(path, constants.R_OK);
    return true;
  }) ?? false;

/** True when something exists at the path. */
export const exists = (path: string): boolean => existsSync(path);

/** Makes a folder and its missing parents with mode 0700. Throws the system error. */
export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Makes one folder with mode 0700 whose parent exists. Throws the system error. */
export function makeOneFolder(path: string): void {
  mkdirSync(path, 0o700);
}

/** Sets permission bits. Throws the system error. */
export const setMode = (path: string, mode: number): void => chmodSync(path, mode);

/** Makes a folder of a new name that starts with `prefix` in the system's temporary folder, mode 0700. */
export const makeTemporaryFolder = (prefix: string): string => mkdtempSync(join(tmpdir(), prefix));

/** Removes a file or a folder with all in it; nothing happens when there is none. Throws the system error. */
export const removeTree = (path: string): void => rmSync(path, { recursive: true, force: true });

/** Renames within one file system. Throws the system error. */
export const rename = (from: string, to: string): void => renameSync(from, to);

function writeTemporary(path: string, data: string | Uint8Array, mode: number): string {
  const temporary = join(
    dirname(path),
    `.${basename(path)}.${process.pid}.${crypto.randomUUID().slice(0, 8)}`,
  );
  const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
  try {
    writeFileSync(fd, data);
    fsyncSync(fd);
    fchmodSync(fd, mode);
    return temporary;
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw thrown;
  } finally {
    closeSync(fd);
  }
}

/** Writes a file whole, replacing what was there in one step. Throws the system error. */
export function replaceFile(path: string, data: string | Uint8Array, mode: number): void {
  const temporary = writeTemporary(path, data, mode);
  try {
    renameSync(temporary, path);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw thrown;
  }
}

/** Writes a file only when there is none; false when one was there. Throws any other system error. */
export function createFile(path: string, data: string | Uint8Array, mode: number): boolean {
  const temporary = writeTemporary(path, data, mode);
  try {
    linkSync(temporary, path);
    return true;
  } catch (thrown) {
    if (systemCode(thrown) === "EEXIST") return false;
    throw thrown;
  } finally {
    unlinkSync(temporary);
  }
}

/** Opens /dev/null for reading. */
export const openNull = (): number => openSync("/dev/null", "r");

/** Closes a descriptor; one that is closed already is no error. */
export function closeQuietly(fd: number): void {
  orNull(() => closeSync(fd));
}

/** What kind of thing a descriptor is. */
export function descriptorKind(
  fd: number,
): "file" | "pipe" | "socket" | "character" | "directory" | "closed" {
  const stat = orNull(() => fstatSync(fd));
  if (stat === null) return "closed";
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "directory";
  if (stat.isFIFO()) return "pipe";
  return stat.isSocket() ? "socket" : "character";
}

/** The user's home folder by the password database, whatever HOME says. The runtime's own answer is HOME. */
export const accountHome = (): string | null => accountOf(userId())?.home || null;

/** The home folder as the system sees it: HOME, else the password database. */
export const homeFolder = (): string | null => orNull(() => homedir() || null);

/** The login name of the user by the password database, whatever USER says; null when it does not know the user. */
export const accountName = (): string | null => accountOf(userId())?.name || null;

/** The user id, or 0 where there is none. */
export const userId = (): number => process.getuid?.() ?? 0;

/** The current directory, or null when it has been deleted. */
export const currentFolder = (): string | null => orNull(() => process.cwd());

/** The current directory. Throws a usage error when it has been deleted. */
export function workingFolder(): string {
  const folder = currentFolder();
  if (folder === null) throw usageError("the current directory is gone", "cd to one that exists");
  return folder;
}
