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
  /** The folder its own pip lies in; null when it has none. */
  readonly pipFolder: string | null;
};

/** The oldest Python the tools run on. */
export const OLDEST: readonly [number, number] = [3, 9];

// What is left of a removed package is an empty folder, which Python finds as a package without an origin.
const SCRIPT = `
import importlib.util as u, json, os, sys
def origin(name):
    spec = u.find_spec(name)
    return spec.origin if spec is not None and spec.origin and os.path.isfile(spec.origin) else None
pip = origin("pip")
print(json.dumps({"version": list(sys.version_info[:3]), "venv": origin("venv") is not None,
  "ensurepip": origin("ensurepip") is not None, "pip": pip is not None,
  "pipFolder": pip and os.path.dirname(os.path.dirname(pip))}))
`;
const TIMEOUT_MS = 15_000;

/** Probes an interpreter; null when it does not run. */
export async function probePython(
  path: string,
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<PythonFacts | null> {
  const step = await runStep({
    argv: [path, "-I", "-B", "-c", SCRIPT],
    environment,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (!step.ok) return null;
  try {
    const line = step.output.split("\n").findLast((text) => text.startsWith("{"));
    const found = JSON.parse(line ?? "") as Omit<PythonFacts, "path">;
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
