// The system-call filter of the jail as a BPF program, for x86_64 and aarch64. Pure: it builds bytes; putting the
// filter on is the jail's business.
//
// Default is allow: Landlock guards files, the filter takes away what Landlock does not see, namely sockets, other
// processes' memory, namespaces and mounts, kernel settings, file metadata, and any further execve.

import { DENIED_CALLS } from "./syscalls.ts";

/** Architectures the filter knows. */
export type Architecture = "x64" | "arm64";

/** What a filtered program may do. */
export type FilterOptions = {
  readonly architecture: Architecture;
  /** Internet and netlink sockets. */
  readonly network: boolean;
  /** Without the network: netlink sockets for routes and sockets, and sockets that are never connected, for requests. */
  readonly kernelSockets: boolean;
  /** Local sockets. */
  readonly localSockets: boolean;
  /** Address of the path the first execve is made with; that one call is allowed. Null allows every execve. */
  readonly onlyExecutable: bigint | null;
  /** Kernels before Landlock ABI 6 do not confine signals, and before ABI 3 not truncation. */
  readonly landlockAbi: number;
  /** The program may change files: the bits and times of one it has open, too. */
  readonly writes: boolean;
};

const SIGNALLING: readonly (readonly [number, number])[] = [
  [62, 129], // kill
  [200, 130], // tkill
  [129, 138], // rt_sigqueueinfo
  [424, 424], // pidfd_send_signal
];
const TRUNCATE: readonly [number, number] = [76, 45];
const FCHMOD: readonly [number, number] = [91, 52];
const UTIMENSAT: readonly [number, number] = [280, 88];
const SOCKET: readonly [number, number] = [41, 198];
const CONNECT: readonly [number, number] = [42, 203];
const SEND_MANY: readonly [number, number] = [307, 269];
const SYSLOG: readonly [number, number] = [103, 116];
const EXECVE: readonly [number, number] = [59, 221];
const EXECVEAT: readonly [number, number] = [322, 281];
const CLONE: readonly [number, number] = [56, 220];
const CLONE3: readonly [number, number] = [435, 435];
const IOCTL: readonly [number, number] = [16, 29];

const AUDIT: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };
const X32_BIT = 0x40000000;

/** CLONE_NEW*: a namespace of one's own would undo other locks. */
const NAMESPACE_FLAGS = 0x7e020080;
/** TIOCSTI and TIOCLINUX type into a terminal. */
const TERMINAL_REQUESTS = [0x5412, 0x541c];
/** AF_INET, AF_INET6 and AF_NETLINK, which name look-ups need. */
const NETWORK_FAMILIES = [2, 10, 16];
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
const NETLINK_SOCKETS = 4;
const SOCKET_TYPE = 0xf;
const DATAGRAMS = 2;

/** Reading all of the kernel's log, and its size; not waiting for more, clearing it or changing what is logged. */
const LOG_READS = [3, 10];

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const ERRNO = 0x00050000;
const EPERM = 1;
const ENOSYS = 38;

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_EQUAL = 0x35;
const JUMP_ANY_BIT = 0x45;
const AND = 0x54;
const RETURN = 0x06;

/** Offsets in struct seccomp_data. */
const AT_NUMBER = 0;
const AT_ARCHITECTURE = 4;
const argumentLow = (index: number): number => 16 + 8 * index;
const argumentHigh = (index: number): number => argumentLow(index) + 4;

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];

const load = (offset: number): Instruction => [LOAD, 0, 0, offset];
const give = (value: number): Instruction => [RETURN, 0, 0, value];
const refuse = (errno: number): Instruction => give(ERRNO | errno);
const unless = (code: number, value: number, skip: number): Instruction => [code, 0, skip, value];
const when = (code: number, value: number, skip: number): Instruction => [code, skip, 0, value];

/** `body` runs for one system call and must end in a return; other calls pass it by. */
const forCall = (number: number, body: readonly Instruction[]): readonly Instruction[] => [
  unless(JUMP_EQUAL, number, body.length),
  ...body,
];

/** Sockets that ask the kernel: netlink for routes and sockets, and datagram sockets to hand requests to. */
const KERNEL_SOCKETS: readonly Instruction[] = [
  load(argumentLow(0)),
  unless(JUMP_EQUAL, AF_NETLINK, 5),
  load(argumentLow(2)),
  when(JUMP_EQUAL, NETLINK_ROUTE, 1),
  unless(JUMP_EQUAL, NETLINK_SOCKETS, 1),
  give(ALLOW),
  refuse(EPERM),
  when(JUMP_EQUAL, AF_INET, 2),
  when(JUMP_EQUAL, AF_INET6, 1),
  refuse(EPERM),
  load(argumentLow(1)),
  [AND, 0, 0, SOCKET_TYPE],
  unless(JUMP_EQUAL, DATAGRAMS, 1),
  give(ALLOW),
  refuse(EPERM),
];

