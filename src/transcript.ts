// The conversation as data, and the two promises every request depends on: each tool call has exactly one
// result in the next message, and every string is well-formed Unicode.

/** Text from either side. */
export type TextBlock = { readonly type: "text"; readonly text: string };

/** A call the model asks for; `input` is what it sent, unchecked. */
export type ToolCall = {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The arguments as sent when they were not JSON; `input` is then an empty object. */
  readonly malformed: string | null;
};

/** The answer to a call. */
export type ToolAnswer = {
  readonly type: "tool_result";
  readonly id: string;
  readonly content: string;
  readonly isError: boolean;
};

/** A block of the server's own, such as thinking: kept as it came, sent back only to the model it came from. */
export type ServerBlock = { readonly type: "server"; readonly block: Readonly<Record<string, unknown>> };

/** A block of a reply. */
export type ReplyBlock = TextBlock | ToolCall | ServerBlock;

/** One message. */
export type Message =
  | { readonly role: "user"; readonly content: readonly (TextBlock | ToolAnswer)[] }
  | {
      readonly role: "assistant";
      readonly model: string;
      /** The server and the model that were asked; absent when it was no server. */
      readonly origin?: string;
      readonly content: readonly ReplyBlock[];
    };

/** A conversation, oldest message first. */
export type Transcript = readonly Message[];

/** The calls of a message in the order asked. */
export function toolCalls(message: Message): readonly ToolCall[] {
  if (message.role !== "assistant") return [];
  return message.content.filter((block) => block.type === "tool_use");
}

/** Ids must be unique within a reply for its answers to be told apart; a server that repeats one gets it renamed. */
export function withUniqueIds(content: readonly ReplyBlock[]): readonly ReplyBlock[] {
  const seen = new Set<string>();
  return content.map((block, i) => {
    if (block.type !== "tool_use") return block;
    const id = block.id === "" || seen.has(block.id) ? `${block.id || "call"}_${i}` : block.id;
    seen.add(id);
    return { ...block, id };
  });
}

const LOST = "this call was interrupted and has no result";

function answersFor(calls: readonly ToolCall[], given: readonly ToolAnswer[]): readonly ToolAnswer[] {
  return calls.map(
    ({ id }) =>
      given.find((answer) => answer.id === id) ?? { type: "tool_result", id, content: LOST, isError: true },
  );
}

/**
 * Makes a conversation valid again after a crash: a call left without a result gets an error result, a result
 * without its call and an empty message are dropped, and neighbouring messages of one side become one.
 */
export function repairTranscript(transcript: Transcript): Transcript {
  const repaired: Message[] = [];
  const pushUser = (content: readonly (TextBlock | ToolAnswer)[]): void => {
    if (content.length === 0) return;
    const last = repaired.at(-1);
    if (last?.role === "user")
      repaired[repaired.length - 1] = { role: "user", content: [...last.content, ...content] };
    else repaired.push({ role: "user", content });
  };
  let open: readonly ToolCall[] = [];
  for (const message of transcript) {
    if (message.role === "user") {
      const given = message.content.filter((block) => block.type === "tool_result");
      pushUser([...answersFor(open, given), ...message.content.filter((block) => block.type === "text")]);
      open = [];
      continue;
    }
    pushUser(answersFor(open, []));
    open = toolCalls(message);
    if (message.content.length === 0) continue;
    if (repaired.at(-1)?.role === "assistant") pushUser([{ type: "text", text: "(go on)" }]);
    repaired.push(message);
  }
  pushUser(answersFor(open, []));
  return repaired;
}

/** Replaces lone surrogates in every string of a value, keys included. */
export function wellFormed<V>(value: V): V {
  if (typeof value === "string") return value.toWellFormed() as V;
  if (Array.isArray(value)) return value.map(wellFormed) as V;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)] as const);
  return Object.fromEntries(entries) as V;
}

/** What stays of the messages of a run whose last request the server refused for good: it would refuse them always. */
export function withoutRefused(messages: Transcript): Transcript {
  return messages.at(-1)?.role === "user" ? messages.slice(0, -1) : messages;
}
