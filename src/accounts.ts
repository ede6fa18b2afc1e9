// What a run counts with: its budgets, the prices of its model, and the ledger of the day. A limit on cost that
// cannot be counted is refused before anything is sent.
import type { BudgetParts } from "./budget.ts";
import type { Config } from "./config.ts";
import { type AshError, usageError } from "./errors.ts";
import { wallClock } from "./host/clock.ts";
import { openLedger } from "./ledger.ts";
import { ratesFor } from "./prices.ts";
import { budgetsOf } from "./settingviews.ts";

type Asked = { readonly name: string; readonly model: string };

function unpriced(limit: string, { name, model }: Asked): AshError {
  return usageError(
    `${limit} needs a price, and ash knows none for ${model} at ${name}`,
    "limit tokens instead (--max-tokens), or choose a model whose price is known",
  );
}

/** Opens the accounts of a run that asks `provider`. Throws a usage error when a cost limit cannot be counted. */
export function openAccounts(config: Config, provider: Asked, signal: AbortSignal): Omit<BudgetParts, "now"> {
  const { settings, origins, home } = config;
  const rates = ratesFor(provider.name, provider.model);
  if (rates === null) {
    if (settings.maxCost !== null) throw unpriced(origins.maxCost.replace(/^(flag|env) /, ""), provider);
    if (settings.maxCostPerDay !== null) throw unpriced("max_cost_per_day", provider);
  }
  return {
    budgets: budgetsOf(settings),
    rates,
    ledger: openLedger({
      folder: home.ledger,
      limitUsd: settings.maxCostPerDay,
      now: wallClock,
      signal,
    }),
    // The host's clock starts with the process: reading a slow stdin is part of the run.
    began: 0,
  };
}
