// Replies put together from the events of a stream, whole, cut and wrong.
import { describe, expect, test } from "bun:test";
import { ProviderError, UNKNOWN_USAGE } from "../../src/provider.ts";
import { type ReplyBuilder, replyFromMessage, startReply } from "../../src/providers/reply.ts";

const silent = { onText() {}, onToolCall() {} };

function build(...events: readonly unknown[]) {
  const builder = startReply("asked-model", silent);
  for (const event of events) builder.add(event);
  return builder.finish();
}

/** The error a builder ends with. */
function failure(builder: ReplyBuilder): unknown {
  try {
    return builder.finish();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ProviderError);
    return thrown;
  }
}

/** The error the last of these events ends the reply with. */
function failing(...events: readonly unknown[]): unknown {
  const builder = startReply("m", silent);
  try {
    for (const event of events) builder.add(event);
    return null;
  } catch (thrown) {
    return thrown;
  }
}

const start = {
  type: "message_start",
  message: { model: "m", usage: { input_tokens: 3, output_tokens: 1 } },
};
const end = [
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];
const block = (index: number, content_block: unknown, ...deltas: readonly unknown[]) => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const call = (...parts: readonly string[]) =>
  block(
    0,
    { type: "tool_use", id: "t", name: "run", input: {} },
    ...parts.map((partial_json) => ({ type: "input_json_delta", partial_json })),
  );

