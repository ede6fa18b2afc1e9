// What a model server is to ash: one request, one reply, typed failures; and the only layer that retries.
import { AshError, type ErrorDetails, type ErrorType } from "./errors.ts";
import type { Usage } from "./schema.ts";
import type { ReplyBlock, Transcript } from "./transcript.ts";

/** A tool as the model sees it. */
export type ToolDefinition = {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
};

/** What the server holds the answer to: a JSON Schema in the part of the language servers take. */
export type AnswerFormat = { readonly schema: Readonly<Record<string, unknown>> };

/** One request. */
export type ModelRequest = {
  readonly system: string;
  readonly transcript: Transcript;
  readonly tools: readonly ToolDefinition[];
  /** `none` asks for an answer without further calls. */
  readonly toolChoice: "auto" | "none";
  /** Tokens the reply may have at most; without it the server's own limit holds. */
  readonly maxOutputTokens?: number | null;
  readonly format?: AnswerFormat | null;
};

/** Something a server does differently: worth one sentence, and no reason to stop. */
export type Oddity = {
  readonly type: "no_usage" | "not_streamed" | "tool_choice_ignored";
  readonly message: string;
};

/** One reply, whole. */
export type Reply = {
  readonly content: readonly ReplyBlock[];
  /** As the server names it: end_turn, tool_use, max_tokens, refusal … */
  readonly stopReason: string;
  /** Why the server refused, when it says. */
  readonly stopDetail: string | null;
  readonly usage: Usage;
  readonly model: string;
  /** The server and the model that were asked: blocks of its own go back there and nowhere else. */
  readonly origin?: string;
  readonly oddities?: readonly Oddity[];
};

/** What happens while a reply arrives. */
export type ReplyHooks = {
  readonly signal: AbortSignal;
  readonly onText: (delta: string) => void;
  /** A tool call begins in the stream; its arguments are not known yet. */
  readonly onToolCall: () => void;
};

/** A source of replies. */
export type Provider = {
  readonly name: string;
  readonly model: string;
  complete(request: ModelRequest, hooks: ReplyHooks): Promise<Reply>;
  /** Called once after the last reply; throws when the provider expected more of the run. */
  finish(): void;
};

/** What is known about a failed request besides its message. */
export type FailureDetails = ErrorDetails & {
  /** The reply had begun: asking again could repeat what was shown. */
  readonly started?: boolean;
  /** The server says that asking again at once is of no use. */
  readonly hopeless?: boolean;
};

/** A failed request. */
export class ProviderError extends AshError {
  /** True while asking again can neither repeat anything nor be known to fail. */
  readonly mayRetry: boolean;
  /** The reply had begun. */
  readonly started: boolean;

  constructor(type: ErrorType, message: string, { started, hopeless, ...details }: FailureDetails = {}) {
    super(type, message, details);
    this.name = "ProviderError";
    this.started = started === true;
    this.mayRetry = this.retryable && started !== true && hopeless !== true;
  }
}

/** Token counts when nothing is known. */
export const UNKNOWN_USAGE: Usage = {
  input_tokens: null,
  output_tokens: null,
  cache_read_input_tokens: null,
  cache_creation_input_tokens: null,
};

/** Adds token counts; a count nobody gave stays unknown. */
export function addUsage(a: Usage, b: Usage): Usage {
  const add = (x: number | null, y: number | null): number | null =>
    x === null && y === null ? null : (x ?? 0) + (y ?? 0);
  return {
    input_tokens: add(a.input_tokens, b.input_tokens),
    output_tokens: add(a.output_tokens, b.output_tokens),
    cache_read_input_tokens: add(a.cache_read_input_tokens, b.cache_read_input_tokens),
    cache_creation_input_tokens: add(a.cache_creation_input_tokens, b.cache_creation_input_tokens),
  };
}

/** A wait before the next attempt. */
export type Retry = { readonly attempt: number; readonly waitMs: number; readonly error: ProviderError };

/** What retrying needs from outside. */
export type RetryContext = {
  /** Milliseconds left for the run. */
  readonly remainingMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** A number from 0 to 1. */
  readonly random: () => number;
  readonly onRetry: (retry: Retry) => void;
};

const ATTEMPTS = 3;
const BASE_MS = 500;
const LONGEST_MS = 8000;

/** The wait before the next attempt: exponential with jitter, and never less than the server asked for. */
export function retryWait(attempt: number, error: ProviderError, random: number): number {
  const backoff = Math.min(LONGEST_MS, BASE_MS * 2 ** (attempt - 1)) * (0.75 + random / 4);
  return Math.max(backoff, (error.details.retryAfterS ?? 0) * 1000);
}

/**
 * Asks for a reply, at most three times, only while no event of the reply has arrived, and only when the wait ends
 * before the run does. Throws the last ProviderError.
 */
export async function completeWithRetry(
  provider: Provider,
  request: ModelRequest,
  hooks: ReplyHooks,
  context: RetryContext,
): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await provider.complete(request, hooks);
    } catch (thrown) {
      if (!(thrown instanceof ProviderError) || !thrown.mayRetry) throw thrown;
      const waitMs = retryWait(attempt, thrown, context.random());
      if (attempt >= ATTEMPTS || hooks.signal.aborted || waitMs >= context.remainingMs()) throw thrown;
      context.onRetry({ attempt, waitMs, error: thrown });
      await context.wait(waitMs);
      if (hooks.signal.aborted) throw thrown;
    }
  }
}
