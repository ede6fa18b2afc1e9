// A request in ash's words → the body the Messages API takes. Only fields the preset takes are sent, and the same
// conversation always becomes the same bytes, so that a server can cache its beginning.
import type { ModelRequest, ToolDefinition } from "../provider.ts";
import {
  type Message,
  type ReplyBlock,
  type TextBlock,
  type ToolAnswer,
  type Transcript,
  toolCalls,
  wellFormed,
} from "../transcript.ts";
import type { Keeps, Preset } from "./presets.ts";

/** A JSON object on its way to the server. */
export type Wire = Readonly<Record<string, unknown>>;

/** What decides about the form of a request. */
export type WireTarget = {
  readonly preset: Preset;
  readonly model: string;
  /** What the replies of this server and model carry as their origin. */
  readonly origin: string;
};

const THINKING = ["thinking", "redacted_thinking"];

function isKept(block: Wire, keeps: Keeps): boolean {
  switch (keeps) {
    case "all":
      return true;
    case "thinking":
      return typeof block.type === "string" && THINKING.includes(block.type);
    case "none":
      return false;
  }
}

/** The ids and names of one message's calls as they are sent. */
type CallNames = ReadonlyMap<string, string>;

type Block = TextBlock | ToolAnswer | ReplyBlock;

function wireBlock(block: Block, ids: CallNames, foreign: boolean, keeps: Keeps): readonly Wire[] {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? [] : [{ type: "text", text: block.text }];
    case "tool_use": {
      const name = foreign ? plain(block.name, "unknown") : block.name;
      return [{ type: "tool_use", id: ids.get(block.id) ?? block.id, name, input: block.input }];
    }
    case "tool_result": {
      const error = block.isError ? { is_error: true } : {};
      const id = ids.get(block.id) ?? block.id;
      return [{ type: "tool_result", tool_use_id: id, content: block.content, ...error }];
    }
    case "server":
      return !foreign && isKept(block.block, keeps) ? [block.block] : [];
  }
}

/** A name every server takes: other servers write ids and names this one may refuse. */
const plain = (text: string, otherwise: string): string =>
  text.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || otherwise;

/** Gives the calls of a message ids that no earlier call has. */
function nameCalls(message: Message, foreign: boolean, used: Set<string>): CallNames {
  const names = new Map<string, string>();
  for (const { id } of toolCalls(message)) {
    const wanted = foreign ? plain(id, "call") : id;
    let name = wanted;
    for (let n = 2; used.has(name); n += 1) name = `${wanted}_${n}`;
    used.add(name);
    names.set(id, name);
  }
  return names;
}

type WireMessage = { readonly role: Message["role"]; readonly content: readonly Wire[] };

function wireMessages(transcript: Transcript, { preset, origin }: WireTarget): readonly WireMessage[] {
  const used = new Set<string>();
  const messages: WireMessage[] = [];
  let ids: CallNames = new Map();
  for (const message of transcript) {
    const foreign = message.role === "assistant" && message.origin !== origin;
    if (message.role === "assistant") ids = nameCalls(message, foreign, used);
    const blocks: readonly Block[] = message.content;
    const content = blocks.flatMap((block) => wireBlock(block, ids, foreign, preset.keeps));
    const last = messages.at(-1);
    if (content.length === 0) continue;
    // A message that held nothing this server takes is gone; two of one side in a row are refused by some servers.
    if (last?.role === message.role)
      messages[messages.length - 1] = { role: last.role, content: [...last.content, ...content] };
    else messages.push({ role: message.role, content });
  }
  return messages;
}

const BREAKPOINT = { cache_control: { type: "ephemeral" } } as const;

/**
 * Marks the end of the newest and of the second newest user message: what the last request wrote into the cache is
 * found again however many calls one turn had.
 */
function withBreakpoints(messages: readonly WireMessage[]): readonly WireMessage[] {
  const marked = messages.flatMap((message, i) => (message.role === "user" ? [i] : [])).slice(-2);
  return messages.map((message, i) => {
    if (!marked.includes(i)) return message;
    const { content } = message;
    const ending = content.at(-1);
    return { ...message, content: [...content.slice(0, -1), { ...ending, ...BREAKPOINT }] };
  });
}

/** Tools and system prompt come first in what a server caches: one mark at their end serves every run of the day. */
const wireSystem = (system: string, cache: boolean): string | readonly Wire[] =>
  cache ? [{ type: "text", text: system, ...BREAKPOINT }] : system;

const wireTool = ({ name, description, input_schema }: ToolDefinition): Wire => ({
  name,
  description,
  input_schema,
});

/** Models that take an effort; older ones refuse the field. */
const HAS_EFFORT = /^claude-(sonnet-5-5|opus-5-5|haiku-5-5|fable-5-2)$/;

function outputConfig({ format }: ModelRequest, preset: Preset, model: string): Wire {
  const config = {
    ...(preset.effort && HAS_EFFORT.test(model) ? { effort: "medium" } : {}),
    ...(preset.answerFormat && format ? { format: { type: "json_schema", schema: format.schema } } : {}),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

/** Builds the body of one streaming request. */
export function requestBody(request: ModelRequest, target: WireTarget): Wire {
  const { preset, model } = target;
  const messages = wireMessages(request.transcript, target);
  const body = {
    model,
    max_tokens: Math.min(preset.maxOutputTokens, request.maxOutputTokens ?? preset.maxOutputTokens),
    stream: true,
    system: wireSystem(request.system, preset.cache),
    messages: preset.cache ? withBreakpoints(messages) : messages,
    tools: request.tools.map(wireTool),
    ...(preset.toolChoice && request.toolChoice === "none" ? { tool_choice: { type: "none" } } : {}),
    ...outputConfig(request, preset, model),
  };
  return wellFormed(body);
}
