// The one error type ash raises on purpose, and the table that ties every kind of error to its exit code.
// Nothing here prints; nothing anywhere decides by the text of a message.

/** Process exit codes, the same in every output mode. */
export const EXIT = {
  ok: 0,
  bug: 1,
  usage: 2,
  config: 3,
  rejected: 4,
  unavailable: 5,
  limit: 6,
  denied: 7,
  noAnswer: 8,
  tool: 9,
  interrupted: 130,
  brokenPipe: 141,
  terminated: 143,
} as const;

/** What each exit code means, as `ash help exit-codes` and the documentation print it. */
export const EXIT_MEANINGS: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.ok, "a complete answer"],
  [EXIT.bug, "a bug in ash"],
  [EXIT.usage, "usage: bad flag, empty prompt, silent stdin, unknown session"],
  [EXIT.config, "configuration or credentials: no key, 401/403, unreadable policy or config"],
  [EXIT.rejected, "the model server rejected the request for good, or does not speak the protocol"],
  [
    EXIT.unavailable,
    "try again, the one code that means it: the model server is unavailable after retries, or --lock is held",
  ],
  [EXIT.limit, "a limit ended the run; the partial answer is kept"],
  [EXIT.denied, "a call was denied: --fail-on-denied, ash policy check, ash run"],
  [EXIT.noAnswer, "no usable answer: empty, refusal, cut at max tokens, schema mismatch"],
  [EXIT.tool, "a tool failed: --fail-on-tool-error, ash run, ash tools check, or the tool runtime is broken"],
  [EXIT.interrupted, "interrupted (SIGINT)"],
  [EXIT.brokenPipe, "stdout was closed"],
  [EXIT.terminated, "terminated (SIGTERM, SIGHUP)"],
];

const EXIT_OF = {
  usage: EXIT.usage,
  config: EXIT.config,
  auth: EXIT.config,
  invalid_request: EXIT.rejected,
  not_found: EXIT.rejected,
  too_large: EXIT.rejected,
  protocol: EXIT.rejected,
  rate_limit: EXIT.unavailable,
  overloaded: EXIT.unavailable,
  server_error: EXIT.unavailable,
  network: EXIT.unavailable,
  timeout: EXIT.unavailable,
  locked: EXIT.unavailable,
  limit: EXIT.limit,
  denied: EXIT.denied,
  empty_answer: EXIT.noAnswer,
  refusal: EXIT.noAnswer,
  max_tokens: EXIT.noAnswer,
  schema_mismatch: EXIT.noAnswer,
  tool_failed: EXIT.tool,
  tool_runtime: EXIT.tool,
  interrupted: EXIT.interrupted,
  terminated: EXIT.terminated,
  broken_pipe: EXIT.brokenPipe,
  internal: EXIT.bug,
} as const;

/** The closed set of `error.type` values. */
export type ErrorType = keyof typeof EXIT_OF;

/** Every `error.type` value, for the published schema. */
export const ERROR_TYPES = Object.keys(EXIT_OF) as [ErrorType, ...ErrorType[]];

/** Facts about an error beyond its message; all optional. */
export type ErrorDetails = {
  /** What the user can do about it, one sentence. */
  readonly hint?: string;
  readonly httpStatus?: number;
  /** Seconds the server asked us to wait. */
  readonly retryAfterS?: number;
  readonly requestId?: string;
  readonly cause?: unknown;
};

/** An error ash explains in one line; its type decides the exit code. */
export class AshError extends Error {
  readonly type: ErrorType;
  readonly details: ErrorDetails;

  constructor(type: ErrorType, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = "AshError";
    this.type = type;
    this.details = details;
  }

  /** The process exit code this error stands for. */
  get exitCode(): number {
    return EXIT_OF[this.type];
  }

  /** True exactly for the errors after which the same call may succeed later. */
  get retryable(): boolean {
    return this.exitCode === EXIT.unavailable;
  }
}

/** Returns a usage error (exit 2). */
export function usageError(message: string, hint?: string): AshError {
  return new AshError("usage", message, hint === undefined ? {} : { hint });
}

/** Returns a configuration error (exit 3). */
export function configError(message: string, hint?: string): AshError {
  return new AshError("config", message, hint === undefined ? {} : { hint });
}

/** Wraps whatever was thrown: an AshError as it is, anything else as an internal error (exit 1). */
export function toAshError(thrown: unknown): AshError {
  if (thrown instanceof AshError) return thrown;
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return new AshError("internal", message, {
    hint: "this is a bug in ash; please report it with the command that caused it",
    cause: thrown,
  });
}

/** The system error code (`ENOENT` …) of something thrown by the runtime, or undefined. */
export function systemCode(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}

/** What to do about something that could not be written, by the system error code; begins a hint. */
export const writeFix = (code: string | undefined): string =>
  code === "ENOSPC" || code === "EDQUOT" ? "make room for it" : "make it writable";