describe("a reply", () => {
  test("is put together from its pieces, and counters replace each other", () => {
    const reply = build(
      start,
      ...block(
        0,
        { type: "text", text: "" },
        { type: "text_delta", text: "He" },
        { type: "text_delta", text: "y" },
      ),
      ...end,
    );
    expect(reply).toMatchObject({
      content: [{ type: "text", text: "Hey" }],
      stopReason: "end_turn",
      model: "m",
    });
    expect(reply.usage).toEqual({
      input_tokens: 3,
      output_tokens: 9,
      cache_read_input_tokens: null,
      cache_creation_input_tokens: null,
    });
  });

  test("without usage, model or message_stop still counts when every block is closed", () => {
    const reply = build(
      { type: "message_start", message: {} },
      ...block(0, { type: "text", text: "hi" }),
      end[0],
    );
    expect(reply).toMatchObject({ model: "asked-model", content: [{ type: "text", text: "hi" }] });
  });

  test("reads tool arguments strictly", () => {
    expect(build(start, ...call('{"command":', ' "ls"}'), ...end).content[0]).toMatchObject({
      input: { command: "ls" },
      malformed: null,
    });
    expect(build(start, ...call(), ...end).content[0]).toMatchObject({ input: {}, malformed: null });
    expect(build(start, ...call('{"command": "rm -rf /x'), ...end).content[0]).toMatchObject({
      input: {},
      malformed: '{"command": "rm -rf /x',
    });
  });

  test("keeps thinking and unknown blocks with what their deltas added", () => {
    const reply = build(
      start,
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "hm" },
        { type: "signature_delta", signature: "sig" },
      ),
      ...block(1, { type: "novelty", x: 1 }, { type: "novelty_delta", y: "z" }),
      { type: "surprise" },
      ...end,
    );
    expect(reply.content).toEqual([
      { type: "server", block: { type: "thinking", thinking: "hm", signature: "sig" } },
      { type: "server", block: { type: "novelty", x: 1, y: "z" } },
    ]);
  });

  test("that was cut is an error, and asked again only before its first event", () => {
    const builder = startReply("m", silent);
    builder.add({ type: "ping" });
    expect(builder.started()).toBe(false);
    expect(failure(builder)).toMatchObject({ type: "network", mayRetry: true });
    builder.add(start);
    expect(builder.started()).toBe(true);
    expect(failure(builder)).toMatchObject({ type: "network", retryable: true, mayRetry: false });
  });

  test("that ends without a reason is not an answer", () => {
    const builder = startReply("m", silent);
    for (const event of [start, { type: "message_delta", delta: {} }, end[1]]) builder.add(event);
    expect(failure(builder)).toMatchObject({ type: "protocol" });
  });

  const errors = [
    ["overloaded_error", "overloaded"],
    ["rate_limit_error", "rate_limit"],
    ["api_error", "server_error"],
    ["timeout_error", "timeout"],
    ["authentication_error", "auth"],
    ["invalid_request_error", "invalid_request"],
    ["unheard_of", "server_error"],
  ] as const;

  test.each(errors)("ended by %s is %s, and asked again only before its first event", (sent, type) => {
    const event = { type: "error", error: { type: sent, message: "no" } };
    const retryable = !["auth", "invalid_request"].includes(type);
    expect(failing(event)).toMatchObject({
      type,
      message: "the server ended the reply with an error: no",
      mayRetry: retryable,
    });
    expect(failing(start, event)).toMatchObject({ type, mayRetry: false });
  });

  test("ended by an error in another dialect is ended all the same", () => {
    expect(failing(start, { error: { message: "out of memory" } })).toMatchObject({
      type: "server_error",
      message: "the server ended the reply with an error: out of memory",
    });
    expect(failing({ error: "gone" })).toMatchObject({ message: expect.stringContaining("gone") });
  });

  test("without counts says so once, and one with counts does not", () => {
    const quiet = build({ type: "message_start", message: {} }, { ...end[0], usage: {} }, end[1]);
    expect(quiet.usage).toEqual(UNKNOWN_USAGE);
    expect(quiet.oddities?.map(({ type }) => type)).toEqual(["no_usage"]);
    expect(build(start, ...end).oddities).toEqual([]);
  });

  test("has unique ids whatever the server sends", () => {
    const twice = (index: number, id: string) => block(index, { type: "tool_use", id, name: "n", input: {} });
    const reply = build(start, ...twice(0, "a"), ...twice(1, "a"), ...twice(2, ""), ...end);
    const ids = reply.content.map((item) => (item.type === "tool_use" ? item.id : null));
    expect(new Set(ids).size).toBe(3);
    expect(ids[0]).toBe("a");
  });

  test.each(["[1]", "null", '"text"', "7", "{", '{"a": 1} x'])(
    "takes %s for no arguments of a tool",
    (sent) => {
      expect(build(start, ...call(sent), ...end).content[0]).toMatchObject({ input: {}, malformed: sent });
    },
  );

  test("keeps the arguments of a tool the server runs itself", () => {
    const reply = build(
      start,
      ...block(
        0,
        { type: "server_tool_use", id: "s", name: "web_search", input: {} },
        { type: "input_json_delta", partial_json: '{"query":' },
        { type: "input_json_delta", partial_json: ' "x"}' },
      ),
      ...end,
    );
    expect(reply.content).toEqual([
      {
        type: "server",
        block: { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } },
      },
    ]);
  });

  test("keeps text of a block that was never begun, and thinking inside a text block does not become text", () => {
    const heard: string[] = [];
    const builder = startReply("m", { onText: (text) => heard.push(text), onToolCall() {} });
    builder.add(start);
    builder.add({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } });
    builder.add({ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } });
    builder.add({
      type: "content_block_delta",
      index: 3,
      delta: { type: "input_json_delta", partial_json: "{}" },
    });
    for (const event of end) builder.add(event);
    expect(builder.finish().content).toEqual([{ type: "text", text: "hi" }]);
    expect(heard).toEqual(["hi"]);
  });
});

describe("a message that was not streamed", () => {
  test("is read whole", () => {
    const reply = replyFromMessage(
      {
        type: "message",
        content: [
          { type: "text", text: "hi" },
          { type: "tool_use", id: "a", name: "n", input: { x: 1 } },
        ],
        stop_reason: "tool_use",
      },
      "m",
    );
    expect(reply).toMatchObject({
      stopReason: "tool_use",
      content: [{ text: "hi" }, { id: "a", input: { x: 1 } }],
    });
  });

  test.each([null, "text", { error: "x" }, { type: "message" }, [1]])("%j is none", (data) => {
    expect(replyFromMessage(data, "m")).toBeNull();
  });
});
