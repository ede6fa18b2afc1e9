// Builds the object of `ash --json`. Every key is always there, on every path.
import type { Outcome } from "./agent.ts";
import { AshError, EXIT } from "./errors.ts";
import type { StopCause } from "./host/signals.ts";
import { UNKNOWN_USAGE } from "./provider.ts";
import type { Result, Sandbox, Warning } from "./schema.ts";

/** The result of a run that never reached the model, ready to be filled in. */
export function emptyResult(): Result {
  return {
    schema: "ash.result/1",
    status: "ok",
    exit_code: EXIT.ok,
    result: null,
    structured: null,
    error: null,
    stop_reason: null,
    limit: null,
    model: null,
    session_id: null,
    turns: 0,
    usage: UNKNOWN_USAGE,
    cost_usd: null,
    duration_ms: 0,
    tools: [],
    denials: [],
    warnings: [],
    sandbox: "none",
  };
}

/** An error as `--json` shows it. */
export const describeError = (error: AshError): Result["error"] => ({
  type: error.type,
  message: error.message,
  hint: error.details.hint ?? null,
  http_status: error.details.httpStatus ?? null,
  retryable: error.retryable,
  retry_after_s: error.details.retryAfterS ?? null,
  request_id: error.details.requestId ?? null,
});

function statusOf(error: AshError | null): Result["status"] {
  if (error?.type === "locked") return "locked";
  switch (error?.exitCode) {
    case undefined:
      return "ok";
    case EXIT.limit:
      return "limit";
    case EXIT.noAnswer:
      return "incomplete";
    case EXIT.interrupted:
    case EXIT.terminated:
    case EXIT.brokenPipe:
      return "interrupted";
    default:
      return "error";
  }
}

/** The error a run ends with when it was stopped from outside. */
export function stopError(cause: StopCause): AshError {
  switch (cause) {
    case "SIGINT":
      return new AshError("interrupted", "interrupted by SIGINT");
    case "SIGTERM":
    case "SIGHUP":
      return new AshError("terminated", `terminated by ${cause}`);
    case "stdout closed":
      return new AshError("broken_pipe", "nobody reads the output any more");
  }
}

/** What surrounds the outcome of a run. */
export type RunFacts = {
  readonly sessionId: string | null;
  readonly durationMs: number;
  readonly warnings: readonly Warning[];
  readonly sandbox: Sandbox;
};

/** The result of a failed call of ash. */
export function errorResult(error: AshError, facts: Partial<RunFacts> = {}): Result {
  return {
    ...emptyResult(),
    status: statusOf(error),
    exit_code: error.exitCode,
    error: describeError(error),
    session_id: facts.sessionId ?? null,
    duration_ms: Math.round(facts.durationMs ?? 0),
    warnings: [...(facts.warnings ?? [])],
    sandbox: facts.sandbox ?? "none",
  };
}

/** The result of a run. */
export function runResult(outcome: Outcome, facts: RunFacts): Result {
  const { error } = outcome;
  return {
    ...emptyResult(),
    status: statusOf(error),
    exit_code: error?.exitCode ?? EXIT.ok,
    result: outcome.answer,
    error: error === null ? null : describeError(error),
    stop_reason: outcome.stopReason,
    limit: outcome.limit,
    model: outcome.model,
    session_id: facts.sessionId,
    turns: outcome.turns,
    usage: outcome.usage,
    cost_usd: outcome.costUsd,
    duration_ms: Math.round(facts.durationMs),
    tools: [...outcome.records],
    denials: [...outcome.denials],
    warnings: [...facts.warnings],
    sandbox: facts.sandbox,
  };
}
