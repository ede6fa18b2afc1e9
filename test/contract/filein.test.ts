// Named files and pipes that text is read from.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readNamedFile } from "../../src/host/filein.ts";
import { INPUT_MAX } from "../../src/host/input.ts";

let folder: string;
let fifo: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ash-in-"));
  fifo = join(folder, "p");
  Bun.spawnSync(["mkfifo", fifo]);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const { signal } = new AbortController();
const read = (path: string, silenceMs = 10_000) => readNamedFile(path, "-f x", { silenceMs, signal });
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe("a pipe", () => {
  test("is read to its end, across writers that pause", async () => {
    const reading = read(fifo);
    const writer = openSync(fifo, constants.O_WRONLY);
    writeSync(writer, "a");
    await new Promise((resolve) => setImmediate(resolve));
    writeSync(writer, "b".repeat(1000));
    closeSync(writer);
    expect(text(await reading)).toBe(`a${"b".repeat(1000)}`);
  });

  test("that nobody opens for writing is given up after the silence", async () => {
    await expect(read(fifo, 20)).rejects.toMatchObject({
      type: "usage",
      message: expect.stringContaining("is an open pipe that sent nothing"),
    });
  });

  test("whose writer says nothing is given up too", async () => {
    const both = openSync(fifo, constants.O_RDWR);
    await expect(read(fifo, 20)).rejects.toMatchObject({ type: "usage" });
    closeSync(both);
  });

  test("that has begun to speak may pause for as long as it likes", async () => {
    const both = openSync(fifo, constants.O_RDWR);
    writeSync(both, "begun");
    const reading = read(fifo, 0);
    for (let round = 0; round < 100; round += 1) await new Promise((resolve) => setImmediate(resolve));
    writeSync(both, " and done");
    closeSync(both);
    expect(text(await reading)).toBe("begun and done");
  });

  test("is let go of when the run is stopped", async () => {
    const stop = new AbortController();
    const reading = readNamedFile(fifo, "-f x", { silenceMs: 10_000, signal: stop.signal });
    stop.abort();
    await expect(reading).rejects.toMatchObject({ type: "interrupted" });
  });

  test("that closes without a word is empty", async () => {
    const reading = read(fifo);
    closeSync(openSync(fifo, constants.O_WRONLY));
    expect((await reading).length).toBe(0);
  });

  test("without end is stopped at the limit", async () => {
    const process = Bun.spawn(["sh", "-c", `exec cat /dev/zero >'${fifo}'`]);
    await expect(read(fifo)).rejects.toMatchObject({ message: "-f x holds more than 10 MiB" });
    await process.exited;
  });
});

describe("a file", () => {
  test("whose size is not what the system says is read all the same", async () => {
    expect(text(await read("/proc/version"))).toContain("Linux");
  });

  test("over the limit is refused without reading it", async () => {
    const path = join(folder, "big");
    writeFileSync(path, "");
    Bun.spawnSync(["truncate", "-s", "1T", path]);
    await expect(read(path)).rejects.toMatchObject({ message: "-f x holds more than 10 MiB" });
    expect(INPUT_MAX).toBe(10 * 1024 * 1024);
  });
});
