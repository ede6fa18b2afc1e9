// Makes one virtual environment: in a folder beside its place, renamed when it is finished. Interrupted at any point
// it leaves nothing that counts, and the next run tidies up.
import { basename, dirname, join } from "node:path";
import { AshError } from "../errors.ts";
import { killMarked } from "../exec/family.ts";
import type { Home } from "../home.ts";
import {
  exists,
  linkFacts,
  listFolder,
  makeFolder,
  readBytes,
  readTextIfAny,
  realPath,
  removeTree,
  rename,
  replaceFile,
} from "../host/files.ts";
import type { PythonFacts } from "./probe.ts";
import { versionText } from "./probe.ts";
import { findProblem, type InstallStep, installSteps, type Route } from "./routes.ts";
import { provisionMark } from "./sources.ts";
import { runStep } from "./step.ts";
import { MARKER, REQUIREMENTS, type VenvMark, venvPython } from "./venv.ts";

/** What is going on, for whoever watches. */
export type Progress = (line: string) => void;

/** What to make. */
export type Provisioning = {
  /** Where the environment goes. */
  readonly folder: string;
  readonly python: PythonFacts;
  /** Path of uv, or null. */
  readonly uv: string | null;
  readonly requirements: {
    /** A requirements file, pinned with hashes or not. */
    readonly file: string;
    readonly text: string;
    readonly digest: string;
    readonly hashed: boolean;
    /** There is nothing to install. */
    readonly empty: boolean;
  };
  readonly environment: Readonly<Record<string, string>>;
  /** Where pip logs, and where it stays when it failed. */
  readonly log: string;
  readonly offline: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** Hears the id of every process that is started. */
  readonly onStart: (pid: number) => void;
  /** What to do once the cause of a failure is gone, as in `run: ash init`. */
  readonly again: string;
};

const PREFIX = ".making-";

function removeQuietly(path: string): void {
  try {
    removeTree(path);
  } catch {
    // Something still writes into it: the next run removes it.
  }
}

/** Ends and removes what an interrupted run left. Call it only under the lock. */
export function removeLeftovers(home: Home): void {
  const left = [home.root, home.venvs].flatMap((parent) =>
    (listFolder(parent) ?? []).filter((name) => name.startsWith(PREFIX)).map((name) => join(parent, name)),
  );
  if (left.length === 0) return;
  killMarked(provisionMark(home));
  left.forEach(removeQuietly);
}

/** Programs in the environment were written with the path it was made under. */
function correctPaths(folder: string, from: string, to: string): void {
  const programs = (listFolder(join(folder, "bin")) ?? []).map((name) => join(folder, "bin", name));
  for (const path of [...programs, join(folder, "pyvenv.cfg")]) {
    const facts = linkFacts(path);
    if (facts?.kind !== "file" || facts.size > 65_536) continue;
    const text = readBytes(path).toString("utf8");
    if (text.includes(from)) replaceFile(path, text.replaceAll(from, to), facts.mode);
  }
}

/** The package a line of pip or uv is about, with its version. */
function packageOf(line: string): string | null {
  const [, name, version] =
    /(?:Downloading|Using cached|Processing) (?:\S*\/)?([A-Za-z0-9_.]+)-([A-Za-z0-9_.!+]+)-[^/\s]*\.whl/.exec(
      line,
    ) ??
    /^ \+ ([A-Za-z0-9._-]+)==(\S+)/.exec(line) ??
    [];
  return name === undefined ? null : `${name.replaceAll("_", "-").toLowerCase()} ${version}`;
}

const UV_STAGES: Readonly<Record<string, string>> = {
  Resolved: "fetching",
  Prepared: "unpacking",
  Installed: "compiling",
};

/** What a line of pip or uv says comes next, for how many packages. */
function stageOf(line: string): string | null {
  const [, names] = /^Installing collected packages: (.+)$/.exec(line) ?? [];
  const [, stage = "", number] = /^(Resolved|Prepared|Installed) (\d+) packages?\b/.exec(line) ?? [];
  const count = names === undefined ? Number(number ?? 0) : names.split(",").length;
  if (count === 0) return null;
  return `${names === undefined ? UV_STAGES[stage] : "unpacking and compiling"} ${count} package${count === 1 ? "" : "s"}`;
}

