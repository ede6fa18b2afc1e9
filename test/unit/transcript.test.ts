// Transcripts that were interrupted, made whole.
import { describe, expect, test } from "bun:test";
import { type Message, repairTranscript, type ToolCall, wellFormed } from "../../src/transcript.ts";

const user = (...content: Extract<Message, { role: "user" }>["content"]): Message => ({
  role: "user",
  content,
});
const text = (value: string) => ({ type: "text", text: value }) as const;
const call = (id: string): ToolCall => ({ type: "tool_use", id, name: "t", input: {}, malformed: null });
const result = (id: string) => ({ type: "tool_result", id, content: "r", isError: false }) as const;
const assistant = (...content: Extract<Message, { role: "assistant" }>["content"]): Message => ({
  role: "assistant",
  model: "m",
  content,
});

const shape = (messages: readonly Message[]): string[] =>
  messages.map(
    (message) =>
      `${message.role}:${message.content.map((block) => ("id" in block ? `${block.type}=${block.id}` : block.type)).join("+")}`,
  );

describe("repairing a transcript", () => {
  test("leaves a valid one as it is", () => {
    const valid = [
      user(text("q")),
      assistant(call("a"), call("b")),
      user(result("a"), result("b")),
      assistant(text("done")),
    ];
    expect(repairTranscript(valid)).toEqual(valid);
  });

  test("answers calls that were never answered, at the end and in the middle", () => {
    const broken = [user(text("q")), assistant(call("a")), user(text("hello?")), assistant(call("b"))];
    expect(shape(repairTranscript(broken))).toEqual([
      "user:text",
      "assistant:tool_use=a",
      "user:tool_result=a+text",
      "assistant:tool_use=b",
      "user:tool_result=b",
    ]);
  });

  test("drops a result without its call and answers the call that lacks one", () => {
    const broken = [user(text("q")), assistant(call("a"), call("b")), user(result("b"), result("zzz"))];
    const repaired = repairTranscript(broken);
    expect(shape(repaired)).toEqual([
      "user:text",
      "assistant:tool_use=a+tool_use=b",
      "user:tool_result=a+tool_result=b",
    ]);
    expect(repaired[2]?.content[0]).toMatchObject({ isError: true });
  });

  test("joins neighbours of one side and drops what is empty", () => {
    const broken = [user(text("a")), user(), assistant(), user(text("b"))];
    expect(shape(repairTranscript(broken))).toEqual(["user:text+text"]);
  });

  test("keeps sides alternating when two replies follow each other", () => {
    const roles = repairTranscript([user(text("a")), assistant(text("x")), assistant(text("y"))]).map(
      (message) => message.role,
    );
    expect(roles).toEqual(["user", "assistant", "user", "assistant"]);
  });
});

test("well-formed data has no lone surrogate in any key or string and is otherwise the same", () => {
  const value = { "k\ud800": ["a\udc00", { b: 1, c: null, d: true }], ok: "😀" };
  expect(wellFormed<unknown>(value)).toEqual({
    "k\ufffd": ["a\ufffd", { b: 1, c: null, d: true }],
    ok: "😀",
  });
});
