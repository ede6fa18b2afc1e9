// One process at a time: a lock that the system lets go of when its holder ends, however it ends.
import { closeSync, openSync } from "node:fs";
import { sleep } from "./clock.ts";
import { closeQuietly } from "./files.ts";
import { tryLock, tryShareLock } from "./native.ts";

/** A lock that is held. */
export type Lock = { release(): void };

const ROUND_MS = 50;

/** Takes the lock of a file at once, or null when another process holds it. Throws the system error. */
export function takeLock(path: string): Lock | null {
  const fd = openSync(path, "a", 0o600);
  const locked = tryLock(fd);
  if (locked === false) {
    closeSync(fd);
    return null;
  }
  return { release: () => closeSync(fd) };
}

/** Marks a file as in use until released or until this process ends; null when it cannot be marked. */
export function markInUse(path: string): Lock | null {
  try {
    const fd = openSync(path, "r");
    if (tryShareLock(fd)) return { release: () => closeQuietly(fd) };
    closeSync(fd);
  } catch {
    // A mark is a courtesy to others; without it they only know less.
  }
  return null;
}

/** True while some process has marked the file as in use. */
export function isInUse(path: string): boolean {
  try {
    const fd = openSync(path, "r");
    const taken = tryLock(fd) === false;
    closeSync(fd);
    return taken;
  } catch {
    return false;
  }
}

/**
 * Waits for the lock of a file. `onWait` is called once when somebody else holds it. Null when the signal aborts
 * first. Throws the system error.
 */
export async function waitForLock(
  path: string,
  signal: AbortSignal,
  onWait: () => void,
): Promise<Lock | null> {
  for (let round = 0; !signal.aborted; round += 1) {
    const lock = takeLock(path);
    if (lock !== null) return lock;
    if (round === 0) onWait();
    await sleep(ROUND_MS, signal);
  }
  return null;
}