/** Tells each package once, and each stage. */
function follow(progress: Progress): (line: string) => void {
  const seen = new Set<string>();
  return (line) => {
    const name = packageOf(line);
    if (name !== null && !seen.has(name)) progress(`  ${name}`);
    if (name !== null) seen.add(name);
    const stage = stageOf(line);
    if (stage !== null) progress(stage);
  };
}

const hasPip = (folder: string): boolean =>
  (listFolder(join(folder, "lib")) ?? []).some((name) =>
    exists(join(folder, "lib", name, "site-packages", "pip", "__init__.py")),
  );

type Failure = { readonly kind: InstallStep["kind"]; readonly error: AshError };

/** Runs the steps of one route; the first that fails. */
async function take(
  route: Route,
  what: Provisioning,
  target: string,
  deadline: number,
): Promise<Failure | null> {
  for (const step of installSteps(route, what, target)) {
    what.progress(step.title);
    const result = await runStep({
      argv: step.argv,
      environment: what.environment,
      timeoutMs: Math.max(1, deadline - performance.now()),
      signal: what.signal,
      onLine: follow(what.progress),
      onStart: what.onStart,
    });
    if (result.ok && step.kind === "make" && route === "venv" && !hasPip(target)) {
      const error = new AshError(
        "tool_runtime",
        "the environment could not be made: ensurepip brought no pip",
        {
          hint: `install uv, or your system's package of Python's venv; then ${what.again}`,
        },
      );
      return { kind: "make", error };
    }
    if (result.ok) continue;
    const log = readTextIfAny(what.log) ?? "";
    return { kind: step.kind, error: findProblem(step, result, log, what) };
  }
  return null;
}

function finish(target: string, what: Provisioning): void {
  const { requirements, python } = what;
  correctPaths(target, target, what.folder);
  const mark: VenvMark = {
    schema: "ash.venv/1",
    requirements: requirements.digest,
    version: versionText(python.version),
    base: realPath(venvPython(target)) ?? python.path,
  };
  replaceFile(join(target, REQUIREMENTS), requirements.text, 0o600);
  replaceFile(join(target, MARKER), `${JSON.stringify(mark)}\n`, 0o600);
}

/** Puts the finished environment in its place; the one before goes only when the new one stands. */
function swapIn(target: string, folder: string): void {
  const old = join(dirname(folder), `${PREFIX}old-${crypto.randomUUID().slice(0, 8)}`);
  if (linkFacts(folder) !== null) rename(folder, old);
  rename(target, folder);
  removeQuietly(old);
}

/**
 * Makes the environment, by the first route that can make one. Throws an AshError (tool_runtime, or interrupted) that
 * says what to install or to do, and the system error where the disk refuses. Call it only under the lock.
 */
export async function provision(what: Provisioning, routes: readonly Route[]): Promise<void> {
  const parent = dirname(what.folder);
  const deadline = performance.now() + what.timeoutMs;
  makeFolder(parent);
  const place = join(parent, `${PREFIX}${basename(what.folder)}-${crypto.randomUUID().slice(0, 8)}`);
  const target = join(place, "venv");
  const temporary = join(place, "tmp");
  const inPlace = { ...what, environment: { ...what.environment, TMPDIR: temporary } };
  removeTree(what.log);
  let failure: Failure | null = null;
  try {
    for (const route of routes) {
      makeFolder(temporary);
      failure = await take(route, inPlace, target, deadline);
      if (failure === null) {
        finish(target, what);
        swapIn(target, what.folder);
        removeTree(what.log);
        return;
      }
      // Another way to make it may work; another way to ask the same index does not.
      if (failure.kind === "install" || what.signal.aborted) break;
      what.progress(`  ${failure.error.message}`);
      removeTree(target);
    }
  } finally {
    removeQuietly(place);
  }
  throw failure?.error ?? new AshError("tool_runtime", "there is no way to make a Python environment here");
}
