// Makes one virtual environment: in a folder beside its place, renamed when it is finished. Interrupted at any point
// it leaves nothing that counts, and the next run tidies up.
import { basename, dirname, join } from "node:path";
import { AshError } from "../errors.ts";
import {
  listFolder,
  makeFolder,
  readBytes,
  realPath,
  removeTree,
  rename,
  replaceFile,
} from "../host/files.ts";
import type { PythonFacts } from "./probe.ts";
import { versionText } from "./probe.ts";
import { findProblem, installSteps, type Route } from "./routes.ts";
import { runStep } from "./step.ts";
import { MARKER, type VenvMark, venvPython } from "./venv.ts";

/** What is going on, for whoever watches. */
export type Progress = (line: string) => void;

/** What to make. */
export type Provisioning = {
  /** Where the environment goes. */
  readonly folder: string;
  readonly python: PythonFacts;
  /** Path of uv, or null. */
  readonly uv: string | null;
  /** A requirements file, pinned with hashes or not, and its digest. */
  readonly requirements: { readonly file: string; readonly digest: string; readonly hashed: boolean };
  readonly environment: Readonly<Record<string, string>>;
  readonly offline: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly progress: Progress;
};

const PREFIX = ".making-";

/** Removes what an interrupted run left beside the place of an environment. Call it only under the lock. */
export function removeHalfMade(parent: string): void {
  for (const name of listFolder(parent) ?? []) {
    if (name.startsWith(PREFIX)) removeTree(join(parent, name));
  }
}

/** Programs in the environment were written with the path it was made under. */
function correctPaths(folder: string, from: string, to: string): void {
  for (const name of listFolder(join(folder, "bin")) ?? []) {
    const path = join(folder, "bin", name);
    if (realPath(path) !== path) continue;
    const bytes = readBytes(path);
    const text = bytes.toString("utf8");
    if (bytes.length < 65_536 && text.includes(from)) replaceFile(path, text.replaceAll(from, to), 0o700);
  }
}

const packageOf = (line: string): string | null =>
  /^(?:Collecting|Using cached| \+) +([A-Za-z0-9._-]+==[^ ;]+)/.exec(line)?.[1] ?? null;

/** Runs the steps of one route; the error of the first that fails. */
async function follow(route: Route, what: Provisioning, target: string): Promise<AshError | null> {
  const began = performance.now();
  const seen = new Set<string>();
  for (const { title, argv } of installSteps(route, what, target)) {
    what.progress(title);
    const step = await runStep({
      argv,
      environment: what.environment,
      timeoutMs: Math.max(1, what.timeoutMs - (performance.now() - began)),
      signal: what.signal,
      onLine(line) {
        const name = packageOf(line);
        if (name === null || seen.has(name)) return;
        seen.add(name);
        what.progress(`  ${name}`);
      },
    });
    if (!step.ok) return findProblem(title, step, what);
  }
  return null;
}

function finish(target: string, what: Provisioning): void {
  correctPaths(target, target, what.folder);
  const mark: VenvMark = {
    schema: "ash.venv/1",
    requirements: what.requirements.digest,
    version: versionText(what.python.version),
    base: realPath(venvPython(target)) ?? what.python.path,
  };
  replaceFile(join(target, MARKER), `${JSON.stringify(mark)}\n`, 0o600);
}

/** Puts the finished environment in its place; the one before goes only when the new one stands. */
function swapIn(target: string, folder: string): void {
  const old = join(dirname(folder), `${PREFIX}old-${crypto.randomUUID().slice(0, 8)}`);
  try {
    rename(folder, old);
  } catch {
    // There was none before.
  }
  rename(target, folder);
  removeTree(old);
}

/**
 * Makes the environment, by the first route that works. Throws an AshError (tool_runtime, or interrupted) that says
 * what to install or to do. Call it only under the lock.
 */
export async function provision(what: Provisioning, routes: readonly Route[]): Promise<void> {
  const parent = dirname(what.folder);
  makeFolder(parent);
  removeHalfMade(parent);
  const target = join(parent, `${PREFIX}${basename(what.folder)}-${crypto.randomUUID().slice(0, 8)}`);
  let failure: AshError | null = null;
  try {
    for (const route of routes) {
      failure = await follow(route, what, target);
      if (failure === null) {
        finish(target, what);
        swapIn(target, what.folder);
        return;
      }
      removeTree(target);
      if (what.signal.aborted) break;
    }
  } finally {
    removeTree(target);
  }
  throw failure ?? new AshError("tool_runtime", "there is no way to make a Python environment here");
}
