// The C library through bun:ffi: the few system calls Bun has no API for. Linux first; macOS where it has them.
// It decides nothing: who may be limited, signalled or reaped is for exec/ to know.
import { CString, dlopen, type Pointer, ptr, read, FFIType as T } from "bun:ffi";

const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  linux: ["libc.so.6", "libc.so", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`],
  darwin: ["libSystem.B.dylib"],
};

const PORTABLE = {
  pipe: { args: [T.ptr], returns: T.i32 },
  fcntl: { args: [T.i32, T.i32, T.i32], returns: T.i32 },
  socketpair: { args: [T.i32, T.i32, T.i32, T.ptr], returns: T.i32 },
  waitpid: { args: [T.i32, T.ptr, T.i32], returns: T.i32 },
  flock: { args: [T.i32, T.i32], returns: T.i32 },
  kill: { args: [T.i32, T.i32], returns: T.i32 },
  poll: { args: [T.ptr, T.u64, T.i32], returns: T.i32 },
  isatty: { args: [T.i32], returns: T.i32 },
  getpwuid: { args: [T.u32], returns: T.ptr },
  tcflush: { args: [T.i32, T.i32], returns: T.i32 },
} as const;

const LINUX = {
  ...PORTABLE,
  pipe2: { args: [T.ptr, T.i32], returns: T.i32 },
  prctl: { args: [T.i32, T.u64, T.u64, T.u64, T.u64], returns: T.i32 },
  prlimit: { args: [T.i32, T.i32, T.ptr, T.ptr], returns: T.i32 },
  sendmsg: { args: [T.i32, T.ptr, T.i32], returns: T.i64_fast },
  recvmsg: { args: [T.i32, T.ptr, T.i32], returns: T.i64_fast },
  dup3: { args: [T.i32, T.i32, T.i32], returns: T.i32 },
  execve: { args: [T.u64, T.u64, T.u64], returns: T.i32 },
  signal: { args: [T.i32, T.u64], returns: T.u64 },
  getrusage: { args: [T.i32, T.ptr], returns: T.i32 },
  memfd_create: { args: [T.ptr, T.u32], returns: T.i32 },
  open: { args: [T.ptr, T.i32], returns: T.i32 },
  setpriority: { args: [T.i32, T.u32, T.i32], returns: T.i32 },
  getppid: { args: [], returns: T.i32 },
  syscall: { args: [T.i64, T.u64, T.u64, T.u64, T.u64, T.u64], returns: T.i64_fast },
  __errno_location: { args: [], returns: T.ptr },
} as const;

function open<S extends Parameters<typeof dlopen>[1]>(symbols: S) {
  for (const name of LIBRARIES[process.platform] ?? []) {
    try {
      return dlopen(name, symbols).symbols;
    } catch {
      // The next name: distributions and C libraries differ.
    }
  }
  return null;
}

const lazy = <V>(make: () => V): (() => V) => {
  let value: { readonly made: V } | undefined;
  return () => {
    value ??= { made: make() };
    return value.made;
  };
};

const portable = lazy(() => open(PORTABLE));

/** The Linux C library, or null on another system or when it cannot be loaded. */
export const linux = lazy(() => (process.platform === "linux" ? open(LINUX) : null));

/** The C library calls every Unix has, or null when it cannot be loaded. */
export const unix = lazy(() => linux() ?? portable());

/** The address of a buffer, for structs that hold pointers. The caller keeps the buffer alive. */
export function address(buffer: NodeJS.TypedArray): bigint {
  return BigInt(ptr(buffer));
}

/** The C library's errno right after a failed call, or 0 where it cannot be read. */
export function errno(): number {
  const where = linux()?.__errno_location() as Pointer | null | undefined;
  return where ? read.i32(where, 0) : 0;
}

const O_CLOEXEC = 0o2000000;
const F_SETFD = 2;
const FD_CLOEXEC = 1;

/** An OS pipe closed on exec, [read end, write end]; null when the system has no more. */
export function libraryPipe(): readonly [number, number] | null | "no library" {
  const ends = new Int32Array(2);
  const gnu = linux();
  if (gnu !== null) return gnu.pipe2(ends, O_CLOEXEC) === 0 ? [ends[0] ?? -1, ends[1] ?? -1] : null;
  const any = portable();
  if (any === null) return "no library";
  if (any.pipe(ends) !== 0) return null;
  for (const end of ends) any.fcntl(end, F_SETFD, FD_CLOEXEC);
  return [ends[0] ?? -1, ends[1] ?? -1];
}

const SIGNAL_NUMBERS = { SIGTERM: 15, SIGKILL: 9 } as const;

/** A signal ash ends processes with. */
export type EndSignal = keyof typeof SIGNAL_NUMBERS;

/** Sends a signal to a process, or to a group when the id is negative; one that is gone is no error. */
export function sendSignal(pid: number, signal: EndSignal): void {
  const library = unix();
  if (library !== null) library.kill(pid, SIGNAL_NUMBERS[signal]);
  else {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended in between.
    }
  }
}

const WNOHANG = 1;

/** Reaps an exited child by id without waiting; true when it was reaped. */
export function reap(pid: number): boolean {
  return unix()?.waitpid(pid, null, WNOHANG) === pid;
}

const LOCK_SHARED_NOW = 1 | 4;
const LOCK_EXCLUSIVE_NOW = 2 | 4;

/** Locks an open file together with everybody else who shares it; false where that is impossible. */
export function tryShareLock(fd: number): boolean {
  return unix()?.flock(fd, LOCK_SHARED_NOW) === 0;
}

/** Locks an open file for this process alone; false while another process holds it, "no library" where unknown. */
export function tryLock(fd: number): boolean | "no library" {
  const library = unix();
  return library === null ? "no library" : library.flock(fd, LOCK_EXCLUSIVE_NOW) === 0;
}

const POLLERR = 8;
const POLLHUP = 16;

/** True when the other end of the pipe behind `fd` is gone; one that never had a writer is not. */
export function isAbandoned(fd: number): boolean {
  const library = unix();
  if (library === null) return false;
  const entry = new Int32Array(2);
  entry[0] = fd;
  const ready = library.poll(entry, 1n, 0);
  const events = (entry[1] ?? 0) >>> 16;
  return ready > 0 && (events & (POLLERR | POLLHUP)) !== 0;
}

/** True when the descriptor is a terminal. */
export function isTerminal(fd: number): boolean {
  return unix()?.isatty(fd) === 1;
}

const INPUT_QUEUE = process.platform === "darwin" ? 1 : 0;

/** Throws away what was typed at a terminal and not read yet. */
export function discardTyped(fd: number): void {
  unix()?.tcflush(fd, INPUT_QUEUE);
}

const PR_SET_DUMPABLE = 4;
const PR_SET_CHILD_SUBREAPER = 36;

/** Makes orphaned descendants children of this process, so that they can be found; false where impossible. */
export function becomeSubreaper(): boolean {
  return linux()?.prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n) === 0;
}

/** Closes this process's memory and environment to other processes of the user; false where impossible. */
export function hideMemory(): boolean {
  return linux()?.prctl(PR_SET_DUMPABLE, 0n, 0n, 0n, 0n) === 0;
}

// Offsets in struct passwd: the systems have other fields between the name and the folder.
const PASSWD_NAME = 0;
const PASSWD_FOLDER = process.platform === "darwin" ? 48 : 32;

/** What the password database says of a user id, or null when it does not know it or cannot be asked. */
export function accountOf(uid: number): { readonly name: string; readonly home: string } | null {
  const record = unix()?.getpwuid(uid);
  if (!record) return null;
  const textAt = (offset: number): string => {
    const where = read.ptr(record, offset) as Pointer;
    return where ? new CString(where).toString() : "";
  };
  return { name: textAt(PASSWD_NAME), home: textAt(PASSWD_FOLDER) };
}
