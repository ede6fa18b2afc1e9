// Prices of models, and what token counts cost.
import { describe, expect, test } from "bun:test";
import {
  costOf,
  inputTokens,
  isFree,
  PRICES_AS_OF,
  promptCost,
  type Rates,
  ratesFor,
  replyCost,
} from "../../src/prices.ts";
import { UNKNOWN_USAGE } from "../../src/provider.ts";
import { PRESETS } from "../../src/providers/presets.ts";

const rates = (model: string): Rates => {
  const found = ratesFor("anthropic", model);
  if (found === null) throw new Error(`no price for ${model}`);
  return found;
};
const usage = (input: number, output: number, read: number | null = null, written: number | null = null) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: written,
});

describe("a price", () => {
  test("is known for every model ash calls by a short name, and says of when it is", () => {
    for (const model of ["claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5"])
      expect(ratesFor("anthropic", model)).not.toBeNull();
    expect(PRICES_AS_OF).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  test.each([
    ["claude-sonnet-5-5", { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 }],
    ["claude-sonnet-5-5-20261007", { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 }],
    ["claude-opus-5-5", { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 }],
    ["claude-opus-4-8", { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }],
    ["claude-fable-5-2", { input: 8, output: 40, cacheRead: 0.2, cacheWrite: 10 }],
    ["claude-haiku-4-5", { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }],
  ])("of %s is that of the list", (model, listed) => expect(rates(model)).toMatchObject(listed));

  test.each([
    ["anthropic", "some-model"],
    ["anthropic", "claude-sonnet-5-5-latest"],
    ["anthropic", "CLAUDE-SONNET-5-5"],
    ["openrouter", "claude-sonnet-5-5"],
    ["litellm", "claude-sonnet-5-5"],
    ["unheard-of", "m"],
  ])("at %s for %s is not guessed", (provider, model) => expect(ratesFor(provider, model)).toBeNull());

  test("is nothing where people run the server themselves, and for recordings", () => {
    for (const name of ["ollama", "llamacpp", "lmstudio", "vllm", "script"]) {
      const free = ratesFor(name, "anything");
      expect(free !== null && isFree(free)).toBe(true);
      expect(free && costOf(free, UNKNOWN_USAGE)).toBe(0);
    }
    // litellm is on loopback too, but what stands behind it sends bills.
    expect(PRESETS.filter(({ name }) => ratesFor(name, "m") !== null).map(({ name }) => name)).not.toContain(
      "litellm",
    );
  });

  test("rises with the length of the prompt, cached parts included, for the model that has two", () => {
    const haiku = rates("claude-haiku-5-5");
    expect(costOf(haiku, usage(100_000, 1000))).toBeCloseTo((100_000 * 0.1 + 1000 * 0.5) / 1e6, 12);
    expect(costOf(haiku, usage(1, 1000, 100_000))).toBeCloseTo((0.5 + 1000 * 2.5 + 100_000 * 0.05) / 1e6, 12);
  });
});

describe("a cost", () => {
  test("is unknown when the server left a count out", () => {
    const sonnet = rates("claude-sonnet-5-5");
    expect(costOf(sonnet, UNKNOWN_USAGE)).toBeNull();
    expect(costOf(sonnet, { ...UNKNOWN_USAGE, output_tokens: 5 })).toBeNull();
    expect(costOf(sonnet, { ...UNKNOWN_USAGE, input_tokens: 5 })).toBeNull();
    expect(costOf(sonnet, usage(0, 0))).toBe(0);
  });

  test("of a prompt is less the more of it comes from the cache", () => {
    const sonnet = rates("claude-sonnet-5-5");
    expect(promptCost(sonnet, 1e6, 0)).toBeCloseTo(2, 12);
    expect(promptCost(sonnet, 1e6, 5e5)).toBeCloseTo(1.05, 12);
    expect(replyCost(sonnet, 10, 1e6)).toBeCloseTo(10, 12);
  });

  test("counts all input, however it was billed", () => {
    expect(inputTokens(usage(1, 9, 20, 300))).toBe(321);
    expect(inputTokens({ ...UNKNOWN_USAGE, cache_read_input_tokens: 5 })).toBeNull();
  });
});
