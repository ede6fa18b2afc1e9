// Batches that are ended early: by a signal, a closed pipe or a slow reader.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ASH, environmentOf, finish, runAsh } from "../support/ash.ts";
import { KEY } from "../support/asking.ts";
import { numbered, recordsIn, recordsOf, startBatch, useBatch, writePrompts } from "../support/batch.ts";
import { calls, says } from "../support/modelserver.ts";
import { processesOf } from "../support/processes.ts";
import { until } from "../support/until.ts";

const { place, server, answering, echoing, batch } = useBatch();

describe("a batch that is stopped", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("by %s keeps what is finished, ends what runs, and goes on later", async (signal, code) => {
    const stuck = Promise.withResolvers<void>();
    let release = false;
    answering((prompt) => {
      if (release || Number(prompt.replace(/\D/g, "")) < 10) return says("ok");
      stuck.resolve();
      return () => new Promise(() => undefined);
    });
    const file = writePrompts(place, numbered(30));
    const running = startBatch(place, server.url, ["--output", "out.jsonl", file]);
    await stuck.promise;
    running.kill(signal);
    const run = await finish(running);
    expect(run.code).toBe(code);
    expect(run.stderr).toMatch(/; stopped: (interrupted|terminated) by SIG[A-Z]+\n$/);
    const output = join(place.folder, "out.jsonl");
    const before = recordsOf(output);
    expect(before.every(({ result }) => result.exit_code === 0)).toBe(true);
    expect(before.length).toBeLessThanOrEqual(10);
    release = true;
    const again = await batch(["--output", "out.jsonl", file]);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain(`${before.length} done before`);
    const ids = recordsOf(output).map(({ id }) => String(id));
    expect(ids.sort()).toEqual(
      numbered(30)
        .map(({ id }) => id)
        .sort(),
    );
  });

  test("while its tools run leaves none of them", async () => {
    server.start([calls("tail", ["-f", "/dev/null"])]);
    const file = writePrompts(place, numbered(8));
    const running = startBatch(place, server.url, [file], {
      env: { ASH_TOOL_ALLOWLIST: "tail: unrestricted" },
    });
    const isRunning = (): boolean =>
      processesOf(place.home).filter((line) => line === "tail -f /dev/null").length === 4;
    await until(isRunning);
    running.kill("SIGTERM");
    const run = await finish(running);
    expect(run).toMatchObject({ code: 143, stdout: "" });
    expect(processesOf(place.home)).toEqual([]);
  });

  test("because nobody reads its results ends quietly and stops asking", async () => {
    echoing();
    writePrompts(place, numbered(5000));
    const line =
      '"$ASH" batch --base-url "$URL" prompts.jsonl | head -n1 >/dev/null; echo "${PIPESTATUS[0]}"';
    const shell = Bun.spawn(["bash", "-c", line], {
      cwd: place.folder,
      env: environmentOf(place, { ...KEY, ASH, URL: server.url }),
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await Promise.all([shell.stdout.text(), shell.stderr.text()])).toEqual(["141\n", ""]);
    expect(server.requests.length).toBeLessThan(4000);
  });

  test("never asks far ahead of a reader that is slow", async () => {
    answering(() => says("x".repeat(200_000)));
    const running = Bun.spawn([ASH, "batch", "--base-url", server.url, writePrompts(place, numbered(50))], {
      cwd: place.folder,
      env: environmentOf(place, KEY),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      lazy: true,
    });
    // Other runs are the clock: a batch that nothing holds up would be through before them.
    for (let i = 0; i < 3; i += 1) await runAsh(place, ["--replay", "demo", "--no-save", "tick"]);
    expect(server.requests.length).toBeLessThan(20);
    expect(recordsIn(await running.stdout.text())).toHaveLength(50);
    expect(server.requests).toHaveLength(50);
  });
});
