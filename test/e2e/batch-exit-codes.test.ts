// What a batch exits with, and when it stops asking.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runAsh } from "../support/ash.ts";
import { numbered, recordsIn, recordsOf, useBatch, writePrompts } from "../support/batch.ts";
import { type Answer, fails, type ScriptedReply, says } from "../support/modelserver.ts";
import { schemaProblems } from "../support/schemas.ts";

const { place, server, answering, echoing, batch } = useBatch();
const refusal: ScriptedReply = { content: [{ type: "text", text: "no" }], stop_reason: "refusal" };

describe("the exit code of a batch", () => {
  const fetch = (kinds: readonly string[]) =>
    writePrompts(
      place,
      kinds.map((kind, i) => ({ id: i, prompt: kind })),
    );
  const replies: Readonly<Record<string, ScriptedReply | Answer>> = {
    fine: says("ok"),
    refused: refusal,
    rejected: fails(400, "invalid_request_error"),
    down: fails(503),
  };

  test.each([
    [0, ["fine", "fine"]],
    [8, ["fine", "refused"]],
    [8, ["fine", "rejected"]],
    [5, ["fine", "down"]],
    [5, ["refused", "down"]],
  ])("is %i for %j", async (code, kinds) => {
    answering((prompt) => replies[prompt] ?? says("?"));
    const run = await batch(["--output", "out.jsonl", "--json", fetch(kinds)]);
    expect(run.code).toBe(code);
    const report = JSON.parse(run.stdout) as Record<string, unknown>;
    expect(report).toMatchObject({
      schema: "ash.batch-report/1",
      status: code === 0 ? "ok" : "incomplete",
      exit_code: code,
      output: "out.jsonl",
      error: null,
    });
    expect(schemaProblems("batch-report", report)).toEqual([]);
    expect(recordsOf(join(place.folder, "out.jsonl"))).toHaveLength(kinds.length);
  });

  test("is 3 when the key is refused, and no further prompt is asked", async () => {
    answering(() => fails(401, "authentication_error"));
    const run = await batch(["--jobs", "2", writePrompts(place, numbered(50))]);
    expect(run.code).toBe(3);
    expect(run.stderr).toMatch(/; stopped: [^\n]*answered 401[^\n]*\n$/);
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });

  test("is 3 without a key, before anything is asked or written", async () => {
    echoing();
    const args = ["batch", "--output", "out.jsonl", writePrompts(place, numbered(5))];
    const run = await runAsh(place, args);
    expect(run).toMatchObject({ code: 3, stdout: "" });
    expect(run.stderr).toMatch(/^ash: there is no key [^\n]+\n$/);
    expect(readdirSync(place.folder)).toEqual(["prompts.jsonl"]);
  });

  test("is 5 when the server is gone, and the rest is left for later", async () => {
    answering(() => fails(503));
    const run = await batch(["--jobs", "20", writePrompts(place, numbered(200))]);
    expect(run.code).toBe(5);
    expect(run.stderr).toContain("; stopped: 20 prompts in a row got no answer");
    expect(recordsIn(run.stdout).length).toBeLessThan(60);
  });

  const usage: readonly (readonly [string, readonly string[]])[] = [
    ["no file", []],
    ["two files", ["prompts.jsonl", "prompts.jsonl"]],
    ["a file that is not there", ["gone.jsonl"]],
    ["a folder", ["."]],
    ["no jobs", ["--jobs", "0", "prompts.jsonl"]],
    ["jobs that are no number", ["--jobs", "many", "prompts.jsonl"]],
    ["too many jobs", ["--jobs", "65", "prompts.jsonl"]],
    ["--json without --output", ["--json", "prompts.jsonl"]],
    ["--retry-failed without --output", ["--retry-failed", "prompts.jsonl"]],
    ["the prompts as output", ["--output", "prompts.jsonl", "prompts.jsonl"]],
    ["an output that is no file", ["--output", "/dev/null", "prompts.jsonl"]],
    ["an output in no folder", ["--output", "gone/out.jsonl", "prompts.jsonl"]],
    ["a session", ["--session", "x", "prompts.jsonl"]],
    ["a recorder", ["--record", "x", "prompts.jsonl"]],
    ["events", ["--jsonl", "prompts.jsonl"]],
  ];

  test.each(usage)("is 2 for %s, with one line that says so", async (_, args) => {
    echoing();
    const file = writePrompts(place, numbered(1));
    const before = readFileSync(file, "utf8");
    const run = await batch(args);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/^ash: [^\n]+\n$/);
    expect(server.requests).toHaveLength(0);
    expect(readFileSync(file, "utf8")).toBe(before);
  });
});
