// What a run may still spend: requests, tool calls, time, tokens, money. It counts and compares; the agent acts.
import { type Budgets, formatDuration, type RunLimit } from "./limits.ts";
import type { ModelRequest } from "./provider.ts";
import { type Allowance, LimitError, openSpending, type Spending, type SpendingParts } from "./spending.ts";

/** What a run has spent and what is left. */
export type Budget = {
  /** Milliseconds until the deadline. */
  remainingMs(): number;
  /** Milliseconds tools may use, so that time for the answer is left. */
  toolMs(): number;
  turns(): number;
  readonly spending: Spending;
  spendTurn(): void;
  spendCalls(count: number): void;
  /** Leave to send a request. Throws the limit that forbids it. */
  allow(request: Omit<ModelRequest, "toolChoice">): Promise<Allowance>;
  /** The limit that forbids another request with tools, or null. */
  exceeded(): RunLimit | null;
  /** True when `count` more tool calls are within the limit. */
  allowsCalls(count: number): boolean;
  /** True when one last request, without tools, is still affordable. */
  allowsAnswer(): boolean;
  /** The error a run ends with at a limit: it names the limit, its value and the setting. */
  error(limit: RunLimit): LimitError;
};

/** Time kept back for the final answer: a fifth of the deadline, at most this. */
const ANSWER_MS = 10_000;

const neverAborted = new AbortController().signal;

const deadlineText = (ms: number): readonly [string, string] => [
  `the run reached its deadline of ${formatDuration(ms)}`,
  "raise --deadline",
];

const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`;

type Limits = Pick<BudgetParts, "budgets" | "ledger">;

function explain(limit: RunLimit, { budgets, ledger }: Limits): readonly [message: string, hint: string] {
  switch (limit) {
    case "turns":
      return [
        `the run reached its limit of ${counted(budgets.maxTurns, "request")} to the model`,
        "raise --max-turns",
      ];
    case "tool_calls":
      return [
        `the run reached its limit of ${counted(budgets.maxToolCalls, "tool call")}`,
        "raise --max-tool-calls",
      ];
    case "deadline":
      return deadlineText(budgets.deadlineMs);
    case "tokens":
      return [
        `the run reached its limit of ${counted(budgets.maxTokens ?? 0, "token")}`,
        "raise --max-tokens",
      ];
    case "cost":
      return [`the run reached its limit of ${budgets.maxCostUsd} US dollars`, "raise --max-cost"];
    case "cost_per_day":
      return [
        `the runs of today reached max_cost_per_day, ${ledger.limitUsd} US dollars`,
        "raise it in config.toml, or wait for tomorrow",
      ];
  }
}

/** What a budget is made of. */
export type BudgetParts = Omit<SpendingParts, "budgets"> & {
  readonly budgets: Budgets;
  /** Counts milliseconds. */
  readonly now: () => number;
  /** When the time of the run began, on that clock. */
  readonly began: number;
};

/** Opens the budget of a run. */
export function openBudget({ budgets, rates, ledger, now, began }: BudgetParts): Budget {
  const spending = openSpending({ budgets, rates, ledger });
  let turns = 0;
  let calls = 0;
  const answerMs = Math.min(ANSWER_MS, budgets.deadlineMs / 5);
  const remainingMs = (): number => Math.max(0, budgets.deadlineMs - (now() - began));
  const error = (limit: RunLimit): LimitError =>
    new LimitError(limit, ...explain(limit, { budgets, ledger }));
  return {
    remainingMs,
    toolMs: () => Math.max(1, remainingMs() - answerMs),
    turns: () => turns,
    spending,
    spendTurn() {
      turns += 1;
    },
    spendCalls(count) {
      calls += count;
    },
    async allow(request) {
      // Runs that share the ledger wait for each other: that is time of the run too.
      const leave = await beforeDeadline(remainingMs(), neverAborted, (until) =>
        spending.open(request, until),
      ).catch((thrown) => {
        throw thrown instanceof LimitError && thrown.limit === "deadline" ? error("deadline") : thrown;
      });
      if (typeof leave === "string") throw error(leave);
      return leave;
    },
    exceeded() {
      if (remainingMs() <= (turns === 0 ? 0 : answerMs)) return "deadline";
      if (turns >= budgets.maxTurns) return "turns";
      // A call is worth running only when the model can still be told of it and answer.
      return turns === 0 ? null : spending.shortFor(2);
    },
    allowsCalls: (count) => calls + count <= budgets.maxToolCalls,
    allowsAnswer: () => remainingMs() > 0 && spending.shortFor(1) === null,
    error,
  };
}

/** Does what must be done before the run itself begins. Throws the deadline when it takes longer than `ms`. */
export async function beforeDeadline<T>(
  ms: number,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  try {
    return await work(AbortSignal.any([stop, late.signal]));
  } catch (thrown) {
    throw late.signal.aborted && !stop.aborted ? new LimitError("deadline", ...deadlineText(ms)) : thrown;
  } finally {
    clearTimeout(timer);
  }
}
