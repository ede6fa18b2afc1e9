// Many calls at once, and what a flood costs.
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { availableModes, probeSandbox } from "../../src/exec/sandbox.ts";
import { leftovers, openBench, processesNow } from "../support/engine.ts";

const modes = availableModes(probeSandbox()).filter((mode) => mode !== "bwrap");

const scripts: readonly (readonly [script: string, output: string])[] = [
  ["echo ok", "ok\n"],
  ["setsid sleep 30 & echo daemon", "daemon\n"],
  ["sleep 30 & echo held", "held\n"],
  ["(setsid sh -c 'sleep 30 &' &); echo forked", "forked\n"],
  ["sleep 0.1; echo late", "late\n"],
  ["yes | head -n 2", "y\ny\n"],
  ["exit 3", ""],
  ["kill -9 $$", ""],
];

/** Runs jobs eight at a time. */
async function eightAtATime(count: number, job: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await job(i);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

test.each(modes)(
  "in mode %s, 200 calls eight at a time never touch each other and leave nothing",
  async (mode) => {
    const bench = openBench(mode);
    const before = processesNow();
    const wrong: string[] = [];
    const job = async (i: number): Promise<void> => {
      const [script, output] = scripts[i % scripts.length] ?? ["", ""];
      const call = await bench.sh(script);
      if (call.stdout.text !== output || call.problem !== null || call.limit !== null) {
        wrong.push(`${script}: ${JSON.stringify([call.stdout.text, call.problem, call.limit])}`);
      }
    };
    await eightAtATime(40, job);
    const descriptors = readdirSync("/proc/self/fd").length;
    const memory = process.memoryUsage.rss();
    await eightAtATime(160, job);
    expect(wrong).toEqual([]);
    expect(leftovers(before, bench)).toEqual([]);
    expect(readdirSync("/proc/self/fd").length).toBeLessThan(descriptors + 12);
    expect(process.memoryUsage.rss() - memory).toBeLessThan(48 * 1024 ** 2);
    await bench.close();
  },
  120_000,
);

test("a flood of 50 MB does not grow memory", async () => {
  const bench = openBench("none");
  await bench.run([["head", "-c", "50000000", "/dev/zero"]]);
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  for (let i = 0; i < 5; i += 1) await bench.run([["head", "-c", "50000000", "/dev/zero"]]);
  expect(process.memoryUsage.rss() - before).toBeLessThan(16 * 1024 ** 2);
  await bench.close();
});
