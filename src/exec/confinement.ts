// What a process of a call is confined to, as plain data that travels to the process which puts the locks on.
import type { Grant } from "./landlock.ts";

/** Kernel limits of one process; sizes in bytes, CPU time in whole seconds. */
export type KernelLimits = {
  readonly cpuSeconds: number;
  readonly dataBytes: number;
  readonly fileBytes: number;
  readonly openFiles: number;
  readonly processes: number;
};

/** The locks of the jail. */
export type Locks = {
  readonly abi: number;
  /** Besides what was granted ahead: the program, its loader, its private folder. */
  readonly grants: readonly Grant[];
  readonly network: boolean;
  /** May ask the kernel about interfaces, routes and sockets. */
  readonly kernelSockets: boolean;
  /** May talk to services of this machine. */
  readonly localSockets: boolean;
  /** May start other programs after itself. */
  readonly spawns: boolean;
  /** May change files: the bits and times of one it has open, too. */
  readonly writes: boolean;
};

/** What one process of a call is confined to. */
export type Confinement = {
  readonly limits: KernelLimits;
  /** Null: kernel limits only. */
  readonly locks: Locks | null;
};

/** Everything a jailed process needs to know to become the program. */
export type JailOrder = Confinement & {
  readonly executable: string;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly parent: number;
};

/** What a waiting process can do before it knows the program: what every program of the run may read. */
export type JailPreparation = {
  /** Landlock version; 0 means kernel limits only. */
  readonly abi: number;
  readonly grants: readonly Grant[];
  /** Control groups to join, as paths of their process lists. */
  readonly groups: readonly string[];
};

/** A message to the waiting process; its body is in the first descriptor that comes with it. */
export const JAIL_MESSAGE = { prepare: 1, order: 2 } as const;

/** What the jailed process says before it becomes the program, or instead. */
export type JailReport =
  | { readonly state: "ready"; readonly cpuMs: number }
  | { readonly state: "failed"; readonly step: string; readonly detail: string; readonly errno: number };
