// What a place on disk would take, asked without writing.
import { accessSync, constants, statfsSync } from "node:fs";

/** True when this user may write what is at the path. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Bytes this user may still write to the file system of a path; null when that cannot be told. */
export function freeBytes(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return null;
  }
}
