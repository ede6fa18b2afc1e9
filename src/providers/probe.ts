// Asks a model server for one small tool call, to see that all of it works: address, key, model, tools.
import { monotonic } from "../host/clock.ts";
import type { Usage } from "../schema.ts";
import type { Connection } from "./connection.ts";

/** What a model answered to the probe. */
export type ModelProbe = {
  readonly ok: true;
  /** As the server names it. */
  readonly model: string;
  /** From the request to the end of the reply, in milliseconds. */
  readonly ms: number;
  readonly calledTool: boolean;
  readonly stopReason: string;
  readonly usage: Usage;
};

const MOST_TOKENS = 64;
const TIMEOUT_MS = 60_000;

/** Sends one request. Throws a ProviderError, or `interrupted` when the signal aborts. */
export async function probeModel(connection: Connection, signal: AbortSignal): Promise<ModelProbe> {
  const { connect } = await import("./anthropic.ts");
  const preset = { ...connection.preset, maxOutputTokens: MOST_TOKENS, idleMs: TIMEOUT_MS };
  const began = monotonic();
  const reply = await connect({ ...connection, preset }).complete(
    {
      system: "You are being tested. Call the tool ping once, without a word.",
      transcript: [{ role: "user", content: [{ type: "text", text: "Call the tool ping." }] }],
      tools: [
        {
          name: "ping",
          description: "Does nothing. Call it to show that you can call tools.",
          input_schema: { type: "object", properties: {}, additionalProperties: false },
        },
      ],
      toolChoice: "auto",
    },
    { signal, onText() {}, onToolCall() {} },
  );
  return {
    ok: true,
    model: reply.model,
    ms: monotonic() - began,
    calledTool: reply.content.some((block) => block.type === "tool_use"),
    stopReason: reply.stopReason,
    usage: reply.usage,
  };
}
