// What a run costs, and limits on it.
import { describe, expect, test } from "bun:test";
import { runAsh } from "../support/ash.ts";
import { KEY, useAsking } from "../support/asking.ts";
import { says } from "../support/modelserver.ts";
import { costing, looking } from "../support/spending.ts";

const { place, server, ask } = useAsking();

describe("the cost of a run", () => {
  test("is counted by request, with what the cache saves and costs", async () => {
    server.start([
      looking("a", { input_tokens: 1000, output_tokens: 100, cache_creation_input_tokens: 2000 }),
      costing(says("b"), { input_tokens: 200, output_tokens: 50, cache_read_input_tokens: 3000 }),
    ]);
    const result = (await ask(["--json", "go"])).json();
    // Sonnet 5.5: 2 in, 10 out, 2.50 written, 0.10 read for a million tokens.
    expect(result.cost_usd).toBeCloseTo(
      (1000 * 2 + 100 * 10 + 2000 * 2.5 + 200 * 2 + 50 * 10 + 3000 * 0.1) / 1e6,
      12,
    );
    expect(result.usage).toEqual({
      input_tokens: 1200,
      output_tokens: 150,
      cache_read_input_tokens: 3000,
      cache_creation_input_tokens: 2000,
    });
  });

  const priced = [
    ["a model without a known price", ["--model", "some-model"], null],
    ["a reseller", ["--provider", "openrouter", "--model", "claude-sonnet-5-5"], null],
    ["a server of one's own", ["--provider", "ollama", "--model", "m"], 0],
    ["an alias", ["--model", "haiku"], (10 * 0.1 + 7 * 0.5) / 1e6],
  ] as const;

  test.each(priced)("of %s is known or null", async (_, args, cost) => {
    server.start([says("hi")]);
    const run = await ask(["--json", ...args, "go"], {
      ...KEY,
      OPENROUTER_API_KEY: "test-key",
      OLLAMA_API_KEY: "test-key",
    });
    expect(run.json()).toMatchObject({ status: "ok", cost_usd: cost });
  });

  test("is null when the server counted nothing, and 0 for a recording", async () => {
    server.start([costing(says("hi"), null)]);
    expect((await ask(["--json", "go"])).json()).toMatchObject({
      cost_usd: null,
      warnings: [{ type: "no_usage" }],
    });
    expect((await ask(["--json", "--replay", "demo", "go"])).json().cost_usd).toBe(0);
  });
});

describe("a limit on cost", () => {
  const unknown = [
    ["--max-cost", ["--max-cost", "1"], {}],
    ["ASH_MAX_COST", [], { ASH_MAX_COST: "1" }],
    ["max_cost_per_day", [], { ASH_MAX_COST_PER_DAY: "1" }],
  ] as const;

  test.each(unknown)("by %s is a usage error where no price is known", async (name, args, env) => {
    server.start([says("never")]);
    const run = await ask(["--json", ...args, "--model", "some-model", "go"], { ...KEY, ...env });
    expect(run.code).toBe(2);
    expect(run.json().error).toMatchObject({ type: "usage", message: expect.stringContaining(name) });
    expect(server.requests).toHaveLength(0);
  });

  test("holds for a server of one's own, where it is never reached", async () => {
    server.start([says("hi")]);
    const run = await ask(
      ["--json", "--max-cost", "0.000001", "--provider", "ollama", "--model", "m", "go"],
      {
        ...KEY,
        OLLAMA_API_KEY: "test-key",
      },
    );
    expect(run.json()).toMatchObject({ status: "ok", cost_usd: 0 });
  });

  test("that a long prompt passes already is never asked about", async () => {
    server.start([says("never")]);
    const args = ["--json", "--base-url", server.url, "--max-cost", "0.001", "summarise"];
    const run = await runAsh(place, args, { env: KEY, stdin: "a fine day today ".repeat(20_000) });
    expect(run.code).toBe(6);
    expect(run.json()).toMatchObject({ status: "limit", limit: "cost", turns: 0, result: null });
    expect(run.json().error?.message).toContain("0.001 US dollars");
    expect(server.requests).toHaveLength(0);
  });
});

describe("limits that are written wrong", () => {
  const wrong = [
    ["--max-turns", "0"],
    ["--max-tool-calls", "none"],
    ["--max-tokens", "1e6"],
    ["--max-cost", "-1"],
    ["--max-cost", "free"],
    ["--deadline", "soon"],
  ] as const;

  test.each(wrong)("%s %s is a usage error that names both", async (flag, value) => {
    server.start([says("never")]);
    const run = await ask(["--json", `${flag}=${value}`, "go"]);
    expect(run.code).toBe(2);
    expect(run.json().error?.message).toContain(`${flag}: '${value}'`);
    expect(server.requests).toHaveLength(0);
  });
});
