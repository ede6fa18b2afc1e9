// Answers that do not match the schema.
import { describe, expect, test } from "bun:test";
import { resultOf } from "../support/asking.ts";
import { calls, says } from "../support/modelserver.ts";
import { DISK, GOOD, PLAIN, useSchema } from "../support/structured.ts";

const { server, ask } = useSchema();

describe("an answer that does not match", () => {
  const wrong = [
    ["prose", "The disk is full.", "it is not one JSON value"],
    [
      "a field of the wrong type",
      '{"name": "sda", "used": "93"}',
      '/used: Instance type "string" is invalid',
    ],
    ["a missing field", '{"name": "sda"}', 'the whole: Instance does not have required property "used"'],
    ["a value out of range", '{"name": "sda", "used": 120}', "/used: 120 is greater than 100"],
    [
      "a word that is not listed",
      '{"name": "a", "used": 1, "tags": ["full", "big"]}',
      "/tags/1: Instance does not match any",
    ],
    ["cut JSON", '{"name": "sda", "used": 9', "it is not one JSON value"],
    ["two values", `${GOOD}\n${GOOD}`, "it is not one JSON value"],
    ["another type altogether", "[]", 'the whole: Instance type "array" is invalid'],
  ] as const;

  test.each(wrong)("(%s) is given back once, with what is wrong", async (_, text, problem) => {
    server.start([says(text), says(GOOD)]);
    const run = await ask(["--json", ...PLAIN, "go"]);
    expect(run.json()).toMatchObject({ status: "ok", turns: 2, structured: { used: 93 } });
    const told = JSON.stringify(server.requests[1]?.messages.at(-1));
    expect(told).toContain(JSON.stringify(problem).slice(1, -1));
    // A server that was given the schema may have passed over it: the model must see it now at the latest.
    expect(JSON.parse(told).content[0].text).toContain(JSON.stringify(DISK));
    expect(server.requests[1]?.tool_choice).toEqual({ type: "none" });
  });

  test.each(["--json", "--jsonl"])(
    "twice ends the run with its own error and the text, with %s",
    async (mode) => {
      server.start([says("No."), says("Still no.")]);
      const run = await ask([mode, "go"]);
      expect(run.code).toBe(8);
      expect(resultOf(run.stdout)).toMatchObject({
        status: "incomplete",
        exit_code: 8,
        result: "Still no.",
        structured: null,
        error: { type: "schema_mismatch", message: expect.stringContaining("it is not one JSON value") },
        turns: 2,
      });
      expect(server.requests).toHaveLength(2);
    },
  );

  test("leaves stdout empty in text mode", async () => {
    server.start([says("No.")]);
    const run = await ask(["go"]);
    expect(run).toMatchObject({ code: 8, stdout: "" });
    expect(run.stderr).toMatch(/^ash: the answer does not match the schema: [^\n]+\n$/);
  });

  test("and calls a tool instead of correcting itself is not run any further", async () => {
    server.start([says("No."), calls("uname"), says("never")]);
    const run = await ask(["--json", ...PLAIN, "go"]);
    expect(run.json()).toMatchObject({
      exit_code: 8,
      turns: 2,
      tools: [],
      error: { type: "schema_mismatch" },
    });
  });

  test("gets no second turn when the run has none left", async () => {
    server.start([says("No."), says(GOOD)]);
    const run = await ask(["--json", "--max-turns", "1", "go"]);
    expect(run.json()).toMatchObject({ exit_code: 8, turns: 1, error: { type: "schema_mismatch" } });
  });

  test("is a refusal or an empty answer when it is one", async () => {
    server.start([{ content: [{ type: "text", text: "No." }], stop_reason: "refusal" }]);
    expect((await ask(["--json", "go"])).json().error?.type).toBe("refusal");
    await server.stop();
    server.start([says(" ")]);
    expect((await ask(["--json", "go"])).json().error?.type).toBe("empty_answer");
  });
});

describe("at a limit", () => {
  test("the last words are parsed when they match, and not printed when they do not", async () => {
    const looking = calls("echo", ["x"]);
    server.start([looking, says(GOOD)]);
    const kept = await ask(["--json", "--max-turns", "1", "go"]);
    expect(kept.json()).toMatchObject({ exit_code: 6, limit: "turns", structured: { used: 93 } });
    await server.stop();
    server.start([looking, says("Not yet.")]);
    expect(await ask(["--max-turns", "1", "go"])).toMatchObject({ code: 6, stdout: "" });
  });
});
