// Connections that break or fall silent.
import { describe, expect, test } from "bun:test";
import { runAsh } from "../support/ash.ts";
import { usePlace } from "../support/asking.ts";
import { response, type Script, STREAM_HEAD, useRawServer } from "../support/rawserver.ts";
import { ending, HELLO, START, sse, TEXT } from "../support/sse.ts";

const place = usePlace();
const server = useRawServer();
const KEY = { ANTHROPIC_API_KEY: "test-key-0123456789" };
const ask = (url: string, env: Record<string, string> = {}, args: readonly string[] = []) =>
  runAsh(place, ["--json", "--base-url", url, ...args, "go"], { env: { ...KEY, ...env } });

describe("a connection", () => {
  const broken: readonly (readonly [
    how: string,
    script: Script,
    sentence: string,
    type: string,
    requests: number,
  ])[] = [
    ["closed at once", (line) => line.close(), "URL closed the connection before it answered", "network", 3],
    ["reset at once", (line) => line.reset(), "URL closed the connection before it answered", "network", 3],
    [
      "closed in the head",
      (line) => {
        line.send("HTTP/1.1 200 OK\r\ncontent-ty");
        line.close();
      },
      "URL closed the connection before it answered",
      "network",
      3,
    ],
    [
      "to something that is no HTTP server",
      (line) => {
        line.send("SSH-2.0-OpenSSH_9.2\r\n");
        line.close();
      },
      "URL does not speak HTTP",
      "protocol",
      1,
    ],
    [
      "that breaks the rules of HTTP in the reply",
      (line) => {
        line.send(
          "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n",
        );
        line.close();
      },
      "URL does not speak HTTP",
      "protocol",
      1,
    ],
  ];

  test.each(broken)("%s is told in one sentence", async (_, script, ...told) => {
    const [sentence, type, requests] = told;
    server.start(script);
    const run = await ask(server.url);
    expect(run.code).toBe(type === "network" ? 5 : 4);
    expect(run.json().error).toMatchObject({ type, message: sentence.replace("URL", server.url) });
    expect(run.stderr.split("\n")).toHaveLength(2);
    expect(server.requests).toHaveLength(requests);
  });

  test("that breaks once is made again", async () => {
    server.start((line, _, number) => {
      if (number === 0) line.reset();
      else line.send(response("200 OK", HELLO, { "content-type": "text/event-stream" }));
    });
    expect((await ask(server.url)).json()).toMatchObject({ status: "ok", result: "hello" });
    expect(server.requests).toHaveLength(2);
  });

  test("reset in the middle of a reply is not made again, and what was shown stays out of the result", async () => {
    server.start((line) => {
      line.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 100000\r\n\r\n");
      line.send(sse(START, TEXT[0], TEXT[1]));
      setImmediate(() => line.close());
    });
    const run = await ask(server.url);
    expect(run.code).toBe(5);
    expect(run.json()).toMatchObject({ result: null, error: { type: "network" } });
    expect(server.requests.length).toBeLessThanOrEqual(3);
  });

  test("to a port where nobody listens says so and asks whether the local server runs", async () => {
    const run = await runAsh(place, [
      "--json",
      "--provider",
      "ollama",
      "--base-url",
      "http://127.0.0.1:1",
      "--model",
      "m",
      "go",
    ]);
    expect(run.code).toBe(5);
    expect(run.json().error).toMatchObject({
      type: "network",
      message: "http://127.0.0.1:1 cannot be reached (ECONNREFUSED)",
      hint: "is ollama running?",
    });
  });

  test("to a name nobody knows says so", async () => {
    const run = await ask("https://no-such-host.invalid");
    expect(run.code).toBe(5);
    expect(run.json().error?.message).toMatch(
      /^https:\/\/no-such-host\.invalid cannot be reached: the name is not known \((ENOTFOUND|EAI_AGAIN)\)$/,
    );
  });

  test("of HTTP/1.0 is read to its end", async () => {
    server.start((line) => {
      line.send(`HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n${HELLO}`);
      line.close();
    });
    expect((await ask(server.url)).json()).toMatchObject({ status: "ok", result: "hello" });
  });
});

describe("silence", () => {
  const SHORT = { ASH_IDLE_TIMEOUT: "300ms" };

  test("before the reply ends the request, which is made again", async () => {
    server.start((line, _, number) => {
      if (number > 0) line.send(response("200 OK", HELLO, { "content-type": "text/event-stream" }));
    });
    expect((await ask(server.url, SHORT)).json()).toMatchObject({ status: "ok", result: "hello" });
    expect(server.requests).toHaveLength(2);
  });

  test("in the middle of the reply ends the run", async () => {
    server.start((line) => line.send(STREAM_HEAD + sse(START, TEXT[0], TEXT[1])));
    const run = await ask(server.url, SHORT);
    expect(run.code).toBe(5);
    expect(run.json().error).toMatchObject({
      type: "timeout",
      message: `${server.url} sent nothing for 300 ms in the middle of the reply`,
      hint: "a slow server needs a longer ASH_IDLE_TIMEOUT",
    });
    expect(server.requests).toHaveLength(1);
  });

  test("in an error page ends the request", async () => {
    server.start((line) => line.send("HTTP/1.1 400 Bad\r\ncontent-length: 50\r\n\r\nhalf"));
    const run = await ask(server.url, SHORT);
    expect(run.json().error?.type).toBe("timeout");
  });

  test("is not what a server that pings is", async () => {
    server.start((line) => {
      line.send(STREAM_HEAD + sse(START));
      let pings = 0;
      const timer = setInterval(() => {
        pings += 1;
        line.send(": still here\n\n");
        if (pings < 40) return;
        clearInterval(timer);
        line.send(sse(...TEXT, ...ending("end_turn")));
        line.close();
      }, 50);
    });
    const run = await ask(server.url, { ASH_IDLE_TIMEOUT: "1s" });
    expect(run.json()).toMatchObject({ status: "ok", result: "hello" });
  });

  test("longer than the deadline is the deadline", async () => {
    server.start(() => undefined);
    const run = await ask(server.url, {}, ["--deadline", "300ms"]);
    expect(run.code).toBe(6);
    expect(run.json()).toMatchObject({ limit: "deadline", status: "limit" });
  });
});
