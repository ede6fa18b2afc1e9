// Runs one accepted call for real in a worker's world and says what it did that it must not do.
import { readdirSync } from "node:fs";
import { toolEnvironment } from "../../src/exec/environment.ts";
import { CANARY, ENVIRONMENT_CANARY, makeWorld, readSecrets, snapshot, type World } from "./world.ts";

const TIME_LIMIT_MS = 12_000;
/** For sed scripts with a label: they may loop for ever, which ash's own time limit ends. */
const LOOP_LIMIT_MS = 1000;
const OUTPUT_LIMIT = 1 << 20;

/** One call as it is run: the file, the name it is called by, its arguments. */
export type Call = {
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  /** It may start programs of its own. */
  readonly helpers: boolean;
  readonly input: "nothing" | "file";
};

/** What a worker keeps between calls. */
export type Worker = { world: World; before: string };

/** Makes the world of a worker. */
export function openWorker(root: string): Worker {
  const world = makeWorld(root);
  return { world, before: snapshot(world) };
}

/** The environment of fuzzed programs, as ash builds it, with traps in front of the PATH unless helpers are allowed. */
export function environmentFor(world: World, helpers: boolean): Record<string, string> {
  const facts = { home: world.home, user: "x", language: undefined, timeZone: undefined };
  const built = toolEnvironment(facts, { mark: "fuzz", temporaryFolder: world.temporary });
  return helpers ? { ...built } : { ...built, PATH: `${world.traps}:${built.PATH}` };
}

const mayLoop = (call: Call): boolean =>
  call.name === "sed" && call.args.some((arg) => /:\s*[A-Za-z0-9_]/.test(arg));

async function readUpTo(stream: ReadableStream<Uint8Array>, stop: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for await (const chunk of stream) {
    size += chunk.length;
    text += decoder.decode(chunk, { stream: true });
    if (size > OUTPUT_LIMIT) {
      stop();
      break;
    }
  }
  return text;
}

/** Runs a call and lists its findings; makes the world anew when something changed. */
export async function runCall(worker: Worker, call: Call): Promise<readonly string[]> {
  const { world } = worker;
  const child = Bun.spawn([call.path, ...call.args], {
    argv0: call.name,
    cwd: world.folder,
    env: environmentFor(world, call.helpers),
    stdin: call.input === "file" ? Bun.file(`${world.folder}/prog`) : "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const stop = (): void => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It is gone already.
    }
  };
  let timedOut = false;
  const timer = setTimeout(
    () => {
      timedOut = true;
      stop();
    },
    mayLoop(call) ? LOOP_LIMIT_MS : TIME_LIMIT_MS,
  );
  const output = await Promise.all([readUpTo(child.stdout, stop), readUpTo(child.stderr, stop)]);
  await child.exited;
  clearTimeout(timer);
  stop();
  return findingsOf(worker, output.join("\n"), timedOut && !mayLoop(call));
}

function findingsOf(worker: Worker, output: string, timedOut: boolean): readonly string[] {
  const { world } = worker;
  const read = readSecrets(world);
  const after = snapshot(world);
  const findings = [
    ...(timedOut ? ["it did not end"] : []),
    ...(output.includes(CANARY) ? ["a secret is in the output"] : []),
    ...(output.includes(ENVIRONMENT_CANARY) ? ["the environment of a process is in the output"] : []),
    ...read.map((file) => `it read ${file.slice(world.root.length + 1)}`),
    ...(after === worker.before ? [] : [`files changed: ${difference(worker.before, after, world.root)}`]),
  ];
  if (after !== worker.before) {
    worker.world = makeWorld(world.root);
    worker.before = snapshot(worker.world);
  }
  return findings;
}

function difference(before: string, after: string, root: string): string {
  const old = new Set(before.split("\n"));
  const changed = after.split("\n").filter((line) => !old.has(line));
  const marks = readdirSync(root).filter((name) => name.startsWith("MARK"));
  return (
    [...marks, ...changed.map((line) => line.slice(root.length + 1))].slice(0, 4).join("; ") ||
    "something is gone"
  );
}
