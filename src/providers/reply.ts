// Puts a reply together from the server's events. Tolerant of what servers leave out or add; strict about what
// would make ash act on half a message.
import { type Oddity, ProviderError, type Reply, UNKNOWN_USAGE } from "../provider.ts";
import type { Usage } from "../schema.ts";
import { type ReplyBlock, withUniqueIds } from "../transcript.ts";

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

const NO_USAGE: Oddity = {
  type: "no_usage",
  message: "the server does not count tokens, so limits on tokens and cost cannot hold",
};

const odditiesOf = ({ input_tokens, output_tokens }: Usage): readonly Oddity[] =>
  input_tokens === null && output_tokens === null ? [NO_USAGE] : [];

/** Arguments as the server sent them, when they are the object they must be. */
function parseArguments(json: string): Data | null {
  try {
    const value: unknown = JSON.parse(json);
    return isData(value) ? value : null;
  } catch {
    return null;
  }
}

function toolBlock(start: Data, json: string): ReplyBlock {
  const block = { type: "tool_use", id: textOf(start.id), name: textOf(start.name) } as const;
  if (json.trim() === "") {
    const given = start.input ?? {};
    if (isData(given)) return { ...block, input: given, malformed: null };
    return { ...block, input: {}, malformed: JSON.stringify(given) };
  }
  const input = parseArguments(json);
  return input === null ? { ...block, input: {}, malformed: json } : { ...block, input, malformed: null };
}

function finishBlock({ start, text, json, extra }: Draft): ReplyBlock {
  if (start.type === "text") return { type: "text", text: textOf(start.text) + text };
  if (start.type === "tool_use") return toolBlock(start, json);
  const grown = Object.entries(extra).map(([key, value]) => [key, textOf(start[key]) + value] as const);
  // A tool the server runs itself has arguments too.
  const input = json.trim() === "" ? {} : { input: parseArguments(json) ?? start.input ?? {} };
  return { type: "server", block: { ...start, ...Object.fromEntries(grown), ...input } };
}

/** What an error in the middle of a stream stands for; an unknown one may pass. */
const EVENT_ERRORS: Readonly<Record<string, ProviderError["type"]>> = {
  overloaded_error: "overloaded",
  rate_limit_error: "rate_limit",
  timeout_error: "timeout",
  authentication_error: "auth",
  permission_error: "auth",
  billing_error: "auth",
  invalid_request_error: "invalid_request",
  not_found_error: "not_found",
  request_too_large: "too_large",
};

function eventError(value: unknown, started: boolean): ProviderError {
  const error = dataOf(value);
  const name = textOf(error.type);
  const said = textOf(error.message) || textOf(value) || name || "no reason given";
  return new ProviderError(
    EVENT_ERRORS[name] ?? "server_error",
    `the server ended the reply with an error: ${said}`,
    { started },
  );
}

/** Collects events into a reply. */
export type ReplyBuilder = {
  /** Takes one event; throws a ProviderError when the server reports a failure. */
  add(event: unknown): void;
  /** True once an event of the reply has arrived. */
  started(): boolean;
  /** Returns the reply; throws a ProviderError when it was cut. */
  finish(): Reply;
};

type Hooks = { readonly onText: (delta: string) => void; readonly onToolCall: () => void };

/** The blocks of a reply that is arriving. */
function openDrafts(hooks: Hooks) {
  const drafts = new Map<number, Draft>();
  const open = new Set<number>();
  const start = (index: number, block: Data): Draft => {
    const draft: Draft = { start: block, text: "", json: "", extra: {} };
    open.add(index);
    drafts.set(index, draft);
    if (block.type === "text" && textOf(block.text) !== "") hooks.onText(textOf(block.text));
    if (block.type === "tool_use") hooks.onToolCall();
    return draft;
  };
  return {
    start,
    grow(index: number, delta: Data): void {
      // Some gateways send text for a block they never began.
      const draft =
        drafts.get(index) ??
        (delta.type === "text_delta" ? start(index, { type: "text", text: "" }) : undefined);
      if (draft === undefined) return;
      if (delta.type === "text_delta") {
        draft.text += textOf(delta.text);
        hooks.onText(textOf(delta.text));
      } else if (delta.type === "input_json_delta") draft.json += textOf(delta.partial_json);
      else {
        for (const [key, value] of Object.entries(delta)) {
          if (key !== "type" && typeof value === "string")
            draft.extra[key] = (draft.extra[key] ?? "") + value;
        }
      }
    },
    stop: (index: number): void => void open.delete(index),
    isOpen: (): boolean => open.size > 0,
    content: (): readonly ReplyBlock[] =>
      withUniqueIds([...drafts].sort(([a], [b]) => a - b).map(([, draft]) => finishBlock(draft))),
  };
}

/** Starts a reply. `onText` and `onToolCall` hear of pieces as they come. */
export function startReply(model: string, hooks: Hooks): ReplyBuilder {
  const drafts = openDrafts(hooks);
  let usage: Usage = UNKNOWN_USAGE;
  let answeredBy = model;
  let stopReason: string | null = null;
  let stopDetail: string | null = null;
  let ended = false;
  let begun = false;

  const onMessage = (data: Data): void => {
    usage = mergeUsage(usage, data.usage);
    answeredBy = textOf(data.model) || answeredBy;
  };

  const onEnding = (data: Data): void => {
    const delta = dataOf(data.delta);
    stopReason = textOf(delta.stop_reason) || stopReason;
    stopDetail = textOf(dataOf(delta.stop_details).explanation) || stopDetail;
    usage = mergeUsage(usage, data.usage);
  };

  return {
    add(event) {
      const data = dataOf(event);
      if (data.type === "error" || (data.type === undefined && data.error !== undefined))
        throw eventError(data.error, begun);
      const index = Number(data.index);
      if (data.type === "message_start") onMessage(dataOf(data.message));
      else if (data.type === "content_block_start") drafts.start(index, dataOf(data.content_block));
      else if (data.type === "content_block_delta") drafts.grow(index, dataOf(data.delta));
      else if (data.type === "content_block_stop") drafts.stop(index);
      else if (data.type === "message_delta") onEnding(data);
      else if (data.type === "message_stop") ended = true;
      else return;
      begun = true;
    },
    started: () => begun,
    finish() {
      const fail = (type: ProviderError["type"], message: string): never => {
        throw new ProviderError(type, message, { started: begun });
      };
      // Some servers never send message_stop; a stop reason with every block closed says as much.
      if (!ended && (stopReason === null || drafts.isOpen()))
        return fail("network", "the server cut the reply before its end");
      if (stopReason === null) return fail("protocol", "the server ended the reply without saying why");
      const oddities = odditiesOf(usage);
      return { content: drafts.content(), stopReason, stopDetail, usage, model: answeredBy, oddities };
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
  const usage = mergeUsage(UNKNOWN_USAGE, message.usage);
  return {
    content: withUniqueIds(content),
    stopReason: textOf(message.stop_reason) || "unknown",
    stopDetail: textOf(dataOf(message.stop_details).explanation) || null,
    usage,
    model: textOf(message.model) || model,
    oddities: odditiesOf(usage),
  };
}
