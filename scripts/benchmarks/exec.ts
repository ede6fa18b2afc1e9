// What the engine costs: one call against a bare spawn, pipelines against a shell, a flood. Interleaved in one run.
import { dlopen, ptr, FFIType as T } from "bun:ffi";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toolEnvironment } from "../../src/exec/environment.ts";
import { type Bench, openBench } from "../../test/support/engine.ts";
import { median, printTable } from "../figures.ts";

const ROUNDS = Number(process.argv[2] ?? 200);
const SETTLE_MS = 25;
const library = dlopen("libc.so.6", {
  posix_spawn: { args: [T.ptr, T.ptr, T.ptr, T.ptr, T.ptr, T.ptr], returns: T.i32 },
  waitpid: { args: [T.i32, T.ptr, T.i32], returns: T.i32 },
}).symbols;

type Job = { readonly name: string; readonly run: () => Promise<unknown> };

/** Median milliseconds of each job, all of them in turn in every round. */
async function interleaved(
  jobs: readonly Job[],
  rounds: number,
  settleMs = 0,
): Promise<readonly { name: string; figure: number }[]> {
  const times = new Map(jobs.map((job) => [job.name, [] as number[]]));
  for (let round = -Math.min(rounds, 50); round < rounds; round += 1) {
    for (const job of jobs) {
      // Processes that the call before started ahead must not count against this one.
      if (settleMs > 0) await pause(settleMs);
      const began = performance.now();
      await job.run();
      if (round >= 0) times.get(job.name)?.push(performance.now() - began);
    }
  }
  return jobs.map(({ name }) => ({ name, figure: median(times.get(name) ?? []) }));
}

/** What ash gives its tools: a program that loads its locale takes longer with one. */
const environment = toolEnvironment(
  { home: "/", user: "bench", language: undefined, timeZone: undefined },
  { mark: "bench", temporaryFolder: "/tmp" },
);

async function bareSpawn(argv: readonly string[]): Promise<void> {
  const child = Bun.spawn([...argv], {
    env: { ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
}

async function posixSpawn(path: string): Promise<void> {
  const pid = new Int32Array(2);
  const program = Buffer.from(`${path}\0`);
  const argv = new BigUint64Array([BigInt(ptr(program)), 0n]);
  library.posix_spawn(pid, program, null, null, argv, new BigUint64Array([0n]));
  library.waitpid(pid[0] ?? 0, null, 0);
}

const shell = (line: string) => (): Promise<void> => bareSpawn(["/bin/sh", "-c", line]);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function oneCall(none: Bench, rlimits: Bench, jail: Bench): Promise<void> {
  const bare = { name: "bare Bun.spawn, output collected", run: () => bareSpawn(["/bin/true"]) };
  const plain = await interleaved(
    [
      bare,
      { name: "C posix_spawn + waitpid, no output", run: () => posixSpawn("/bin/true") },
      { name: "ash, sandbox none", run: () => none.run([["true"]]) },
      { name: "ash, sandbox rlimits", run: () => rlimits.run([["true"]]) },
    ],
    ROUNDS,
  );
  printTable(`one call of /bin/true, median of ${ROUNDS}, back to back`, "ms", plain);
  // A jailed process is started while the model still answers; the pause is that time.
  const ready = { name: "ash, jail", run: () => jail.run([["true"]]) };
  const jailed = await interleaved([bare, ready], ROUNDS, SETTLE_MS);
  const began = performance.now();
  for (let i = 0; i < ROUNDS; i += 1) await jail.run([["true"]]);
  const figure = (performance.now() - began) / ROUNDS;
  printTable(`one call of /bin/true, median of ${ROUNDS}, ${SETTLE_MS} ms apart`, "ms", [
    ...jailed,
    { name: "ash, jail, back to back (mean)", figure },
  ]);
}

async function pipelines(none: Bench, jail: Bench): Promise<void> {
  const big = ["head", "-c", "1073741824", "/dev/zero"];
  const limits = { limits: { timeoutMs: 60_000, cpuMs: 60_000 } };
  const two = await interleaved(
    [
      { name: "sh: head -c 1GiB | wc -c", run: shell("head -c 1073741824 /dev/zero | wc -c") },
      { name: "ash, none", run: () => none.run([big, ["wc", "-c"]], limits) },
      { name: "ash, jail", run: () => jail.run([big, ["wc", "-c"]], limits) },
    ],
    5,
  );
  printTable("two stages, 1 GiB", "ms", two);
  const cats = Array.from({ length: 14 }, () => ["cat"]);
  const source = ["head", "-c", "134217728", "/dev/zero"];
  const sixteen = await interleaved(
    [
      { name: "sh: 16 stages", run: shell(`head -c 134217728 /dev/zero | ${"cat | ".repeat(14)}wc -c`) },
      { name: "ash, none", run: () => none.run([source, ...cats, ["wc", "-c"]], limits) },
      { name: "ash, jail", run: () => jail.run([source, ...cats, ["wc", "-c"]], limits) },
    ],
    5,
  );
  printTable("sixteen stages, 128 MiB", "ms", sixteen);
}

async function flood(none: Bench, jail: Bench): Promise<void> {
  const argv = ["head", "-c", "50000000", "/dev/zero"];
  await none.run([argv]);
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  const rows = await interleaved(
    [
      { name: "bare Bun.spawn, all 50 MB read", run: () => bareSpawn(["/usr/bin/head", ...argv.slice(1)]) },
      { name: "ash, none", run: () => none.run([argv]) },
      { name: "ash, jail", run: () => jail.run([argv]) },
    ],
    10,
  );
  printTable("a flood of 50 MB", "ms", rows);
  Bun.gc(true);
  const alone = openBench("none");
  const base = process.memoryUsage.rss();
  for (let i = 0; i < 10; i += 1) await alone.run([argv]);
  await alone.close();
  const grown = (process.memoryUsage.rss() - base) / 1024 ** 2;
  console.log(
    `  memory after ten more floods through ash: ${grown >= 0 ? "+" : ""}${grown.toFixed(1)} MB (before all: ${(before / 1024 ** 2).toFixed(0)} MB)`,
  );
}

const scratch = mkdtempSync(join(tmpdir(), "ash-bench-"));
const benches = { none: openBench("none"), rlimits: openBench("rlimits"), jail: openBench("jail") };
try {
  await oneCall(benches.none, benches.rlimits, benches.jail);
  await pipelines(benches.none, benches.jail);
  await flood(benches.none, benches.jail);
} finally {
  for (const bench of Object.values(benches)) await bench.close();
  rmSync(scratch, { recursive: true, force: true });
}
