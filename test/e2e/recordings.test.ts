// Recordings and sessions: written, played and gone on with.
import { describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runAsh } from "../support/ash.ts";
import { KEY, useAsking } from "../support/asking.ts";
import { calls, says } from "../support/modelserver.ts";

const { place, server, ask } = useAsking();

const file = (name: string): string => join(place.folder, name);

async function record(): Promise<string> {
  server.start([calls("uname", ["-s"]), says("It is Linux.")]);
  const path = file("run.jsonl");
  const run = await ask(["--record", path, "which system?"]);
  expect(run.code).toBe(0);
  return path;
}

const lines = (path: string): string[] => readFileSync(path, "utf8").trim().split("\n");

describe("a recording", () => {
  test("plays without key and server, and its tools really run", async () => {
    const path = await record();
    expect(readFileSync(path, "utf8")).not.toContain("test-key");
    const run = await runAsh(place, ["--json", "--replay", path, "which system?"]);
    expect(run.json()).toMatchObject({ status: "ok", turns: 2, result: "It is Linux." });
    expect(run.json().tools[0]).toMatchObject({ argv: ["uname", "-s"], exit_code: 0, stdout_bytes: 6 });
  });

  test("with a reply too few is an error, not an answer", async () => {
    const path = await record();
    writeFileSync(path, `${lines(path).slice(0, 2).join("\n")}\n`);
    const run = await runAsh(place, ["--json", "--replay", path, "go"]);
    expect(run.code).toBe(4);
    expect(run.json().error).toMatchObject({
      type: "protocol",
      message: expect.stringContaining("has 1 reply, but the run asked for one more"),
    });
  });

  test("with a reply too many is an error", async () => {
    const path = await record();
    writeFileSync(path, `${[...lines(path), lines(path)[2]].join("\n")}\n`);
    const run = await runAsh(place, ["--json", "--replay", path, "go"]);
    expect(run.code).toBe(4);
    expect(run.json().error?.message).toContain("1 more reply");
  });

  test("whose calls changed no longer fits", async () => {
    const path = await record();
    writeFileSync(path, readFileSync(path, "utf8").replace('"id":"toolu_1"', '"id":"other"'));
    const run = await runAsh(place, ["--json", "--replay", path, "go"]);
    expect(run.code).toBe(4);
    expect(run.json().error?.message).toContain("answers 1 call (toolu_1)");
  });

  const broken = [
    ["that is not there", null, "there is no such file"],
    ["that is empty", "", "the recording is empty"],
    ["that is not JSON", "hello\n", ":1: not JSON"],
    [
      "of something else",
      '{"type":"recording","schema":"other/9","model":"m"}\n',
      "not the head of a recording",
    ],
    [
      "with a line that is no reply",
      '{"type":"recording","schema":"ash.recording/1","model":"m"}\n\n{"type":"reply"}\n',
      ":3: not a reply",
    ],
  ] as const;

  test.each(broken)("%s is a usage error that names the line", async (_, text, message) => {
    if (text !== null) writeFileSync(file("bad.jsonl"), text);
    const run = await runAsh(place, ["--json", "--replay", file("bad.jsonl"), "go"]);
    expect(run.code).toBe(2);
    expect(run.json().error?.message).toContain(message);
  });

  test("that cannot be written is refused before anything is asked", async () => {
    server.start([says("never")]);
    const run = await ask(["--json", "--record", "/proc/nowhere/x", "go"]);
    expect(run.code).toBe(2);
    expect(server.requests).toHaveLength(0);
  });
});

describe("the embedded demo", () => {
  test("runs a command, a pipeline and a Python tool for real", async () => {
    const run = await runAsh(place, ["--json", "--replay", "demo", "show me"]);
    const result = run.json();
    expect(result).toMatchObject({ status: "ok", turns: 2 });
    expect(result.tools.map((tool) => [tool.name, tool.exit_code])).toEqual([
      ["run_unix_command", 0],
      ["run_unix_pipeline", 0],
      ["run_unix_command", 0],
    ]);
    expect(result.tools[2]?.argv).toEqual(["wikipedia.py", "--ai-docs"]);
    expect(result.tools[2]?.stdout_bytes).toBeGreaterThan(100);
  });
});

