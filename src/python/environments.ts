// Which Python runs which tool: ASH_PYTHON, else the environment the tool needs, else the shared one, else python3;
// and making an environment when a tool first needs it.
import { join } from "node:path";
import { AshError, systemCode, toAshError, writeFix } from "../errors.ts";
import { SYSTEM_PATH } from "../exec/environment.ts";
import type { Home } from "../home.ts";
import { assetBytes, sha256 } from "../host/assets.ts";
import { findProgram, trustedProgram } from "../host/executables.ts";
import { makeFolder, readBytes, removeTree, replaceFile } from "../host/files.ts";
import { waitForLock } from "../host/lock.ts";
import type { Lookup } from "../policy/policy.ts";
import { findBasePython, isDebian } from "./base.ts";
import { findPython, type PythonSearch } from "./interpreter.ts";
import { type Metadata, parseMetadata, satisfies } from "./metadata.ts";
import { OLDEST, type PythonFacts } from "./probe.ts";
import { type Progress, provision, removeLeftovers } from "./provision.ts";
import { missingVenv, routesFor } from "./routes.ts";
import { installerEnvironment, refuseRelativePlaces } from "./sources.ts";
import { readMark, venvPython, venvState } from "./venv.ts";
import { damageIn } from "./wholeness.ts";

/** An environment a set of requirements needs. */
export type Environment = {
  readonly folder: string;
  /** Digest of the requirements. */
  readonly digest: string;
  /** The requirements as a file for pip and uv; empty when only the interpreter matters. */
  readonly text: string;
  readonly hashed: boolean;
  /** What to do once the cause of a failure is gone, as in `run: ash init`. */
  readonly again: string;
};

/** What making environments needs from outside. */
export type ProvisionContext = {
  readonly home: Home;
  readonly search: PythonSearch;
  /** Variables that reach pip and uv besides the constructed ones. */
  readonly packageSettings: Readonly<Record<string, string>>;
  readonly userHome: string;
};

/** How one environment is to be made. */
export type EnsureOptions = {
  readonly offline: boolean;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** Makes it anew also when it stands but files of its packages are gone or changed. */
  readonly mustBeWhole?: true;
  /** Hears the id of every process that is started. */
  readonly onStart?: (pid: number) => void;
};

const TIME_LIMIT_MS = 10 * 60_000;

/** The environment of the bundled tools: every package pinned with hashes. */
export function sharedEnvironment(home: Home): Environment {
  const text = new TextDecoder().decode(assetBytes("tools/requirements.lock"));
  return { folder: home.venv, digest: sha256(text), text, hashed: true, again: "run: ash init" };
}

