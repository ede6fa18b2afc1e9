// Failed answers: what each ends in, when ash asks again, and how long it waits.
import { describe, expect, test } from "bun:test";
import { runAsh } from "../support/ash.ts";
import { KEY, useAsking } from "../support/asking.ts";
import { type Answer, calls, fails, says } from "../support/modelserver.ts";
import { page } from "../support/sse.ts";

const { place, server, askAt: ask } = useAsking();

/** The events of one type of a run with --jsonl. */
async function eventsOf(url: string, type: string): Promise<readonly Record<string, unknown>[]> {
  const run = await runAsh(place, ["--jsonl", "--base-url", url, "go"], { env: KEY });
  const lines = run.stdout.trim().split("\n");
  return lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((event) => event.type === type);
}

describe("a failed answer", () => {
  const final: readonly (readonly [status: number, name: string, code: number, type: string])[] = [
    [400, "invalid_request_error", 4, "invalid_request"],
    [401, "authentication_error", 3, "auth"],
    [402, "billing_error", 3, "auth"],
    [403, "permission_error", 3, "auth"],
    [404, "not_found_error", 4, "not_found"],
    [413, "request_too_large", 4, "too_large"],
    [422, "invalid_request_error", 4, "invalid_request"],
  ];

  test.each(final)("with %d is final", async (status, name, code, type) => {
    server.start([fails(status, name)]);
    const run = await ask(server.url);
    expect(run.code).toBe(code);
    expect(run.json().error).toMatchObject({
      type,
      http_status: status,
      retryable: false,
      request_id: "req_9",
      message: `${server.url} answered ${status}: the server says ${name}`,
    });
    expect(run.stderr.split("\n")).toHaveLength(2);
    expect(server.requests).toHaveLength(1);
  });

  const passing: readonly (readonly [status: number, name: string, type: string])[] = [
    [408, "timeout_error", "timeout"],
    [409, "conflict_error", "server_error"],
    [429, "rate_limit_error", "rate_limit"],
    [500, "api_error", "server_error"],
    [502, "api_error", "server_error"],
    [503, "unavailable_error", "server_error"],
    [504, "timeout_error", "server_error"],
    [529, "overloaded_error", "overloaded"],
  ];

  test.each(passing)("with %d is asked again, and then it is over", async (status, name, type) => {
    server.start([fails(status, name), says("back again")]);
    const run = await ask(server.url);
    expect(run.json()).toMatchObject({ status: "ok", result: "back again", turns: 1 });
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]).toEqual(server.requests[0] as never);
    // The type is what the retry is reported with.
    await server.stop();
    server.start([fails(status, name), says("back again")]);
    expect(await eventsOf(server.url, "retry")).toMatchObject([{ attempt: 1, error_type: type }]);
  });

  test("that stays ends after three requests", async () => {
    server.start([fails(529, "overloaded_error")]);
    const run = await ask(server.url);
    expect(run.code).toBe(5);
    expect(run.json().error).toMatchObject({ type: "overloaded", retryable: true, http_status: 529 });
    expect(server.requests).toHaveLength(3);
  });

  test("in a later turn is asked again too, and no tool runs twice", async () => {
    server.start([calls("uname"), fails(500), says("done")]);
    const result = (await ask(server.url)).json();
    expect(result).toMatchObject({ status: "ok", result: "done", turns: 2 });
    expect(result.tools).toHaveLength(1);
    expect(server.requests).toHaveLength(3);
  });

  const bodies: readonly (readonly [name: string, answer: Answer, message: string])[] = [
    [
      "a gateway's page",
      page(502, "<html><h1>502 Bad Gateway</h1><hr>nginx</html>"),
      "answered 502: 502 Bad Gateway nginx",
    ],
    ["no body", page(503, ""), "answered 503: status code (no body)"],
    [
      "a model that is loading",
      page(
        503,
        '{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}',
        "application/json",
      ),
      "answered 503: Loading model",
    ],
    ["a plain word", page(500, '{"message":"boom"}', "application/json"), "answered 500: boom"],
  ];

  test.each(bodies)("with %s says what the server said", async (_, answer, message) => {
    server.start([answer]);
    const run = await ask(server.url, ["--deadline", "1s"]);
    const error = run.json().error;
    expect([5, 6]).toContain(run.code ?? 0);
    if (run.code === 5) expect(error?.message).toBe(`${server.url} ${message}`);
  });
});

describe("a wait the server asks for", () => {
  const waits: readonly (readonly [headers: Record<string, string>, atLeast: number, atMost: number])[] = [
    [{ "retry-after": "1" }, 1000, 1000],
    [{ "retry-after": "0" }, 375, 500],
    [{ "retry-after-ms": "700" }, 700, 700],
    [{ "retry-after-ms": "1" }, 375, 500],
    [{}, 375, 500],
  ];

  test.each(waits)("by %j is the least ash waits", async (headers, atLeast, atMost) => {
    server.start([fails(429, "rate_limit_error", headers), says("ok")]);
    const [retry] = await eventsOf(server.url, "retry");
    expect(Number(retry?.wait_ms)).toBeGreaterThanOrEqual(atLeast);
    expect(Number(retry?.wait_ms)).toBeLessThanOrEqual(atMost);
  });

  test("is never waited for past the deadline: the run ends at once and says how long", async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    for (const value of ["3600", inAnHour]) {
      server.start([fails(429, "rate_limit_error", { "retry-after": value })]);
      const run = await ask(server.url);
      expect(run.code).toBe(5);
      expect(run.json().error?.retry_after_s).toBeGreaterThan(3500);
      expect(run.json().error?.retry_after_s).toBeLessThanOrEqual(3600);
      expect(server.requests).toHaveLength(1);
      await server.stop();
    }
  });

  test("ends when the run is stopped", async () => {
    server.start([fails(529, "overloaded_error", { "retry-after": "2" })]);
    const run = await ask(server.url, ["--deadline", "2100ms"]);
    expect([5, 6]).toContain(run.code ?? 0);
    expect(server.requests.length).toBeLessThanOrEqual(2);
  });

  test("is of no use when the server says so", async () => {
    server.start([fails(429, "rate_limit_error", { "x-should-retry": "false" })]);
    expect((await ask(server.url)).code).toBe(5);
    expect(server.requests).toHaveLength(1);
  });
});
