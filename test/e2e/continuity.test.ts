// What of a conversation goes back to a server, and that its beginning stays the same bytes.
import { describe, expect, test } from "bun:test";
import { runAsh } from "../support/ash.ts";
import { KEY, usePlace, useServer } from "../support/asking.ts";
import type { RequestBody } from "../support/invariants.ts";
import { calls, fails, type ModelServer, type ScriptedReply, says } from "../support/modelserver.ts";
import { ending, START, sse, streams, TEXT } from "../support/sse.ts";

const place = usePlace();
const server = useServer();

const start = (...answers: Parameters<typeof server.start>[0]): ModelServer => server.start(answers, []);

const ask = (server: ModelServer, args: readonly string[] = []) =>
  runAsh(place, ["--json", "--base-url", server.url, ...args, "go"], { env: KEY });

const thinkingCall: ScriptedReply = {
  content: [
    { type: "thinking", thinking: "let me think", signature: "sig-1" },
    ...calls("uname", ["-s"]).content,
  ],
  stop_reason: "tool_use",
};

/** The kinds of the blocks of every message of a request. */
const kinds = (request: RequestBody | undefined): readonly (readonly string[])[] =>
  (request?.messages ?? []).map(({ content }) =>
    typeof content === "string" ? ["string"] : content.map(({ type }) => type),
  );

describe("what a server refused", () => {
  test("is not asked again by a run that goes on", async () => {
    const server = start(fails(400, "invalid_request_error"), says("fine."));
    expect((await ask(server)).code).toBe(4);
    expect((await ask(server, ["--continue"])).json()).toMatchObject({ result: "fine." });
    expect(kinds(server.requests[1])).toEqual([["text"]]);
  });

  test("may be the results of calls, which are then told to be lost", async () => {
    const server = start(calls("uname", ["-s"]), fails(413, "request_too_large"), says("fine."));
    expect((await ask(server)).code).toBe(4);
    expect((await ask(server, ["--continue"])).json()).toMatchObject({ result: "fine." });
    expect(kinds(server.requests[2])).toEqual([["text"], ["tool_use"], ["tool_result", "text"]]);
    expect(server.requests[2]?.messages[2]?.content[0]).toMatchObject({ is_error: true });
  });

  test("stays when it may be taken another time", async () => {
    const server = start(fails(401, "authentication_error"), says("fine."));
    expect((await ask(server)).code).toBe(3);
    await ask(server, ["--continue"]);
    expect(kinds(server.requests[1])).toEqual([["text", "text"]]);
  });
});

describe("thinking", () => {
  test("goes back to the model that thought it, unchanged, in the same run and in a later one", async () => {
    const server = start(thinkingCall, says("Linux."), says("still Linux."));
    expect((await ask(server)).json()).toMatchObject({ status: "ok", model: "test-model" });
    const block = { type: "thinking", thinking: "let me think", signature: "sig-1" };
    expect(server.requests[1]?.messages[1]?.content[0] as unknown).toEqual(block);
    expect((await ask(server, ["--continue"])).json()).toMatchObject({ result: "still Linux." });
    expect(server.requests[2]?.messages[1]?.content[0] as unknown).toEqual(block);
  });

  const elsewhere: readonly (readonly [where: string, args: readonly string[]])[] = [
    ["another model of the same server", ["--model", "claude-opus-5-5"]],
    ["a server that takes no thinking back", ["--provider", "llamacpp", "--model", "claude-sonnet-5-5"]],
  ];

  test.each(elsewhere)("does not go to %s", async (_, args) => {
    const server = start(thinkingCall, says("Linux."), says("ok"));
    await ask(server);
    expect((await ask(server, ["--continue", ...args])).json().status).toBe("ok");
    expect(kinds(server.requests[2])).toEqual([["text"], ["tool_use"], ["tool_result"], ["text"], ["text"]]);
  });

  test("does not go to another server, and comes back to the first one", async () => {
    const first = start(thinkingCall, says("Linux."), says("third"));
    const other = start(says("second"));
    await ask(first);
    await ask(other, ["--continue"]);
    expect(JSON.stringify(other.requests)).not.toContain("let me think");
    await ask(first, ["--continue"]);
    expect(kinds(first.requests[2])[1]).toEqual(["thinking", "tool_use"]);
  });

  test("that was all of a reply leaves no hole for another model", async () => {
    const only = { content: thinkingCall.content.slice(0, 1), stop_reason: "end_turn" };
    const server = start(only, says("ok"));
    expect((await ask(server)).code).toBe(8);
    expect((await ask(server, ["--continue", "--model", "other"])).json().status).toBe("ok");
    expect(kinds(server.requests[1])).toEqual([["text", "text"]]);
  });
});

