// What requests are held to cost, and what is left for the next one.
import { describe, expect, test } from "bun:test";
import type { Ledger } from "../../src/ledger.ts";
import { ratesFor } from "../../src/prices.ts";
import { UNKNOWN_USAGE } from "../../src/provider.ts";
import { type Allowance, openSpending } from "../../src/spending.ts";

type Budgets = { readonly maxTokens: number | null; readonly maxCostUsd: number | null };

const NONE: Budgets = { maxTokens: null, maxCostUsd: null };
const SONNET = ratesFor("anthropic", "claude-sonnet-5-5");

/** A ledger that has so much left, and notes what is settled. */
function ledgerWith(left: number | null): Ledger & { readonly settled: number[] } {
  const settled: number[] = [];
  return {
    settled,
    limitUsd: left,
    hold: async (least) =>
      left !== null && least > left ? "limit" : { left, settle: (usd) => void settled.push(usd) },
  };
}

const free = ledgerWith(null);
const request = (bytes: number) => ({ system: "x".repeat(bytes), transcript: [], tools: [] });

const spending = (budgets: Partial<Budgets>, rates = SONNET, ledger: Ledger = free) =>
  openSpending({ budgets: { ...NONE, ...budgets }, rates, ledger });

async function allowed(leave: Promise<Allowance | string>): Promise<Allowance> {
  const given = await leave;
  if (typeof given === "string") throw new Error(`refused: ${given}`);
  return given;
}

const replied = (input: number, output: number, read: number | null = null) => ({
  usage: { ...UNKNOWN_USAGE, input_tokens: input, output_tokens: output, cache_read_input_tokens: read },
  text: "",
});

describe("without limits", () => {
  test("every request is allowed, has all the room there is, and is counted", async () => {
    const account = spending({});
    const leave = await allowed(account.open(request(1e6)));
    expect(leave.reply).toBeNull();
    leave.close(replied(100, 10));
    expect(account.usage()).toMatchObject({ input_tokens: 100, output_tokens: 10 });
    expect(account.costUsd()).toBeCloseTo(0.0003, 12);
    expect(account.shortFor(1000)).toBeNull();
  });

  test("a price nobody knows leaves the cost unknown, and so does one reply without counts", async () => {
    const unknown = spending({}, null);
    (await allowed(unknown.open(request(10)))).close(replied(1, 1));
    expect(unknown.costUsd()).toBeNull();
    const partly = spending({});
    expect(partly.costUsd()).toBe(0);
    (await allowed(partly.open(request(10)))).close({ usage: UNKNOWN_USAGE, text: "hi" });
    (await allowed(partly.open(request(10)))).close(replied(1, 1));
    expect(partly.costUsd()).toBeNull();
    // Nothing depended on the counts, so there is nothing to say.
    expect(partly.startedToEstimate()).toBe(false);
  });
});

describe("a limit on tokens", () => {
  test("refuses only what cannot fit: eight bytes are at least a token", async () => {
    expect(await spending({ maxTokens: 1000 }).open(request(8000))).toBe("tokens");
    expect((await allowed(spending({ maxTokens: 1100 }).open(request(8000)))).reply?.limit).toBe("tokens");
  });

  test("knows after a reply how long the next prompt is at least", async () => {
    const account = spending({ maxTokens: 10_000 });
    (await allowed(account.open(request(4000)))).close(replied(3000, 500));
    expect(account.shortFor(2)).toBeNull();
    expect(account.shortFor(3)).toBe("tokens");
    const next = await allowed(account.open(request(4000)));
    expect(next.reply).toEqual({ limit: "tokens", tokens: 10_000 - 3500 - 3000 });
    // Twice the conversation is twice the tokens.
    expect(await account.open(request(8200))).toMatchObject({ reply: { tokens: expect.any(Number) } });
    expect(await account.open(request(9000))).toBe("tokens");
  });

  test("counts an estimate where the server is silent, and tells it once", async () => {
    const account = spending({ maxTokens: 10_000 }, null);
    (await allowed(account.open(request(3000)))).close({ usage: UNKNOWN_USAGE, text: "y".repeat(3000) });
    expect(account.startedToEstimate()).toBe(true);
    expect(account.startedToEstimate()).toBe(false);
    expect(account.usage()).toEqual(UNKNOWN_USAGE);
    expect(account.shortFor(8)).toBe("tokens");
  });

  test("never leaves less room than a short reply needs", async () => {
    const leave = await allowed(spending({ maxTokens: 600 }).open(request(4000)));
    expect(leave.reply?.tokens).toBe(64);
  });
});

describe("a limit on cost", () => {
  test("buys room for a reply at the price of the model", async () => {
    const leave = await allowed(spending({ maxCostUsd: 0.01 }).open(request(400)));
    expect(leave.reply?.limit).toBe("cost");
    expect(leave.reply?.tokens).toBeLessThan(1000);
    expect(leave.reply?.tokens).toBeGreaterThan(950);
  });

  test("counts what the cache saves", async () => {
    const cached = spending({ maxCostUsd: 0.1 });
    (await allowed(cached.open(request(4000)))).close(replied(10, 10, 30_000));
    const plain = spending({ maxCostUsd: 0.1 });
    (await allowed(plain.open(request(4000)))).close(replied(30_000, 10));
    expect(cached.shortFor(2)).toBeNull();
    expect(plain.shortFor(2)).toBe("cost");
  });

  test("is no limit where tokens cost nothing", async () => {
    const account = spending({ maxCostUsd: 0.000_001 }, ratesFor("ollama", "m"));
    const leave = await allowed(account.open(request(1e6)));
    expect(leave.reply).toBeNull();
    leave.close(replied(1e6, 1e6));
    expect(account.shortFor(100)).toBeNull();
    expect(account.costUsd()).toBe(0);
  });
});

describe("the day", () => {
  test("limits the room and gets the real cost", async () => {
    const ledger = ledgerWith(0.01);
    const leave = await allowed(spending({ maxCostUsd: 5 }, SONNET, ledger).open(request(400)));
    expect(leave.reply?.limit).toBe("cost_per_day");
    leave.close(replied(100, 100));
    expect(ledger.settled[0]).toBeCloseTo(0.0012, 12);
  });

  test("forbids a request it cannot pay", async () => {
    expect(await spending({}, SONNET, ledgerWith(0)).open(request(400))).toBe("cost_per_day");
  });

  test("gets back what a request that failed did not cost, and keeps what may have been paid", async () => {
    const ledger = ledgerWith(1);
    (await allowed(spending({}, SONNET, ledger).open(request(400)))).close("unpaid");
    (await allowed(spending({}, SONNET, ledger).open(request(400)))).close("unknown");
    expect(ledger.settled).toEqual([0]);
  });

  test("is not asked where tokens cost nothing", async () => {
    const never: Ledger = { limitUsd: 1, hold: () => Promise.reject(new Error("asked")) };
    expect((await allowed(spending({}, ratesFor("vllm", "m"), never).open(request(9)))).reply).toBeNull();
  });
});
