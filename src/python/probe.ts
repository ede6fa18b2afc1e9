// What a Python interpreter is and can do, asked of the interpreter itself.
import { runStep } from "./step.ts";

/** An interpreter, probed. */
export type PythonFacts = {
  readonly path: string;
  readonly version: readonly [major: number, minor: number, micro: number];
  /** It can make virtual environments, with pip in them, with its own pip. */
  readonly venv: boolean;
  readonly ensurepip: boolean;
  readonly pip: boolean;
};

/** The oldest Python the tools run on. */
export const OLDEST: readonly [number, number] = [3, 9];

const SCRIPT = `
import importlib.util as u, json, sys
print(json.dumps({"version": list(sys.version_info[:3]), "venv": u.find_spec("venv") is not None,
  "ensurepip": u.find_spec("ensurepip") is not None, "pip": u.find_spec("pip") is not None}))
`;
const TIMEOUT_MS = 15_000;

/** Probes an interpreter; null when it does not run. */
export async function probePython(
  path: string,
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<PythonFacts | null> {
  const step = await runStep({
    argv: [path, "-I", "-c", SCRIPT],
    environment,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (!step.ok) return null;
  try {
    const found = JSON.parse(step.stdout.trim().split("\n").at(-1) ?? "") as Omit<PythonFacts, "path">;
    return { ...found, path };
  } catch {
    return null;
  }
}

/** Writes a version the way people do. */
export const versionText = (version: readonly number[]): string => version.join(".");

/** True when the interpreter is new enough for the tools. */
export function isNewEnough({ version }: PythonFacts): boolean {
  const [major, minor] = version;
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}
