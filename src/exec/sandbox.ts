// Which locks hold around tools on this machine, and the confinement of each program. The mode is found once and
// never lowered afterwards.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { configError } from "../errors.ts";
import { listEntries } from "../host/files.ts";
import { linux } from "../host/native.ts";
import type { Limits } from "../limits.ts";
import type { Permit } from "../policy/policy.ts";
import type { Sandbox } from "../schema.ts";
import type { Confinement, JailPreparation, KernelLimits, Locks } from "./confinement.ts";
import { type GrantScope, readingGrants, scriptGrants, writingGrants } from "./grants.ts";
import { type Grant, landlockVersion } from "./landlock.ts";
import { taskCount } from "./proc.ts";
import { inspectProgram } from "./program.ts";

/** What the user asks for: `auto` takes the strongest mode there is. */
export type SandboxChoice = "auto" | Sandbox;

/** What this machine offers. */
export type SandboxProbe = {
  /** Landlock version, 0 when there is none. */
  readonly landlock: number;
  readonly seccomp: boolean;
  /** Path of bubblewrap, or null. */
  readonly bwrap: string | null;
  readonly rlimits: boolean;
};

const PR_GET_SECCOMP = 21;
const BWRAP = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"];

/** Looks what locks this machine has. */
export function probeSandbox(): SandboxProbe {
  const library = linux();
  const known = process.arch === "x64" || process.arch === "arm64";
  return {
    landlock: known ? landlockVersion() : 0,
    seccomp: known && (library?.prctl(PR_GET_SECCOMP, 0n, 0n, 0n, 0n) ?? -1) >= 0,
    bwrap: library === null ? null : (BWRAP.find((path) => existsSync(path)) ?? null),
    rlimits: library !== null,
  };
}

/** The modes a machine offers, strongest first. */
export function availableModes(probe: SandboxProbe): readonly Sandbox[] {
  const modes: Sandbox[] = [];
  if (probe.landlock > 0 && probe.seccomp) modes.push("jail");
  if (probe.bwrap !== null) modes.push("bwrap");
  if (probe.rlimits) modes.push("rlimits");
  return [...modes, "none"];
}

/**
 * The mode of a run. Throws a configuration error when the chosen one is not to be had, or when a sandbox is
 * required and there is neither a jail nor bubblewrap.
 */
export function chooseMode(probe: SandboxProbe, choice: SandboxChoice, required: boolean): Sandbox {
  const modes = availableModes(probe);
  const mode = choice === "auto" ? (modes[0] ?? "none") : choice;
  if (!modes.includes(mode)) {
    throw configError(
      `the sandbox ${mode} is not available here`,
      `available: ${modes.join(", ")}; see: ash doctor`,
    );
  }
  if (required && mode !== "jail" && mode !== "bwrap") {
    throw configError(
      `require_sandbox is set, but the best mode here is ${mode}`,
      "it needs Linux 5.13 with Landlock, or bubblewrap",
    );
  }
  return mode;
}

const OPEN_FILES = 256;
const EXECUTABLE_TREES = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt"];

/** Limits of a single process, from those of a call. */
export function kernelLimits(limits: Limits): KernelLimits {
  return {
    cpuSeconds: Math.max(1, Math.ceil(limits.cpuMs / 1000)),
    // Address space reserved and never touched counts here: threads alone need a lot of it. What is really used is
    // watched while the call runs; this is the wall behind it.
    dataBytes: limits.memoryMax * 2,
    fileBytes: limits.fileMax,
    openFiles: OPEN_FILES,
    // The kernel counts all tasks of the user, whoever started them.
    processes: taskCount() + limits.processMax,
  };
}

/** Confines programs. */
export type Confiner = {
  readonly mode: Sandbox;
  /** The confinement of one program of a call. */
  confine(permit: Permit, scratch: string, limits: KernelLimits): Confinement;
  /** What every program of the run may read; Landlock version 0 when there are no such locks. */
  preparation(): Omit<JailPreparation, "groups">;
};

const trees = (paths: readonly string[]): readonly Grant[] =>
  paths.filter((path) => existsSync(path)).map((path) => ({ path, access: "execute", folder: true }));

/** Opens the confiner of a run. `find` looks up a bare program name. */
export function openConfiner(
  mode: Sandbox,
  abi: number,
  scope: GrantScope,
  find: (name: string) => string | null,
): Confiner {
  let reading: readonly Grant[] | null = null;
  const readable = (): readonly Grant[] => {
    reading ??= readingGrants(scope);
    return reading;
  };
  const locksFor = (permit: Permit, scratch: string): Locks => {
    const program = inspectProgram(permit.executable.path, find);
    const spawns = permit.unrestricted || permit.helpers || (program.ok && !program.direct);
    const own = program.ok ? program.needs : [permit.executable.path];
    const executable: readonly Grant[] = own.map((path) => ({ path, access: "execute", folder: false }));
    const helpers = permit.unrestricted || permit.helpers ? trees(EXECUTABLE_TREES) : [];
    // Environments are made after the run opened: what a script needs is looked up when it starts.
    const libraries = permit.script === null ? [] : scriptGrants(scope.ashHome);
    const names = permit.listsHomes ? readable().filter(({ access }) => access === "list") : [];
    const changes = permit.writes ? writingGrants(scope) : [];
    const grants: readonly Grant[] = [
      ...names,
      ...executable,
      ...helpers,
      ...libraries,
      ...changes,
      { path: scratch, access: "write", folder: true },
    ];
    const { network, kernelSockets, localSockets, writes } = permit;
    return { abi, grants, network, kernelSockets, localSockets, spawns, writes };
  };
  return {
    mode,
    confine: (permit, scratch, limits) => ({
      limits,
      locks: mode === "jail" ? locksFor(permit, scratch) : null,
    }),
    preparation: () =>
      mode === "jail"
        ? { abi, grants: readable().filter(({ access }) => access !== "list") }
        : { abi: 0, grants: [] },
  };
}

/** Every folder that is somebody's home: those named, root's, and all below /home and /Users. */
export function homeFolders(named: readonly string[]): readonly string[] {
  const below = ["/home", "/Users"].flatMap((parent) =>
    (listEntries(parent) ?? []).flatMap(({ name, kind }) =>
      kind === "directory" ? [join(parent, name)] : [],
    ),
  );
  return [...new Set([...named, "/root", ...below])];
}
