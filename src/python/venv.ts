// A virtual environment as ash keeps them: what it was made from, and whether it still works.
import { join } from "node:path";
import { fileFacts, readTextIfAny, realPath } from "../host/files.ts";

/** Written last into a finished environment: without it the folder is half-made. */
export const MARKER = ".ash-ready.json";

/** The requirements an environment was made from, kept in it for people: what to bring to a machine without network. */
export const REQUIREMENTS = "requirements.txt";

/** What an environment was made from. */
export type VenvMark = {
  readonly schema: "ash.venv/1";
  /** Digest of the requirements. */
  readonly requirements: string;
  /** Version of the interpreter, and the file its `python` leads to. */
  readonly version: string;
  readonly base: string;
};

/** How an environment stands. `stale` was made from other requirements, `broken` lost its interpreter. */
export type VenvState = "ready" | "missing" | "stale" | "broken";

/** The interpreter of an environment. */
export const venvPython = (folder: string): string => join(folder, "bin", "python");

/** Reads what an environment was made from; null when it was never finished. */
export function readMark(folder: string): VenvMark | null {
  try {
    const mark = JSON.parse(readTextIfAny(join(folder, MARKER)) ?? "null") as Partial<VenvMark> | null;
    return mark?.schema === "ash.venv/1" ? (mark as VenvMark) : null;
  } catch {
    return null;
  }
}

/** The version an environment's own configuration claims, such as `3.11.2`. */
function configuredVersion(folder: string): string | null {
  const text = readTextIfAny(join(folder, "pyvenv.cfg")) ?? "";
  return /^version(?:_info)?\s*=\s*(\d+\.\d+\.\d+)/m.exec(text)?.[1] ?? null;
}

/** Looks at an environment without starting anything. `requirements` is the digest it should have. */
export function venvState(folder: string, requirements: string): VenvState {
  if (fileFacts(folder) === null) return "missing";
  const mark = readMark(folder);
  if (mark === null) return "broken";
  // A base Python that was upgraded or removed leaves a link to nowhere, or to another version's libraries.
  if (realPath(venvPython(folder)) !== mark.base || configuredVersion(folder) === null) return "broken";
  return mark.requirements === requirements ? "ready" : "stale";
}
