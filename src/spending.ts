// What the requests of a run may spend in tokens and dollars, and what they have spent: of the run's own budget and
// of the day's. It counts, and refuses a request that cannot be paid; the agent sends it.
import { AshError } from "./errors.ts";
import type { Hold, Ledger } from "./ledger.ts";
import type { Budgets, RunLimit } from "./limits.ts";
import { costOf, inputTokens, isFree, promptCost, type Rates, replyCost } from "./prices.ts";
import { addUsage, type ModelRequest, UNKNOWN_USAGE } from "./provider.ts";
import type { Usage } from "./schema.ts";

/** A limit ended the run; `limit` says which one. */
export class LimitError extends AshError {
  constructor(
    readonly limit: RunLimit,
    message: string,
    hint: string,
  ) {
    super("limit", message, { hint });
    this.name = "LimitError";
  }
}

/** Leave to send one request. */
export type Allowance = {
  /** Tokens its reply may have, and the limit they come from; null when nothing limits them. */
  readonly reply: { readonly tokens: number; readonly limit: RunLimit } | null;
  /** Called once when the request is over: with the tokens of its reply, or with what is known of a failed one. */
  close(reply: { readonly usage: Usage; readonly text: string } | "unpaid" | "unknown"): void;
};

/** The spending of one run. */
export type Spending = {
  /** As the servers reported it. */
  usage(): Usage;
  /** US dollars of the replies so far, or null when they are not known. */
  costUsd(): number | null;
  /** True once: when a limit had to count by estimate for the first time, because the server reported nothing. */
  startedToEstimate(): boolean;
  /** True since a limit counted by estimate for the first time. */
  estimates(): boolean;
  /** The limit that leaves no room for so many more requests like the last one, or null. */
  shortFor(requests: number): RunLimit | null;
  /** Leave for a request, or the limit that forbids it. */
  open(request: Omit<ModelRequest, "toolChoice">, until?: AbortSignal): Promise<Allowance | RunLimit>;
};

/** What spending is measured against. */
export type SpendingParts = {
  readonly budgets: Pick<Budgets, "maxTokens" | "maxCostUsd">;
  /** Null when the price of the model is not known. */
  readonly rates: Rates | null;
  readonly ledger: Ledger;
};

/** A shorter reply is not worth its request. */
const SHORTEST_REPLY = 64;

// A text has more bytes than this to a token only when it is made up; and about so many in the middle.
const MOST_BYTES = 8;
const USUAL_BYTES = 4;
// An estimate that stands in for a count errs on the safe side.
const SAFE_BYTES = 3;

/** Tokens of a reply as the server counted them, else as its text lets expect. */
export const replyTokens = ({ output_tokens }: Usage, text: string): number =>
  output_tokens ?? Math.ceil(Buffer.byteLength(text) / SAFE_BYTES);

const sizeOf = ({ system, transcript, tools }: Omit<ModelRequest, "toolChoice">): number =>
  Buffer.byteLength(JSON.stringify([system, transcript, tools]));

/** The last request that was answered. */
type Last = { readonly prompt: number; readonly bytes: number; readonly isCached: boolean };

class RunSpending implements Spending {
  private sum: Usage = UNKNOWN_USAGE;
  private tokens = 0;
  private dollars = 0;
  private unpriced = false;
  private guesses: "none" | "unsaid" | "said" = "none";
  private last: Last | null = null;

  constructor(private readonly parts: SpendingParts) {}

  usage(): Usage {
    return this.sum;
  }

  costUsd(): number | null {
    return this.parts.rates === null || this.unpriced ? null : this.dollars;
  }

  startedToEstimate(): boolean {
    const isNews = this.guesses === "unsaid";
    if (isNews) this.guesses = "said";
    return isNews;
  }

  estimates(): boolean {
    return this.guesses !== "none";
  }

  /** True when a limit depends on how many tokens a reply has. */
  private countsTokens(): boolean {
    const { budgets, rates, ledger } = this.parts;
    if (budgets.maxTokens !== null) return true;
    return rates !== null && !isFree(rates) && (budgets.maxCostUsd !== null || ledger.limitUsd !== null);
  }

  private promptTokens(bytes: number): number {
    if (this.last === null) return Math.floor(bytes / MOST_BYTES);
    return Math.max(this.last.prompt, Math.ceil((bytes * this.last.prompt) / this.last.bytes));
  }

