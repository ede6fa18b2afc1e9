// Runs one program of the provisioning: its own session, no input, a time limit, its lines as they come.

import { signalGroup } from "../exec/family.ts";
import { readPipe } from "../exec/stream.ts";
import { sleep, within } from "../host/clock.ts";
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
};

/** How it ended; `tail` is the end of what it printed, for a message. */
export type StepResult = {
  readonly ok: boolean;
  readonly stdout: string;
  readonly tail: string;
  readonly reason: "exit" | "timeout" | "aborted" | "not_started";
};

const GRACE_MS = 500;
const TAIL_LINES = 6;
const KEPT_BYTES = 65_536;

type Ending = { reason: StepResult["reason"]; kill: (reason: "timeout" | "aborted") => void };

function makeEnding(pid: number): Ending {
  const ending: Ending = {
    reason: "exit",
    kill(reason) {
      if (ending.reason !== "exit") return;
      ending.reason = reason;
      signalGroup(pid, "SIGTERM");
      void sleep(GRACE_MS).then(() => signalGroup(pid, "SIGKILL"));
    },
  };
  return ending;
}

/** Runs a step to its end. Never throws. */
export async function runStep({ argv, environment, timeoutMs, signal, onLine }: Step): Promise<StepResult> {
  const pipe = makePipe();
  if (pipe === null) return { ok: false, stdout: "", tail: "no more pipes", reason: "not_started" };
  const [read, write] = pipe;
  let child: Bun.Subprocess;
  try {
    child = Bun.spawn([...argv], {
      cwd: "/",
      env: { ...environment },
      stdio: ["ignore", write, write],
      detached: true,
    });
  } catch (thrown) {
    for (const fd of pipe) closeQuietly(fd);
    return {
      ok: false,
      stdout: "",
      tail: thrown instanceof Error ? thrown.message : String(thrown),
      reason: "not_started",
    };
  }
  closeQuietly(write);
  const decoder = new TextDecoder();
  let text = "";
  let open = "";
  const reading = readPipe(read, (chunk) => {
    const piece = decoder.decode(chunk, { stream: true });
    text = (text + piece).slice(-KEPT_BYTES);
    const lines = (open + piece).split("\n");
    open = lines.pop() ?? "";
    for (const line of lines) onLine?.(line);
  });
  const ending = makeEnding(child.pid);
  const timer = setTimeout(() => ending.kill("timeout"), timeoutMs);
  const onAbort = (): void => ending.kill("aborted");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  await child.exited;
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
  await within(reading.done, GRACE_MS);
  signalGroup(child.pid, "SIGKILL");
  await reading.stop();
  const tail = text.trim().split("\n").slice(-TAIL_LINES).join("\n");
  return { ok: child.exitCode === 0 && ending.reason === "exit", stdout: text, tail, reason: ending.reason };
}
