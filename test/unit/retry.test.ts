// Which failures are asked again, and after how long.
import { describe, expect, test } from "bun:test";
import {
  completeWithRetry,
  type Provider,
  ProviderError,
  type Reply,
  type Retry,
  retryWait,
  UNKNOWN_USAGE,
} from "../../src/provider.ts";

const reply: Reply = {
  content: [],
  stopReason: "end_turn",
  stopDetail: null,
  usage: UNKNOWN_USAGE,
  model: "m",
};
const request = { system: "", transcript: [], tools: [], toolChoice: "auto" } as const;

/** A provider that fails with the given errors in turn and then replies. */
function failing(...errors: readonly ProviderError[]): { provider: Provider; asked: () => number } {
  let asked = 0;
  const provider: Provider = {
    name: "test",
    model: "m",
    async complete() {
      const error = errors[asked];
      asked += 1;
      if (error !== undefined) throw error;
      return reply;
    },
    finish() {},
  };
  return { provider, asked: () => asked };
}

async function attempt(provider: Provider, remainingMs = 60_000) {
  const retries: Retry[] = [];
  const waits: number[] = [];
  const hooks = { signal: new AbortController().signal, onText() {}, onToolCall() {} };
  const context = {
    remainingMs: () => remainingMs,
    wait: async (ms: number) => void waits.push(ms),
    random: () => 1,
    onRetry: (retry: Retry) => void retries.push(retry),
  };
  const outcome = await completeWithRetry(provider, request, hooks, context).catch(
    (thrown: unknown) => thrown,
  );
  return { outcome, waits, retries };
}

const overloaded = (details = {}) => new ProviderError("overloaded", "busy", details);

describe("retrying", () => {
  test("asks three times in all, with growing waits", async () => {
    const { provider, asked } = failing(overloaded(), overloaded(), overloaded());
    const { outcome, waits } = await attempt(provider);
    expect(outcome).toMatchObject({ type: "overloaded" });
    expect(asked()).toBe(3);
    expect(waits).toEqual([500, 1000]);
  });

  test("stops as soon as a reply comes", async () => {
    const { provider, asked } = failing(overloaded());
    expect((await attempt(provider)).outcome).toBe(reply);
    expect(asked()).toBe(2);
  });

  test("never asks again for an error that is for good, or once the reply had begun", async () => {
    for (const error of [
      new ProviderError("invalid_request", "no"),
      new ProviderError("auth", "no"),
      overloaded({ started: true }),
    ]) {
      const { provider, asked } = failing(error);
      expect((await attempt(provider)).outcome).toBe(error);
      expect(asked()).toBe(1);
    }
  });

  test("takes Retry-After as a floor, and does not wait past the deadline", async () => {
    const slow = overloaded({ retryAfterS: 7 });
    expect((await attempt(failing(slow).provider)).waits).toEqual([7000]);
    const { outcome, waits } = await attempt(failing(slow).provider, 6999);
    expect(outcome).toBe(slow);
    expect(waits).toEqual([]);
  });
});

test("a wait has jitter below its length and a ceiling", () => {
  expect(retryWait(1, overloaded(), 0)).toBe(375);
  expect(retryWait(1, overloaded(), 1)).toBe(500);
  expect(retryWait(20, overloaded(), 1)).toBe(8000);
});
