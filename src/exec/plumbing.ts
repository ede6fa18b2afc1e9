// The OS pipes of one call: between the stages, and from every stage to ash.
import { closeQuietly } from "../host/files.ts";
import { makePipe, type Pipe } from "../host/pipes.ts";

/** Pipe ends of a call with n stages, as descriptors of this process. */
export type Plumbing = {
  /** What each stage reads; null is /dev/null. */
  readonly stdin: readonly (number | null)[];
  readonly stdout: readonly number[];
  readonly stderr: readonly number[];
  /** Reading ends that stay with ash: the last stage's stdout, every stage's stderr. */
  readonly output: number;
  readonly errors: readonly number[];
};

/** Opens all pipes a call needs, or none: null when the system has no more. */
export function openPlumbing(stages: number): Plumbing | null {
  const opened: number[] = [];
  const pipe = (): Pipe | null => {
    const ends = makePipe();
    if (ends !== null) opened.push(...ends);
    return ends;
  };
  const stdin: (number | null)[] = [null];
  const stdout: number[] = [];
  const stderr: number[] = [];
  const errors: number[] = [];
  let output = -1;
  for (let i = 0; i < stages; i += 1) {
    const out = pipe();
    const err = out === null ? null : pipe();
    if (out === null || err === null) {
      for (const fd of opened) closeQuietly(fd);
      return null;
    }
    stdout.push(out[1]);
    if (i === stages - 1) output = out[0];
    else stdin.push(out[0]);
    stderr.push(err[1]);
    errors.push(err[0]);
  }
  return { stdin, stdout, stderr, output, errors };
}

/** Closes the ends that belong to the stages, once they are started. */
export function closeStageEnds(plumbing: Plumbing): void {
  for (const fd of [...plumbing.stdin, ...plumbing.stdout, ...plumbing.stderr]) {
    if (fd !== null) closeQuietly(fd);
  }
}

/** Closes ash's own ends when nothing will be read. */
export function closeOwnEnds(plumbing: Plumbing): void {
  for (const fd of [plumbing.output, ...plumbing.errors]) closeQuietly(fd);
}
