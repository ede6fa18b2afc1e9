// Which Python runs the tools: ASH_PYTHON, else python3 of the system, else the one on the user's PATH.
import { isAbsolute } from "node:path";
import { SYSTEM_PATH } from "../exec/environment.ts";
import { findProgram, trustedProgram } from "../host/executables.ts";
import type { Lookup } from "../policy/policy.ts";

/** Where to look for an interpreter. */
export type PythonSearch = {
  /** ASH_PYTHON: an absolute path or a bare name. */
  readonly chosen: string | null;
  /** Absolute folders of the user's PATH. */
  readonly path: readonly string[];
};

/** Finds the interpreter for Python tools. */
export function findPython({ chosen, path }: PythonSearch): Lookup {
  const folders = [...SYSTEM_PATH, ...path];
  if (chosen !== null) {
    const found = isAbsolute(chosen) ? trustedProgram(chosen) : findProgram(chosen, folders);
    return found.ok ? found : { ...found, reason: `ASH_PYTHON: ${found.reason}` };
  }
  const found = findProgram("python3", folders);
  if (found.ok) return found;
  return {
    ok: false,
    rule: "no-interpreter",
    reason: "Python tools need python3, and there is none; install python3",
  };
}
