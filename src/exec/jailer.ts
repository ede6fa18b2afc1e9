// Keeps processes ready that will become jailed programs, and hands them their orders. One is always idle while the
// run lasts: should ash be killed, it ends what ash left behind.
import { writeSync } from "node:fs";
import { makeSocketPair, memoryFile, receiveDescriptors, sendDescriptors } from "../host/descriptors.ts";
import { closeQuietly, openNull } from "../host/files.ts";
import type { ProgramGroup } from "./cgroup.ts";
import { JAIL_MESSAGE, type JailOrder, type JailPreparation, type JailReport } from "./confinement.ts";
import type { Family } from "./family.ts";
import { JAIL_WORD } from "./jail-word.ts";
import { type Exit, type Launched, type LaunchRequest, problemOfErrno } from "./launch.ts";

/** Starts jailed programs. */
/**
 * A jail process lives for milliseconds, and its limits bind every thread: a compiler thread that starts when memory or
 * system calls are limited already would end it.
 */
const JAIL_ENVIRONMENT = { BUN_JSC_useConcurrentJIT: "0" };

export type Jailer = {
  launch(request: LaunchRequest): Launched;
  /** Starts processes ahead, so that `count` are ready. */
  prepare(count: number): void;
  /** Ends the idle processes. */
  close(): Promise<void>;
};

type Waiting = {
  readonly process: Bun.Subprocess;
  readonly control: number;
  readonly group: ProgramGroup | null;
};

const REPORT_BYTES = 4096;

function readReports(control: number): readonly JailReport[] {
  const reports: JailReport[] = [];
  for (;;) {
    const message = receiveDescriptors(control, REPORT_BYTES, false);
    if (message.kind !== "message") return reports;
    reports.push(JSON.parse(new TextDecoder().decode(message.data)) as JailReport);
  }
}

/** How the program ended, told apart from how the jail may have failed before it. */
function exitOf({ process: running, control }: Waiting): Exit {
  const reports = readReports(control);
  closeQuietly(control);
  const usage = running.resourceUsage();
  const failed = reports.find((report) => report.state === "failed");
  const ready = reports.find((report) => report.state === "ready");
  const problem =
    failed === undefined ? null : failed.step === "execve" ? problemOfErrno(failed.errno) : "no_jail";
  const cpuMs = usage === undefined ? null : Number(usage.cpuTime.total) / 1000 - (ready?.cpuMs ?? 0);
  return {
    code: running.exitCode,
    signal: running.signalCode === null ? null : String(running.signalCode),
    cpuMs: cpuMs === null ? null : Math.max(0, cpuMs),
    peakMemory: usage === undefined ? null : usage.maxRSS,
    problem,
  };
}

/** Ends a process that still waits. Its group can go only once it is gone. */
async function end({ process: waiting, control, group }: Waiting): Promise<void> {
  waiting.ref();
  waiting.kill("SIGKILL");
  closeQuietly(control);
  await waiting.exited;
  group?.remove();
}

/** Puts a message's body where the waiting process can read it. */
function bodyFile(body: JailOrder | JailPreparation): number | null {
  const fd = memoryFile("ash-order");
  if (fd === null) return null;
  const bytes = Buffer.from(JSON.stringify(body));
  // Written at fixed places: the reader shares the offset and begins at 0.
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
  return fd;
}

/** Sends a message with its body and more descriptors; false when the other end is gone. */
function send(
  control: number,
  kind: number,
  body: JailOrder | JailPreparation,
  descriptors: readonly number[],
): boolean {
  const fd = bodyFile(body);
  if (fd === null) return false;
  const sent = sendDescriptors(control, new Uint8Array([kind]), [fd, ...descriptors]);
  closeQuietly(fd);
  return sent;
}

/** What a jailer works with. */
export type JailerParts = {
  /** The command that starts ash itself. */
  readonly self: readonly string[];
  /** The folder to remove should ash be killed. */
  readonly scratch: () => string;
  /** What every program of the run may read. */
  readonly preparation: () => Omit<JailPreparation, "groups">;
  /** Makes a control group for one program, where there are some. */
  readonly openGroup: () => ProgramGroup | null;
};

/** Opens a jailer for a run. */
export function openJailer(family: Family, run: string, parts: JailerParts): Jailer {
  const idle: Waiting[] = [];
  const nothing = openNull();

  const start = (): Waiting | null => {
    const pair = makeSocketPair();
    if (pair === null) return null;
    try {
      const child = Bun.spawn([...parts.self, JAIL_WORD, run, parts.scratch()], {
        stdio: ["ignore", "ignore", "ignore", pair[1]],
        env: JAIL_ENVIRONMENT,
        cwd: "/",
        detached: true,
      });
      family.protect(child.pid);
      // Nobody waits for a process that waits itself.
      child.unref();
      const group = parts.openGroup();
      send(pair[0], JAIL_MESSAGE.prepare, { ...parts.preparation(), groups: group?.joins ?? [] }, []);
      return { process: child, control: pair[0], group };
    } catch {
      closeQuietly(pair[0]);
      return null;
    } finally {
      closeQuietly(pair[1]);
    }
  };

  const prepare = (count: number): void => {
    while (idle.length < count) {
      const waiting = start();
      if (waiting === null) return;
      idle.push(waiting);
    }
  };

  return {
    prepare,
    launch(request) {
      const { stdin, stdout, stderr, confinement, callLimits, ...program } = request;
      const waiting = idle.shift() ?? start();
      if (waiting === null) return { ok: false, problem: "no_resources" };
      const order = { ...program, parent: process.pid, ...confinement };
      const limited = waiting.group?.limit(callLimits) ?? true;
      const sent =
        limited && send(waiting.control, JAIL_MESSAGE.order, order, [stdin ?? nothing, stdout, stderr]);
      if (!sent) {
        void end(waiting);
        return { ok: false, problem: "no_jail" };
      }
      prepare(1);
      const exited = waiting.process.exited.then(() => exitOf(waiting));
      return { ok: true, child: { pid: waiting.process.pid, exited, group: waiting.group } };
    },
    async close() {
      await Promise.all(idle.splice(0).map(end));
      closeQuietly(nothing);
    },
  };
}
