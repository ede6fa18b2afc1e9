// A model server on loopback that speaks the Messages API, says what the test tells it to, and checks every
// request it gets.
import { type RequestBody, requestProblems } from "./invariants.ts";

/** A block a scripted reply is made of. */
export type ReplyBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string };

/** Token counts as servers report them; null for a server that reports none. */
export type ScriptedUsage = Readonly<Record<string, number>> | null;

/** A whole reply. */
export type ScriptedReply = {
  readonly content: readonly ReplyBlock[];
  readonly stop_reason: string;
  /** Instead of the few tokens every reply has. */
  readonly usage?: ScriptedUsage;
};

/** What the server does with one request. */
export type Answer = (request: RequestBody, signal: AbortSignal) => Response | Promise<Response>;

/** A text answer that ends the run. */
export const says = (text: string): ScriptedReply => ({
  content: [{ type: "text", text }],
  stop_reason: "end_turn",
});

/** A reply that asks for one `run_unix_command`. */
export function calls(command: string, args: readonly string[] = [], id = "toolu_1"): ScriptedReply {
  return {
    content: [{ type: "tool_use", id, name: "run_unix_command", input: { command, args } }],
    stop_reason: "tool_use",
  };
}

const USAGE = { input_tokens: 10, output_tokens: 5 };

function events(reply: ScriptedReply): readonly Record<string, unknown>[] {
  const list: Record<string, unknown>[] = [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "test-model",
        content: [],
        ...(reply.usage === undefined ? { usage: USAGE } : {}),
      },
    },
  ];
  reply.content.forEach((block, index) => {
    const { start, delta } = pieces(block);
    list.push({ type: "content_block_start", index, content_block: start });
    for (const part of delta) list.push({ type: "content_block_delta", index, delta: part });
    list.push({ type: "content_block_stop", index });
  });
  list.push({
    type: "message_delta",
    delta: { stop_reason: reply.stop_reason },
    ...(reply.usage === null ? {} : { usage: reply.usage ?? { output_tokens: 7 } }),
  });
  list.push({ type: "message_stop" });
  return list;
}

const SLICE = 4096;

function slices(text: string): readonly string[] {
  const parts: string[] = [];
  for (let i = 0; i < text.length; i += SLICE) parts.push(text.slice(i, i + SLICE));
  return parts;
}

function pieces(block: ReplyBlock): {
  start: Record<string, unknown>;
  delta: readonly Record<string, unknown>[];
} {
  switch (block.type) {
    case "text":
      return {
        start: { type: "text", text: "" },
        delta: slices(block.text).map((text) => ({ type: "text_delta", text })),
      };
    case "tool_use": {
      const json = typeof block.input === "string" ? block.input : JSON.stringify(block.input);
      return {
        start: { type: "tool_use", id: block.id, name: block.name, input: {} },
        delta: slices(json).map((partial_json) => ({ type: "input_json_delta", partial_json })),
      };
    }
    case "thinking":
      return {
        start: { type: "thinking", thinking: "", signature: "" },
        delta: [
          { type: "thinking_delta", thinking: block.thinking },
          { type: "signature_delta", signature: block.signature },
        ],
      };
  }
}

/** The reply as a stream of server-sent events. */
export function streamed(reply: ScriptedReply): Answer {
  const text = events(reply)
    .map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
  return () =>
    new Response(text, { headers: { "content-type": "text/event-stream", "request-id": "req_1" } });
}

/** The reply as one JSON message, as servers do that cannot stream. */
export function whole(reply: ScriptedReply): Answer {
  return () =>
    Response.json({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "test-model",
      ...reply,
      usage: reply.usage === null ? undefined : (reply.usage ?? USAGE),
    });
}

/** An error of the server. */
export function fails(status: number, type = "api_error", headers: Record<string, string> = {}): Answer {
  return () =>
    Response.json(
      { type: "error", error: { type, message: `the server says ${type}` } },
      { status, headers: { "request-id": "req_9", ...headers } },
    );
}

/** A request as it came over the wire. */
export type Heard = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

/** A running server. */
export type ModelServer = {
  readonly url: string;
  readonly requests: readonly RequestBody[];
  /** Every request with its headers, whatever it asked for. */
  readonly heard: readonly Heard[];
  /** Everything wrong with the requests so far. */
  readonly problems: readonly string[];
  stop(): Promise<void>;
};

/** One tool result as the server got it. */
export type ReceivedAnswer = {
  readonly tool_use_id: string;
  readonly content: string;
  readonly is_error?: boolean;
};

/** The tool results of the last message of a request, in order. */
export function answersIn(request: RequestBody | undefined): readonly ReceivedAnswer[] {
  const content = request?.messages.at(-1)?.content;
  if (content === undefined || typeof content === "string") return [];
  return content.filter((block) => block.type === "tool_result") as unknown as readonly ReceivedAnswer[];
}

/** The text of the first message of a request: what the user asked. */
export function promptIn(request: RequestBody | undefined): string {
  const content = request?.messages[0]?.content ?? "";
  if (typeof content === "string") return content;
  return content.map((block) => (block as { text?: string }).text ?? "").join("");
}

/** The system prompt of a request, in whichever form it was sent. */
export function systemIn(request: RequestBody | undefined): string {
  const system: unknown = request?.system ?? "";
  if (typeof system === "string") return system;
  return (system as readonly { readonly text: string }[]).map(({ text }) => text).join("");
}

/** What the server says to requests that are not for messages. */
export type Elsewhere = (heard: Heard) => Response;

/**
 * Starts a server that answers the requests in order; the last answer is repeated. `keys` are those it accepts; none
 * means that requests without one are as they should be.
 */
export function startModelServer(
  answers: readonly (Answer | ScriptedReply)[],
  keys: readonly string[] = ["test-key"],
  elsewhere: Elsewhere = () => new Response("not here", { status: 404 }),
): ModelServer {
  const requests: RequestBody[] = [];
  const heard: Heard[] = [];
  const problems: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const text = await request.text();
      const { pathname, search } = new URL(request.url);
      const headers = Object.fromEntries(request.headers);
      const one = { method: request.method, path: `${pathname}${search}`, headers, text };
      heard.push(one);
      if (pathname !== "/v1/messages") return elsewhere(one);
      problems.push(...requestProblems(text, request.headers, keys));
      const body = JSON.parse(text) as RequestBody;
      const answer = answers[Math.min(requests.length, answers.length - 1)];
      requests.push(body);
      if (answer === undefined) return new Response("no answer scripted", { status: 500 });
      return typeof answer === "function"
        ? answer(body, request.signal)
        : streamed(answer)(body, request.signal);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, requests, heard, problems, stop: () => server.stop(true) };
}
