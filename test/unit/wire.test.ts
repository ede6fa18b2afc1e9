// What a request to each kind of server is made of.
import { describe, expect, test } from "bun:test";
import type { ModelRequest } from "../../src/provider.ts";
import { PRESETS } from "../../src/providers/presets.ts";
import { requestBody, type WireTarget } from "../../src/providers/wire.ts";
import type { Message, ReplyBlock, ToolAnswer, Transcript } from "../../src/transcript.ts";
import { preset } from "../support/connections.ts";

const HERE = "api.anthropic.com/claude-sonnet-5-5";
const target = (name = "anthropic", model = "claude-sonnet-5-5"): WireTarget => ({
  preset: preset(name),
  model,
  origin: name === "anthropic" ? `api.anthropic.com/${model}` : `${name}.example/${model}`,
});

const user = (...texts: readonly string[]): Message => ({
  role: "user",
  content: texts.map((text) => ({ type: "text", text })),
});
const assistant = (content: readonly ReplyBlock[], origin = HERE): Message => ({
  role: "assistant",
  model: "x",
  origin,
  content,
});
const call = (id: string, name = "run"): ReplyBlock => ({
  type: "tool_use",
  id,
  name,
  input: { a: 1 },
  malformed: null,
});
const answer = (id: string): ToolAnswer => ({ type: "tool_result", id, content: "out", isError: false });
const answers = (...ids: readonly string[]): Message => ({ role: "user", content: ids.map(answer) });
const thinking: ReplyBlock = {
  type: "server",
  block: { type: "thinking", thinking: "hm", signature: "sig" },
};
const search: ReplyBlock = {
  type: "server",
  block: { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } },
};

const request = (transcript: Transcript, toolChoice: ModelRequest["toolChoice"] = "auto"): ModelRequest => ({
  system: "Be ash.",
  transcript,
  tools: [{ name: "run", description: "Runs.", input_schema: { type: "object" } }],
  toolChoice,
});

type Sent = {
  readonly messages: readonly {
    readonly role: string;
    readonly content: readonly Record<string, unknown>[];
  }[];
  readonly [field: string]: unknown;
};
const sent = (transcript: Transcript, to: WireTarget = target()): Sent =>
  requestBody(request(transcript), to) as unknown as Sent;
const typesOf = (body: Sent): readonly (readonly unknown[])[] =>
  body.messages.map(({ content }) => content.map(({ type }) => type));

describe("the fields of a request", () => {
  const FEWEST = ["max_tokens", "messages", "model", "stream", "system", "tools"];

  test.each(PRESETS.map(({ name }) => name))("to %s are the fewest that work", (name) => {
    const fields = Object.keys(requestBody(request([user("hi")]), target(name))).sort();
    expect(fields).toEqual(name === "anthropic" ? [...FEWEST, "output_config"].sort() : FEWEST);
  });

  test.each(PRESETS.map(({ name }) => name))("to %s speak of caching only when it caches", (name) => {
    const text = JSON.stringify(requestBody(request([user("hi"), assistant([]), user("ho")]), target(name)));
    expect(text.includes("cache_control")).toBe(name === "anthropic");
    expect(text).not.toContain("temperature");
    expect(text).not.toContain("strict");
  });

  test("say that no tool may be called, to a server that can hear it", () => {
    for (const { name, toolChoice } of PRESETS) {
      const body = requestBody(request([user("hi")], "none"), target(name));
      expect(body.tool_choice).toEqual(toolChoice ? { type: "none" } : undefined);
    }
  });

  test("name an effort only for models that have one", () => {
    expect(sent([user("hi")], target("anthropic", "claude-haiku-4-5")).output_config).toBeUndefined();
    expect(sent([user("hi")]).output_config).toEqual({ effort: "medium" });
  });
});

