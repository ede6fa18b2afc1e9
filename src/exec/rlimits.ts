// The kernel's own limits on a process: CPU time, memory, file size, open files, processes, no core dump.
import { linux } from "../host/native.ts";
import type { KernelLimits } from "./confinement.ts";

const RESOURCE = { cpu: 0, file: 1, data: 2, core: 4, processes: 6, open: 7, locked: 8 } as const;
const LOCKED_BYTES = 64 * 1024;

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Whoever called ash may have set a lower limit already, which only an administrator could raise: that one stays. */
function set(pid: number, resource: number, soft: number, hard = soft): boolean {
  const inherited = new BigUint64Array([0n, 2n ** 64n - 1n]);
  linux()?.prlimit(pid, resource, null, inherited);
  const [, most = 0n] = inherited;
  const value = new BigUint64Array([smaller(BigInt(soft), most), smaller(BigInt(hard), most)]);
  return linux()?.prlimit(pid, resource, value, null) === 0;
}

/** Puts every limit but memory on a process; 0 means this one. False when the kernel refuses one. */
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
