// Asks a server the smallest question there is, to find out what works: the connection, the key, the model, streaming,
// tools, and the counting of tokens.
import { AshError } from "../errors.ts";
import { monotonic } from "../host/clock.ts";
import type { Reply } from "../provider.ts";
import type { Usage } from "../schema.ts";
import type { Connection } from "./connection.ts";
import { exchange } from "./messages.ts";
import type { Wire } from "./wire.ts";

/** What a probe found out; times in milliseconds. */
export type Probe =
  | {
      readonly ok: true;
      /** As the server names it. */
      readonly model: string;
      readonly ms: number;
      readonly streams: boolean;
      /** The server takes requests with tools. */
      readonly tools: boolean;
      /** The model called the tool it was told to call. */
      readonly calledTool: boolean;
      /** Null when the server does not count. */
      readonly usage: Usage | null;
    }
  | { readonly ok: false; readonly ms: number; readonly error: AshError };

const TOOL: Wire = {
  name: "answer",
  description: "Gives the answer.",
  input_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};

/** Enough for a call of a tool. */
const FEW_TOKENS = 64;

const question = (model: string, tools: readonly Wire[]): Wire => ({
  model,
  max_tokens: FEW_TOKENS,
  stream: true,
  messages: [
    { role: "user", content: [{ type: "text", text: "Call the tool answer once, with the text ok." }] },
  ],
  ...(tools.length === 0 ? {} : { tools }),
});

async function askOnce(connection: Connection, tools: readonly Wire[], signal: AbortSignal): Promise<Reply> {
  return exchange(connection, question(connection.model, tools), { signal, onText() {}, onToolCall() {} });
}

/** A refusal that may be about the tools: servers without them say so in many ways. */
const mayBeTools = (error: AshError): boolean =>
  error.type === "invalid_request" || error.type === "server_error" || error.type === "protocol";

/** Probes a model with at most two requests, none of them repeated. Never throws an AshError. */
export async function probeModel(connection: Connection, signal: AbortSignal): Promise<Probe> {
  const began = monotonic();
  const since = (): number => Math.round(monotonic() - began);
  const found = (reply: Reply, tools: boolean): Probe => ({
    ok: true,
    model: reply.model,
    ms: since(),
    streams: !(reply.oddities ?? []).some(({ type }) => type === "not_streamed"),
    tools,
    calledTool: reply.content.some(({ type }) => type === "tool_use"),
    usage: reply.usage.input_tokens === null && reply.usage.output_tokens === null ? null : reply.usage,
  });
  const failed = (thrown: unknown): AshError => {
    if (thrown instanceof AshError) return thrown;
    throw thrown;
  };
  try {
    return found(await askOnce(connection, [TOOL], signal), true);
  } catch (thrown) {
    const error = failed(thrown);
    if (!mayBeTools(error)) return { ok: false, ms: since(), error };
    try {
      return found(await askOnce(connection, [], signal), false);
    } catch (again) {
      failed(again);
      return { ok: false, ms: since(), error };
    }
  }
}
