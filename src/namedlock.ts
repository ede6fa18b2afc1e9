// `--lock NAME`: one run at a time among those that name the same lock. Lock files stay; what counts is who holds them.
import { join } from "node:path";
import { AshError, configError, systemCode, usageError, writeFix } from "./errors.ts";
import type { Home } from "./home.ts";
import { makeFolder } from "./host/files.ts";
import { type Lock, takeLock } from "./host/lock.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

function takeFile(home: Home, name: string): Lock | null {
  const path = join(home.locks, name);
  try {
    makeFolder(home.locks);
    return takeLock(path);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    throw configError(`the lock ${path} cannot be taken (${code})`, `${writeFix(code)}, or leave --lock out`);
  }
}

/**
 * Takes a lock by name for the rest of this process; the system lets go of it however the process ends. Throws
 * `locked` at once while another process holds it, a usage error for a bad name, a configuration error when the
 * home cannot be written.
 */
export function holdLock(home: Home, name: string): void {
  if (!NAME.test(name)) {
    throw usageError(
      `--lock: '${name}' is not a name for a lock`,
      "letters, digits, . _ and -, at most 64, the first one a letter or digit",
    );
  }
  if (takeFile(home, name) === null) {
    throw new AshError("locked", `another run holds the lock ${name}`, {
      hint: "nothing was asked; this run is not needed, or try again later",
    });
  }
}
