// OS pipes: from the C library, or from the file system where that cannot be loaded. Both give programs a real pipe,
// which the runtime's own stream pairs are not: a writer without reader gets SIGPIPE, /dev/stdout can be opened.
import { constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeQuietly } from "./files.ts";
import { libraryPipe } from "./native.ts";

/** [read end, write end], closed on exec. */
export type Pipe = readonly [number, number];

/** Makes a pipe by way of a named one that is gone at once; null when that is impossible too. Slower. */
export function makeNamedPipe(): Pipe | null {
  const folder = mkdtempSync(join(tmpdir(), "ash-pipe-"));
  const path = join(folder, "p");
  try {
    const made = Bun.spawnSync(["mkfifo", "-m", "600", path], {
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["ignore", "ignore", "ignore"],
    });
    if (made.exitCode !== 0) return null;
    // Open for both, neither of the other two has to wait for its partner.
    const both = openSync(path, constants.O_RDWR);
    const pipe: Pipe = [openSync(path, constants.O_RDONLY), openSync(path, constants.O_WRONLY)];
    closeQuietly(both);
    return pipe;
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes a pipe; null when the system has no more. */
export function makePipe(): Pipe | null {
  const made = libraryPipe();
  return made === "no library" ? makeNamedPipe() : made;
}