describe("blocks of the server's own", () => {
  const conversation = (origin: string): Transcript => [
    user("q"),
    assistant([thinking, search, { type: "text", text: "let me see" }, call("t1")], origin),
    answers("t1"),
  ];

  test("go back to the model they came from, as they came", () => {
    expect(sent(conversation(HERE)).messages[1]?.content.slice(0, 2)).toEqual([
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } },
    ]);
  });

  test.each([
    ["another model", target("anthropic", "claude-opus-5-5")],
    ["another server", target("openrouter")],
    ["a local server", target("ollama")],
  ])("do not go to %s", (_, to) => {
    expect(typesOf(sent(conversation(HERE), to))).toEqual([["text"], ["text", "tool_use"], ["tool_result"]]);
  });

  test("of a conversation whose origin is not known go nowhere", () => {
    const [first, second, third] = conversation(HERE);
    const { origin: _, ...old } = second as Extract<Message, { role: "assistant" }>;
    expect(typesOf(sent([first, old, third] as Transcript))[1]).toEqual(["text", "tool_use"]);
  });

  test.each(["deepseek", "minimax", "moonshot", "zai", "openrouter", "vercel"])(
    "that are thinking go back to the same model of %s, and nothing else does",
    (name) => {
      const to = target(name, "m");
      expect(typesOf(sent(conversation(to.origin), to))[1]).toEqual(["thinking", "text", "tool_use"]);
    },
  );

  test.each(["ollama", "llamacpp", "lmstudio", "vllm", "litellm"])("never go back to %s", (name) => {
    const to = target(name, "m");
    expect(typesOf(sent(conversation(to.origin), to))[1]).toEqual(["text", "tool_use"]);
  });

  test("leave no empty message behind, and no two messages of one side in a row", () => {
    const body = sent([user("one"), assistant([thinking], "elsewhere/m"), user("two")]);
    expect(body.messages.map(({ role }) => role)).toEqual(["user"]);
    expect(body.messages[0]?.content.map(({ text }) => text)).toEqual(["one", "two"]);
    expect(typesOf(sent([user("one"), assistant([{ type: "text", text: "  " }]), user("two")]))).toEqual([
      ["text", "text"],
    ]);
  });
});

describe("ids of calls", () => {
  const idsIn = (body: Sent): readonly (readonly unknown[])[] =>
    body.messages.map(({ content }) => content.flatMap(({ id, tool_use_id }) => id ?? tool_use_id ?? []));

  test("from another server become what every server takes, and their results follow", () => {
    const body = sent([
      user("q"),
      assistant([call("functions.run:0", "my.tool"), call("", "")], "elsewhere/m"),
      answers("functions.run:0", ""),
    ]);
    expect(idsIn(body)).toEqual([[], ["functions_run_0", "call"], ["functions_run_0", "call"]]);
    expect(body.messages[1]?.content.map(({ name }) => name)).toEqual(["my_tool", "unknown"]);
  });

  test("of the same server stay as they are", () => {
    const to = target("moonshot", "m");
    const body = sent(
      [user("q"), assistant([call("functions.run:0", "my.tool")], to.origin), answers("functions.run:0")],
      to,
    );
    expect(idsIn(body)[1]).toEqual(["functions.run:0"]);
    expect(body.messages[1]?.content[0]?.name).toBe("my.tool");
  });

  test("that a server uses again in a later turn are told apart", () => {
    const turn = [assistant([call("call_0")]), answers("call_0")];
    const body = sent([user("q"), ...turn, ...turn, ...turn]);
    expect(idsIn(body).flat()).toEqual(["call_0", "call_0", "call_0_2", "call_0_2", "call_0_3", "call_0_3"]);
  });
});

describe("the beginning of a request", () => {
  const turns = (count: number): Transcript =>
    [...Array(count).keys()].flatMap((i) => [assistant([thinking, call(`t${i}`)]), answers(`t${i}`)]);

  test("is the same bytes in every turn", () => {
    const beginning = (transcript: Transcript): string => {
      const { system, tools, model } = requestBody(request(transcript), target());
      return JSON.stringify([model, tools, system]);
    };
    const first = beginning([user("q")]);
    for (const count of [1, 2, 5]) expect(beginning([user("q"), ...turns(count)])).toBe(first);
    expect(beginning([user("another question")])).toBe(first);
  });

  test("grows at its end only: what was sent before is sent again byte for byte, marks aside", () => {
    const unmarked = (transcript: Transcript): readonly string[] =>
      sent(transcript).messages.map((message) =>
        JSON.stringify(message).replaceAll(',"cache_control":{"type":"ephemeral"}', ""),
      );
    const before = unmarked([user("q"), ...turns(2)]);
    expect(unmarked([user("q"), ...turns(3)]).slice(0, before.length)).toEqual(before as string[]);
  });

  test("is marked at the end of the system prompt and of the two newest user messages", () => {
    const marks = (count: number): readonly string[] => {
      const body = sent([user("q"), ...turns(count)]);
      const system = body.system as readonly Record<string, unknown>[];
      const places = system[0]?.cache_control === undefined ? [] : ["system"];
      body.messages.forEach(({ role, content }, i) => {
        content.forEach((block, j) => {
          if (block.cache_control !== undefined)
            places.push(`${role} ${i}${j === content.length - 1 ? "" : " inside"}`);
        });
      });
      return places;
    };
    expect(marks(0)).toEqual(["system", "user 0"]);
    expect(marks(1)).toEqual(["system", "user 0", "user 2"]);
    expect(marks(7)).toEqual(["system", "user 12", "user 14"]);
  });
});
