// The system-call filter, interpreted as the kernel would.
import { describe, expect, test } from "bun:test";
import { type Architecture, buildFilter, type FilterOptions } from "../../src/exec/seccomp.ts";
import { runFilter } from "../support/bpf.ts";

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;

const options = (more: Partial<FilterOptions> = {}): FilterOptions => ({
  architecture: "x64",
  network: false,
  kernelSockets: false,
  localSockets: false,
  onlyExecutable: 0x1234_5678_9abcn,
  landlockAbi: 7,
  writes: false,
  ...more,
});

function verdict(number: number, args: readonly bigint[] = [], more: Partial<FilterOptions> = {}): number {
  const chosen = options(more);
  return runFilter(buildFilter(chosen), { architecture: AUDIT[chosen.architecture], number, args });
}

/** Numbers that differ between the architectures: [name, x86_64, aarch64]. */
const denied = [
  ["ptrace", 101, 117],
  ["process_vm_readv", 310, 270],
  ["unshare", 272, 97],
  ["setns", 308, 268],
  ["mount", 165, 40],
  ["io_uring_setup", 425, 425],
  ["bpf", 321, 280],
  ["settimeofday", 164, 170],
  ["sethostname", 170, 161],
  ["fchmodat", 268, 53],
  ["fchownat", 260, 54],
  ["utimensat", 280, 88],
  ["setxattr", 188, 5],
  ["memfd_create", 319, 279],
  ["reboot", 169, 142],
  ["keyctl", 250, 219],
] as const;

