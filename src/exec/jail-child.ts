// The jailed process before it becomes the program: started ahead of time, it waits for its order, puts the locks
// on itself and executes. It fails closed: when one lock cannot be put on, nothing is executed.
import { closeSync, readFileSync, writeFileSync } from "node:fs";
import { EXIT } from "../errors.ts";
import { receiveDescriptors, sendDescriptors } from "../host/descriptors.ts";
import { removeTree } from "../host/files.ts";
import { address, errno, linux } from "../host/native.ts";
import { joinGroup, removeGroups } from "./cgroup.ts";
import {
  JAIL_MESSAGE,
  type JailOrder,
  type JailPreparation,
  type JailReport,
  type Locks,
} from "./confinement.ts";
import { killMarked } from "./family.ts";
import { createRuleset, type Ruleset } from "./landlock.ts";
import { limitMemory, limitProcess } from "./rlimits.ts";
import { type Architecture, buildFilter } from "./seccomp.ts";

/** The descriptor of the socket on which the order comes. */
const CONTROL = 3;

type Library = NonNullable<ReturnType<typeof linux>>;
type Failure = { readonly step: string; readonly detail: string };

const PR_SET_PDEATHSIG = 1;
const PR_SET_SECCOMP = 22;
const PR_CAPBSET_DROP = 24;
const PR_SET_NO_NEW_PRIVS = 38;
const SIGKILL = 9n;
const MODE_FILTER = 2n;
const SIGNALS = 64;
const LAST_CAPABILITY = 40;
/** Reading and searching any file and the kernel's log is what a root user expects of tools; everything else goes. */
const KEPT_CAPABILITIES = [1, 2, 34];

const say = (report: JailReport): void => {
  sendDescriptors(CONTROL, new TextEncoder().encode(JSON.stringify(report)), []);
};

function dropCapabilities(library: Library): void {
  for (let capability = 0; capability <= LAST_CAPABILITY; capability += 1) {
    if (!KEPT_CAPABILITIES.includes(capability))
      library.prctl(PR_CAPBSET_DROP, BigInt(capability), 0n, 0n, 0n);
  }
}

function installFilter(library: Library, locks: Locks, executable: bigint): Failure | null {
  const filter = buildFilter({
    architecture: process.arch as Architecture,
    network: locks.network,
    kernelSockets: locks.kernelSockets,
    localSockets: locks.localSockets,
    onlyExecutable: locks.spawns ? null : executable,
    landlockAbi: locks.abi,
    writes: locks.writes,
  });
  // struct sock_fprog: the number of instructions, then their address.
  const program = new BigUint64Array([BigInt(filter.length / 8), address(filter)]);
  const set = library.prctl(PR_SET_SECCOMP, MODE_FILTER, address(program), 0n, 0n);
  return set === 0 ? null : { step: "seccomp", detail: "the filter was refused" };
}

const cString = (text: string): Buffer => Buffer.from(`${text}\0`);

/** An argv or envp in memory. The buffers stay referenced until execve has copied them. */
function vector(texts: readonly string[], keep: Buffer[]): BigUint64Array {
  const strings = texts.map(cString);
  keep.push(...strings);
  return new BigUint64Array([...strings.map(address), 0n]);
}

function putOnLocks(
  library: Library,
  locks: Locks,
  rules: Ruleset | null,
  executable: bigint,
): Failure | null {
  if (rules === null) return { step: "landlock", detail: "no ruleset" };
  dropCapabilities(library);
  if (!rules.add(locks.grants)) return { step: "landlock", detail: "a rule was refused" };
  if (!rules.restrict()) return { step: "landlock", detail: "not restricted" };
  return installFilter(library, locks, executable);
}

function lockUp(
  library: Library,
  order: JailOrder,
  rules: Ruleset | null,
  executable: bigint,
): Failure | null {
  const { locks, limits } = order;
  if (library.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n) !== 0)
    return { step: "no_new_privs", detail: "refused" };
  if (!limitProcess(0, limits)) return { step: "rlimits", detail: "a limit was refused" };
  return locks === null ? null : putOnLocks(library, locks, rules, executable);
}

