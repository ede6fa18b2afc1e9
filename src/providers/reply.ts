// Puts a reply together from the server's events. Tolerant of what servers leave out or add; strict about what
// would make ash act on half a message.
import { ProviderError, type Reply, UNKNOWN_USAGE } from "../provider.ts";
import type { Usage } from "../schema.ts";
import type { ReplyBlock } from "../transcript.ts";

type Data = Readonly<Record<string, unknown>>;

const isData = (value: unknown): value is Data =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const dataOf = (value: unknown): Data => (isData(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A block under construction: text and tool arguments arrive in pieces. */
type Draft = { readonly start: Data; text: string; json: string; readonly extra: Record<string, string> };

const USAGE_KEYS = [
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
] as const satisfies readonly (keyof Usage)[];

// Counters are cumulative: a later value replaces an earlier one.
function mergeUsage(usage: Usage, update: unknown): Usage {
  const merged: Usage = { ...usage };
  for (const key of USAGE_KEYS) {
    const value = dataOf(update)[key];
    if (typeof value === "number" && Number.isFinite(value)) merged[key] = Math.max(0, Math.round(value));
  }
  return merged;
}

function toolBlock(start: Data, json: string): ReplyBlock {
  const block = { type: "tool_use", id: textOf(start.id), name: textOf(start.name) } as const;
  if (json.trim() === "") return { ...block, input: start.input ?? {}, malformed: null };
  try {
    return { ...block, input: JSON.parse(json), malformed: null };
  } catch {
    return { ...block, input: {}, malformed: json };
  }
}

function finishBlock({ start, text, json, extra }: Draft): ReplyBlock {
  if (start.type === "text") return { type: "text", text: textOf(start.text) + text };
  if (start.type === "tool_use") return toolBlock(start, json);
  const grown = Object.entries(extra).map(([key, value]) => [key, textOf(start[key]) + value] as const);
  return { type: "server", block: { ...start, ...Object.fromEntries(grown) } };
}

/** What a mid-stream error event stands for. */
const EVENT_ERRORS: Readonly<
  Record<string, "overloaded" | "rate_limit" | "server_error" | "auth" | "invalid_request">
> = {
  overloaded_error: "overloaded",
  rate_limit_error: "rate_limit",
  authentication_error: "auth",
  permission_error: "auth",
  invalid_request_error: "invalid_request",
};

/** Collects events into a reply. */
export type ReplyBuilder = {
  /** Takes one event; throws a ProviderError when the server reports a failure. */
  add(event: unknown): void;
  /** True once a part of the reply has arrived. */
  started(): boolean;
  /** Returns the reply; throws a ProviderError when it was cut. */
  finish(): Reply;
};

/** Starts a reply. `onText` and `onToolCall` hear of pieces as they come. */
export function startReply(
  model: string,
  hooks: { readonly onText: (delta: string) => void; readonly onToolCall: () => void },
): ReplyBuilder {
  const drafts = new Map<number, Draft>();
  let usage: Usage = UNKNOWN_USAGE;
  let answeredBy = model;
  let stopReason: string | null = null;
  let stopDetail: string | null = null;
  const open = new Set<number>();
  let ended = false;
  let begun = false;

  const onDelta = (index: number, delta: Data): void => {
    const draft = drafts.get(index);
    if (draft === undefined) return;
    if (delta.type === "text_delta") {
      draft.text += textOf(delta.text);
      hooks.onText(textOf(delta.text));
    } else if (delta.type === "input_json_delta") draft.json += textOf(delta.partial_json);
    else {
      for (const [key, value] of Object.entries(delta)) {
        if (key !== "type" && typeof value === "string") draft.extra[key] = (draft.extra[key] ?? "") + value;
      }
    }
  };

  const onStart = (index: number, block: Data): void => {
    open.add(index);
    drafts.set(index, { start: block, text: "", json: "", extra: {} });
    if (block.type === "text" && textOf(block.text) !== "") hooks.onText(textOf(block.text));
    if (block.type === "tool_use") hooks.onToolCall();
  };

  const onError = (error: Data): never => {
    const type = EVENT_ERRORS[textOf(error.type)] ?? "server_error";
    throw new ProviderError(
      type,
      textOf(error.message) || `the server reported ${textOf(error.type) || "an error"}`,
      {
        started: begun,
      },
    );
  };

  return {
    add(event) {
      const data = dataOf(event);
      if (data.type === "error") onError(dataOf(data.error));
      if (data.type === "ping") return;
      if (data.type === "message_start") {
        const message = dataOf(data.message);
        usage = mergeUsage(usage, message.usage);
        answeredBy = textOf(message.model) || model;
      } else if (data.type === "content_block_start") {
        begun = true;
        onStart(Number(data.index), dataOf(data.content_block));
      } else if (data.type === "content_block_delta") onDelta(Number(data.index), dataOf(data.delta));
      else if (data.type === "content_block_stop") open.delete(Number(data.index));
      else if (data.type === "message_delta") {
        const delta = dataOf(data.delta);
        stopReason = textOf(delta.stop_reason) || stopReason;
        stopDetail = textOf(dataOf(delta.stop_details).explanation) || stopDetail;
        usage = mergeUsage(usage, data.usage);
      } else if (data.type === "message_stop") ended = true;
    },
    started: () => begun,
    finish() {
      // Some servers never send message_stop; a stop reason with every block closed says as much.
      if (stopReason === null || (!ended && open.size > 0)) {
        throw new ProviderError("network", "the server cut the reply before its end", { started: begun });
      }
      const content = [...drafts.entries()].sort(([a], [b]) => a - b).map(([, draft]) => finishBlock(draft));
      return { content, stopReason, stopDetail, usage, model: answeredBy };
    },
  };
}

/** Reads a whole message that was not streamed; null when the data is not one. */
export function replyFromMessage(data: unknown, model: string): Reply | null {
  const message = dataOf(data);
  if (message.type !== "message" || !Array.isArray(message.content)) return null;
  const content = message.content
    .filter(isData)
    .map((start): ReplyBlock => finishBlock({ start, text: "", json: "", extra: {} }));
  return {
    content,
    stopReason: textOf(message.stop_reason) || "unknown",
    stopDetail: textOf(dataOf(message.stop_details).explanation) || null,
    usage: mergeUsage(UNKNOWN_USAGE, message.usage),
    model: textOf(message.model) || model,
  };
}