/** Requirements of the bundled tools as scripts declare them, without markers. */
function sharedRequirements(): ReadonlySet<string> {
  const text = new TextDecoder().decode(assetBytes("tools/requirements.txt"));
  return new Set(
    text
      .split("\n")
      .map((line) => line.replace(/[;#].*$/, "").trim())
      .filter((line) => line !== ""),
  );
}

/** Minor versions of Python 3 that are or will be around. */
const MINORS = Array.from({ length: 12 }, (_, i) => OLDEST[1] + i);

/** True when the interpreter of just any environment will do. */
const anyPythonDoes = (requiresPython: string | null): boolean =>
  MINORS.every((minor) => satisfies(requiresPython, [OLDEST[0], minor, 0]));

/** True when the shared environment stands and its Python is what a script asks for. */
function sharedSuits(requiresPython: string | null, home: Home): boolean {
  const { folder, digest } = sharedEnvironment(home);
  if (venvState(folder, digest) !== "ready") return false;
  const [major = 0, minor = 0, micro = 0] = (readMark(folder)?.version ?? "").split(".").map(Number);
  return satisfies(requiresPython, [major, minor, micro]);
}

/** The environment a script needs, or null when any Python will do as it is. */
export function environmentFor({ dependencies, requiresPython }: Metadata, home: Home): Environment | null {
  const suits = anyPythonDoes(requiresPython) || sharedSuits(requiresPython, home);
  if (dependencies.length === 0 && suits) return null;
  const shared = sharedRequirements();
  const isShared = dependencies.every((dependency) => shared.has(dependency.replace(/\s*;.*$/, "").trim()));
  if (isShared && suits) return sharedEnvironment(home);
  const text = [...dependencies]
    .sort()
    .map((dependency) => `${dependency}\n`)
    .join("");
  const digest = sha256(`${text}${requiresPython ?? ""}`);
  const folder = join(home.venvs, digest.slice(0, 16));
  return { folder, digest, text, hashed: false, again: "run the tool again" };
}

/** Reads a script's metadata; a script that cannot be read has none. */
export function metadataOf(script: string): Metadata {
  try {
    return parseMetadata(readBytes(script));
  } catch {
    return parseMetadata("");
  }
}

/** Whether what a script depends on is there. */
export function dependencyState(metadata: Metadata, home: Home): "none" | "ready" | "missing" {
  const needed = environmentFor(metadata, home);
  if (needed === null) return "none";
  return venvState(needed.folder, needed.digest) === "ready" ? "ready" : "missing";
}

/**
 * The interpreter a script would run with now. Starts nothing. An environment made from other requirements is better
 * than none: it is what an upgrade leaves until the new one is made.
 */
export function interpreterFor(script: string, context: ProvisionContext): Lookup {
  const { home, search } = context;
  if (search.chosen !== null) return findPython(search);
  const needed = environmentFor(metadataOf(script), home);
  const shared = sharedEnvironment(home);
  for (const environment of needed === null ? [shared] : [needed, shared]) {
    const state = venvState(environment.folder, environment.digest);
    if (state === "ready" || state === "stale") return trustedProgram(venvPython(environment.folder));
  }
  return findPython(search);
}

const surroundingsOf = ({ home, search, packageSettings, userHome }: ProvisionContext) =>
  installerEnvironment({ home, settings: packageSettings, userHome, path: search.path });

/** The interpreter an environment would be made from; throws as `findBasePython`. */
export const basePython = (context: ProvisionContext, signal: AbortSignal): Promise<PythonFacts> =>
  findBasePython({
    ...{ search: context.search, environment: surroundingsOf(context) },
    ...{ wanted: null, signal, again: "run: ash init" },
  });

/** Makes an environment, whatever stands in its place. Call it only under the lock. */
async function make(
  environment: Environment,
  context: ProvisionContext,
  wanted: string | null,
  options: EnsureOptions,
): Promise<void> {
  const { home, search, packageSettings } = context;
  const { digest, text, hashed, again } = environment;
  refuseRelativePlaces(packageSettings);
  makeFolder(home.cache);
  const surroundings = surroundingsOf(context);
  const { signal } = options;
  const python = await findBasePython({ search, environment: surroundings, wanted, signal, again });
  const uv = findProgram("uv", [...SYSTEM_PATH, ...search.path]);
  const uvPath = uv.ok ? uv.located.path : null;
  const empty = text === "";
  const routes = routesFor(python, uvPath, !empty);
  if (routes.length === 0) throw missingVenv(python, isDebian(), again);
  const file = join(home.cache, `requirements-${digest.slice(0, 16)}.txt`);
  replaceFile(file, text, 0o600);
  try {
    await provision(
      {
        folder: environment.folder,
        python,
        uv: uvPath,
        requirements: { file, text, digest, hashed, empty },
        environment: surroundings,
        log: join(home.cache, "pip.log"),
        timeoutMs: TIME_LIMIT_MS,
        onStart: () => undefined,
        ...options,
        again,
      },
      routes,
    );
  } finally {
    removeTree(file);
  }
}

/**
 * Makes an environment unless it is ready. Two processes at once make it once. Throws an AshError (tool_runtime or
 * interrupted) that says what to do.
 */
export async function ensureEnvironment(
  environment: Environment,
  context: ProvisionContext,
  wanted: string | null,
  options: EnsureOptions,
): Promise<"ready" | "made"> {
  const { home } = context;
  const { folder, digest } = environment;
  let isTold = false;
  const isReady = (): boolean => {
    if (venvState(folder, digest) !== "ready") return false;
    const damaged = options.mustBeWhole === true ? damageIn(folder) : null;
    if (damaged !== null && !isTold) options.progress(`files of ${damaged} are missing or changed`);
    isTold ||= damaged !== null;
    return damaged === null;
  };
  if (isReady()) return "ready";
  try {
    makeFolder(home.root);
    const lock = await waitForLock(home.lock, options.signal, () =>
      options.progress("waiting for another ash that is at it"),
    );
    if (lock === null) throw new AshError("interrupted", "stopped while waiting for another ash");
    try {
      if (isReady()) return "ready";
      removeLeftovers(home);
      await make(environment, context, wanted, options);
      return "made";
    } finally {
      lock.release();
    }
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw toAshError(thrown);
    throw new AshError("tool_runtime", `${home.root} cannot be written (${code})`, {
      hint: `${writeFix(code)}, or set ASH_HOME`,
    });
  }
}
