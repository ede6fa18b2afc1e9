// What ash doctor finds out about the model and its server.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Check } from "../../src/schema/reports.ts";
import { runAsh } from "../support/ash.ts";
import { KEY, useServer } from "../support/asking.ts";
import { checkOf, useDoctor } from "../support/doctor.ts";
import { type Answer, fails, says, streamed } from "../support/modelserver.ts";

// Each test starts ash several times, and the machine may be busy.
setDefaultTimeout(30_000);

const { place, doctor } = useDoctor();
const server = useServer();

describe("the model, for ash doctor", () => {
  test("is not contacted, and neither is any proxy or index", async () => {
    let connections = 0;
    const listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open() {
          connections += 1;
        },
        data() {},
      },
    });
    const url = `http://127.0.0.1:${listener.port}`;
    const env = {
      ...KEY,
      HTTP_PROXY: url,
      HTTPS_PROXY: url,
      http_proxy: url,
      PIP_INDEX_URL: url,
      UV_INDEX_URL: url,
    };
    const report = await doctor(["--base-url", url], env);
    listener.stop(true);
    expect(checkOf(report, "model").message).toContain(url);
    expect(report).toMatchObject({ online: false });
    expect(connections).toBe(0);
  });

  test("is asked for one tool call with --online", async () => {
    const ping = { type: "tool_use", id: "t1", name: "answer", input: { text: "ok" } } as const;
    server.start([{ content: [ping], stop_reason: "tool_use" }]);
    const report = await doctor(["--online", "--base-url", server.url, "-m", "opus"]);
    expect(server.problems).toEqual([]);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      model: "claude-opus-5-5",
      max_tokens: 64,
      tools: [{ name: "answer" }],
    });
    expect(report).toMatchObject({ online: true, exit_code: 0 });
    expect(checkOf(report, "online")).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/^test-model answered in \d+ ms and called a tool$/),
    });
  });

  test("that calls no tool is a warning", async () => {
    server.start([says("I would rather talk.")]);
    expect(checkOf(await doctor(["--online", "--base-url", server.url]), "online")).toMatchObject({
      status: "warn",
      fix: expect.stringContaining("can call tools"),
    });
  });

  test("that refuses tools is a failure with the fix", async () => {
    const refusing: Answer = (body, signal) =>
      (body.tools === undefined ? streamed(says("ok")) : fails(400, "invalid_request_error"))(body, signal);
    server.start([refusing]);
    expect(checkOf(await doctor(["--online", "--base-url", server.url]), "online")).toMatchObject({
      status: "fail",
      fix: expect.stringContaining("tools switched on"),
    });
  });

  const broken = [
    [
      "refuses the key",
      fails(401, "authentication_error"),
      { error: "auth", http_status: 401, request_id: "req_9" },
      1,
    ],
    ["has no such model", fails(404, "not_found_error"), { error: "not_found", http_status: 404 }, 1],
    ["is overloaded", fails(529, "overloaded_error"), { error: "overloaded", http_status: 529 }, 1],
    ["speaks something else", () => new Response("<html>hello</html>"), { error: "protocol" }, 2],
  ] as const;

  test.each(broken)(
    "that %s is a failure with its kind, asked at most once more",
    async (_, answer, facts, requests) => {
      server.start([answer]);
      const report = await doctor(["--online", "--base-url", server.url]);
      expect(checkOf(report, "online")).toMatchObject({ status: "fail", facts });
      expect(server.requests).toHaveLength(requests);
    },
  );

  test("that is not there is a failure", async () => {
    const report = await doctor(["--online", "--base-url", "http://127.0.0.1:1"]);
    expect(checkOf(report, "online")).toMatchObject({ status: "fail", facts: { error: "network" } });
  });

  test("without its key is a failure with the fix, and is not asked", async () => {
    server.start([says("never")]);
    const report = await doctor(["--online", "--base-url", server.url], {});
    expect(checkOf(report, "key")).toMatchObject({
      status: "fail",
      message: "not set",
      fix: expect.stringContaining("ANTHROPIC_API_KEY"),
    });
    expect(checkOf(report, "online").status).toBe("fail");
    expect(server.requests).toHaveLength(0);
  });

  const connections: readonly (readonly [
    string,
    readonly string[],
    Record<string, string>,
    string,
    Partial<Check>,
  ])[] = [
    [
      "a local server needs no key",
      ["--provider", "ollama", "-m", "qwen3"],
      {},
      "key",
      { status: "ok", message: "not set; this server needs none" },
    ],
    [
      "a local server needs a model",
      ["--provider", "ollama"],
      {},
      "model",
      { status: "fail", fix: "give --model ID" },
    ],
    [
      "an unknown preset",
      ["--provider", "olama"],
      {},
      "model",
      { status: "fail", fix: "did you mean ollama?" },
    ],
    [
      "a key in the clear",
      ["--base-url", "http://example.com"],
      KEY,
      "model",
      { status: "fail", message: "http://example.com is not encrypted, so the key is not sent there" },
    ],
    [
      "a proxy that is none",
      [],
      { ...KEY, HTTPS_PROXY: "proxy:8080" },
      "proxy",
      { status: "fail", message: "HTTPS_PROXY is no address" },
    ],
    [
      "a proxy",
      [],
      { ...KEY, HTTPS_PROXY: "http://u:geheim@proxy:8080" },
      "proxy",
      { status: "ok", message: "HTTPS_PROXY=http://u:[redacted]@proxy:8080" },
    ],
    [
      "a missing certificate",
      [],
      { ...KEY, NODE_EXTRA_CA_CERTS: "/no/ca.pem" },
      "certificates",
      { status: "fail", message: "NODE_EXTRA_CA_CERTS: /no/ca.pem cannot be read" },
    ],
    [
      "no certificate check",
      [],
      { ...KEY, NODE_TLS_REJECT_UNAUTHORIZED: "0" },
      "certificates",
      { status: "warn" },
    ],
  ];

  test.each(connections)("%s", async (_, ...[args, env, id, expected]) => {
    expect(checkOf(await doctor(args, env), id)).toMatchObject(expected);
  });

  test("has its key named by origin and never shown", async () => {
    const env = { ANTHROPIC_API_KEY: "sk-ant-canary-0123456789", OPENROUTER_API_KEY: "canary-9876543210" };
    for (const args of [[], ["--json"], ["--facts"]]) {
      const run = await runAsh(place, ["doctor", ...args], { env });
      expect(`${run.stdout}${run.stderr}`).not.toContain("canary");
    }
    expect(checkOf(await doctor([], env), "key")).toMatchObject({
      message: "set, from env ANTHROPIC_API_KEY",
    });
  });
});
