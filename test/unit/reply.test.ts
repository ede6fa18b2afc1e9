import { describe, expect, test } from "bun:test";
import { ProviderError } from "../../src/provider.ts";
import { replyFromMessage, startReply } from "../../src/providers/reply.ts";

const silent = { onText() {}, onToolCall() {} };

function build(...events: readonly unknown[]) {
  const builder = startReply("asked-model", silent);
  for (const event of events) builder.add(event);
  return builder.finish();
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

  test("that was cut is an error, retryable only before its first block", () => {
    const builder = startReply("m", silent);
    builder.add(start);
    expect(() => builder.finish()).toThrow(ProviderError);
    expect(builder.started()).toBe(false);
    builder.add({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
    expect(builder.started()).toBe(true);
  });

  test("with an error event ends in that error", () => {
    const table = [
      ["overloaded_error", "overloaded"],
      ["rate_limit_error", "rate_limit"],
      ["api_error", "server_error"],
      ["authentication_error", "auth"],
    ] as const;
    for (const [sent, type] of table) {
      try {
        build(start, { type: "error", error: { type: sent, message: "no" } });
        throw new Error("accepted");
      } catch (thrown) {
        expect(thrown).toMatchObject({ type, message: "no", started: false });
      }
    }
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
