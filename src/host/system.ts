// What machine this is.
import { readFileSync } from "node:fs";
import { hostname, release, type } from "node:os";
import { join } from "node:path";

/** Kernel name and release, such as `Linux 6.1.0`. */
export const systemName = (): string => `${type()} ${release()}`;

/** The machine's own name. */
export const machineName = (): string => hostname();

/** A random number from 0 to 1. */
export const random = (): number => Math.random();

/** The command that starts ash itself: the binary, or the source under the runtime. */
export const selfCommand = (): readonly string[] =>
  Bun.isStandaloneExecutable
    ? [process.execPath]
    : [process.execPath, join(import.meta.dir, "..", "main.ts")];

/** The command line as the bytes it was given as, or null where the system does not tell. */
export function commandLineBytes(): Uint8Array | null {
  try {
    return readFileSync("/proc/self/cmdline");
  } catch {
    return null;
  }
}
