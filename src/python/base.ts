// The Python an environment is made from: the first that is new enough, and what to install where there is none.
import { AshError } from "../errors.ts";
import { SYSTEM_PATH } from "../exec/environment.ts";
import { findProgram } from "../host/executables.ts";
import { exists } from "../host/files.ts";
import { findPython, type PythonSearch } from "./interpreter.ts";
import { satisfies } from "./metadata.ts";
import { isNewEnough, OLDEST, type PythonFacts, probePython, versionText } from "./probe.ts";

/** What looking for a Python needs. */
export type BaseSearch = {
  readonly search: PythonSearch;
  /** The environment it is asked in. */
  readonly environment: Readonly<Record<string, string>>;
  /** The version a script asks for, as in `>=3.11`; null for any that is new enough. */
  readonly wanted: string | null;
  readonly signal: AbortSignal;
  /** What to do once there is one, as in `run: ash init`. */
  readonly again: string;
};

const NEWER = ["python3.14", "python3.13", "python3.12", "python3.11", "python3.10"];

/** Files that tell systems apart, and how Python is installed there. */
const INSTALLERS: readonly (readonly [file: string, command: string])[] = [
  ["/etc/debian_version", "sudo apt install python3-venv"],
  ["/etc/fedora-release", "sudo dnf install python3"],
  ["/etc/alpine-release", "apk add python3"],
  ["/etc/arch-release", "sudo pacman -S python"],
  ["/etc/zypp", "sudo zypper install python3"],
  ["/opt/homebrew", "brew install python"],
];

/** True where Python's venv module is a package of its own. */
export const isDebian = (): boolean => exists("/etc/debian_version");

function howToInstall(isThereAny: boolean, need: string): string {
  const [, command] = INSTALLERS.find(([file]) => exists(file)) ?? [];
  if (isThereAny || command === undefined) return `install Python ${need}, or set ASH_PYTHON`;
  return `run: ${command}, or set ASH_PYTHON`;
}

/** Finds an interpreter that is new enough. Throws tool_runtime with what to install, or interrupted. */
export async function findBasePython(base: BaseSearch): Promise<PythonFacts> {
  const { search, environment, wanted, signal, again } = base;
  const first = findPython(search);
  const others =
    search.chosen === null ? NEWER.map((name) => findProgram(name, [...SYSTEM_PATH, ...search.path])) : [];
  const paths = [first, ...others].flatMap((found) => (found.ok ? [found.located.path] : []));
  const seen: string[] = [];
  for (const path of new Set(paths)) {
    const facts = await probePython(path, environment, signal);
    if (signal.aborted) throw new AshError("interrupted", "stopped while looking for Python");
    if (facts === null) {
      seen.push(`${path} does not run`);
      continue;
    }
    if (isNewEnough(facts) && (wanted === null || satisfies(wanted, facts.version))) return facts;
    seen.push(`${path} is ${versionText(facts.version)}`);
  }
  const need = wanted ?? `>=${versionText(OLDEST)}`;
  const problem = seen.length > 0 ? `there is no Python ${need}: ${seen.join(", ")}` : reasonOf(first);
  throw new AshError("tool_runtime", problem, {
    hint: `${howToInstall(seen.length > 0, need)}; then ${again}`,
  });
}

const reasonOf = (found: ReturnType<typeof findPython>): string =>
  found.ok ? "there is no Python" : found.reason;
