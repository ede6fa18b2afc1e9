// Which Python runs which tool: ASH_PYTHON, else the environment the tool needs, else the shared one, else python3;
// and making an environment when a tool first needs it.
import { join } from "node:path";
import { AshError, systemCode, toAshError } from "../errors.ts";
import { SYSTEM_PATH } from "../exec/environment.ts";
import type { Home } from "../home.ts";
import { assetBytes, sha256 } from "../host/assets.ts";
import { findProgram, trustedProgram } from "../host/executables.ts";
import { fileFacts, makeFolder, readBytes, removeTree, replaceFile } from "../host/files.ts";
import { waitForLock } from "../host/lock.ts";
import type { Lookup } from "../policy/policy.ts";
import { findPython, type PythonSearch } from "./interpreter.ts";
import { type Metadata, parseMetadata, satisfies } from "./metadata.ts";
import { isNewEnough, OLDEST, type PythonFacts, probePython, versionText } from "./probe.ts";
import { type Progress, provision } from "./provision.ts";
import { missingVenv, routesFor } from "./routes.ts";
import { venvPython, venvState } from "./venv.ts";

/** An environment a set of requirements needs. */
export type Environment = {
  readonly folder: string;
  /** Digest of the requirements. */
  readonly digest: string;
  /** The requirements as a file for pip and uv. */
  readonly text: string;
  readonly hashed: boolean;
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
};

const TIME_LIMIT_MS = 10 * 60_000;

/** The environment of the bundled tools: every package pinned with hashes. */
export function sharedEnvironment(home: Home): Environment {
  const text = new TextDecoder().decode(assetBytes("tools/requirements.lock"));
  return { folder: home.venv, digest: sha256(text), text, hashed: true };
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

/** The environment a script needs, or null when it needs nothing beyond Python. */
export function environmentFor({ dependencies, requiresPython }: Metadata, home: Home): Environment | null {
  if (dependencies.length === 0) return null;
  const shared = sharedRequirements();
  if (dependencies.every((dependency) => shared.has(dependency.replace(/\s*;.*$/, "").trim())))
    return sharedEnvironment(home);
  const text = `${[...dependencies].sort().join("\n")}\n`;
  const digest = sha256(`${text}${requiresPython ?? ""}`);
  return { folder: join(home.venvs, digest.slice(0, 16)), digest, text, hashed: false };
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

/** The interpreter a script would run with now. Starts nothing. */
export function interpreterFor(script: string, context: ProvisionContext): Lookup {
  const { home, search } = context;
  if (search.chosen !== null) return findPython(search);
  const needed = environmentFor(metadataOf(script), home);
  const shared = sharedEnvironment(home);
  for (const environment of needed === null ? [shared] : [needed, shared]) {
    if (venvState(environment.folder, environment.digest) === "ready")
      return trustedProgram(venvPython(environment.folder));
  }
  return findPython(search);
}

const NEWER = ["python3.14", "python3.13", "python3.12", "python3.11", "python3.10"];

function toolEnvironment({
  home,
  packageSettings,
  userHome,
  search,
}: ProvisionContext): Record<string, string> {
  return {
    ...packageSettings,
    PATH: [...SYSTEM_PATH, ...search.path].join(":"),
    HOME: userHome,
    LANG: "C.UTF-8",
    TMPDIR: home.cache,
    PIP_CACHE_DIR: join(home.cache, "pip"),
    UV_CACHE_DIR: join(home.cache, "uv"),
    UV_PYTHON_DOWNLOADS: "never",
    PYTHONUTF8: "1",
  };
}

/** Finds an interpreter that is new enough. Throws tool_runtime with what to install. */
export async function findBasePython(
  context: ProvisionContext,
  wanted: string | null,
  signal: AbortSignal,
): Promise<PythonFacts> {
  const first = findPython(context.search);
  const others =
    context.search.chosen === null
      ? NEWER.map((name) => findProgram(name, [...SYSTEM_PATH, ...context.search.path]))
      : [];
  const seen: string[] = [];
  for (const found of [first, ...others]) {
    if (!found.ok) continue;
    const facts = await probePython(found.located.path, toolEnvironment(context), signal);
    if (facts === null) continue;
    if (isNewEnough(facts) && (wanted === null || satisfies(wanted, facts.version))) return facts;
    seen.push(`${facts.path} is ${versionText(facts.version)}`);
  }
  if (signal.aborted) throw new AshError("interrupted", "stopped while looking for Python");
  const need = wanted ?? `>=${versionText(OLDEST)}`;
  const problem =
    seen.length > 0
      ? `no Python ${need} was found (${seen.join("; ")})`
      : first.ok
        ? `${first.located.path} does not run`
        : first.reason;
  throw new AshError("tool_runtime", problem, {
    hint: `install Python ${need}, or set ASH_PYTHON; then: ash init`,
  });
}

async function make(
  environment: Environment,
  context: ProvisionContext,
  wanted: string | null,
  options: EnsureOptions,
): Promise<void> {
  const { home, search } = context;
  const python = await findBasePython(context, wanted, options.signal);
  const uv = findProgram("uv", [...SYSTEM_PATH, ...search.path]);
  const uvPath = uv.ok ? uv.located.path : null;
  const routes = routesFor(python, uvPath);
  if (routes.length === 0) throw missingVenv(python, fileFacts("/etc/debian_version") !== null);
  const file = join(home.cache, `requirements-${environment.digest.slice(0, 16)}.txt`);
  makeFolder(home.cache);
  replaceFile(file, environment.text, 0o600);
  try {
    await provision(
      {
        folder: environment.folder,
        python,
        uv: uvPath,
        requirements: { file, digest: environment.digest, hashed: environment.hashed },
        environment: toolEnvironment(context),
        timeoutMs: TIME_LIMIT_MS,
        ...options,
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
  if (venvState(environment.folder, environment.digest) === "ready") return "ready";
  try {
    makeFolder(context.home.root);
    const lock = await waitForLock(context.home.lock, options.signal, () =>
      options.progress("waiting for another ash that is at it"),
    );
    if (lock === null) throw new AshError("interrupted", "stopped while waiting for another ash");
    try {
      if (venvState(environment.folder, environment.digest) === "ready") return "ready";
      await make(environment, context, wanted, options);
      return "made";
    } finally {
      lock.release();
    }
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw toAshError(thrown);
    throw new AshError("tool_runtime", `${context.home.root} cannot be written (${code})`, {
      hint: "make it writable, or set ASH_HOME",
    });
  }
}
