// Asks a server over HTTP: the Messages API, and the list of its models. The SDK does addresses, headers and error
// bodies; the bytes, the stream, the loop and the retries are ours. The only importer of the SDK.
import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import { APIError } from "@anthropic-ai/sdk/error";
import { version } from "../../package.json";
import { AshError } from "../errors.ts";
import { wallClock } from "../host/clock.ts";
import type { Server } from "./connection.ts";
import { type Asked, networkError, silenceError, statusError } from "./failure.ts";
import { type Attempt, startAttempt } from "./transport.ts";

// The full client drags in a third of a megabyte of endpoints ash never calls.
class Client extends BaseAnthropic {}

const silent = { error() {}, warn() {}, info() {}, debug() {} };

// The watch over silence ends a request, and the deadline of the run does.
const NO_TIMEOUT = 24 * 3_600_000;

function headersOf({ preset, credential }: Server): Record<string, string | null> {
  const headers = { "anthropic-version": preset.apiVersion, "user-agent": `ash/${version}` };
  if (credential === null) return { ...headers, authorization: null };
  const key = credential.value.reveal();
  if (credential.form === "bearer") return { ...headers, authorization: `Bearer ${key}` };
  return { ...headers, authorization: null, "x-api-key": key };
}

const openClient = (server: Server, attempt: Attempt): Client =>
  new Client({
    baseURL: server.baseUrl,
    // Set even when unused: otherwise the SDK looks for keys and profiles of its own.
    authToken: "unused",
    maxRetries: 0,
    timeout: NO_TIMEOUT,
    fetch: attempt.fetch,
    defaultHeaders: headersOf(server),
    logger: silent,
    logLevel: "off",
    openTelemetry: false,
  });

/** The words of an error body, in the forms model servers use; null when it is in none of them. */
function wordsIn(body: unknown): string | null {
  if (typeof body !== "object" || body === null) return null;
  const { error, message, detail } = body as Readonly<Record<string, unknown>>;
  if (typeof error === "string") return error;
  if (typeof error === "object" && error !== null) return wordsIn(error);
  if (typeof message === "string") return message;
  return typeof detail === "string" ? detail : null;
}

/** True for an error that names a model or a rule; a framework's own page for an unknown path does not. */
const isUnderstood = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "error" in body && wordsIn(body) !== null;

/** What was thrown while asking → the error the run ends with. */
function translate(thrown: unknown, server: Asked, attempt: Attempt, state: Progress): AshError {
  if (thrown instanceof AshError) return thrown;
  if (attempt.silent()) return silenceError(server, state.started());
  if (state.stop.aborted) return new AshError("interrupted", "the request was stopped");
  if (attempt.failure() === undefined && thrown instanceof APIError && thrown.status !== undefined) {
    const { status, headers, error, requestID } = thrown;
    const said =
      wordsIn(error) ?? (error === undefined ? thrown.message.replace(/^\d+ /, "") : JSON.stringify(error));
    return statusError(
      { status, headers, understood: isUnderstood(error), said, requestId: requestID ?? null },
      server,
      wallClock(),
    );
  }
  return networkError(attempt.failure() ?? thrown, server, state.started());
}

/** What is asked: a body makes it a POST. */
export type Question = { readonly path: string; readonly body?: unknown };

/** What bounds a request, and whether its answer has begun. */
export type Progress = { readonly stop: AbortSignal; readonly started: () => boolean };

/** An answer that may be read. */
export type Answer = { readonly response: Response; readonly chunks: AsyncIterable<Uint8Array> };

/**
 * Asks once and lets `read` read the answer while it comes. Throws what `read` throws, a ProviderError for every
 * failure of the server or the network, and an `interrupted` error when it was stopped.
 */
export async function ask<T>(
  server: Asked,
  { path, body }: Question,
  progress: Progress,
  read: (answer: Answer) => Promise<T>,
): Promise<T> {
  const attempt = startAttempt(server, progress.stop);
  try {
    const client = openClient(server, attempt);
    const sent = body === undefined ? client.get(path) : client.post(path, { body });
    const response = await sent.asResponse();
    return await read({ response, chunks: attempt.body(response) });
  } catch (thrown) {
    throw translate(thrown, server, attempt, progress);
  } finally {
    attempt.end();
  }
}
