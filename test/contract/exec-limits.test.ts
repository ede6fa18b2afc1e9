// Limits of a call, and what tries to get round them: in every mode of the sandbox nothing is left behind.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { availableModes, probeSandbox } from "../../src/exec/sandbox.ts";
import { useBench } from "../support/bench.ts";

// Programs that outlive a call sleep for longer than the time limit of LIMITS: a call that waited for one of them
// would end at that limit, so that `limit: null` says it did not wait.
const modes = availableModes(probeSandbox()).filter((mode) => mode !== "none" && mode !== "bwrap");

describe.each(modes)("in mode %s, a call", (mode) => {
  const bench = useBench(mode);

  test("whose grandchild holds stdout returns with the output soon after its own end", async () => {
    const call = await bench.sh("sleep 30 & echo hi");
    expect(call).toMatchObject({ stdout: { text: "hi\n" }, limit: null, problem: null });
    expect(call.stages[0]).toMatchObject({ code: 0, signal: null });
  });

  test("with such a grandchild in the middle of a pipeline returns as well", async () => {
    const call = await bench.run([["echo", "a"], ["sh", "-c", "cat; sleep 30 & echo hi"], ["cat"]]);
    expect(call).toMatchObject({ stdout: { text: "a\nhi\n" }, limit: null });
    expect(call.stages.map((stage) => stage.code)).toEqual([0, 0, 0]);
  });

  test("with limits higher than any machine has runs", async () => {
    const limits = { processMax: 1e9, outputMax: 1e12, memoryMax: 9e15, fileMax: 9e15 };
    const call = await bench.run([["echo", "hi"]], { limits });
    expect(call).toMatchObject({ stdout: { text: "hi\n", truncated: false }, limit: null, problem: null });
  });

  test("with less memory than any program needs is started all the same: it is the limit that is named", async () => {
    const call = await bench.run([["echo", "hi"]], { limits: { memoryMax: 1 } });
    expect(call).toMatchObject({ problem: null });
  });

  const stubborn = [
    ["that ignores every signal it can", 'trap "" TERM INT HUP; while :; do sleep 1; done'],
    ["that stops itself", "kill -STOP $$; echo no"],
    ["that closes its streams and lives on", "exec >&- 2>&-; sleep 30"],
    ["that drips and is never idle", "while :; do echo x; sleep 0.05; done"],
    ["that spins", "while :; do :; done"],
    ["that waits for children", "sleep 30 & sleep 30 & wait"],
  ] as const;

  test.each(stubborn)("%s ends at its time limit", async (_, script) => {
    const call = await bench.sh(script, { limits: { timeoutMs: 300 } });
    expect(call.limit).toBe("time");
    expect(call.stages[0]?.signal).toMatch(/^SIG(TERM|KILL)$/);
    // The time that is reported includes all of the limit; how long the call really took is for benchmarks.
    expect(call.durationMs).toBeGreaterThanOrEqual(300);
  });

  const escapes = [
    ["a new session", "setsid sleep 30 & echo hi"],
    ["a double fork", '(setsid sh -c "sleep 30 & sleep 30" &); echo hi'],
    [
      "a daemon that lets go of everything",
      "setsid sh -c 'exec >/dev/null 2>&1 </dev/null; sleep 30' & echo hi",
    ],
    ["a daemon that forgets its environment", "setsid env -i sleep 30 & echo hi"],
    ["ten children", "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 30 & done; echo hi"],
  ] as const;

  test.each(escapes)("that tries to get away by %s leaves nothing", async (_, script) => {
    const call = await bench.sh(script);
    expect(call).toMatchObject({ stdout: { text: "hi\n" }, limit: null });
  });

  test("that escaped and times out leaves nothing", async () => {
    const call = await bench.sh("setsid sleep 30 & sleep 30", { limits: { timeoutMs: 200 } });
    expect(call.limit).toBe("time");
  });

  const floods = [
    ["stdout", "yes"],
    ["stderr", "yes >&2"],
    ["both", "yes & yes >&2"],
    ["one endless line", "cat /dev/zero | tr '\\0' x"],
  ] as const;

  test.each(floods)(
    "that floods %s is stopped past a mebibyte and keeps head and tail",
    async (_, script) => {
      const call = await bench.sh(script);
      expect(call.limit).toBe("output");
      const streams = [call.stdout, call.stages[0]?.stderr].filter(
        (stream) => (stream?.bytes ?? 0) > 1024 * 1024,
      );
      expect(streams.length).toBeGreaterThan(0);
      for (const stream of streams) {
        expect(stream?.truncated).toBe(true);
        expect(stream?.text).toMatch(/\[… \d+ bytes dropped here …\]/);
        expect(Buffer.byteLength(stream?.text ?? "")).toBeLessThan(8192 + 60);
      }
    },
  );

  test("that writes a gigabyte without a newline costs no memory", async () => {
    const call = await bench.run([["head", "-c", "1000000000", "/dev/zero"]]);
    expect(call).toMatchObject({ limit: "output", stdout: { binary: true, truncated: true } });
    expect(call.stdout.text).toMatch(/^\[binary output, \d+ bytes, not shown\]$/);
  });

  test("that reads stdin finds it empty, and no terminal", async () => {
    expect((await bench.run([["cat"]])).stages[0]?.code).toBe(0);
    const call = await bench.sh("cat </dev/tty");
    expect(call.stages[0]?.code).not.toBe(0);
    expect(call.stages[0]?.stderr.text).toContain("/dev/tty");
  });

  test("that multiplies is stopped", async () => {
    const bomb = "f() { f | f & }; for i in 1 2 3 4 5 6 7 8 9; do f; done; wait; sleep 5";
    const call = await bench.sh(bomb, { limits: { timeoutMs: 4000, processMax: 40 } });
    expect(["processes", "time", null]).toContain(call.limit);
    expect((await bench.run([["echo", "ash answers"]])).stdout.text).toBe("ash answers\n");
  });

  test("that starts more processes than allowed is stopped for it", async () => {
    const call = await bench.sh("for i in $(seq 60); do sleep 5 & done; wait", {
      limits: { processMax: 20 },
    });
    expect(call.limit).toBe("processes");
  });

  test("that takes more memory than allowed is stopped for it", async () => {
    const script = "b = bytearray()\nwhile True: b += b'x' * (1 << 20)";
    const call = await bench.run([["python3", "-c", script]], { limits: { memoryMax: 64 * 1024 ** 2 } });
    expect(call.limit === "memory" || call.stages[0]?.stderr.text.includes("MemoryError")).toBe(true);
  });

  test("that burns more CPU time than allowed is stopped for it", async () => {
    const call = await bench.sh("while :; do :; done", { limits: { cpuMs: 1000 } });
    expect(call.limit).toBe("cpu");
  }, 20_000);

  test("that writes a larger file than allowed is stopped for it", async () => {
    const call = await bench.sh('exec cat /dev/zero > "$TMPDIR/big"', { limits: { fileMax: 65_536 } });
    expect(call.limit).toBe("file_size");
  });

  test("that crashes leaves no core file", async () => {
    const call = await bench.sh('cd "$TMPDIR"; ulimit -c; kill -SEGV $$');
    expect(call.stages[0]?.signal).toBe("SIGSEGV");
    expect(call.stdout.text).toBe("0\n");
  });

  test("has a private folder that is gone afterwards", async () => {
    const call = await bench.sh(
      'echo "$TMPDIR"; stat -c %a "$TMPDIR"; echo x > "$TMPDIR/f"; cat "$TMPDIR/f"',
    );
    const [folder = "", mode, content] = call.stdout.text.split("\n");
    expect([mode, content]).toEqual(["700", "x"]);
    expect(folder.startsWith(tmpdir())).toBe(true);
    expect(existsSync(folder)).toBe(false);
  });

  test("stopped from outside ends at once and says so", async () => {
    const stop = new AbortController();
    const started = bench.sh("sleep 30 & sleep 30", { signal: stop.signal });
    queueMicrotask(() => stop.abort());
    expect(await started).toMatchObject({ aborted: true, limit: null });
  });

  test("that came after the stop does not run on", async () => {
    const call = await bench.sh("sleep 30", { signal: AbortSignal.abort() });
    expect(call).toMatchObject({ aborted: true });
  });

  test("reports CPU time and memory", async () => {
    const call = await bench.run([["python3", "-c", "x = [i * i for i in range(2000000)]"]]);
    expect(call.stages[0]?.cpuMs).toBeGreaterThan(20);
    expect(call.stages[0]?.peakMemory).toBeGreaterThan(20 * 1024 ** 2);
  });

  test("does not leak descriptors", async () => {
    const open = (): number => readdirSync("/proc/self/fd").length;
    const batch = async (): Promise<number> => {
      for (let i = 0; i < 10; i += 1) await bench.run([["yes"], ["head", "-n", "1"]]);
      return open();
    };
    const first = await batch();
    await batch();
    expect(await batch()).toBeLessThan(first + 10);
  });
});
