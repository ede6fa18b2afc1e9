// The program `ash doctor` runs as a tool: it tries what no tool may do and says what came of it. It does no harm: it
// writes one empty file where it was told, sends nothing, and never starts the engine.
import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT, systemCode } from "../errors.ts";
import { address, errno, linux } from "../host/native.ts";

/** What to try. */
export type ProbeOrder = {
  /** Files by a name of the caller's; each is opened for reading. */
  readonly read: Readonly<Record<string, string>>;
  /** Paths by name; each is made and removed again. */
  readonly write: Readonly<Record<string, string>>;
  /** Kernel limits are expected. Without a jail they are put on from outside, a moment after the start. */
  readonly limited: boolean;
  /** A program that does nothing; executed last. */
  readonly execute: string | null;
};

/** What came of it: `done`, or the system's reason. */
export type ProbeReport = {
  readonly read: Readonly<Record<string, string>>;
  /** As ordered, and `scratch` in the temporary folder. */
  readonly write: Readonly<Record<string, string>>;
  /** Opening a socket for the internet and giving it an address; nothing is sent. */
  readonly network: string;
  readonly localSocket: string;
  readonly parentEnvironment: string;
  readonly noNewPrivs: boolean;
  /** The kernel's name of the filter mode: 0 none, 2 a filter. */
  readonly seccomp: number | null;
  readonly limits: Readonly<Record<string, string>>;
  readonly groups: string;
  readonly environment: readonly string[];
};

/** The exit code of a probe that was not allowed to become another program. */
export const NOT_EXECUTED = 42;

const attempt = (action: () => void): string => {
  try {
    action();
    return "done";
  } catch (thrown) {
    return systemCode(thrown) ?? "failed";
  }
};

const tryAll = (
  paths: Readonly<Record<string, string>>,
  action: (path: string) => void,
): Record<string, string> =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, attempt(() => action(path))]));

function tryRead(path: string): void {
  const fd = openSync(path, "r");
  closeSync(fd);
}

function tryWrite(path: string): void {
  closeSync(openSync(path, "wx", 0o600));
  unlinkSync(path);
}

const CALLS = { x64: { socket: 41n, connect: 42n }, arm64: { socket: 198n, connect: 203n } } as const;
const AF_UNIX = 1n;
const AF_INET = 2n;
const SOCK_STREAM = 1n;
const SOCK_DGRAM = 2n;
/** 192.0.2.1, port 9: an address reserved for documentation. A datagram socket sends nothing when it is connected. */
const NOWHERE = new Uint8Array([2, 0, 0, 9, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0]);

function trySocket(family: bigint): string {
  const library = linux();
  const calls = process.arch === "x64" || process.arch === "arm64" ? CALLS[process.arch] : null;
  if (library === null || calls === null) return "unknown";
  const kind = family === AF_INET ? SOCK_DGRAM : SOCK_STREAM;
  const fd = library.syscall(calls.socket, family, kind, 0n, 0n, 0n);
  if (Number(fd) < 0) return `socket: errno ${errno()}`;
  if (family !== AF_INET) return "done";
  const connected = library.syscall(
    calls.connect,
    BigInt(fd),
    address(NOWHERE),
    BigInt(NOWHERE.length),
    0n,
    0n,
  );
  return Number(connected) === 0 ? "done" : `connect: errno ${errno()}`;
}

const readOrEmpty = (path: string): string => {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
};

const WAIT_ROUNDS = 200;
const ROUND_MS = 10;

/** The limits of this process; when some are expected, it waits until they are there, but not for ever. */
function kernelLimits(limited: boolean): Record<string, string> {
  for (let round = 0; limited && round < WAIT_ROUNDS; round += 1) {
    const limits = limitsNow();
    if (limits["data size"] !== "unlimited") return limits;
    Bun.sleepSync(ROUND_MS);
  }
  return limitsNow();
}

function limitsNow(): Record<string, string> {
  const lines = readOrEmpty("/proc/self/limits").split("\n").slice(1);
  const rows = lines.flatMap((line) => {
    const match = /^Max (.+?) {2,}(\S+)/.exec(line);
    return match?.[1] === undefined || match[2] === undefined ? [] : [[match[1], match[2]] as const];
  });
  return Object.fromEntries(rows);
}

function tryThings(order: ProbeOrder): ProbeReport {
  const status = readOrEmpty("/proc/self/status");
  const seccomp = /^Seccomp:\s*(\d)/m.exec(status)?.[1];
  return {
    read: tryAll(order.read, tryRead),
    write: tryAll({ ...order.write, scratch: join(tmpdir(), "probe") }, tryWrite),
    network: trySocket(AF_INET),
    localSocket: trySocket(AF_UNIX),
    parentEnvironment: attempt(() => void readFileSync(`/proc/${process.ppid}/environ`)),
    noNewPrivs: /^NoNewPrivs:\s*1/m.test(status),
    seccomp: seccomp === undefined ? null : Number(seccomp),
    limits: kernelLimits(order.limited),
    groups: readOrEmpty("/proc/self/cgroup").trim(),
    environment: readOrEmpty("/proc/self/environ")
      .split("\0")
      .filter((entry) => entry !== "")
      .map((entry) => entry.split("=", 1)[0] ?? ""),
  };
}

function readOrder(text: string): ProbeOrder | null {
  try {
    const order = JSON.parse(text) as Partial<ProbeOrder> | null;
    return typeof order?.read === "object" && typeof order.write === "object" ? (order as ProbeOrder) : null;
  } catch {
    return null;
  }
}

/** Tries what the order says, writes the report to stdout, and last tries to become the program of the order. */
export function runProbe(text: string): void {
  const order = readOrder(text);
  if (order === null) {
    console.error("ash: __probe is how ash doctor tries its sandbox; it is no command");
    process.exitCode = EXIT.usage;
    return;
  }
  writeSync(1, `${JSON.stringify(tryThings(order))}\n`);
  process.exitCode = NOT_EXECUTED;
  if (order.execute === null) return;
  const path = Buffer.from(`${order.execute}\0`);
  const argv = new BigUint64Array([address(path), 0n]);
  linux()?.execve(address(path), address(argv), address(new BigUint64Array(1)));
}
