// Servers that answer, but not as the Messages API says: every oddity is one sentence, one type, one exit code.
import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { useAsking } from "../support/asking.ts";
import { type Answer, fails, says } from "../support/modelserver.ts";
import { response, type Script, STREAM_HEAD, startRawServer } from "../support/rawserver.ts";
import { ending, HELLO, page, START, sse, streams, TEXT } from "../support/sse.ts";

const { server, askAt: ask } = useAsking();

describe("an answer that is no reply", () => {
  const rows: readonly (readonly [
    name: string,
    answer: Answer,
    code: number,
    type: string,
    sentence: string,
  ])[] = [
    [
      "an HTML page",
      page(200, "<html><title>Portal</title><body><h1>Please log in</h1></body></html>"),
      4,
      "protocol",
      "URL does not speak the Messages API: it answered with text/html: Portal Please log in",
    ],
    [
      "an HTML page with 404",
      page(404, "<h1>404</h1> page not found"),
      4,
      "protocol",
      "URL does not speak the Messages API: 404 404 page not found",
    ],
    [
      "a framework's page with 404",
      page(404, '{"detail":"Not Found"}', "application/json"),
      4,
      "protocol",
      "URL does not speak the Messages API: 404 Not Found",
    ],
    [
      "an unknown model with 404",
      fails(404, "not_found_error"),
      4,
      "not_found",
      "URL answered 404: the server says not_found_error",
    ],
    [
      "an unknown model with 404 in another dialect",
      page(404, '{"error":"model \'x\' not found, try pulling it first"}', "application/json"),
      4,
      "not_found",
      "URL answered 404: model 'x' not found, try pulling it first",
    ],
    [
      "another API's JSON",
      page(200, '{"object":"chat.completion","choices":[]}', "application/json"),
      4,
      "protocol",
      'URL does not speak the Messages API: it answered with application/json: {"object":"chat.completion","choices":[]}',
    ],
    [
      "an empty answer",
      page(200, ""),
      4,
      "protocol",
      "URL does not speak the Messages API: it answered with an empty answer",
    ],
    [
      "another API's stream",
      streams('data: {"object":"chat.completion.chunk","choices":[]}\n\ndata: [DONE]\n\n'),
      4,
      "protocol",
      "URL does not speak the Messages API: its stream holds no event of a reply",
    ],
    [
      "a stream of something else",
      streams("data: hello\n\n"),
      4,
      "protocol",
      "URL does not speak the Messages API: it sent an event that is not JSON: hello",
    ],
    ["an empty stream", streams(""), 5, "network", "URL ended the stream before the reply began"],
    [
      "nothing but pings",
      streams(': hi\n\nevent: ping\ndata: {"type":"ping"}\n\n'),
      4,
      "protocol",
      "URL does not speak the Messages API: its stream holds no event of a reply",
    ],
  ];

  test.each(rows)("%s is told in one sentence", async (_, answer, ...told) => {
    const [code, type, sentence] = told;
    server.start([answer]);
    const run = await ask(server.url);
    expect(run.code).toBe(code);
    expect(run.json().error).toMatchObject({ type, message: sentence.replace("URL", server.url) });
    expect(run.stderr.split("\n")).toHaveLength(2);
    expect(server.requests).toHaveLength(code === 5 ? 3 : 1);
  });
});

