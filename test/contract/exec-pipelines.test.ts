// Pipelines, and programs that cannot be started, in every mode of the sandbox.
import { describe, expect, test } from "bun:test";
import { chmodSync, closeSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { availableModes, probeSandbox } from "../../src/exec/sandbox.ts";
import { makeNamedPipe, makePipe } from "../../src/host/pipes.ts";
import { useBench } from "../support/bench.ts";
import { LIMITS, openBench, permitFor } from "../support/engine.ts";

const modes = availableModes(probeSandbox()).filter((mode) => mode !== "bwrap");

describe.each(modes)("in mode %s, a pipeline", (mode) => {
  const bench = useBench(mode);

  test("ends its producer by SIGPIPE when the reader has enough", async () => {
    const call = await bench.run([["yes"], ["head", "-n", "1"]]);
    expect(call.stdout.text).toBe("y\n");
    expect(call.stages.map(({ code, signal }) => signal ?? code)).toEqual(["SIGPIPE", 0]);
    expect(call.stages.map((stage) => stage.stderr.text)).toEqual(["", ""]);
  });

  test("of sixteen stages passes everything through", async () => {
    const stages = [["seq", "1000"], ...Array.from({ length: 14 }, () => ["cat"]), ["tail", "-n", "1"]];
    const call = await bench.run(stages);
    expect(call.stdout.text).toBe("1000\n");
    expect(call.stages.map((stage) => stage.code)).toEqual(Array(16).fill(0));
  });

  test("of sixteen stages ends every producer when the last reader leaves", async () => {
    const stages = [["yes"], ...Array.from({ length: 14 }, () => ["cat"]), ["head", "-n", "1"]];
    const call = await bench.run(stages);
    expect(call.stages.slice(0, 15).every(({ signal }) => signal === "SIGPIPE")).toBe(true);
  });

  test("keeps the last stage's output when an earlier one fails, and everybody's errors", async () => {
    const call = await bench.run([
      ["sh", "-c", "echo a; echo oops >&2; exit 3"],
      ["sh", "-c", "cat; echo hm >&2"],
      ["cat"],
    ]);
    expect(call.stdout.text).toBe("a\n");
    expect(call.stages.map(({ code, stderr }) => [code, stderr.text])).toEqual([
      [3, "oops\n"],
      [0, "hm\n"],
      [0, ""],
    ]);
  });

  test("does not wait for a producer that only waits once its reader is gone", async () => {
    const call = await bench.run([["sleep", "30"], ["true"]]);
    expect(call.stages[0]).toMatchObject({ unread: true });
    expect(call.stages[1]?.code).toBe(0);
    // The producer sleeps for longer than the time limit.
    expect(call.limit).toBeNull();
  });

  test("with a spinning stage ends at the time limit, all of it", async () => {
    const call = await bench.run([["sh", "-c", "while :; do :; done"], ["cat"], ["wc", "-c"]], {
      limits: { timeoutMs: 300 },
    });
    expect(call.limit).toBe("time");
  });

  test("gives programs real pipes", async () => {
    expect((await bench.sh("echo hi > /dev/stdout; echo ho > /dev/stderr")).stdout.text).toBe("hi\n");
    const call = await bench.run([
      ["echo", "x"],
      ["stat", "-L", "-c", "%F", "/dev/stdin"],
    ]);
    expect(call.stdout.text).toBe("fifo\n");
  });

  test("of binary data carries every byte", async () => {
    const call = await bench.run([
      ["head", "-c", "300000", "/dev/zero"],
      ["wc", "-c"],
    ]);
    expect(call.stdout.text.trim()).toBe("300000");
  });

  test("cuts output of exactly one byte more than the limit, and not of the limit", async () => {
    const exact = await bench.run([["printf", `%0${LIMITS.outputMax}d`, "0"]]);
    expect(exact.stdout).toMatchObject({ truncated: false, bytes: LIMITS.outputMax });
    const over = await bench.run([["printf", `%0${LIMITS.outputMax + 1}d`, "0"]]);
    expect(over.stdout).toMatchObject({ truncated: true, bytes: LIMITS.outputMax + 1 });
    const split = await bench.sh("printf '%6143s' x; printf '\\303\\251'; printf '%8000s' y");
    expect(split.stdout.text).not.toContain("\ufffd");
  });

  test("shows invalid UTF-8 as replaced", async () => {
    expect((await bench.run([["printf", "a\\377b"]])).stdout.text).toBe("a\ufffdb");
  });
});

describe.each(modes)("in mode %s, a program", (mode) => {
  const bench = useBench(mode);

  const put = (name: string, content: string | Uint8Array, permissions: number): string => {
    const path = join(bench.folder, name);
    writeFileSync(path, content);
    chmodSync(path, permissions);
    return path;
  };

  test("that is no program the system can run is a typed problem", async () => {
    const call = await bench.run([[put("garbage", new Uint8Array([1, 2, 3, 4]), 0o755)]]);
    expect(call.problem).toEqual({ stage: 0, problem: "bad_format" });
  });

  test("that may not be executed is a typed problem", async () => {
    const call = await bench.run([[put("plain", "#!/bin/sh\n", 0o644)]]);
    expect(call.problem?.problem).toBe("not_executable");
  });

  test("whose interpreter is missing is a typed problem", async () => {
    const call = await bench.run([[put("lost", "#!/no/such/interpreter\n", 0o755)]]);
    expect(call.problem?.problem).toBe("not_found");
  });

  test("whose arguments are too long for the system is a typed problem", async () => {
    const call = await bench.run([["echo", "x".repeat(200_000)]]);
    expect(call.problem?.problem).toBe("too_long");
  });

  test("with a NUL in an argument is a typed problem and never a shorter argument", async () => {
    const call = await bench.run([["echo", "a\0b"]]);
    expect(call.problem?.problem).toBe("bad_argument");
  });

  test("whose working folder is gone is told apart from a missing program", async () => {
    const lost = openBench(mode);
    mkdirSync(join(lost.folder, "gone"));
    rmSync(lost.folder, { recursive: true });
    expect((await lost.run([["true"]])).problem?.problem).toBe("no_folder");
    await lost.close();
  });

  test("that changed after it was judged is not started", async () => {
    const path = put("judged", "#!/bin/sh\necho one\n", 0o755);
    const permit = permitFor([path]);
    writeFileSync(path, "#!/bin/sh\necho two\n");
    utimesSync(path, new Date(), new Date(Date.now() + 5000));
    const call = await bench.engine.perform({
      permits: [permit],
      folder: bench.folder,
      limits: LIMITS,
      remainingMs: 10_000,
      signal: new AbortController().signal,
    });
    expect(call.problem).toEqual({ stage: 0, problem: "changed" });
  });

  test("that is missing in the middle stops the whole pipeline before anything ran", async () => {
    const marker = join(bench.folder, "ran");
    const broken = put("broken", new Uint8Array([1, 2, 3]), 0o755);
    const call = await bench.run([
      ["sh", "-c", `echo x > ${marker}`],
      [broken],
      ["sh", "-c", `echo y > ${marker}`],
    ]);
    expect(call.problem).toEqual({ stage: 1, problem: "bad_format" });
    expect(await Bun.file(marker).exists()).toBe(false);
  });
});

describe.each([
  ["the C library", makePipe],
  ["the file system", makeNamedPipe],
])("a pipe from %s", (_, make) => {
  test("gives a writer without a reader SIGPIPE", async () => {
    const [read = -1, write = -1] = make() ?? [];
    const writer = Bun.spawn(["yes"], { stdio: ["ignore", write, "ignore"] });
    closeSync(write);
    const reader = Bun.spawn(["head", "-n", "1"], { stdio: [read, "pipe", "ignore"] });
    closeSync(read);
    expect(await reader.stdout.text()).toBe("y\n");
    await writer.exited;
    expect(writer.signalCode).toBe("SIGPIPE");
  });

  test("ends for the reader when the writer ends", async () => {
    const [read = -1, write = -1] = make() ?? [];
    const writer = Bun.spawn(["echo", "hi"], { stdio: ["ignore", write, "ignore"] });
    closeSync(write);
    expect(await Bun.file(read).text()).toBe("hi\n");
    closeSync(read);
    await writer.exited;
  });
});