describe("a session", () => {
  const session = (id: string | null): string[] => lines(join(place.ashHome, "sessions", `${id}.jsonl`));

  test.each([
    '{"type":"message"}',
    '{"run":"r","ts":"t","type":"message","message":null}',
    '{"run":"r","ts":"t","type":"message","message":{"role":"user"}}',
    '{"run":"r","ts":"t","type":"message","message":{"role":"user","content":"text"}}',
    '{"run":"r","ts":"t","type":"message","message":{"role":"other","content":[{"type":"text","text":"x"}]}}',
    '{"run":"r","ts":"t","type":"message","message":{"role":"assistant","content":[null]}}',
    '{"run":"r","ts":"t","type":"message","message":{"role":"assistant","content":[{"type":"server"}]}}',
    '{"run":"r","ts":"t","type":"call"}',
    "[]",
    "7",
  ])("goes on past a line that is none of ash's: %s", async (line) => {
    server.start([says("done")]);
    const id = (await ask(["--json", "first"])).json().session_id ?? "";
    appendFileSync(join(place.ashHome, "sessions", `${id}.jsonl`), `${line}\n`);
    const second = (await ask(["--json", "--session", id, "second"])).json();
    expect(second).toMatchObject({ status: "ok", result: "done" });
    expect(server.requests.at(-1)?.messages).toHaveLength(3);
    expect((await runAsh(place, ["policy", "why", id, "1"])).code).toBe(2);
  });

  test("keeps every message, call and the end, in whole lines", async () => {
    server.start([calls("uname", ["-s"]), calls("rm", ["x"], "toolu_2"), says("done")]);
    const run = await ask(["--json", "go"]);
    const entries = session(run.json().session_id).map((line) => JSON.parse(line));
    expect(entries.map((entry) => entry.type)).toEqual([
      "run.start",
      "message",
      "message",
      "call",
      "message",
      "message",
      "call",
      "message",
      "message",
      "run.end",
    ]);
    expect(entries[3].record).toMatchObject({ argv: ["uname", "-s"], decision: "allow" });
    expect(entries[6].denial).toMatchObject({ rule: "not-listed" });
    expect(entries.at(-1).result).toMatchObject({ status: "ok", exit_code: 0 });
  });

  test("goes on with --continue and --session, and sends what was said before", async () => {
    server.start([says("first answer"), says("second answer"), says("third answer")]);
    const options = { env: KEY };
    const first = (await runAsh(place, ["--json", "--base-url", server.url, "one"], options)).json();
    const second = (await runAsh(place, ["--json", "--base-url", server.url, "-c", "two"], options)).json();
    const third = (
      await runAsh(
        place,
        ["--json", "--base-url", server.url, "--session", `${first.session_id}`, "three"],
        options,
      )
    ).json();
    expect([second.session_id, third.session_id]).toEqual([first.session_id, first.session_id]);
    expect(server.requests[2]?.messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect(JSON.stringify(server.requests[2]?.messages)).toContain("second answer");
    expect(server.problems).toEqual([]);
  });

  test("left in the middle of a call by a crash is repaired on load", async () => {
    server.start([calls("uname", ["-s"]), says("first"), says("second")]);
    const first = (await ask(["--json", "one"])).json();
    const path = join(place.ashHome, "sessions", `${first.session_id}.jsonl`);
    writeFileSync(path, `${session(first.session_id).slice(0, 3).join("\n")}\n{"ts":"2026`);
    const second = await ask(["--json", "-c", "two"]);
    expect(second.json()).toMatchObject({ status: "ok", result: "second" });
    expect(server.problems).toEqual([]);
    expect(JSON.stringify(server.requests[2]?.messages)).toContain("was interrupted and has no result");
  });

  test("is not kept with --no-save", async () => {
    server.start([says("hi")]);
    const run = await ask(["--json", "--no-save", "go"]);
    expect(run.json().session_id).toBeNull();
    expect(existsSync(join(place.ashHome, "sessions"))).toBe(true);
    expect([...new Bun.Glob("*.jsonl").scanSync(join(place.ashHome, "sessions"))]).toEqual([]);
  });

  const missing = [
    [["--session", "20260101-000000-00000000"]],
    [["--session", "../../etc/passwd"]],
    [["--continue"]],
  ] as const;

  test.each(missing)("that does not exist is a usage error (%j)", async (args) => {
    const run = await runAsh(place, ["--json", ...args, "--replay", "demo", "go"]);
    expect(run.code).toBe(2);
    expect(run.json().error?.type).toBe("usage");
  });
});