describe("a stream", () => {
  const good: readonly (readonly [name: string, text: string])[] = [
    ["without event: lines", HELLO.replaceAll(/^event: .*\n/gm, "")],
    ["with CRLF line ends", HELLO.replaceAll("\n", "\r\n")],
    [
      "with comments and pings",
      `: hi\n\n${sse({ type: "ping" })}${HELLO.replace("event: content_block_stop", ': keep-alive\n\nevent: ping\ndata: {"type":"ping"}\n\nevent: content_block_stop')}`,
    ],
    ["without message_stop", sse(START, ...TEXT, ...ending("end_turn").slice(0, 1))],
    ["without its last empty line", HELLO.trimEnd()],
    [
      "with events nobody knows",
      sse(START, { type: "novelty" }, ...TEXT, { type: "x.y" }, ...ending("end_turn")),
    ],
    ["with text in a block that never began", sse(START, TEXT[1], ...ending("end_turn"))],
    ["that ends with another API's mark", `${HELLO}data: [DONE]\n\n`],
    ["with a stop sequence", sse(START, ...TEXT, ...ending("stop_sequence"))],
  ];

  test.each(good)("%s is a reply", async (_, text) => {
    server.start([streams(text)]);
    expect((await ask(server.url)).json()).toMatchObject({ status: "ok", result: "hello", warnings: [] });
  });

  test("cut inside every character arrives whole", async () => {
    const text = HELLO.replace("hello", "grüße 🦊 日本");
    const raw = startRawServer(async (line) => {
      line.send(STREAM_HEAD);
      await line.trickle(text);
      line.close();
    });
    const run = await ask(raw.url);
    raw.stop();
    expect(run.json()).toMatchObject({ status: "ok", result: "grüße 🦊 日本" });
  });

  test("that is compressed although nobody asked is read, and a whole message too", async () => {
    const headers = { "content-encoding": "gzip" };
    server.start([
      () => new Response(gzipSync(HELLO), { headers: { ...headers, "content-type": "text/event-stream" } }),
    ]);
    expect((await ask(server.url)).json()).toMatchObject({ status: "ok", result: "hello" });
    expect(server.heard[0]?.headers["accept-encoding"]).toBe("identity");
  });

  test("compressed badly is an error in one sentence, and stderr has no other line", async () => {
    server.start([streams("no gzip at all", { "content-encoding": "gzip" })]);
    const run = await ask(server.url);
    expect(run.code).toBe(5);
    expect(run.json().error?.message).toBe(`${server.url} sent compressed data that cannot be read`);
    expect(run.stderr.split("\n")).toHaveLength(2);
  });

  const cut: readonly (readonly [where: string, text: string, requests: number])[] = [
    ["before its first event", ": wait\n\n", 3],
    ["after message_start", sse(START), 1],
    ["in the middle of an event", HELLO.slice(0, HELLO.indexOf("hello") + 2), 1],
    ["in the middle of the text", sse(START, ...TEXT.slice(0, 2)), 1],
    ["before the stop reason", sse(START, ...TEXT), 1],
  ];

  test.each(cut)(
    "cut %s is no answer, and asked again only before the reply began",
    async (_, text, requests) => {
      server.start([streams(text)]);
      const run = await ask(server.url);
      expect(run.code).toBe(5);
      expect(run.json()).toMatchObject({ result: null, error: { type: "network", retryable: true } });
      expect(server.requests).toHaveLength(requests);
    },
  );

  const errors: readonly (readonly [name: string, type: string, code: number])[] = [
    ["overloaded_error", "overloaded", 5],
    ["rate_limit_error", "rate_limit", 5],
    ["api_error", "server_error", 5],
    ["timeout_error", "timeout", 5],
    ["invalid_request_error", "invalid_request", 4],
    ["authentication_error", "auth", 3],
  ];

  test.each(errors)("ended by %s is %s, and not asked again", async (name, type, code) => {
    const event = { type: "error", error: { type: name, message: "so sorry" } };
    server.start([streams(sse(START, ...TEXT.slice(0, 2), event))]);
    const run = await ask(server.url);
    expect(run.code).toBe(code);
    expect(run.json().error).toMatchObject({
      type,
      message: "the server ended the reply with an error: so sorry",
    });
    expect(server.requests).toHaveLength(1);
  });

  test("ended by an error before its first event is asked again", async () => {
    const event = { type: "error", error: { type: "overloaded_error", message: "busy" } };
    server.start([streams(sse(event)), says("at last")]);
    expect((await ask(server.url)).json()).toMatchObject({ status: "ok", result: "at last", turns: 1 });
  });
});

describe("an error page without end", () => {
  test("is read only so far", async () => {
    const endless: Script = (line) => {
      line.send("HTTP/1.1 500 Oops\r\ncontent-type: text/plain\r\n\r\n");
      line.send("much text ".repeat(20_000));
    };
    const raw = startRawServer(endless);
    const run = await ask(raw.url);
    raw.stop();
    expect(run.code).toBe(5);
    expect(run.json().error).toMatchObject({ type: "server_error", http_status: 500 });
  });

  test("with a length is shown in part", async () => {
    const raw = startRawServer((line) => line.send(response("400 Bad Request", "x".repeat(10_000))));
    const run = await ask(raw.url);
    raw.stop();
    expect(run.json().error?.message.length).toBeLessThan(400);
  });
});