type SocketOptions = Pick<FilterOptions, "network" | "kernelSockets" | "localSockets">;

function socketRule({ network, kernelSockets, localSockets }: SocketOptions): readonly Instruction[] {
  const local = [load(argumentLow(0)), unless(JUMP_EQUAL, AF_UNIX, 1), give(ALLOW)];
  if (localSockets) return [...local, ...socketRule({ network, kernelSockets, localSockets: false })];
  if (!network) return kernelSockets ? KERNEL_SOCKETS : [refuse(EPERM)];
  const families = NETWORK_FAMILIES.map((family, i) => when(JUMP_EQUAL, family, NETWORK_FAMILIES.length - i));
  return [load(argumentLow(0)), ...families, refuse(EPERM), give(ALLOW)];
}

function execRule(only: bigint | null): readonly Instruction[] {
  if (only === null) return [give(ALLOW)];
  return [
    load(argumentLow(0)),
    unless(JUMP_EQUAL, Number(only & 0xffffffffn), 3),
    load(argumentHigh(0)),
    unless(JUMP_EQUAL, Number(only >> 32n), 1),
    give(ALLOW),
    refuse(EPERM),
  ];
}

/** Bits and times: by descriptor for a program that may change files, since Landlock decided what it could open. */
function metadataRules(writes: boolean, column: 0 | 1): readonly Instruction[] {
  const times = [
    load(argumentLow(1)),
    unless(JUMP_EQUAL, 0, 3),
    load(argumentHigh(1)),
    unless(JUMP_EQUAL, 0, 1),
    give(ALLOW),
    refuse(EPERM),
  ];
  return [
    ...forCall(FCHMOD[column], [writes ? give(ALLOW) : refuse(EPERM)]),
    ...forCall(UTIMENSAT[column], writes ? times : [refuse(EPERM)]),
  ];
}

/** Builds the filter: an array of struct sock_filter, 8 bytes each, little-endian. */
export function buildFilter(options: FilterOptions): Uint8Array {
  const { architecture, onlyExecutable, landlockAbi, writes } = options;
  const column = architecture === "x64" ? 0 : 1;
  const denied: number[] = Object.values(DENIED_CALLS).flatMap((pair) => pair[column] ?? []);
  if (landlockAbi < 6) denied.push(...SIGNALLING.map((pair) => pair[column]));
  if (landlockAbi < 3) denied.push(TRUNCATE[column]);
  // What asks the kernel reaches nobody: no look-up of a name either.
  if (!options.network && !options.localSockets) denied.push(CONNECT[column], SEND_MANY[column]);
  const terminal = TERMINAL_REQUESTS.map((request, i) =>
    when(JUMP_EQUAL, request, TERMINAL_REQUESTS.length - i),
  );
  const program: readonly Instruction[] = [
    load(AT_ARCHITECTURE),
    when(JUMP_EQUAL, AUDIT[architecture], 1),
    give(KILL),
    load(AT_NUMBER),
    ...(architecture === "x64" ? [unless(JUMP_GREATER_EQUAL, X32_BIT, 1), give(KILL)] : []),
    ...forCall(EXECVE[column], execRule(onlyExecutable)),
    ...(onlyExecutable === null ? [] : forCall(EXECVEAT[column], [refuse(EPERM)])),
    ...forCall(SOCKET[column], socketRule(options)),
    ...forCall(CLONE[column], [
      load(argumentLow(0)),
      unless(JUMP_ANY_BIT, NAMESPACE_FLAGS, 1),
      refuse(EPERM),
      give(ALLOW),
    ]),
    ...forCall(SYSLOG[column], [
      load(argumentLow(0)),
      ...LOG_READS.map((action, i) => when(JUMP_EQUAL, action, LOG_READS.length - i)),
      refuse(EPERM),
      give(ALLOW),
    ]),
    // Its flags are in memory, where a filter cannot look; the C library falls back to clone.
    ...forCall(CLONE3[column], [refuse(ENOSYS)]),
    ...metadataRules(writes, column),
    ...forCall(IOCTL[column], [load(argumentLow(1)), ...terminal, give(ALLOW), refuse(EPERM)]),
    ...denied.flatMap((number) => forCall(number, [refuse(EPERM)])),
    give(ALLOW),
  ];
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  program.forEach(([code, jumpTrue, jumpFalse, value], i) => {
    view.setUint16(i * 8, code, true);
    view.setUint8(i * 8 + 2, jumpTrue);
    view.setUint8(i * 8 + 3, jumpFalse);
    view.setUint32(i * 8 + 4, value >>> 0, true);
  });
  return bytes;
}
