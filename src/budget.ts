// What a run may still spend: requests, tool calls, time, tokens, money. It counts and compares; the agent acts.
import { AshError } from "./errors.ts";
import { type Budgets, formatDuration, type RunLimit } from "./limits.ts";
import { addUsage, UNKNOWN_USAGE } from "./provider.ts";
import type { Usage } from "./schema.ts";

/** What a run has spent and what is left. */
export type Budget = {
  /** Milliseconds until the deadline. */
  remainingMs(): number;
  /** Milliseconds tools may use, so that time for the answer is left. */
  toolMs(): number;
  turns(): number;
  usage(): Usage;
  /** US dollars, or null when the price is not known. */
  costUsd(): number | null;
  spendTurn(): void;
  spendCalls(count: number): void;
  spendTokens(usage: Usage): void;
  /** The limit that forbids another request with tools, or null. */
  exceeded(): RunLimit | null;
  /** True when `count` more tool calls are within the limit. */
  allowsCalls(count: number): boolean;
  /** True when one last request, without tools, is still affordable after this limit was reached. */
  allowsAnswer(limit: RunLimit): boolean;
  /** The error a run ends with at a limit: it names the limit, its value and the setting. */
  error(limit: RunLimit): AshError;
};

/** Price of a usage in US dollars, or null when it is not known. */
export type Price = (usage: Usage) => number | null;

/** Time kept back for the final answer: a fifth of the deadline, at most this. */
const ANSWER_MS = 10_000;

const tokensOf = (usage: Usage): number =>
  (usage.input_tokens ?? 0) +
  (usage.output_tokens ?? 0) +
  (usage.cache_creation_input_tokens ?? 0) +
  (usage.cache_read_input_tokens ?? 0);

function explain(limit: RunLimit, budgets: Budgets): readonly [message: string, hint: string] {
  switch (limit) {
    case "turns":
      return [`the run used its ${budgets.maxTurns} requests to the model`, "raise --max-turns"];
    case "tool_calls":
      return [`the run used its ${budgets.maxToolCalls} tool calls`, "raise --max-tool-calls"];
    case "deadline":
      return [`the run reached its deadline of ${formatDuration(budgets.deadlineMs)}`, "raise --deadline"];
    case "tokens":
      return [`the run used its ${budgets.maxTokens} tokens`, "raise --max-tokens"];
    case "cost":
      return [`the run reached its limit of ${budgets.maxCostUsd} US dollars`, "raise --max-cost"];
    case "cost_per_day":
      return ["the runs of today reached the limit of max_cost_per_day", "raise it in config.toml, or wait"];
  }
}

/** Opens the budget of a run that begins now. `now` counts milliseconds. */
export function openBudget(budgets: Budgets, now: () => number, price: Price): Budget {
  const began = now();
  let turns = 0;
  let calls = 0;
  let usage: Usage = UNKNOWN_USAGE;
  const remainingMs = (): number => Math.max(0, budgets.deadlineMs - (now() - began));
  const over = (spent: number | null, limit: number | null): boolean =>
    limit !== null && spent !== null && spent >= limit;
  return {
    remainingMs,
    toolMs: () => Math.max(1, remainingMs() - Math.min(ANSWER_MS, budgets.deadlineMs / 5)),
    turns: () => turns,
    usage: () => usage,
    costUsd: () => price(usage),
    spendTurn() {
      turns += 1;
    },
    spendCalls(count) {
      calls += count;
    },
    spendTokens(more) {
      usage = addUsage(usage, more);
    },
    exceeded() {
      if (remainingMs() === 0) return "deadline";
      if (over(price(usage), budgets.maxCostUsd)) return "cost";
      if (over(tokensOf(usage), budgets.maxTokens)) return "tokens";
      return turns >= budgets.maxTurns ? "turns" : null;
    },
    allowsCalls: (count) => calls + count <= budgets.maxToolCalls,
    allowsAnswer: (limit) => (limit === "turns" || limit === "tool_calls") && remainingMs() > 0,
    error(limit) {
      const [message, hint] = explain(limit, budgets);
      return new AshError("limit", message, { hint });
    },
  };
}
