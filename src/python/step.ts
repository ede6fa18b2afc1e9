// Runs one program of the provisioning: its own session, no input, a time limit, its lines as they come.

import { signalGroup } from "../exec/family.ts";
import { readPipe } from "../exec/stream.ts";
import { within } from "../host/clock.ts";
import { closeQuietly } from "../host/files.ts";
import { makePipe } from "../host/pipes.ts";

/** A program to run. */
export type Step = {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Hears every line of stdout and stderr. */
  readonly onLine?: (line: string) => void;
  /** Hears the id of the process, which leads a group of its own. */
  readonly onStart?: (pid: number) => void;
};

/** How it ended. */
export type StepResult = {
  readonly ok: boolean;
  /** The end of what it printed on stdout and stderr; why it could not be started when it was not. */
  readonly output: string;
  readonly reason: "exit" | "timeout" | "aborted" | "not_started";
  /** The signal that ended it, sent by somebody else; null when it ended by itself. */
  readonly signal: string | null;
};

const GRACE_MS = 500;
const KEPT_BYTES = 65_536;

const notStarted = (why: string): StepResult => ({
  ok: false,
  output: why,
  reason: "not_started",
  signal: null,
});

function start({ argv, environment }: Step, output: number): Bun.Subprocess | string {
  try {
    return Bun.spawn([...argv], {
      cwd: "/",
      env: { ...environment },
      stdio: ["ignore", output, output],
      detached: true,
    });
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

type Listening = ReturnType<typeof readPipe> & { readonly text: () => string };

/** Reads what the program prints: the lines as they come, and the end of it all. */
function listen(fd: number, onLine: Step["onLine"]): Listening {
  const decoder = new TextDecoder();
  let text = "";
  let open = "";
  const reading = readPipe(fd, (chunk) => {
    const piece = decoder.decode(chunk, { stream: true });
    text = (text + piece).slice(-KEPT_BYTES);
    const lines = (open + piece).split("\n");
    open = lines.pop() ?? "";
    for (const line of lines) onLine?.(line);
  });
  return { ...reading, text: () => text };
}

/** Waits for the program; ends its whole group when the time is over or the signal aborts. Resolves to why. */
async function waitFor(child: Bun.Subprocess, { timeoutMs, signal }: Step): Promise<StepResult["reason"]> {
  let reason: StepResult["reason"] = "exit";
  let killer: ReturnType<typeof setTimeout> | undefined;
  const end = (why: "timeout" | "aborted"): void => {
    if (reason !== "exit") return;
    reason = why;
    signalGroup(child.pid, "SIGTERM");
    killer = setTimeout(() => signalGroup(child.pid, "SIGKILL"), GRACE_MS);
  };
  const onAbort = (): void => end("aborted");
  const timer = setTimeout(() => end("timeout"), timeoutMs);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  await child.exited;
  clearTimeout(timer);
  clearTimeout(killer);
  signal.removeEventListener("abort", onAbort);
  return reason;
}

/** Runs a step to its end. Never throws. */
export async function runStep(step: Step): Promise<StepResult> {
  const pipe = makePipe();
  if (pipe === null) return notStarted("no more pipes");
  const [read, write] = pipe;
  const child = start(step, write);
  closeQuietly(write);
  if (typeof child === "string") {
    closeQuietly(read);
    return notStarted(child);
  }
  step.onStart?.(child.pid);
  const listening = listen(read, step.onLine);
  const reason = await waitFor(child, step);
  await within(listening.done, GRACE_MS);
  // What it started and left behind.
  signalGroup(child.pid, "SIGKILL");
  await listening.stop();
  const signal = reason === "exit" && child.signalCode !== null ? String(child.signalCode) : null;
  return { ok: reason === "exit" && child.exitCode === 0, output: listening.text(), reason, signal };
}