/** Never returns when it succeeds: the process is then the program. */
function become(order: JailOrder, rules: Ruleset | null): Failure {
  const library = linux();
  if (library === null) return { step: "library", detail: "no C library" };
  process.chdir(order.folder);
  const keep: Buffer[] = [cString(order.executable)];
  const executable = address(keep[0] as Buffer);
  const argv = vector(order.argv, keep);
  const environment = vector(
    Object.entries(order.environment).map(([name, value]) => `${name}=${value}`),
    keep,
  );
  writeFileSync("/proc/self/oom_score_adj", "500");
  const failure = lockUp(library, order, rules, executable);
  if (failure !== null) return failure;
  // Whoever started this process may have died before the signal was asked for.
  library.prctl(PR_SET_PDEATHSIG, SIGKILL, 0n, 0n, 0n);
  if (library.getppid() !== order.parent) return { step: "parent", detail: "ash is gone" };
  for (let signal = 1; signal <= SIGNALS; signal += 1) library.signal(signal, 0n);
  const [argvAt, environmentAt] = [address(argv), address(environment)];
  // The memory limit comes last: the runtime this process still is needs more than a tool may have.
  const { user, system } = process.cpuUsage();
  say({ state: "ready", cpuMs: (user + system) / 1000 });
  if (!limitMemory(0, order.limits)) return { step: "rlimits", detail: "memory" };
  library.execve(executable, argvAt, environmentAt);
  return { step: "execve", detail: String(errno()) };
}

/** Takes the descriptors over: stdin, stdout and stderr of the program. */
function takeOver(library: Library, descriptors: readonly number[]): void {
  for (const [target, fd] of descriptors.entries()) {
    library.dup3(fd, target, 0);
    closeSync(fd);
  }
}

const readBody = (fd: number): unknown => {
  const body: unknown = JSON.parse(readFileSync(fd, "utf8"));
  closeSync(fd);
  return body;
};

function prepare({ abi, grants, groups }: JailPreparation): Ruleset | null {
  const refused = groups.find((path) => !joinGroup(path, process.pid));
  if (refused !== undefined) throw new Error(`the control group ${refused} was refused`);
  const rules = createRuleset(abi);
  return rules?.add(grants) ? rules : null;
}

function obey(library: Library, [body = -1, ...streams]: readonly number[], rules: Ruleset | null): void {
  const order = readBody(body) as JailOrder;
  takeOver(library, streams);
  const failure = become(order, rules);
  say({ state: "failed", ...failure, errno: errno() });
}

const SCRATCH = /\/ash-[A-Za-z0-9]+$/;

function tidyAfterAsh(mark: string, scratch: string): void {
  killMarked(mark);
  removeGroups(mark);
  if (SCRATCH.test(scratch)) removeTree(scratch);
}

function explain(): void {
  console.error("ash: __jail is how ash starts itself around a tool; it is no command");
  process.exitCode = EXIT.usage;
}

/** Waits for an order and obeys it. When ash dies first, ends what it left behind. Sets the exit code on failure. */
export function runJail(mark: string, scratch: string): void {
  process.exitCode = 125;
  const library = linux();
  if (library === null) return;
  try {
    let rules: Ruleset | null = null;
    for (;;) {
      const received = receiveDescriptors(CONTROL, 1, true);
      if (received.kind === "end") return tidyAfterAsh(mark, scratch);
      if (received.kind === "nothing") return explain();
      if (received.data[0] === JAIL_MESSAGE.order) return obey(library, received.descriptors, rules);
      rules = prepare(readBody(received.descriptors[0] ?? -1) as JailPreparation);
    }
  } catch (thrown) {
    say({
      state: "failed",
      step: "order",
      detail: thrown instanceof Error ? thrown.message : String(thrown),
      errno: 0,
    });
  }
}
