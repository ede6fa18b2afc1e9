// The Messages API, any server that speaks it. The SDK does addresses, headers and error bodies; the stream, the
// loop and the retries are ours. The only importer of the SDK and of the event-stream parser.
import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
} from "@anthropic-ai/sdk/error";
import { type MessageCreateParamsStreaming, Messages } from "@anthropic-ai/sdk/resources/messages";
import { createParser } from "eventsource-parser";
import { version } from "../../package.json";
import { AshError, type ErrorType, systemCode } from "../errors.ts";
import { type ModelRequest, type Provider, ProviderError, type Reply, type ReplyHooks } from "../provider.ts";
import type { Connection } from "./connection.ts";
import { replyFromMessage, startReply } from "./reply.ts";
import { requestBody } from "./wire.ts";

// The full client drags in a third of a megabyte of endpoints ash never calls.
class MessagesClient extends BaseAnthropic {
  messages = new Messages(this);
}

const silent = { error() {}, warn() {}, info() {}, debug() {} };

function keyHeaders({ preset, credential }: Connection): Record<string, string | null> {
  const headers: Record<string, string | null> = {
    "anthropic-version": preset.apiVersion,
    "user-agent": `ash/${version}`,
  };
  if (credential === null) return { ...headers, authorization: null };
  if (credential.form === "bearer")
    return { ...headers, authorization: `Bearer ${credential.value.reveal()}` };
  return { ...headers, authorization: null, "x-api-key": credential.value.reveal() };
}

function openClient(connection: Connection): MessagesClient {
  const { preset, baseUrl } = connection;
  // Bun's own option: the milliseconds a connection may be silent. The SDK's time-out covers only the headers.
  const idle = { timeout: preset.idleMs } as Record<string, unknown>;
  return new MessagesClient({
    baseURL: baseUrl,
    // Set even when unused: otherwise the SDK looks for keys and profiles of its own.
    authToken: "unused",
    maxRetries: 0,
    timeout: preset.idleMs,
    // A key must not follow a redirect to another host.
    fetchOptions: { ...idle, redirect: "manual" },
    defaultHeaders: keyHeaders(connection),
    logger: silent,
    logLevel: "off",
    openTelemetry: false,
  });
}

const LONGEST_DETAIL = 300;

const brief = (text: string): string => {
  const line = text
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > LONGEST_DETAIL ? `${line.slice(0, LONGEST_DETAIL)}…` : line;
};

function typeOfStatus(status: number): ErrorType {
  if (status === 401 || status === 403) return "auth";
  if (status === 404) return "not_found";
  if (status === 413) return "too_large";
  if (status === 429) return "rate_limit";
  if (status === 408) return "timeout";
  if (status === 529) return "overloaded";
  if (status >= 500) return "server_error";
  return status < 400 ? "protocol" : "invalid_request";
}