  /** What a prompt of so many tokens costs as things stand; nothing is known of the cache before the first reply. */
  private promptDollars(tokens: number, cachedAtFirst = 0): number {
    const { rates } = this.parts;
    if (rates === null) return 0;
    const cached = this.last === null ? cachedAtFirst : this.last.isCached ? this.last.prompt : 0;
    return promptCost(rates, tokens, Math.min(cached, tokens));
  }

  shortFor(requests: number): RunLimit | null {
    const { budgets, rates } = this.parts;
    const prompt = this.last?.prompt ?? 0;
    const tokens = requests * (prompt + SHORTEST_REPLY);
    if (budgets.maxTokens !== null && budgets.maxTokens - this.tokens < tokens) return "tokens";
    if (budgets.maxCostUsd === null || rates === null) return null;
    const dollars = requests * (this.promptDollars(prompt) + replyCost(rates, prompt, SHORTEST_REPLY));
    return budgets.maxCostUsd - this.dollars < dollars ? "cost" : null;
  }

  async open(request: Omit<ModelRequest, "toolChoice">, until?: AbortSignal): Promise<Allowance | RunLimit> {
    const { budgets, rates, ledger } = this.parts;
    const bytes = this.countsTokens() ? sizeOf(request) : 0;
    const least = this.promptTokens(bytes);
    const leastDollars =
      rates === null ? 0 : this.promptDollars(least, least) + replyCost(rates, least, SHORTEST_REPLY);
    if (budgets.maxTokens !== null && this.tokens + least + SHORTEST_REPLY > budgets.maxTokens)
      return "tokens";
    if (budgets.maxCostUsd !== null && this.dollars + leastDollars > budgets.maxCostUsd) return "cost";
    const hold = rates === null || isFree(rates) ? null : await ledger.hold(leastDollars, until);
    if (hold === "limit") return "cost_per_day";
    return {
      reply: this.replyRoom(bytes, hold?.left ?? null),
      close: (reply) => this.close(reply, bytes, hold),
    };
  }

  private replyRoom(bytes: number, leftToday: number | null): Allowance["reply"] {
    const { budgets, rates } = this.parts;
    const prompt = this.last === null ? Math.ceil(bytes / USUAL_BYTES) : this.promptTokens(bytes);
    const buys = (dollars: number): number =>
      rates === null || isFree(rates)
        ? Number.POSITIVE_INFINITY
        : (dollars - this.promptDollars(prompt)) / replyCost(rates, prompt, 1);
    const rooms = [
      { limit: "tokens" as const, tokens: (budgets.maxTokens ?? Infinity) - this.tokens - prompt },
      { limit: "cost" as const, tokens: buys((budgets.maxCostUsd ?? Infinity) - this.dollars) },
      { limit: "cost_per_day" as const, tokens: buys(leftToday ?? Infinity) },
    ];
    const [least] = rooms.sort((a, b) => a.tokens - b.tokens);
    if (least === undefined || !Number.isFinite(least.tokens)) return null;
    return { limit: least.limit, tokens: Math.max(SHORTEST_REPLY, Math.floor(least.tokens)) };
  }

  private close(reply: Parameters<Allowance["close"]>[0], bytes: number, hold: Hold | null): void {
    if (reply === "unknown") return;
    if (reply === "unpaid") return hold?.settle(0);
    const { usage, text } = reply;
    const prompt = inputTokens(usage) ?? Math.ceil(bytes / SAFE_BYTES);
    const output = replyTokens(usage, text);
    const isUnknown = inputTokens(usage) === null || usage.output_tokens === null;
    if (isUnknown && this.countsTokens() && this.guesses === "none") this.guesses = "unsaid";
    this.sum = addUsage(this.sum, usage);
    this.tokens += prompt + output;
    const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
    if (prompt > 0) this.last = { prompt, bytes: Math.max(1, bytes), isCached: cached > 0 };
    const { rates } = this.parts;
    if (rates === null) return;
    const cost = costOf(rates, usage);
    this.unpriced ||= cost === null;
    const counted = { ...UNKNOWN_USAGE, input_tokens: prompt, output_tokens: output };
    const dollars = cost ?? costOf(rates, counted) ?? 0;
    this.dollars += dollars;
    hold?.settle(dollars);
  }
}

/** Opens the spending of a run that has spent nothing yet. */
export function openSpending(parts: SpendingParts): Spending {
  return new RunSpending(parts);
}
