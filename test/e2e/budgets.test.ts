import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { takeLock } from "../../src/host/lock.ts";
import { ASH, environmentOf, finish, makePlace, type Place, runAsh, startAsh } from "../support/ash.ts";
import {
  type Answer,
  answersIn,
  calls,
  type ModelServer,
  type ScriptedReply,
  type ScriptedUsage,
  says,
  startModelServer,
  streamed,
} from "../support/modelserver.ts";

let place: Place;
let server: ModelServer;

beforeEach(() => {
  place = makePlace();
});

afterEach(async () => {
  expect(server.problems).toEqual([]);
  await server.stop();
  place.remove();
});

const KEY = { ANTHROPIC_API_KEY: "test-key" };
const MODES = ["--json", "--jsonl"] as const;

const ask = (args: readonly string[], env: Record<string, string> = KEY) =>
  runAsh(place, ["--base-url", server.url, ...args], { env });

/** The result of a run in either JSON mode. */
const resultOf = (stdout: string) => {
  const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  return last.type === "run.end" ? last.result : last;
};

const costing = (reply: ScriptedReply, usage: ScriptedUsage): ScriptedReply => ({ ...reply, usage });
const looking = (text: string, usage: ScriptedUsage, id = "toolu_1"): ScriptedReply => ({
  content: [{ type: "text", text }, ...calls("echo", ["hi"], id).content],
  stop_reason: "tool_use",
  usage,
});

describe("the cost of a run", () => {
  test("is counted by request, with what the cache saves and costs", async () => {
    server = startModelServer([
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
    server = startModelServer([says("hi")]);
    const run = await ask(["--json", ...args, "go"], {
      ...KEY,
      OPENROUTER_API_KEY: "test-key",
      OLLAMA_API_KEY: "test-key",
    });
    expect(run.json()).toMatchObject({ status: "ok", cost_usd: cost });
  });

  test("is null when the server counted nothing, and 0 for a recording", async () => {
    server = startModelServer([costing(says("hi"), null)]);
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
    server = startModelServer([says("never")]);
    const run = await ask(["--json", ...args, "--model", "some-model", "go"], { ...KEY, ...env });
    expect(run.code).toBe(2);
    expect(run.json().error).toMatchObject({ type: "usage", message: expect.stringContaining(name) });
    expect(server.requests).toHaveLength(0);
  });

  test("holds for a server of one's own, where it is never reached", async () => {
    server = startModelServer([says("hi")]);
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
    server = startModelServer([says("never")]);
    const args = ["--json", "--base-url", server.url, "--max-cost", "0.001", "summarise"];
    const run = await runAsh(place, args, { env: KEY, stdin: "a fine day today ".repeat(20_000) });
    expect(run.code).toBe(6);
    expect(run.json()).toMatchObject({ status: "limit", limit: "cost", turns: 0, result: null });
    expect(run.json().error?.message).toContain("0.001 US dollars");
    expect(server.requests).toHaveLength(0);
  });
});

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
    server = startModelServer(
      limit === "tokens" || limit === "cost" ? [looking("Looking.", usage), answer] : replies,
    );
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
    server = startModelServer([
      looking("Looking.", usage),
      looking("Still.", usage, "toolu_2"),
      says("Enough."),
    ]);
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
    server = startModelServer([looking("Half of it.", usage), says("never")]);
    const run = await ask(["--json", ...flags, "go"]);
    expect(run.json()).toMatchObject({ exit_code: 6, limit, turns: 1, result: "Half of it.", tools: [] });
    expect(server.requests).toHaveLength(1);
  });
});

describe("the room for a reply", () => {
  test("is what the limit leaves, and the server's own maximum without one", async () => {
    server = startModelServer([looking("a", { input_tokens: 2000, output_tokens: 100 }), says("b")]);
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
    server = startModelServer([says("b")]);
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
    server = startModelServer([cut]);
    const limited = await ask(["--json", "--max-tokens", "5000", "go"]);
    expect(limited.json()).toMatchObject({ exit_code: 6, limit: "tokens", result: "The first half" });
    const free = await ask(["--json", "go"]);
    expect(free.json()).toMatchObject({ exit_code: 8, limit: null, error: { type: "max_tokens" } });
  });
});

