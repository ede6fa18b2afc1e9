// The ledger of the day, which all runs of a home share.
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { takeLock } from "../../src/host/lock.ts";
import { finish, startAsh } from "../support/ash.ts";
import { KEY, useAsking } from "../support/asking.ts";
import { type Answer, says, streamed } from "../support/modelserver.ts";
import { costing, looking } from "../support/spending.ts";

const { place, server, ask } = useAsking();

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
    server.start([dear]);
    expect((await ask(["--json", "go"], perDay("0.02"))).code).toBe(0);
    expect((await ask(["--json", "go"], perDay("0.02"))).code).toBe(0);
    expect(spent()).toBeCloseTo(0.024, 9);
    const run = await ask(["--json", "go"], perDay("0.02"));
    expect(run.json()).toMatchObject({ exit_code: 6, limit: "cost_per_day", turns: 0, result: null });
    expect(run.json().error?.message).toContain("max_cost_per_day");
    expect(server.requests).toHaveLength(2);
  });

  test("counts runs that had no limit themselves, but no recording and no server of one's own", async () => {
    server.start([dear]);
    await ask(["--json", "--replay", "demo", "go"]);
    await ask(["--json", "--provider", "ollama", "--model", "m", "go"], { OLLAMA_API_KEY: "test-key" });
    expect(existsSync(folder())).toBe(false);
    await ask(["--json", "go"]);
    expect((await ask(["--json", "go"], perDay("0.012"))).json().limit).toBe("cost_per_day");
  });

  test("stops a run in the middle when others have spent the rest meanwhile", async () => {
    const other: Answer = async (body, signal) => {
      await ask(["other"]);
      return streamed(looking("Half.", { input_tokens: 10, output_tokens: 10 }))(body, signal);
    };
    server.start([other, dear]);
    const run = await ask(["--json", "go"], perDay("0.012"));
    expect(run.json()).toMatchObject({ limit: "cost_per_day", turns: 1, result: "Half." });
    expect(server.requests).toHaveLength(2);
  });

  test("keeps what a killed run had asked for, and settles a request that was refused at nothing", async () => {
    const asked = Promise.withResolvers<void>();
    server.start([
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
    server.start([dear]);
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
    server.start([dear]);
    mkdirSync(place.ashHome, { mode: 0o700 });
    writeFileSync(folder(), "");
    expect((await ask(["--json", "go"])).code).toBe(0);
    const run = await ask(["--json", "go"], perDay("1"));
    expect(run.code).toBe(3);
    expect(run.json().error?.message).toContain("max_cost_per_day needs it");
  });

  test("waits for another process at the ledger no longer than the deadline", async () => {
    server.start([dear]);
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
    server.start([dear]);
    mkdirSync(place.ashHome, { mode: 0o700 });
    writeFileSync(join(place.ashHome, "config.toml"), "max_cost_per_day = 0.01\n", { mode: 0o600 });
    expect((await ask(["--json", "go"])).code).toBe(0);
    expect((await ask(["--json", "go"])).json().limit).toBe("cost_per_day");
  });
});
