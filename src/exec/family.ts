// Every process a call started, also the ones that tried to get away: one registry for all calls of the run,
// so that ending one call never hurts another.
import { sleep } from "../host/clock.ts";
import { becomeSubreaper, type EndSignal, reap, sendSignal } from "../host/native.ts";
import { callMarkOf, childrenOf, processIds, processState } from "./proc.ts";

const SWEEP_ROUNDS = 100;
const ROUND_MS = 2;

/** Sends a signal to a whole process group; a group that is gone is no error. */
export function signalGroup(leader: number, signal: EndSignal): void {
  if (leader > 1) sendSignal(-leader, signal);
}

/** Kills every process of every call of a run, found by its mark. For the time after ash itself has died. */
export function killMarked(run: string): void {
  for (let round = 0; round < SWEEP_ROUNDS; round += 1) {
    const marked = processIds().filter(
      (pid) => pid !== process.pid && callMarkOf(pid)?.startsWith(`${run}.`),
    );
    if (marked.length === 0) return;
    for (const pid of marked) sendSignal(pid, "SIGKILL");
  }
}

/** The registry of one ash process. */
export type Family = {
  /** A process started on purpose for a call, leader of its own group. */
  adopt(mark: string, pid: number): void;
  /** The process has been reaped. */
  release(pid: number): void;
  /** A process of ash's own that no sweep may touch. */
  protect(pid: number): void;
  /**
   * Kills and reaps what escaped from a call's process groups, and the `members` of its control group; resolves
   * when nothing of it is left.
   */
  sweep(mark: string, members?: () => readonly number[]): Promise<void>;
  /** Processes of a call that escaped from its groups and still run. */
  strays(mark: string): readonly number[];
  /** Kills every group at once; used when there is no time to wait. */
  killAll(): void;
};

/** Starts a registry and makes orphaned descendants children of this process where the system can. */
export function startFamily(): Family {
  const canAdopt = becomeSubreaper();
  const leaders = new Map<number, string>();
  const own = new Set<number>();

  const strays = (): readonly number[] =>
    childrenOf(process.pid).filter((pid) => !leaders.has(pid) && !own.has(pid));

  const belongsTo = (pid: number, mark: string): boolean => {
    const owner = callMarkOf(pid);
    if (owner !== null) return owner === mark;
    // It hid where it came from. With no other call running it can only be this one's.
    return [...leaders.values()].every((other) => other === mark);
  };

  const round = (mark: string): number => {
    let left = 0;
    for (const pid of strays()) {
      const state = processState(pid);
      if (state === "Z") reap(pid);
      else if (state !== null && belongsTo(pid, mark)) {
        sendSignal(pid, "SIGKILL");
        left += 1;
      }
    }
    return left;
  };

  return {
    adopt(mark, pid) {
      own.delete(pid);
      leaders.set(pid, mark);
    },
    release: (pid) => void leaders.delete(pid),
    protect: (pid) => void own.add(pid),
    async sweep(mark, members = () => []) {
      for (let i = 0; i < SWEEP_ROUNDS; i += 1) {
        const escaped = members();
        for (const pid of escaped) sendSignal(pid, "SIGKILL");
        const left = canAdopt ? round(mark) : 0;
        if (left + escaped.length === 0) return;
        await sleep(ROUND_MS);
      }
    },
    strays: (mark) => (canAdopt ? strays().filter((pid) => belongsTo(pid, mark)) : []),
    killAll() {
      for (const pid of leaders.keys()) signalGroup(pid, "SIGKILL");
      for (const pid of canAdopt ? strays() : []) sendSignal(pid, "SIGKILL");
    },
  };
}
