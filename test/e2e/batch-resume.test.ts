// Batches that go on where an earlier one stopped.
import { beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { BatchRecord } from "../../src/schema.ts";
import { ASH, environmentOf, finish } from "../support/ash.ts";
import { KEY } from "../support/asking.ts";
import {
  answering,
  echo,
  numbered,
  type ReplyTo,
  recordsIn,
  recordsOf,
  runBatch,
  startBatch,
  useBatch,
  writePrompts,
} from "../support/batch.ts";
import { type Answer, fails, promptIn, type ScriptedReply, says, streamed } from "../support/modelserver.ts";
import { processesOf } from "../support/processes.ts";

const { place, server } = useBatch();
let output: string;

/** What the server does with a request. */
let reply: ReplyTo;

beforeEach(() => {
  output = join(place.folder, "out.jsonl");
  reply = echo;
  server.start([answering((prompt, count) => reply(prompt, count))]);
});

const batch = (file: string, ...args: readonly string[]) =>
  runBatch(place, server.url, ["--output", output, ...args, file]);
const idsOf = (records: readonly BatchRecord[]): readonly string[] =>
  records.map(({ id }) => String(id)).sort();
const randomUpTo = (most: number): number => 1 + Math.floor(Math.random() * most);

/** The records of a file whose last line may be torn. */
const wholeRecords = (): readonly BatchRecord[] => {
  const text = existsSync(output) ? readFileSync(output, "utf8") : "";
  return recordsIn(text.slice(0, text.lastIndexOf("\n") + 1));
};

const record = (id: string | null, exitCode: number, answer = "before"): string =>
  JSON.stringify({ schema: "ash.batch/1", id, line: 1, result: { exit_code: exitCode, result: answer } });

describe("ash batch --output", () => {
  test("of 500 prompts, killed twice at any moment, has each id exactly once in the end", async () => {
    const file = writePrompts(place, numbered(500));
    const jobs = 6;
    for (let kill = 0; kill < 2; kill += 1) {
      const before = wholeRecords().length;
      const fatal = server.requests.length + randomUpTo(200);
      const running = startBatch(place, server.url, ["--jobs", String(jobs), "--output", output, file]);
      reply = (prompt, count) => {
        if (count >= fatal) running.kill("SIGKILL");
        return says(`you asked: ${prompt}`);
      };
      await running.exited;
      expect(running.signalCode).toBe("SIGKILL");
      const records = wholeRecords();
      expect(records.length).toBeGreaterThanOrEqual(before);
      expect(new Set(idsOf(records)).size).toBe(records.length);
    }
    // What a crash of the machine can leave: the last line is cut anywhere.
    const { size } = statSync(output);
    const last = readFileSync(output, "utf8").trimEnd().split("\n").at(-1) ?? "";
    truncateSync(output, size - randomUpTo(Buffer.byteLength(last)));
    reply = echo;
    const done = await batch(file);
    expect(done.code).toBe(0);
    expect(done.stderr).toMatch(/^ash: 500 prompts: 500 answered, \d+ done before in [^\n]+\n$/);
    const records = recordsOf(output);
    expect(idsOf(records)).toEqual(idsOf(numbered(500) as never));
    for (const { id, result } of records)
      expect(result.result).toBe(`you asked: number ${String(id).slice(1)}`);
    // Only what was being asked when the kill came is paid for twice, and the line that was cut.
    expect(server.requests.length).toBeLessThanOrEqual(500 + 2 * jobs + 1);
    expect(readdirSync(place.folder).sort()).toEqual(["out.jsonl", "prompts.jsonl"]);
    expect(processesOf(place.home)).toEqual([]);
  }, 30_000);

  test("asks nothing when all is done", async () => {
    const file = writePrompts(place, numbered(20));
    await batch(file);
    const before = readFileSync(output, "utf8");
    const again = await batch(file);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain("20 answered, 20 done before");
    expect(server.requests).toHaveLength(20);
    expect(readFileSync(output, "utf8")).toBe(before);
  });

  test("asks only what was added to the prompts, and leaves results of others alone", async () => {
    await batch(writePrompts(place, [{ id: "gone", prompt: "removed later" }, ...numbered(5)]));
    const run = await batch(writePrompts(place, numbered(8)));
    expect(run.stderr).toContain("8 answered, 5 done before");
    expect(idsOf(recordsOf(output))).toEqual(["gone", "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"]);
  });

  const torn = `${record("b", 0).slice(0, -20)}`;
  test.each([
    ["in its middle", torn],
    ["after its first letter", "{"],
    ["before its line feed", record("b", 0)],
    ["within a character", `${record("b", 0, "ä").split("ä")[0]}\xc3`],
  ])("puts right a last line that is cut %s", async (_, rest) => {
    writeFileSync(output, Buffer.from(`${record("a", 0)}\n${rest}`, "latin1"));
    const run = await batch(
      writePrompts(place, [
        { id: "a", prompt: "a" },
        { id: "b", prompt: "b" },
      ]),
    );
    expect(run.code).toBe(0);
    expect(idsOf(recordsOf(output))).toEqual(["a", "b"]);
    expect(server.requests).toHaveLength(rest === record("b", 0) ? 0 : 1);
  });

  test("asks again what may succeed now, and what failed for good only with --retry-failed", async () => {
    const kinds: Readonly<Record<string, ScriptedReply | Answer>> = {
      down: fails(503),
      refused: { content: [{ type: "text", text: "no" }], stop_reason: "refusal" },
    };
    reply = (prompt) => kinds[prompt] ?? says("ok");
    const lines = ["fine", "down", "refused"].map((kind) => ({ id: kind, prompt: kind }));
    const file = writePrompts(place, [...lines, { id: "bad", promt: "mistyped" }]);
    expect((await batch(file)).code).toBe(5);
    expect(idsOf(recordsOf(output))).toEqual(["bad", "down", "fine", "refused"]);
    reply = () => says("now it works");
    const asked = server.requests.length;
    const again = await batch(writePrompts(place, [...lines, { id: "bad", prompt: "corrected" }]));
    expect(again.code).toBe(8);
    expect(again.stderr).toContain("3 answered, 1 failed, 2 done before");
    expect(server.requests.slice(asked).map(promptIn).sort()).toEqual(["corrected", "down"]);
    const last = await batch(file, "--retry-failed");
    expect(last.code).toBe(0);
    expect(server.requests.slice(asked + 2).map(promptIn)).toEqual(["refused"]);
    const ends = recordsOf(output).map(({ id, result }) => [id, result.exit_code]);
    expect(ends.sort()).toEqual([
      ["bad", 0],
      ["down", 0],
      ["fine", 0],
      ["refused", 0],
    ]);
  });

  test("looks anew at lines without an id, and keeps one result of each", async () => {
    const file = writePrompts(place, ["not json", { id: "a", prompt: "a" }, "also not"]);
    await batch(file);
    await batch(file);
    const rows = recordsOf(output).map(({ id, line }) => [id, line]);
    expect(rows.sort((a, b) => Number(a[1]) - Number(b[1]))).toEqual([
      [null, 1],
      ["a", 2],
      [null, 3],
    ]);
  });

  test("is for one batch at a time", async () => {
    const asked = Promise.withResolvers<void>();
    const open = Promise.withResolvers<void>();
    reply = (prompt) => async (request, signal) => {
      asked.resolve();
      await open.promise;
      return streamed(says(prompt))(request, signal);
    };
    const file = writePrompts(place, numbered(4));
    const first = startBatch(place, server.url, ["--output", output, file]);
    await asked.promise;
    const second = await batch(file, "--json");
    expect(second.code).toBe(5);
    expect(second.json()).toMatchObject({ status: "locked", error: { type: "locked", retryable: true } });
    open.resolve();
    expect((await finish(first)).code).toBe(0);
    expect(server.requests).toHaveLength(4);
    expect(recordsOf(output)).toHaveLength(4);
  });

  test.each([
    ["other JSON Lines", '{"a":1}\n'],
    ["other JSON Lines without a last line feed", '{"a":1}'],
    ["text", "dear diary"],
    ["results with something else between", `${record("a", 0)}\nsomething else\n${record("b", 0)}\n`],
    ["the results of a single run", `${JSON.stringify({ schema: "ash.result/1", exit_code: 0 })}\n`],
  ])("refuses a file that holds %s, and leaves it as it is", async (_, text) => {
    writeFileSync(output, text);
    const run = await batch(writePrompts(place, numbered(2)));
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/^ash: --output: line \d of [^\n]+ is not a result of ash batch [^\n]+\n$/);
    expect(readFileSync(output, "utf8")).toBe(text);
    expect(server.requests).toHaveLength(0);
  });

  test("is private when made, and keeps its permissions when it is put right", async () => {
    const file = writePrompts(place, numbered(1));
    await batch(file);
    expect(statSync(output).mode & 0o777).toBe(0o600);
    writeFileSync(output, `${record("a", 5)}\n`);
    chmodSync(output, 0o664);
    await batch(file);
    expect(statSync(output).mode & 0o777).toBe(0o664);
    expect(idsOf(recordsOf(output))).toEqual(["p0"]);
  });

  test("goes on after a batch that was killed while it put the file right", async () => {
    writeFileSync(output, `${record("p0", 0)}\n${record("p1", 5)}\n`);
    writeFileSync(join(place.folder, ".out.jsonl.new"), "half of it");
    const run = await batch(writePrompts(place, numbered(2)));
    expect(run.code).toBe(0);
    expect(idsOf(recordsOf(output))).toEqual(["p0", "p1"]);
    expect(readdirSync(place.folder).sort()).toEqual(["out.jsonl", "prompts.jsonl"]);
  });

  test("that cannot take a line ends the batch with 3, and holds only whole lines", async () => {
    const file = writePrompts(place, numbered(200));
    const line =
      'ulimit -f 16; trap "" XFSZ; exec "$ASH" batch --no-save --base-url "$URL" --output out.jsonl prompts.jsonl';
    const shell = Bun.spawn(["bash", "-c", line], {
      cwd: place.folder,
      env: environmentOf(place, { ...KEY, ASH, URL: server.url }),
      stderr: "pipe",
    });
    expect(await shell.stderr.text()).toMatch(
      /; stopped: --output: out\.jsonl cannot be written \([A-Z]+\) [^\n]+\n$/,
    );
    expect(await shell.exited).toBe(3);
    expect(server.requests.length).toBeLessThan(100);
    expect(recordsOf(output).length).toBeGreaterThan(5);
    expect((await batch(file)).code).toBe(0);
    expect(recordsOf(output)).toHaveLength(200);
  });
});
