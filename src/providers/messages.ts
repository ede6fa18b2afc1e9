// One request to the Messages API and its reply, streamed or not.
import {
  type ModelRequest,
  type Oddity,
  type Provider,
  ProviderError,
  type Reply,
  type ReplyHooks,
} from "../provider.ts";
import { type Answer, ask } from "./anthropic.ts";
import type { Connection } from "./connection.ts";
import { type Asked, brief, protocolError } from "./failure.ts";
import { type ReplyBuilder, replyFromMessage, startReply } from "./reply.ts";
import { readEvents } from "./stream.ts";
import { requestBody, type Wire } from "./wire.ts";

/** What the replies of a server and model carry as their origin. */
export const originOf = ({ baseUrl, model }: Connection): string => `${new URL(baseUrl).host}/${model}`;

async function readStream(
  chunks: AsyncIterable<Uint8Array>,
  connection: Connection,
  builder: ReplyBuilder,
): Promise<Reply> {
  const events = await readEvents(chunks, {
    onEvent: (event) => builder.add(event),
    onBroken(text) {
      const started = builder.started();
      throw protocolError(connection, `it sent an event that is not JSON: ${brief(text)}`, { started });
    },
  });
  if (builder.started()) return builder.finish();
  if (events > 0) throw protocolError(connection, "its stream holds no event of a reply");
  throw new ProviderError("network", `${connection.baseUrl} ended the stream before the reply began`);
}

/** Longest answer that is read as one message. */
const LONGEST_MESSAGE = 32 * 1024 * 1024;

/** The text of an answer. Throws a ProviderError when it is too long. */
export async function readText(chunks: AsyncIterable<Uint8Array>, server: Asked): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LONGEST_MESSAGE) throw protocolError(server, "its answer has no end");
  }
  return text + decoder.decode();
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON at all: an error page, most likely.
    return null;
  }
}

const NOT_STREAMED: Oddity = {
  type: "not_streamed",
  message: "the server does not stream, so the whole reply came at once",
};

async function readWhole(
  { response, chunks }: Answer,
  connection: Connection,
  builder: ReplyBuilder,
  hooks: ReplyHooks,
): Promise<Reply> {
  const text = await readText(chunks, connection);
  // A stream whose server forgot to say so.
  if (/^\s*(event|data|id|retry)?:/.test(text)) return readStream(once(text), connection, builder);
  const reply = replyFromMessage(parseJson(text), connection.model);
  if (reply === null) {
    const kind = response.headers.get("content-type")?.split(";")[0] ?? "something without a type";
    const what = brief(text) === "" ? "an empty answer" : `${kind}: ${brief(text)}`;
    throw protocolError(connection, `it answered with ${what}`, { httpStatus: response.status });
  }
  for (const block of reply.content) {
    if (block.type === "text") hooks.onText(block.text);
    if (block.type === "tool_use") hooks.onToolCall();
  }
  return { ...reply, oddities: [...(reply.oddities ?? []), NOT_STREAMED] };
}

/** Sends one body and reads the reply. Throws what `ask` throws. */
export async function exchange(connection: Connection, body: Wire, hooks: ReplyHooks): Promise<Reply> {
  const builder = startReply(connection.model, hooks);
  const progress = { stop: hooks.signal, started: builder.started };
  const reply = await ask(connection, { path: "/v1/messages", body }, progress, (answer) => {
    const kind = answer.response.headers.get("content-type") ?? "";
    return kind.includes("text/event-stream")
      ? readStream(answer.chunks, connection, builder)
      : readWhole(answer, connection, builder, hooks);
  });
  return { ...reply, origin: originOf(connection) };
}

const IGNORED: Oddity = {
  type: "tool_choice_ignored",
  message: "the server let the model call a tool although none was allowed",
};

/** Connects to a server. Nothing is sent before the first request. */
export function connect(connection: Connection): Provider {
  const { preset, model } = connection;
  const target = { preset, model, origin: originOf(connection) };
  return {
    name: preset.name,
    model,
    async complete(request: ModelRequest, hooks: ReplyHooks): Promise<Reply> {
      const reply = await exchange(connection, requestBody(request, target), hooks);
      const isIgnored =
        request.toolChoice === "none" && reply.content.some(({ type }) => type === "tool_use");
      return isIgnored ? { ...reply, oddities: [...(reply.oddities ?? []), IGNORED] } : reply;
    },
    finish() {},
  };
}
