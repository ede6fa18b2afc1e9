// A file that this process alone appends to, whole lines at a time, and that it can replace in one step without
// letting go of it.
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { closeQuietly, fileFacts, realPath } from "./files.ts";
import { tryLock } from "./native.ts";

/** A new version of an owned file; nobody sees it before it is put in place. */
export type NewVersion = {
  /** Throws the system error. */
  append(text: string): void;
  /** Takes the place of the old version. Throws the system error. */
  putInPlace(): void;
  discard(): void;
};

/** An owned file. */
export type OwnedFile = {
  /** Where it is, links resolved. */
  readonly path: string;
  /** Appends in one write; what the disk took only a part of is taken back. Throws the system error. */
  append(text: string): void;
  /** Begins a new, empty version. Throws the system error. */
  startVersion(): NewVersion;
  close(): void;
};

const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;

function appendTo(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  const before = fstatSync(fd).size;
  if (writeSync(fd, bytes) === bytes.length) return;
  ftruncateSync(fd, before);
  throw Object.assign(new Error("the disk took only a part of a line"), { code: "ENOSPC" });
}

/** Locked, and still the file at its path: another owner may have replaced it meanwhile. */
function openLocked(path: string): number | null {
  for (;;) {
    const fd = openSync(path, FLAGS, 0o600);
    if (tryLock(fd) === false) {
      closeSync(fd);
      return null;
    }
    const { dev, ino } = fstatSync(fd);
    const there = fileFacts(path);
    if (there?.device === dev && there.inode === ino) return fd;
    closeSync(fd);
  }
}

/** Opens a file, made when there is none; null while another process owns it. Throws the system error. */
export function ownFile(given: string): OwnedFile | null {
  const path = realPath(given) ?? given;
  const opened = openLocked(path);
  if (opened === null) return null;
  let fd = opened;
  const startVersion = (): NewVersion => {
    // The name is known beforehand, so that one left by a killed owner is found; only an owner makes it.
    const fresh = join(dirname(path), `.${basename(path)}.new`);
    rmSync(fresh, { force: true });
    const mode = fstatSync(fd).mode & 0o777;
    const version = openSync(fresh, FLAGS | constants.O_EXCL | constants.O_NOFOLLOW, mode);
    fchmodSync(version, mode);
    return {
      append: (text) => appendTo(version, text),
      putInPlace() {
        fsyncSync(version);
        // Locked before anybody can find it.
        tryLock(version);
        renameSync(fresh, path);
        closeSync(fd);
        fd = version;
      },
      discard() {
        closeQuietly(version);
        rmSync(fresh, { force: true });
      },
    };
  };
  return { path, append: (text) => appendTo(fd, text), startVersion, close: () => closeQuietly(fd) };
}
