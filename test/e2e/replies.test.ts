// Replies that stop for a reason, call tools badly, or come from a server that leaves something out.
import { describe, expect, test } from "bun:test";
import { runAsh } from "../support/ash.ts";
import { KEY, useAsking } from "../support/asking.ts";
import {
  answersIn,
  calls,
  type ReplyBlock,
  type ScriptedReply,
  says,
  whole,
} from "../support/modelserver.ts";
import { ending, HELLO, page, START, sse, streams, TEXT } from "../support/sse.ts";

const { place, server, askAt: ask } = useAsking();

const toolReply = (input: unknown, stop_reason = "tool_use", id = "t1"): ScriptedReply => ({
  content: [{ type: "tool_use", id, name: "run_unix_command", input }],
  stop_reason,
});

describe("a stop reason", () => {
  const rows: readonly (readonly [reason: string, code: number, status: string, type: string | undefined])[] =
    [
      ["end_turn", 0, "ok", undefined],
      ["max_tokens", 8, "incomplete", "max_tokens"],
      ["model_context_window_exceeded", 8, "incomplete", "max_tokens"],
      ["refusal", 8, "incomplete", "refusal"],
      ["tool_use", 4, "error", "protocol"],
      ["something_new", 4, "error", "protocol"],
    ];

  test.each(rows)("%s without a call ends with %d", async (reason, code, status, type) => {
    server.start([streams(sse(START, ...TEXT, ...ending(reason)))]);
    const run = await ask(server.url);
    expect(run.code).toBe(code);
    expect(run.json()).toMatchObject({ status, result: "hello", stop_reason: reason });
    expect<string | undefined>(run.json().error?.type).toBe(type);
  });

  test("pause_turn goes on with what was said", async () => {
    server.start([streams(sse(START, ...TEXT, ...ending("pause_turn"))), says("and done")]);
    const run = await ask(server.url);
    expect(run.json()).toMatchObject({ status: "ok", result: "and done", turns: 2 });
    expect(server.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  test("of a refusal comes with its reason", async () => {
    const events = ending("refusal", { stop_details: { explanation: "not safe" } });
    server.start([streams(sse(START, ...events))]);
    expect((await ask(server.url)).json().error?.message).toBe("the model refused to answer: not safe");
  });

  test("end_turn beside a call runs nothing and is not taken for an answer", async () => {
    server.start([toolReply({ command: "uname", args: [] }, "end_turn")]);
    const run = await ask(server.url);
    expect(run.code).toBe(4);
    expect(run.json()).toMatchObject({
      tools: [],
      error: {
        type: "protocol",
        message: "the server sent a tool call but ended with end_turn: it was not run",
      },
    });
  });
});

describe("a call", () => {
  const malformed = ['{"command": "uname"', "[1]", "null", '"uname"', '{"command": "uname"} trailing'];

  test.each(malformed)("with the arguments %s runs nothing and is answered", async (input) => {
    server.start([toolReply(input), says("sorry")]);
    const run = await ask(server.url);
    expect(run.json()).toMatchObject({ status: "ok", result: "sorry", turns: 2 });
    expect(run.json().tools.map(({ decision }) => decision)).toEqual(["error"]);
    expect(answersIn(server.requests[1])[0]).toMatchObject({ is_error: true });
  });

  test("cut by max_tokens is never run", async () => {
    server.start([toolReply('{"command": "touch", "args": ["x', "max_tokens")]);
    expect((await ask(server.url, ["--allow-run", "touch"])).json()).toMatchObject({
      exit_code: 8,
      tools: [],
    });
  });

  test("with an id used twice in one reply, or again in a later one, is told apart", async () => {
    const block = (id: string, text: string): ReplyBlock => ({
      type: "tool_use",
      id,
      name: "run_unix_command",
      input: { command: "echo", args: [text] },
    });
    server.start([
      { content: [block("same", "a"), block("same", "b"), block("", "c")], stop_reason: "tool_use" },
      calls("echo", ["d"], "same"),
      says("done"),
    ]);
    const run = await ask(server.url);
    expect(run.json()).toMatchObject({ status: "ok", result: "done" });
    const outputs = [server.requests[1], server.requests[2]].map((request) =>
      answersIn(request).map(({ content }) => JSON.parse(content).stdout),
    );
    expect(outputs).toEqual([["a\n", "b\n", "c\n"], ["d\n"]]);
  });
});

describe("a server that leaves something out", () => {
  test("the counting of tokens: the answer counts, and a warning says what cannot hold", async () => {
    const text = HELLO.replaceAll(/,"usage":\{[^}]*\}/g, "");
    server.start([streams(text)]);
    const result = (await ask(server.url)).json();
    expect(result).toMatchObject({ status: "ok", result: "hello" });
    expect(Object.values(result.usage)).toEqual([null, null, null, null]);
    expect(result.warnings).toEqual([
      {
        type: "no_usage",
        message: "the server does not count tokens, so limits on tokens and cost cannot hold",
      },
    ]);
  });

  test("streaming: the whole message counts, tools run, and one warning says so", async () => {
    server.start([whole(calls("uname", ["-s"])), whole(says("Linux."))]);
    const result = (await ask(server.url)).json();
    expect(result).toMatchObject({ status: "ok", result: "Linux.", turns: 2 });
    expect(result.warnings).toEqual([
      { type: "not_streamed", message: "the server does not stream, so the whole reply came at once" },
    ]);
  });

  test("the name of the stream's type: it is recognised", async () => {
    server.start([page(200, HELLO, "text/plain")]);
    expect((await ask(server.url)).json()).toMatchObject({ status: "ok", result: "hello", warnings: [] });
  });

  test("obedience to tool_choice: the call is refused, the limit holds, and a warning says so", async () => {
    server.start([calls("uname", [], "a"), calls("uname", [], "b")]);
    const run = await ask(server.url, ["--max-turns", "1"]);
    expect(run.code).toBe(6);
    expect(run.json()).toMatchObject({ limit: "turns", turns: 2 });
    expect(run.json().tools).toHaveLength(0);
    expect(run.json().warnings).toEqual([
      {
        type: "tool_choice_ignored",
        message: "the server let the model call a tool although none was allowed",
      },
    ]);
  });

  test("in text mode the warning is one line on stderr, and in JSON Lines one event", async () => {
    server.start([whole(says("hi"))]);
    const args = ["--base-url", server.url, "go"];
    expect(await runAsh(place, args, { env: KEY })).toMatchObject({
      stdout: "hi\n",
      stderr: "ash: warning: the server does not stream, so the whole reply came at once\n",
    });
    const lines = (await runAsh(place, ["--jsonl", ...args], { env: KEY })).stdout.trim().split("\n");
    const warnings = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === "warning");
    expect(warnings).toMatchObject([{ warning_type: "not_streamed" }]);
  });
});
