// The engine of one run: it performs what was judged, under the limits, and shuts down without leaving anything.
import { join } from "node:path";
import { userId } from "../host/files.ts";
import type { Limits } from "../limits.ts";
import type { Permit } from "../policy/policy.ts";
import type { Sandbox } from "../schema.ts";
import { wrapWithBwrap } from "./bwrap.ts";
import { type CallContext, type CallResult, performCall, type StageSpec } from "./call.ts";
import { joinGroup, openGroups, type ProgramGroup } from "./cgroup.ts";
import { type EnvironmentFacts, toolEnvironment } from "./environment.ts";
import { startFamily } from "./family.ts";
import { type GrantScope, hiddenPaths, SYSTEM_TREES } from "./grants.ts";
import { openJailer } from "./jailer.ts";
import { type Launched, type LaunchRequest, launchDirect } from "./launch.ts";
import { findProblem } from "./precheck.ts";
import { limitMemory, limitProcess } from "./rlimits.ts";
import { type Confiner, kernelLimits, openConfiner, type SandboxProbe } from "./sandbox.ts";
import { openScratch } from "./scratch.ts";

/** What to perform. Times in milliseconds. */
export type Performance = {
  readonly permits: readonly Permit[];
  readonly folder: string;
  readonly limits: Limits;
  /** Milliseconds left for the run. */
  readonly remainingMs: number;
  readonly signal: AbortSignal;
};

/** Performs calls. */
export type Engine = {
  /** Which locks hold around a tool. */
  readonly sandbox: Sandbox;
  perform(performance: Performance): Promise<CallResult>;
  /** Gets ready for a number of programs, while there is time. */
  prepare(programs: number): void;
  /** Keeps the ends of calls from touching a process of ash's own. */
  protect(pid: number): void;
  /** Kills everything at once; for the moment when there is no time to wait. */
  killAll(): void;
  /** Ends what waits and removes the temporary folder. No call may be running. */
  close(): Promise<void>;
};

/** What an engine is made of. */
export type EngineParts = {
  readonly facts: EnvironmentFacts;
  readonly mode: Sandbox;
  readonly probe: SandboxProbe;
  readonly scope: GrantScope;
  /** The command that starts ash itself. */
  readonly self: readonly string[];
  /** Finds a bare program name. */
  readonly find: (name: string) => string | null;
};

const refused = (problem: NonNullable<CallResult["problem"]>): CallResult => ({
  stages: [],
  stdout: { text: "", bytes: 0, truncated: false, binary: false },
  limit: null,
  aborted: false,
  durationMs: 0,
  problem,
});

/**
 * Limits put on from outside right after the start: a program could fork before, within microseconds. The limit on
 * processes does not bind root, who gets a control group instead.
 */
function launchLimited(request: LaunchRequest, group: ProgramGroup | null): Launched {
  const launched = launchDirect(request);
  if (!launched.ok) return launched;
  const { pid } = launched.child;
  const { limits } = request.confinement;
  const held =
    group?.limit(request.callLimits) && group.joins.every((path) => joinGroup(path, pid)) ? group : null;
  if (held === null) group?.remove();
  limitProcess(pid, limits);
  limitMemory(pid, limits);
  return { ok: true, child: { ...launched.child, group: held } };
}

type Place = { readonly mark: string; readonly scratch: string };

/** The stages of a call, each with its confinement; under bubblewrap that one is the program. */
function stagesOf(
  parts: EngineParts,
  confiner: Confiner,
  performance: Performance,
  { mark, scratch }: Place,
): readonly StageSpec[] {
  const limits = kernelLimits(performance.limits);
  const { bwrap } = parts.probe;
  const { onlyRead, ashHome } = parts.scope;
  const hidden = parts.mode === "bwrap" ? hiddenPaths(parts.scope) : [];
  const own = ["tools", "venv", "venvs"].map((name) => join(ashHome, name));
  const trees = onlyRead === null ? null : [...SYSTEM_TREES, ...onlyRead, ...own];
  return performance.permits.map((permit) => {
    const { executable, argv } = permit;
    // A network of its own would show other interfaces and sockets than the machine's.
    const network = permit.network || (permit.kernelSockets && !permit.unrestricted);
    const environment = toolEnvironment(parts.facts, {
      mark,
      temporaryFolder: scratch,
      extra: permit.environment,
    });
    const confinement = confiner.confine(permit, scratch, limits);
    if (parts.mode !== "bwrap" || bwrap === null)
      return { executable: executable.path, argv, environment, confinement };
    const wrapping = {
      executable: executable.path,
      argv,
      folder: performance.folder,
      scratch,
      network,
      hidden,
      trees,
      writes: permit.writes,
      fixed: own,
    };
    return { executable: bwrap, argv: wrapWithBwrap(bwrap, wrapping), environment, confinement };
  });
}

/** Starts an engine. Its temporary folder is made when the first call needs it. */
export function startEngine(parts: EngineParts): Engine {
  const { mode } = parts;
  const family = startFamily();
  const run = crypto.randomUUID().slice(0, 13);
  const scratch = openScratch();
  const confiner = openConfiner(mode, parts.probe.landlock, parts.scope, parts.find);
  const groups = mode === "none" ? null : openGroups(run);
  let mayOpen = true;
  let opened = 0;
  const openGroup = (): ProgramGroup | null => {
    opened += 1;
    const group = mayOpen ? (groups?.open(String(opened)) ?? null) : null;
    // One refusal means this user may make none; nobody asks again.
    mayOpen = group !== null;
    return group;
  };
  const jailer = openJailer(family, run, {
    self: parts.self,
    scratch: scratch.base,
    preparation: confiner.preparation,
    openGroup,
  });
  const launchers: Readonly<Record<Sandbox, CallContext["launch"]>> = {
    jail: async (request) => jailer.launch(request),
    bwrap: async (request) => jailer.launch(request),
    rlimits: async (request) => launchLimited(request, userId() === 0 ? openGroup() : null),
    none: async (request) => launchDirect(request),
  };
  const context: CallContext = { family, launch: launchers[mode] };
  let calls = 0;

  return {
    sandbox: mode,
    prepare(programs) {
      jailer.prepare(mode === "jail" || mode === "bwrap" ? programs : 1);
    },
    async perform(performance) {
      const { permits, folder, limits, remainingMs, signal } = performance;
      const problem = findProblem(permits, folder, parts.find);
      if (problem !== null) return refused(problem);
      calls += 1;
      const mark = `${run}.${calls}`;
      const temporaryFolder = scratch.take();
      jailer.prepare(1);
      try {
        const spec = {
          mark,
          stages: stagesOf(parts, confiner, performance, { mark, scratch: temporaryFolder }),
          folder,
          limits,
          timeoutMs: Math.min(limits.timeoutMs, remainingMs),
        };
        return await performCall(context, spec, signal);
      } finally {
        scratch.giveBack(temporaryFolder);
      }
    },
    protect: family.protect,
    killAll: family.killAll,
    async close() {
      await jailer.close();
      await groups?.close();
      scratch.remove();
    },
  };
}
