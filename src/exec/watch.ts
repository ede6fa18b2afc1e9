// Watches the processes of a call until all of them have ended, and sees to it that they do.
import { within } from "../host/clock.ts";
import type { EndSignal } from "../host/native.ts";
import { type CallLimit, FLOOD_BYTES, type Limits } from "../limits.ts";
import { type Capture, type Captured, startCapture } from "./capture.ts";
import { type Family, signalGroup } from "./family.ts";
import type { Child, Exit } from "./launch.ts";
import type { Plumbing } from "./plumbing.ts";
import { familyOf, privateMemory } from "./proc.ts";
import { type Reading, readPipe } from "./stream.ts";

/** From SIGTERM to SIGKILL. */
const GRACE_MS = 200;
/** How long what is still in a pipe is awaited after its writer ended. */
const DRAIN_MS = 250;
/** How often a call's memory and processes are measured, from the first time on. */
const MEASURE_MS = 25;
/** How long after SIGKILL a process may take to disappear; longer means it hangs in the kernel. */
const GIVE_UP_MS = 2000;

type StopReason = CallLimit | "aborted" | "unread";

/** How one stage ended. */
export type StageResult = Exit & {
  readonly stderr: Captured;
  /** It was stopped because the stage that read from it had finished. */
  readonly unread: boolean;
};

/** What watching a call's processes found. */
export type Watched = {
  readonly stages: readonly StageResult[];
  /** The last stage's output. */
  readonly stdout: Captured;
  readonly limit: CallLimit | null;
  /** The run was stopped from outside. */
  readonly aborted: boolean;
};

/** What to watch. */
export type Watch = {
  readonly mark: string;
  readonly children: readonly Child[];
  readonly plumbing: Plumbing;
  readonly family: Family;
  readonly timeoutMs: number;
  readonly limits: Limits;
  readonly signal: AbortSignal;
};

/** The kernel limit a process died of, as its signal tells. */
function kernelLimitOf({ signal, cpuMs }: Exit, limits: Limits): CallLimit | null {
  if (signal === "SIGXCPU") return "cpu";
  if (signal === "SIGXFSZ") return "file_size";
  return signal === "SIGKILL" && cpuMs !== null && cpuMs >= limits.cpuMs ? "cpu" : null;
}

class Watcher {
  private readonly running: Set<number>;
  private readonly unread = new Set<number>();
  private readonly exits: Exit[] = [];
  private readonly timers = new Set<ReturnType<typeof setTimeout>>();
  private readonly captures: readonly Capture[];
  private readonly readings: readonly Reading[];
  private readonly abandoned = Promise.withResolvers<void>();
  private reason: StopReason | null = null;

  constructor(private readonly watch: Watch) {
    this.running = new Set(watch.children.keys());
    const ends = [watch.plumbing.output, ...watch.plumbing.errors];
    this.captures = ends.map(() => startCapture(watch.limits.outputMax));
    this.readings = ends.map((fd, i) => this.follow(fd, this.captures[i] as Capture));
  }

  async result(): Promise<Watched> {
    const { children, timeoutMs, signal } = this.watch;
    const onAbort = (): void => this.stop("aborted");
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    this.after(Math.max(1, timeoutMs), () => this.stop("time"));
    this.after(MEASURE_MS, () => this.measure());
    const ends = Promise.all(children.map((child, i) => child.exited.then((exit) => this.ended(i, exit))));
    await Promise.race([ends, this.abandoned.promise]);
    if (!this.readings.every((reading) => reading.ended())) {
      await within(Promise.all(this.readings.map((reading) => reading.done)), DRAIN_MS);
    }
    for (const timer of this.timers) clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    for (const { pid } of children) signalGroup(pid, "SIGKILL");
    await Promise.all(this.readings.map((reading) => reading.stop()));
    return this.report();
  }

  private report(): Watched {
    const finished = this.captures.map((capture) => capture.finish());
    const lost: Exit = { code: null, signal: "SIGKILL", cpuMs: null, peakMemory: null, problem: null };
    return {
      stages: this.watch.children.map((_, i) => ({
        ...(this.exits[i] ?? lost),
        stderr: finished[i + 1] as Captured,
        unread: this.unread.has(i),
      })),
      stdout: finished[0] as Captured,
      limit: this.limit(),
      aborted: this.reason === "aborted",
    };
  }

  private limit(): CallLimit | null {
    if (this.reason !== null && this.reason !== "aborted" && this.reason !== "unread") return this.reason;
    // A refused fork is only a limit when it ended the call; a program out of memory was ended by it.
    if (this.watch.children.some(({ group }) => group?.hit() === "memory")) return "memory";
    return (
      this.exits.map((exit) => kernelLimitOf(exit, this.watch.limits)).find((limit) => limit !== null) ?? null
    );
  }

  /** Without control groups the kernel keeps no count, and with them only one for each program. */
  private measure(): void {
    const { children, limits } = this.watch;
    const members = this.members();
    const hit = children.map(({ group }) => group?.hit() ?? null).find((limit) => limit !== null);
    const memory = members.reduce((sum, pid) => sum + privateMemory(pid), 0);
    if (hit !== undefined) this.stop(hit);
    else if (members.length > limits.processMax) this.stop("processes");
    else if (memory > limits.memoryMax) this.stop("memory");
    else this.after(MEASURE_MS, () => this.measure());
  }

  private members(): readonly number[] {
    const { children, family, mark, limits } = this.watch;
    if (children.every(({ group }) => group !== null))
      return children.flatMap(({ group }) => group?.members() ?? []);
    const roots = [...this.running].map((i) => children[i]?.pid ?? 0);
    return familyOf([...roots, ...family.strays(mark)], limits.processMax);
  }

  private after(ms: number, action: () => void): void {
    this.timers.add(setTimeout(action, ms));
  }

  private follow(fd: number, capture: Capture): Reading {
    const reading: Reading = readPipe(fd, (chunk) => {
      capture.add(chunk);
      if (capture.total() <= FLOOD_BYTES) return;
      this.stop("output");
      void reading.stop();
    });
    return reading;
  }

  private signalRunning(signal: EndSignal): void {
    for (const i of this.running) signalGroup(this.watch.children[i]?.pid ?? 0, signal);
  }

  private stop(reason: StopReason): void {
    if (this.reason !== null && this.reason !== "unread") return;
    const first = this.reason === null;
    this.reason = reason;
    if (!first) return;
    // Programs that multiply must not get the time to multiply further.
    this.signalRunning(reason === "processes" ? "SIGKILL" : "SIGTERM");
    this.after(GRACE_MS, () => this.signalRunning("SIGKILL"));
    this.after(GRACE_MS + GIVE_UP_MS, () => this.abandoned.resolve());
  }

  private ended(index: number, exit: Exit): void {
    this.exits[index] = exit;
    this.running.delete(index);
    const isLast = index === this.watch.children.length - 1;
    this.after(DRAIN_MS, () => this.tidyAfter(index, isLast));
  }

  // What a stage left behind still holds the pipe to the next one, which would wait for it for ever; and a stage
  // whose reader is gone may only be waiting.
  private tidyAfter(index: number, wasLast: boolean): void {
    signalGroup(this.watch.children[index]?.pid ?? 0, "SIGKILL");
    void this.watch.family.sweep(this.watch.mark);
    if (!wasLast) return;
    for (const i of this.running) this.unread.add(i);
    this.stop("unread");
  }
}

/** Watches the processes of a call to their end. Never throws. */
export function watchCall(watch: Watch): Promise<Watched> {
  return new Watcher(watch).result();
}
