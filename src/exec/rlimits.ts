// The kernel's own limits on a process: CPU time, memory, file size, open files, processes, no core dump.
import { linux } from "../host/native.ts";
import type { KernelLimits } from "./confinement.ts";

const RESOURCE = { cpu: 0, file: 1, data: 2, core: 4, processes: 6, open: 7, locked: 8 } as const;
const LOCKED_BYTES = 64 * 1024;

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** A limit that holds already is never raised: only root may, and whoever set it meant it. */
function set(pid: number, resource: number, soft: number, hard = soft): boolean {
  const library = linux();
  const before = new BigUint64Array(2);
  if (library === null || library.prlimit(pid, resource, null, before) !== 0) return false;
  const [, highest = 0n] = before;
  const value = new BigUint64Array([least(BigInt(soft), highest), least(BigInt(hard), highest)]);
  return library.prlimit(pid, resource, value, null) === 0;
}

/** Puts every limit but memory on a process, or the lower one it has; 0 means this one. False when the kernel refuses one. */
export function limitProcess(pid: number, limits: KernelLimits): boolean {
  return (
    // One second between the signal a program may handle and the one it may not.
    set(pid, RESOURCE.cpu, limits.cpuSeconds, limits.cpuSeconds + 1) &&
    set(pid, RESOURCE.file, limits.fileBytes) &&
    set(pid, RESOURCE.core, 0) &&
    set(pid, RESOURCE.open, limits.openFiles) &&
    set(pid, RESOURCE.processes, limits.processes) &&
    set(pid, RESOURCE.locked, LOCKED_BYTES)
  );
}

/** Limits the memory a process may map for itself; 0 means this one. False when the kernel refuses. */
export function limitMemory(pid: number, limits: KernelLimits): boolean {
  return set(pid, RESOURCE.data, limits.dataBytes);
}
