// The probe of a model, against servers that answer well, badly or not at all.
import { afterEach, describe, expect, test } from "bun:test";
import { probeModel } from "../../src/providers/probe.ts";
import { Secret } from "../../src/secret.ts";
import { connectionTo } from "../support/connections.ts";
import {
  type Answer,
  calls,
  fails,
  type ModelServer,
  says,
  startModelServer,
  whole,
} from "../support/modelserver.ts";
import { HELLO, page, streams } from "../support/sse.ts";

let server: ModelServer | undefined;

afterEach(async () => {
  expect(server?.problems ?? []).toEqual([]);
  await server?.stop();
  server = undefined;
});

const never = new AbortController().signal;

function probe(answers: Parameters<typeof startModelServer>[0], signal = never) {
  server = startModelServer(answers, ["probe-key"]);
  const credential = { form: "bearer", value: new Secret("probe-key"), origin: "env TEST_KEY" } as const;
  return probeModel(connectionTo("llamacpp", { baseUrl: server.url, credential, model: "m" }), signal);
}

/** Refuses requests with tools. */
const withoutTools =
  (refusal: Answer): Answer =>
  (body, signal) => {
    if (body.tools !== undefined) return refusal(body, signal);
    return new Response(HELLO, { headers: { "content-type": "text/event-stream" } });
  };

describe("a probe", () => {
  test("tells the model, streaming, tools and the counts, with one small request", async () => {
    const found = await probe([says("ok")]);
    expect(found).toMatchObject({
      ok: true,
      model: "test-model",
      streams: true,
      tools: true,
      calledTool: false,
    });
    expect(found).toMatchObject({ usage: { input_tokens: 10, output_tokens: 7 } });
    expect(found.ms).toBeGreaterThanOrEqual(0);
    expect(server?.requests).toHaveLength(1);
    expect(server?.requests[0]).toMatchObject({ model: "m", max_tokens: 64, stream: true });
    expect(server?.requests[0]?.tools).toHaveLength(1);
    expect(Object.keys(server?.requests[0] ?? {}).sort()).toEqual([
      "max_tokens",
      "messages",
      "model",
      "stream",
      "tools",
    ]);
  });

  test.each([
    ["a call of the tool", calls("x")],
    ["a reply that is cut", { content: [{ type: "text", text: "o" }], stop_reason: "max_tokens" }],
    ["an empty reply", { content: [], stop_reason: "end_turn" }],
  ] as const)("is content with %s", async (_, reply) => {
    expect(await probe([reply])).toMatchObject({ ok: true, tools: true });
  });

  test("tells a server that does not stream, and one that does not count", async () => {
    expect(await probe([whole(says("ok"))])).toMatchObject({ ok: true, streams: false });
    await server?.stop();
    const silent = HELLO.replaceAll(/,"usage":\{[^}]*\}/g, "");
    expect(await probe([streams(silent)])).toMatchObject({ ok: true, streams: true, usage: null });
  });

  test.each([400, 500, 501])(
    "tells a server without tools (%d) by asking once more without",
    async (status) => {
      expect(await probe([withoutTools(fails(status, "tools need --jinja"))])).toMatchObject({
        ok: true,
        tools: false,
      });
      expect(server?.requests).toHaveLength(2);
    },
  );

  const failures = [
    ["a bad key", fails(401, "authentication_error"), "auth", 1],
    ["an unknown model", fails(404, "not_found_error"), "not_found", 1],
    ["a busy server", fails(529, "overloaded_error"), "overloaded", 1],
    ["a page", page(200, "<html>hi"), "protocol", 2],
    ["a broken request", fails(400, "invalid_request_error"), "invalid_request", 2],
  ] as const;

  test.each(failures)(
    "ends with %s in a typed error, without asking again and again",
    async (_, answer, type, requests) => {
      const found = await probe([answer]);
      expect(found.ok).toBe(false);
      if (!found.ok) expect(found.error.type).toBe(type);
      expect(server?.requests).toHaveLength(requests);
    },
  );

  test("that is stopped says so", async () => {
    const found = await probe([says("never")], AbortSignal.abort());
    expect(found.ok).toBe(false);
    if (!found.ok) expect(found.error.type).toBe("interrupted");
  });
});
