// What a token costs, by model. Data and arithmetic: list prices of the vendor's public price page, which change;
// a model that is not here has no known price, and ash says so instead of guessing.
import type { Usage } from "./schema.ts";

/** The day the prices were read from the vendor's public price page. */
export const PRICES_AS_OF = "2026-11-30";

/** US dollars for a million tokens of each kind; cache writes are those that live five minutes. */
export type Price = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};

/** The prices of a model; some ask for more once a prompt is longer than `from` tokens. */
export type Rates = Price & { readonly long?: Price & { readonly from: number } };

// A cache write costs a quarter more than plain input with every model; what a read saves differs.
const price = (input: number, output: number, cacheRead: number): Price => ({
  input,
  output,
  cacheRead,
  cacheWrite: input * 1.25,
});

const BY_MODEL: readonly (readonly [models: readonly string[], rates: Rates])[] = [
  [["claude-fable-5-2"], price(8, 40, 0.2)],
  [["claude-fable-5-1", "claude-mythos-5-1"], price(10, 50, 0.25)],
  [["claude-fable-5", "claude-mythos-5"], price(10, 50, 1)],
  [["claude-opus-5-5"], price(4, 20, 0.2)],
  [
    ["claude-opus-5", "claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6", "claude-opus-4-5"],
    price(5, 25, 0.5),
  ],
  [["claude-sonnet-5-5"], price(2, 10, 0.1)],
  [["claude-sonnet-5"], price(2, 10, 0.2)],
  [["claude-sonnet-4-6"], price(3, 15, 0.3)],
  [["claude-haiku-5-5"], { ...price(0.1, 0.5, 0.01), long: { from: 100_000, ...price(0.5, 2.5, 0.05) } }],
  [["claude-haiku-4-5"], price(1, 5, 0.1)],
];

const FREE: Rates = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Programs people run themselves, and recordings: nobody sends a bill for their tokens. */
const FREE_PROVIDERS: ReadonlySet<string> = new Set(["ollama", "llamacpp", "lmstudio", "vllm", "script"]);

/**
 * The prices of a model at a provider, or null when they are not known. An id may end in its date. Only the
 * `anthropic` preset has list prices: resellers and gateways set their own.
 */
export function ratesFor(provider: string, model: string): Rates | null {
  if (FREE_PROVIDERS.has(provider)) return FREE;
  if (provider !== "anthropic") return null;
  const name = model.replace(/-\d{8}$/, "");
  return BY_MODEL.find(([models]) => models.includes(name))?.[1] ?? null;
}

/** True when tokens cost nothing. */
export const isFree = (rates: Rates): boolean => rates.input === 0 && rates.output === 0;

/** Tokens a request brought along, however they were billed; null when the server did not say. */
export function inputTokens(usage: Usage): number | null {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
  if (input_tokens === null) return null;
  return input_tokens + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0);
}

const MILLION = 1_000_000;

/** The price that holds for a prompt of so many tokens. */
export const priceAt = (rates: Rates, tokens: number): Price =>
  rates.long !== undefined && tokens > rates.long.from ? rates.long : rates;

/** What one request cost in US dollars, or null when the server did not count its tokens. */
export function costOf(rates: Rates, usage: Usage): number | null {
  if (isFree(rates)) return 0;
  const prompt = inputTokens(usage);
  if (prompt === null || usage.output_tokens === null) return null;
  const { input, output, cacheRead, cacheWrite } = priceAt(rates, prompt);
  const dollars =
    (usage.input_tokens ?? 0) * input +
    usage.output_tokens * output +
    (usage.cache_read_input_tokens ?? 0) * cacheRead +
    (usage.cache_creation_input_tokens ?? 0) * cacheWrite;
  return dollars / MILLION;
}

/** What a prompt costs in US dollars of which so many tokens come from the cache. */
export function promptCost(rates: Rates, tokens: number, cached: number): number {
  const { input, cacheRead } = priceAt(rates, tokens);
  return ((tokens - cached) * input + cached * cacheRead) / MILLION;
}

/** What so many tokens of reply to a prompt of that length cost in US dollars. */
export const replyCost = (rates: Rates, prompt: number, tokens: number): number =>
  (priceAt(rates, prompt).output * tokens) / MILLION;
