// Runs one call: a program, or a pipeline of programs over real OS pipes, from the first fork to the last
// reaped process. It ends on time whatever the programs do, and leaves nothing running.
import { monotonic } from "../host/clock.ts";
import type { Limits } from "../limits.ts";
import type { Captured } from "./capture.ts";
import type { Confinement } from "./confinement.ts";
import { type Family, signalGroup } from "./family.ts";
import type { Child, Launched, LaunchProblem, LaunchRequest } from "./launch.ts";
import { closeOwnEnds, closeStageEnds, openPlumbing, type Plumbing } from "./plumbing.ts";
import { type Watched, watchCall } from "./watch.ts";

/** One program of a call. */
export type StageSpec = {
  readonly executable: string;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly confinement: Confinement;
};

/** A call as it was judged. Times in milliseconds, sizes in bytes. */
export type CallSpec = {
  /** Marks every process of the call; unique on the machine. */
  readonly mark: string;
  readonly stages: readonly StageSpec[];
  readonly folder: string;
  readonly limits: Limits;
  /** Wall time of this call; at most that of the limits. */
  readonly timeoutMs: number;
};

/** How a call ended. */
export type CallResult = Watched & {
  readonly durationMs: number;
  /** Set when a stage could not be started; then no stage has a result. */
  readonly problem: { readonly stage: number; readonly problem: LaunchProblem } | null;
};

/** What every call of a run shares. */
export type CallContext = {
  readonly family: Family;
  /** Starts one process of a call. */
  readonly launch: (request: LaunchRequest) => Promise<Launched>;
};

type Start =
  | { readonly ok: true; readonly children: readonly Child[] }
  | { readonly ok: false; readonly stage: number; readonly problem: LaunchProblem };

/** Starts every stage, the last one first: when one cannot start, those before it have not run at all. */
async function startStages(context: CallContext, spec: CallSpec, plumbing: Plumbing): Promise<Start> {
  const children: Child[] = [];
  for (let i = spec.stages.length - 1; i >= 0; i -= 1) {
    const stage = spec.stages[i] as StageSpec;
    const launched = await context.launch({
      ...stage,
      folder: spec.folder,
      stdin: plumbing.stdin[i] ?? null,
      stdout: plumbing.stdout[i] as number,
      stderr: plumbing.stderr[i] as number,
      callLimits: spec.limits,
    });
    if (!launched.ok) {
      for (const child of children) signalGroup(child.pid, "SIGKILL");
      await Promise.all(children.map((child) => child.exited));
      for (const child of children) {
        context.family.release(child.pid);
        child.group?.remove();
      }
      return { ok: false, stage: i, problem: launched.problem };
    }
    context.family.adopt(spec.mark, launched.child.pid);
    children.unshift(launched.child);
  }
  return { ok: true, children };
}

const NOTHING: Captured = { text: "", bytes: 0, truncated: false, binary: false };
const NOT_STARTED: Watched = { stages: [], stdout: NOTHING, limit: null, aborted: false };

/** Performs a call. Never throws; never takes much longer than its time-out. */
export async function performCall(
  context: CallContext,
  spec: CallSpec,
  signal: AbortSignal,
): Promise<CallResult> {
  const began = monotonic();
  const refused = (stage: number, problem: LaunchProblem): CallResult => ({
    ...NOT_STARTED,
    durationMs: monotonic() - began,
    problem: { stage, problem },
  });
  const plumbing = openPlumbing(spec.stages.length);
  if (plumbing === null) return refused(0, "no_resources");
  const start = await startStages(context, spec, plumbing);
  closeStageEnds(plumbing);
  if (!start.ok) {
    closeOwnEnds(plumbing);
    await context.family.sweep(spec.mark);
    return refused(start.stage, start.problem);
  }
  const watched = await watchCall({
    mark: spec.mark,
    children: start.children,
    plumbing,
    family: context.family,
    timeoutMs: spec.timeoutMs,
    limits: spec.limits,
    signal,
  });
  const unstarted = watched.stages.findIndex((stage) => stage.problem !== null);
  for (const { pid } of start.children) context.family.release(pid);
  await context.family.sweep(spec.mark, () => start.children.flatMap(({ group }) => group?.members() ?? []));
  for (const { group } of start.children) group?.remove();
  const problem = watched.stages[unstarted]?.problem ?? null;
  if (problem !== null) return refused(unstarted, problem);
  return { ...watched, durationMs: monotonic() - began, problem: null };
}
