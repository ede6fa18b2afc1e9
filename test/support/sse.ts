// Streams as text, written event by event, for servers that get them wrong.
import type { Answer } from "./modelserver.ts";

/** One event of a stream. */
export type StreamEvent = { readonly type: string; readonly [field: string]: unknown };

/** These events as a stream, each with its name. */
export const sse = (...events: readonly StreamEvent[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

/** An answer that streams this text. */
export const streams =
  (text: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  () =>
    new Response(text, { headers: { "content-type": "text/event-stream", ...headers } });

/** An answer that is no stream. */
export const page =
  (status: number, text: string, type = "text/html"): Answer =>
  () =>
    new Response(text, { status, headers: { "content-type": type } });

/** The event a reply begins with. */
export const START: StreamEvent = {
  type: "message_start",
  message: { model: "m", usage: { input_tokens: 1, output_tokens: 1 } },
};

const [BEGIN, DELTA, STOP]: readonly [StreamEvent, StreamEvent, StreamEvent] = [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hello" } },
  { type: "content_block_stop", index: 0 },
];

/** The events of the text "hello": its beginning, the text, its end. */
export const TEXT = [BEGIN, DELTA, STOP] as const;

/** The last events of a reply that stops for this reason. */
export const ending = (
  stop_reason: string,
  more: Readonly<Record<string, unknown>> = {},
): readonly StreamEvent[] => [
  { type: "message_delta", delta: { stop_reason, ...more }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
];

/** A whole reply that says "hello". */
export const HELLO = sse(START, ...TEXT, ...ending("end_turn"));