function retryAfterSeconds(headers: Headers | undefined): number | undefined {
  const milliseconds = Number(headers?.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds / 1000);
  const text = headers?.get("retry-after") ?? null;
  if (text === null) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

function hintFor(type: ErrorType, connection: Connection): string | undefined {
  if (type === "auth")
    return `check the key for ${connection.baseUrl}: ${connection.preset.keyEnv.join(" or ")}`;
  if (type === "not_found")
    return `check the model (${connection.model}) and the address (${connection.baseUrl})`;
  if (type === "protocol") return "check the address: ash adds /v1/messages itself";
  return undefined;
}

function fromStatus(thrown: APIError, status: number, connection: Connection): ProviderError {
  const isOurProtocol = thrown.type !== null;
  const type = status === 404 && !isOurProtocol ? "protocol" : typeOfStatus(status);
  const said = thrown.apiMessage ?? brief(thrown.message);
  const message =
    type === "protocol"
      ? `${connection.baseUrl} does not speak the Messages API: ${status} ${brief(said)}`
      : `${connection.baseUrl} answered ${status}: ${brief(said)}`;
  const hint = hintFor(type, connection);
  const retryAfterS = retryAfterSeconds(thrown.headers);
  return new ProviderError(type, message, {
    httpStatus: status,
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
    ...(thrown.requestID ? { requestId: thrown.requestID } : {}),
  });
}

function causeCode(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return systemCode(cause) ?? systemCode(thrown) ?? (cause instanceof Error ? cause.name : "no connection");
}

/** What was thrown while asking → the error the run ends with. */
function translate(thrown: unknown, connection: Connection, started: boolean): AshError {
  if (thrown instanceof ProviderError) return thrown;
  if (thrown instanceof APIUserAbortError) return new AshError("interrupted", "the request was stopped");
  if (thrown instanceof APIConnectionTimeoutError) {
    return new ProviderError("timeout", `${connection.baseUrl} did not answer in time`, { started });
  }
  if (thrown instanceof APIConnectionError) {
    const hint = connection.preset.keyRequired ? undefined : `is ${connection.preset.name} running?`;
    return new ProviderError("network", `${connection.baseUrl} cannot be reached (${causeCode(thrown)})`, {
      started,
      ...(hint === undefined ? {} : { hint }),
    });
  }
  if (thrown instanceof APIError && thrown.status !== undefined)
    return fromStatus(thrown, thrown.status, connection);
  if (thrown instanceof DOMException && thrown.name === "AbortError") {
    return new AshError("interrupted", "the request was stopped");
  }
  const timedOut = thrown instanceof Error && thrown.name === "TimeoutError";
  const what = timedOut ? "went silent" : `broke the connection (${causeCode(thrown)})`;
  return new ProviderError(timedOut ? "timeout" : "network", `${connection.baseUrl} ${what}`, { started });
}

async function readWhole(response: Response, connection: Connection): Promise<Reply> {
  const body = await response.text();
  let data: unknown = null;
  try {
    data = JSON.parse(body);
  } catch {
    // Not JSON at all: an error page, most likely.
  }
  const reply = replyFromMessage(data, connection.model);
  if (reply !== null) return reply;
  throw new ProviderError(
    "protocol",
    `${connection.baseUrl} does not speak the Messages API: it answered ${response.headers.get("content-type") ?? "something"}: ${brief(body)}`,
    { httpStatus: response.status, hint: "check the address: ash adds /v1/messages itself" },
  );
}

async function readStream(response: Response, connection: Connection, hooks: ReplyHooks): Promise<Reply> {
  const builder = startReply(connection.model, hooks);
  const parser = createParser({
    onEvent({ data }) {
      if (data === "[DONE]") return;
      let event: unknown;
      try {
        event = JSON.parse(data);
      } catch {
        throw new ProviderError("protocol", `${connection.baseUrl} sent an event that is not JSON`, {
          started: builder.started(),
        });
      }
      builder.add(event);
    },
  });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
    parser.feed("\n\n");
  } catch (thrown) {
    throw translate(thrown, connection, builder.started());
  }
  return builder.finish();
}

/** Connects to a server. Nothing is sent before the first request. */
export function connect(connection: Connection): Provider {
  const client = openClient(connection);
  const { preset, model } = connection;
  return {
    name: preset.name,
    model,
    async complete(request: ModelRequest, hooks: ReplyHooks): Promise<Reply> {
      try {
        const body = requestBody(request, preset, model) as unknown as MessageCreateParamsStreaming;
        const response = await client.messages.create(body, { signal: hooks.signal }).asResponse();
        const kind = response.headers.get("content-type") ?? "";
        if (kind.includes("text/event-stream")) return await readStream(response, connection, hooks);
        const reply = await readWhole(response, connection);
        for (const block of reply.content) if (block.type === "text") hooks.onText(block.text);
        return reply;
      } catch (thrown) {
        throw translate(thrown, connection, false);
      }
    },
    finish() {},
  };
}