describe("a tool the server runs itself", () => {
  const blocks = [
    { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} },
    {
      type: "web_search_tool_result",
      tool_use_id: "srv_1",
      content: [{ type: "web_search_result", url: "x" }],
    },
  ];
  const paused = sse(
    START,
    { type: "content_block_start", index: 0, content_block: blocks[0] },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json: '{"query":"bun"}' },
    },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: blocks[1] },
    { type: "content_block_stop", index: 1 },
    ...TEXT.map((event) => ({ ...event, index: 2 })),
    ...ending("pause_turn"),
  );

  test("goes back as it came while the turn is paused, starts nothing here, and does not go elsewhere", async () => {
    const server = start(streams(paused), says("found"), says("ok"));
    const run = await ask(server);
    expect(run.json()).toMatchObject({ status: "ok", result: "found", turns: 2, tools: [] });
    const sent = server.requests[1]?.messages[1]?.content as unknown;
    expect(sent).toEqual([
      { ...blocks[0], input: { query: "bun" } },
      blocks[1],
      { type: "text", text: "hello" },
    ]);
    await ask(server, ["--continue", "--model", "other"]);
    expect(kinds(server.requests[2])).toEqual([["text"], ["text"], ["text"], ["text"], ["text"]]);
  });
});

describe("ids of calls", () => {
  const callIds = (request: RequestBody | undefined): readonly unknown[] =>
    (request?.messages ?? []).flatMap(({ content }) =>
      typeof content === "string" ? [] : content.flatMap(({ type, id }) => (type === "tool_use" ? [id] : [])),
    );

  test("of one server are written so that another takes them", async () => {
    const server = start(calls("uname", [], "functions.run:0"), says("one"), says("two"));
    await ask(server, ["--provider", "llamacpp", "--model", "m"]);
    expect(callIds(server.requests[1])).toEqual(["functions.run:0"]);
    await ask(server, ["--continue"]);
    expect(callIds(server.requests[2])).toEqual(["functions_run_0"]);
  });
});

describe("the beginning of a request", () => {
  /** The bytes of the model, the system prompt and the tools, as they were sent. */
  const beginnings = (server: ModelServer): readonly string[] =>
    server.heard.map(({ text }) => {
      const { model, system, tools } = JSON.parse(text) as RequestBody;
      const bytes = JSON.stringify({ system, tools });
      // What is parsed and written again is what was sent: the order of keys is part of the bytes.
      expect(text).toContain(JSON.stringify(system));
      expect(text).toContain(JSON.stringify(tools));
      return `${model} ${bytes}`;
    });

  test("is the same bytes in every turn and in two runs of one day", async () => {
    const server = start(calls("uname", [], "a"), calls("uname", [], "b"), says("done"));
    const day = new Date().getDate();
    await ask(server);
    await runAsh(place, ["--json", "--base-url", server.url, "something else"], { env: KEY, stdin: "data" });
    if (new Date().getDate() !== day) return;
    expect(server.heard.length).toBe(4);
    expect(new Set(beginnings(server)).size).toBe(1);
  });

  /** Where the marks of a request are: `system`, or the number of a message. */
  const marks = (request: RequestBody): readonly unknown[] => {
    const isMarked = (block: object | undefined): boolean => block !== undefined && "cache_control" in block;
    const system = typeof request.system === "object" && isMarked(request.system.at(-1)) ? ["system"] : [];
    const places = request.messages.flatMap(({ content }, i) =>
      typeof content === "object" && isMarked(content.at(-1)) ? [i] : [],
    );
    return [...system, ...places];
  };

  test("is marked at the end of the system prompt and of the two newest user messages, four marks at most", async () => {
    const turns = ["a", "b", "c", "d"].map((id) => calls("uname", [], id));
    const server = start(...turns, says("done"));
    await ask(server);
    expect(server.requests.map(marks)).toEqual([
      ["system", 0],
      ["system", 0, 2],
      ["system", 2, 4],
      ["system", 4, 6],
      ["system", 6, 8],
    ]);
    for (const { text } of server.heard)
      expect(text.split('"cache_control"').length - 1).toBeLessThanOrEqual(4);
  });

  test("is not marked for a server that does not cache", async () => {
    const server = start(calls("uname"), says("done"));
    await runAsh(place, ["--json", "--provider", "vllm", "--base-url", server.url, "--model", "m", "go"]);
    expect(server.requests.length).toBeGreaterThan(0);
    expect(JSON.stringify(server.heard)).not.toContain("cache_control");
  });
});
