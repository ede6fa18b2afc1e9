// Drives the engine without any policy in front of it, and looks for what a call left behind.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallResult } from "../../src/exec/call.ts";
import { type Engine, startEngine } from "../../src/exec/engine.ts";
import { homeFolders, probeSandbox } from "../../src/exec/sandbox.ts";
import { identityOf } from "../../src/host/executables.ts";
import { fileFacts, realPath } from "../../src/host/files.ts";
import type { Limits } from "../../src/limits.ts";
import type { Permit } from "../../src/policy/policy.ts";
import type { Sandbox } from "../../src/schema.ts";
import { ASH } from "./ash.ts";

/** Limits short enough for tests. */
export const LIMITS: Limits = {
  timeoutMs: 10_000,
  outputMax: 8192,
  memoryMax: 256 * 1024 ** 2,
  cpuMs: 10_000,
  fileMax: 16 * 1024 ** 2,
  processMax: 64,
};

/** Finds a program of the system; throws when the test machine lacks it. */
export function program(name: string): string {
  const path = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
    .map((folder) => realPath(join(folder, name)))
    .find(Boolean);
  if (path === undefined || path === null) throw new Error(`${name} is not installed`);
  return path;
}

/** A permit for an argv, as if every rule had allowed it. */
export function permitFor(argv: readonly string[], more: Partial<Permit> = {}): Permit {
  const [name = ""] = argv;
  const path = name.startsWith("/") ? name : program(name);
  const facts = fileFacts(path);
  if (facts === null) throw new Error(`${path} is missing`);
  const executable = { path, identity: identityOf(facts) };
  const undeclared = { environment: {}, timeoutMs: null, outputMax: null };
  const rights = { network: false, unrestricted: true, writes: false, helpers: false, listsHomes: true };
  const undemanding = { kernelSockets: false, localSockets: false };
  return { executable, script: null, argv, ...undeclared, ...rights, ...undemanding, ...more };
}

/** An engine in a place of its own. */
export type Bench = {
  readonly engine: Engine;
  readonly folder: string;
  readonly home: string;
  readonly ashHome: string;
  /** Runs programs as one call. */
  run(argvs: readonly (readonly string[])[], more?: RunMore): Promise<CallResult>;
  /** Runs one `sh -c` script. */
  sh(script: string, more?: RunMore): Promise<CallResult>;
  close(): Promise<void>;
};

/** What may differ from call to call. */
export type RunMore = {
  readonly limits?: Partial<Limits>;
  readonly signal?: AbortSignal;
  readonly permit?: Partial<Permit>;
};

/** Opens a bench in the given mode; its jails are the compiled binary. */
export function openBench(mode: Sandbox): Bench {
  const root = mkdtempSync(join(tmpdir(), "ash-bench-"));
  const [home, folder] = [join(root, "home"), join(root, "work")];
  const ashHome = join(home, ".ash");
  for (const path of [home, folder, ashHome, join(ashHome, "tools")]) mkdirSync(path, { mode: 0o700 });
  const engine = startEngine({
    facts: { home, user: "tester", language: undefined, timeZone: undefined },
    mode,
    probe: probeSandbox(),
    self: [ASH],
    scope: { homes: homeFolders([home]), ashHome, folder, onlyRead: null, neverRead: [] },
    find: (name) => realPath(join("/usr/bin", name)),
  });
  const run: Bench["run"] = (argvs, more = {}) =>
    engine.perform({
      permits: argvs.map((argv) => permitFor(argv, more.permit)),
      folder,
      limits: { ...LIMITS, ...more.limits },
      remainingMs: 600_000,
      signal: more.signal ?? new AbortController().signal,
    });
  return {
    engine,
    folder,
    home,
    ashHome,
    run,
    sh: (script, more) => run([["sh", "-c", script]], more),
    async close() {
      await engine.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

type Process = {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly session: number;
  readonly command: string;
};

function processes(): readonly Process[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [state = "", parent = "", , session = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const command = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ");
      return [{ pid: Number(name), state, parent: Number(parent), session: Number(session), command }];
    } catch {
      return [];
    }
  });
}

/** A process that waits for its order, or is just being replaced by it: then it has no command line yet. */
const isWaitingJail = ({ command, state }: Process): boolean =>
  command.includes(" __jail ") || (command === "" && state === "R");

const environmentOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
};

/** Ids of the processes there are now; compare with `leftovers` after a call. */
export const processesNow = (): ReadonlySet<number> => new Set(processes().map(({ pid }) => pid));

/**
 * Processes a bench's calls left behind: new ones that are this process's own children, running or zombies (what
 * escapes is handed to it), that carry the bench's environment, or that share a session with one of those.
 */
export function leftovers(before: ReadonlySet<number>, bench: Bench): readonly string[] {
  const fresh = processes().filter((found) => !before.has(found.pid) && !isWaitingJail(found));
  const ours = fresh.filter(
    ({ pid, parent }) => parent === process.pid || environmentOf(pid).includes(`HOME=${bench.home}\0`),
  );
  const sessions = new Set(ours.map(({ session }) => session));
  return fresh
    .filter((found) => ours.includes(found) || sessions.has(found.session))
    .map(({ pid, state, command }) => `${pid} ${state} ${command}`);
}