describe.each(["x64", "arm64"] as const)("the filter for %s", (architecture: Architecture) => {
  const column = architecture === "x64" ? 1 : 2;
  const at = (x64: number, arm64: number): number => (architecture === "x64" ? x64 : arm64);

  test.each(denied)("refuses %s", (...row) => {
    expect(verdict(row[column], [], { architecture })).toBe(EPERM);
  });

  test("allows bits and times of open files, and none by path, to what may change files", () => {
    const utimensat = at(280, 88);
    const fchmod = at(91, 52);
    expect(verdict(fchmod, [3n], { architecture })).toBe(EPERM);
    expect(verdict(fchmod, [3n], { architecture, writes: true })).toBe(ALLOW);
    expect(verdict(utimensat, [3n, 0n], { architecture })).toBe(EPERM);
    expect(verdict(utimensat, [3n, 0n], { architecture, writes: true })).toBe(ALLOW);
    for (const path of [1n, 0x7fff_0000_0000n])
      expect(verdict(utimensat, [3n, path], { architecture, writes: true })).toBe(EPERM);
    expect(verdict(at(268, 53), [], { architecture, writes: true })).toBe(EPERM);
  });

  test("allows what programs need", () => {
    const needed = [
      ["read", 0, 63],
      ["write", 1, 64],
      ["openat", 257, 56],
      ["mmap", 9, 222],
      ["futex", 202, 98],
      ["socketpair", 53, 199],
      ["prctl", 157, 167],
      ["exit_group", 231, 94],
      ["wait4", 61, 260],
    ] as const;
    for (const [, x64, arm64] of needed) expect(verdict(at(x64, arm64), [], { architecture })).toBe(ALLOW);
  });

  test("allows exactly the one execve it was made for", () => {
    const execve = at(59, 221);
    expect(verdict(execve, [0x1234_5678_9abcn], { architecture })).toBe(ALLOW);
    for (const other of [0x1234_5678_9abdn, 0x9999_5678_9abcn, 0x5678_9abcn, 0n]) {
      expect(verdict(execve, [other], { architecture })).toBe(EPERM);
    }
    expect(verdict(at(322, 281), [], { architecture })).toBe(EPERM);
    expect(verdict(execve, [1n], { architecture, onlyExecutable: null })).toBe(ALLOW);
    expect(verdict(at(322, 281), [1n], { architecture, onlyExecutable: null })).toBe(ALLOW);
  });

  test("refuses every socket without the network, and local ones with it", () => {
    const socket = at(41, 198);
    for (const family of [1n, 2n, 10n, 16n, 17n, 40n])
      expect(verdict(socket, [family], { architecture })).toBe(EPERM);
    for (const family of [2n, 10n, 16n])
      expect(verdict(socket, [family], { architecture, network: true })).toBe(ALLOW);
    for (const family of [1n, 17n, 40n, 38n])
      expect(verdict(socket, [family], { architecture, network: true })).toBe(EPERM);
  });

  test("allows what asks the kernel sockets for that, and neither a connection nor another protocol", () => {
    const socket = at(41, 198);
    const asking = { architecture, kernelSockets: true } as const;
    for (const args of [
      [16n, 3n, 0n],
      [16n, 0x80003n, 4n],
      [2n, 2n, 0n],
      [10n, 0x80802n, 0n],
    ])
      expect([args, verdict(socket, args, asking)]).toEqual([args, ALLOW]);
    for (const args of [
      [16n, 3n, 12n],
      [16n, 3n, 16n],
      [2n, 1n, 0n],
      [2n, 3n, 1n],
      [1n, 2n, 0n],
      [17n, 3n, 0n],
    ])
      expect([args, verdict(socket, args, asking)]).toEqual([args, EPERM]);
    expect(verdict(at(42, 203), [3n], asking)).toBe(EPERM);
    expect(verdict(at(307, 269), [3n], asking)).toBe(EPERM);
    expect(verdict(at(42, 203), [3n], { architecture, network: true })).toBe(ALLOW);
  });

  test("allows local sockets to what talks to services of this machine, besides its other sockets", () => {
    const socket = at(41, 198);
    const local = { architecture, localSockets: true } as const;
    expect(verdict(socket, [1n, 1n, 0n], local)).toBe(ALLOW);
    for (const family of [2n, 10n, 16n, 17n, 38n, 40n]) expect(verdict(socket, [family], local)).toBe(EPERM);
    expect(verdict(at(42, 203), [3n], local)).toBe(ALLOW);
    expect(verdict(socket, [1n, 1n, 0n], { ...local, network: true })).toBe(ALLOW);
    expect(verdict(socket, [2n, 1n, 0n], { ...local, network: true })).toBe(ALLOW);
    expect(verdict(socket, [17n, 3n, 0n], { ...local, network: true })).toBe(EPERM);
  });

  test("allows the kernel's log to be read, and not to be cleared, awaited or silenced", () => {
    const syslog = at(103, 116);
    for (const action of [3n, 10n]) expect(verdict(syslog, [action], { architecture })).toBe(ALLOW);
    for (const action of [0n, 1n, 2n, 4n, 5n, 6n, 7n, 8n])
      expect(verdict(syslog, [action], { architecture })).toBe(EPERM);
  });

  test("allows forks and threads but no new namespace", () => {
    const clone = at(56, 220);
    expect(verdict(clone, [0x01200011n], { architecture })).toBe(ALLOW);
    expect(verdict(clone, [0x003d0f00n], { architecture })).toBe(ALLOW);
    for (const flag of [
      0x20000n,
      0x10000000n,
      0x20000000n,
      0x40000000n,
      0x08000000n,
      0x04000000n,
      0x02000000n,
      0x80n,
    ]) {
      expect(verdict(clone, [0x11n | flag], { architecture })).toBe(EPERM);
    }
    expect(verdict(435, [], { architecture })).toBe(ENOSYS);
  });

  test("refuses typing into a terminal and allows other requests", () => {
    const ioctl = at(16, 29);
    for (const request of [0x5412n, 0x541cn])
      expect(verdict(ioctl, [0n, request], { architecture })).toBe(EPERM);
    for (const request of [0x5401n, 0x5413n, 0x541bn])
      expect(verdict(ioctl, [0n, request], { architecture })).toBe(ALLOW);
  });

  test("makes up for what older kernels do not confine", () => {
    const kill = at(62, 129);
    const truncate = at(76, 45);
    expect([verdict(kill, [], { architecture }), verdict(truncate, [], { architecture })]).toEqual([
      ALLOW,
      ALLOW,
    ]);
    expect(verdict(kill, [], { architecture, landlockAbi: 5 })).toBe(EPERM);
    expect(verdict(truncate, [], { architecture, landlockAbi: 2 })).toBe(EPERM);
  });

  test("kills a call of another architecture", () => {
    const filter = buildFilter(options({ architecture }));
    expect(runFilter(filter, { architecture: 0x40000003, number: 1 })).toBe(KILL);
  });

  test("is short enough for the kernel", () => {
    expect(buildFilter(options({ architecture, landlockAbi: 1 })).length / 8).toBeLessThan(4096);
  });
});

test("the x86_64 filter kills calls of the x32 form", () => {
  expect(verdict(0x40000000 + 59)).toBe(KILL);
});
