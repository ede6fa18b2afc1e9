// Limits on tokens, and the room they leave for a reply.
import { describe, expect, test } from "bun:test";
import { resultOf, useAsking } from "../support/asking.ts";
import { type Answer, answersIn, says, streamed } from "../support/modelserver.ts";
import { costing, looking } from "../support/spending.ts";

const { server, ask } = useAsking();
const MODES = ["--json", "--jsonl"] as const;

/** Every limit that can be met in the middle of a run, with the reply that brings the run to it. */
const limits = [
  ["tokens", ["--max-tokens", "10000"], { input_tokens: 4000, output_tokens: 100 }],
  ["cost", ["--max-cost", "0.02"], { input_tokens: 4000, output_tokens: 100 }],
  ["tool_calls", ["--max-tool-calls", "1"], { input_tokens: 10, output_tokens: 10 }],
  ["turns", ["--max-turns", "2"], { input_tokens: 10, output_tokens: 10 }],
] as const;

describe.each(limits)("the limit on %s", (limit, flags, usage) => {
  test.each(MODES)("asks for a final answer without tools, in %s", async (mode) => {
    const answer = costing(says("As far as I got."), { input_tokens: 4100, output_tokens: 20 });
    const replies = [looking("Looking.", usage), looking("Still.", usage, "toolu_2"), answer];
    server.start(limit === "tokens" || limit === "cost" ? [looking("Looking.", usage), answer] : replies);
    const run = await ask([mode, ...flags, "go"]);
    expect(run.code).toBe(6);
    expect(resultOf(run.stdout)).toMatchObject({
      status: "limit",
      limit,
      result: "As far as I got.",
      stop_reason: "end_turn",
      error: { type: "limit" },
    });
    expect(server.requests.at(-1)?.tool_choice).toEqual({ type: "none" });
    // The call that was not run has its answer all the same.
    expect(answersIn(server.requests.at(-1)).at(-1)?.content).toContain("not run");
    expect(run.stderr.split("\n")).toHaveLength(2);
  });

  test("prints what there is in text mode", async () => {
    server.start([looking("Looking.", usage), looking("Still.", usage, "toolu_2"), says("Enough.")]);
    const run = await ask([...flags, "go"]);
    expect(run.code).toBe(6);
    expect(run.stdout.trim()).not.toBe("");
    expect(run.stderr).toMatch(/^ash: the run .* \(raise --max-/m);
  });
});

describe("at a limit without room for an answer", () => {
  const table = [
    ["tokens", ["--max-tokens", "6000"], { input_tokens: 5000, output_tokens: 500 }],
    ["cost", ["--max-cost", "0.02"], { input_tokens: 6000, output_tokens: 500 }],
  ] as const;

  test.each(table)("on %s the text so far is kept and nothing more is asked", async (limit, flags, usage) => {
    server.start([looking("Half of it.", usage), says("never")]);
    const run = await ask(["--json", ...flags, "go"]);
    expect(run.json()).toMatchObject({ exit_code: 6, limit, turns: 1, result: "Half of it.", tools: [] });
    expect(server.requests).toHaveLength(1);
  });
});

describe("the room for a reply", () => {
  test("is what the limit leaves, and the server's own maximum without one", async () => {
    server.start([looking("a", { input_tokens: 2000, output_tokens: 100 }), says("b")]);
    await ask(["--json", "--max-tokens", "20000", "go"]);
    const [first, second] = server.requests.map((request) => Number(request.max_tokens));
    expect(first).toBeLessThan(20_000);
    expect(first).toBeGreaterThan(15_000);
    // 2100 are spent, and the conversation is at least as long as it was.
    expect(second).toBeLessThanOrEqual(20_000 - 2100 - 2000);
    await ask(["--json", "go"]);
    expect(server.requests[2]?.max_tokens).toBe(32_000);
  });

  test("in dollars is what they buy", async () => {
    server.start([says("b")]);
    await ask(["--json", "--max-cost", "0.05", "go"]);
    const room = Number(server.requests[0]?.max_tokens);
    expect(room).toBeLessThan(5000);
    expect(room).toBeGreaterThan(3000);
  });

  test("that cuts the reply is the limit, not the model's", async () => {
    const cut: Answer = (body, signal) =>
      streamed({
        content: [{ type: "text", text: "The first half" }],
        stop_reason: "max_tokens",
        usage: { input_tokens: 1000, output_tokens: Number(body.max_tokens) },
      })(body, signal);
    server.start([cut]);
    const limited = await ask(["--json", "--max-tokens", "5000", "go"]);
    expect(limited.json()).toMatchObject({ exit_code: 6, limit: "tokens", result: "The first half" });
    const free = await ask(["--json", "go"]);
    expect(free.json()).toMatchObject({ exit_code: 8, limit: null, error: { type: "max_tokens" } });
  });
});

describe("a server that reports no tokens", () => {
  test("is counted by an estimate, which is said once, and the usage stays unknown", async () => {
    const text = "word ".repeat(3000);
    server.start([looking(text, null), costing(says("done"), null)]);
    const run = await ask(["--json", "--max-tokens", "12000", "go"]);
    expect(run.json()).toMatchObject({
      exit_code: 6,
      limit: "tokens",
      usage: { input_tokens: null, output_tokens: null },
      cost_usd: null,
    });
    expect(run.json().warnings.map(({ type }) => type)).toEqual(["usage_estimated"]);
  });
});
