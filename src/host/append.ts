// Lines added to files that several processes add to at the same time.
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";

/** True when the last line of a file has no end: a full disk took only a part of it. */
function endsTorn(fd: number): boolean {
  const { size } = fstatSync(fd);
  const last = new Uint8Array(1);
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}

/**
 * Appends lines to a file in one write, so that parallel writers never tear one; a line that is torn already does not
 * spoil them. Throws the system error.
 */
export function appendWhole(path: string, text: string): void {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const fd = openSync(path, flags, 0o600);
  try {
    const bytes = Buffer.from(endsTorn(fd) ? `\n${text}` : text);
    if (writeSync(fd, bytes) !== bytes.length)
      throw Object.assign(new Error(`${path}: the disk took only a part of a line`), { code: "ENOSPC" });
  } finally {
    closeSync(fd);
  }
}