describe("a server that reports no tokens", () => {
  test("is counted by an estimate, which is said once, and the usage stays unknown", async () => {
    const text = "word ".repeat(3000);
    server = startModelServer([looking(text, null), costing(says("done"), null)]);
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

describe("a deadline", () => {
  test("stops a tool in time for an answer without tools", async () => {
    server = startModelServer([calls("tail", ["-f", "/dev/null"]), says("It took too long.")]);
    const run = await ask(["--json", "--deadline", "3s", "--allow-run", "tail: unrestricted", "go"]);
    const result = run.json();
    expect(result).toMatchObject({ exit_code: 6, limit: "deadline", result: "It took too long." });
    expect(result.tools[0]).toMatchObject({ timed_out: true });
    expect(server.requests.map((request) => request.tool_choice)).toEqual([undefined, { type: "none" }]);
  });

  test.each(MODES)("keeps the text of a reply that never ended, in %s", async (mode) => {
    const half: Answer = async (body, signal) => {
      const text = await (await streamed(says("The first half"))(body, signal)).text();
      const start = text.slice(0, text.indexOf("event: content_block_stop"));
      const stream = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
      });
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    };
    server = startModelServer([half]);
    const run = await ask([mode, "--deadline", "1500ms", "go"]);
    expect(run.code).toBe(6);
    expect(resultOf(run.stdout)).toMatchObject({ limit: "deadline", result: "The first half" });
  });

  test("counts the time it takes to read stdin", async () => {
    server = startModelServer([says("never")]);
    const silent = Bun.spawn([ASH, "--base-url", server.url, "--json", "--deadline", "300ms", "go"], {
      cwd: place.folder,
      env: environmentOf(place, KEY),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await silent.exited).toBe(6);
    expect(JSON.parse(await silent.stdout.text())).toMatchObject({ limit: "deadline", turns: 0 });
    expect(server.requests).toHaveLength(0);
  });

  test("is not waited past for a server that asks for time", async () => {
    server = startModelServer([
      () =>
        Response.json(
          { type: "error", error: { type: "overloaded_error", message: "busy" } },
          { status: 529, headers: { "retry-after": "30" } },
        ),
    ]);
    const run = await ask(["--json", "--deadline", "5s", "go"]);
    expect(run.json()).toMatchObject({ exit_code: 5, error: { type: "overloaded", retry_after_s: 30 } });
    expect(server.requests).toHaveLength(1);
  });
});

describe("the ledger of the day", () => {
  const folder = () => join(place.ashHome, "ledger");
  const entries = () =>
    readdirSync(folder())
      .filter((name) => name.endsWith(".jsonl"))
      .flatMap((name) => readFileSync(join(folder(), name), "utf8").trimEnd().split("\n"))
      .map((line) => JSON.parse(line) as { id: string; state: string; usd: number });
  const spent = () =>
    [...new Map(entries().map(({ id, usd }) => [id, usd])).values()].reduce((sum, usd) => sum + usd, 0);

  // One reply costs 0.012 dollars.
  const dear = costing(says("hi"), { input_tokens: 1000, output_tokens: 1000 });
  const perDay = (usd: string) => ({ ...KEY, ASH_MAX_COST_PER_DAY: usd });

  test("adds up what every run spent, and refuses the next one by name", async () => {
    server = startModelServer([dear]);
    expect((await ask(["--json", "go"], perDay("0.02"))).code).toBe(0);
    expect((await ask(["--json", "go"], perDay("0.02"))).code).toBe(0);
    expect(spent()).toBeCloseTo(0.024, 9);
    const run = await ask(["--json", "go"], perDay("0.02"));
    expect(run.json()).toMatchObject({ exit_code: 6, limit: "cost_per_day", turns: 0, result: null });
    expect(run.json().error?.message).toContain("max_cost_per_day");
    expect(server.requests).toHaveLength(2);
  });

  test("counts runs that had no limit themselves, but no recording and no server of one's own", async () => {
    server = startModelServer([dear]);
    await ask(["--json", "--replay", "demo", "go"]);
    await ask(["--json", "--provider", "ollama", "--model", "m", "go"], { OLLAMA_API_KEY: "test-key" });
    expect(existsSync(folder())).toBe(false);
    await ask(["--json", "go"]);
    expect((await ask(["--json", "go"], perDay("0.012"))).json().limit).toBe("cost_per_day");
  });

  test("stops a run in the middle when others have spent the rest meanwhile", async () => {
    const other: Answer = async (body, signal) => {
      await runAsh(place, ["--base-url", server.url, "other"], { env: KEY });
      return streamed(looking("Half.", { input_tokens: 10, output_tokens: 10 }))(body, signal);
    };
    server = startModelServer([other, dear]);
    const run = await ask(["--json", "go"], perDay("0.012"));
    expect(run.json()).toMatchObject({ limit: "cost_per_day", turns: 1, result: "Half." });
    expect(server.requests).toHaveLength(2);
  });

  test("keeps what a killed run had asked for, and settles a request that was refused at nothing", async () => {
    const asked = Promise.withResolvers<void>();
    server = startModelServer([
      () => {
        asked.resolve();
        return new Promise(() => undefined);
      },
      () =>
        Response.json(
          { type: "error", error: { type: "invalid_request_error", message: "no" } },
          { status: 400 },
        ),
    ]);
    const running = startAsh(place, ["--base-url", server.url, "go"], { env: KEY });
    await asked.promise;
    running.kill("SIGKILL");
    await running.exited;
    expect(entries()).toEqual([expect.objectContaining({ state: "held" })]);
    const held = spent();
    expect(held).toBeGreaterThan(0);
    await ask(["--json", "go"]);
    expect(spent()).toBe(held);
    expect(entries().at(-1)).toMatchObject({ state: "spent", usd: 0 });
  });

  test("holds for processes that start at once: whole lines, and never more than a request each too many", async () => {
    server = startModelServer([dear]);
    const limit = 0.1;
    const runs = await Promise.all(
      Array.from({ length: 12 }, () =>
        finish(startAsh(place, ["--json", "--base-url", server.url, "go"], { env: perDay(`${limit}`) })),
      ),
    );
    const again = await Promise.all(
      Array.from({ length: 6 }, () =>
        finish(startAsh(place, ["--json", "--base-url", server.url, "go"], { env: perDay(`${limit}`) })),
      ),
    );
    const codes = [...runs, ...again].map(({ code }) => code);
    expect(codes.every((code) => code === 0 || code === 6)).toBe(true);
    expect(again.every(({ code }) => code === 6)).toBe(true);
    const answered = codes.filter((code) => code === 0).length;
    expect(server.requests).toHaveLength(answered);
    expect(entries()).toHaveLength(answered * 2);
    expect(spent()).toBeCloseTo(answered * 0.012, 9);
    expect(answered * 0.012).toBeGreaterThanOrEqual(limit - 0.012);
  });

  test("that cannot be written stops a run with a limit and no other", async () => {
    server = startModelServer([dear]);
    mkdirSync(place.ashHome, { mode: 0o700 });
    writeFileSync(folder(), "");
    expect((await ask(["--json", "go"])).code).toBe(0);
    const run = await ask(["--json", "go"], perDay("1"));
    expect(run.code).toBe(3);
    expect(run.json().error?.message).toContain("max_cost_per_day needs it");
  });

  test("waits for another process at the ledger no longer than the deadline", async () => {
    server = startModelServer([dear]);
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    const lock = takeLock(join(folder(), ".lock"));
    expect(lock).not.toBeNull();
    const run = await ask(["--json", "--deadline=300ms", "go"], perDay("1"));
    lock?.release();
    expect(run.code).toBe(6);
    expect(run.json().error?.message).toBe("the run reached its deadline of 300 ms");
    expect(server.requests).toHaveLength(0);
  });

  test("reads max_cost_per_day from config.toml", async () => {
    server = startModelServer([dear]);
    mkdirSync(place.ashHome, { mode: 0o700 });
    writeFileSync(join(place.ashHome, "config.toml"), "max_cost_per_day = 0.01\n", { mode: 0o600 });
    expect((await ask(["--json", "go"])).code).toBe(0);
    expect((await ask(["--json", "go"])).json().limit).toBe("cost_per_day");
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
    server = startModelServer([says("never")]);
    const run = await ask(["--json", `${flag}=${value}`, "go"]);
    expect(run.code).toBe(2);
    expect(run.json().error?.message).toContain(`${flag}: '${value}'`);
    expect(server.requests).toHaveLength(0);
  });
});
