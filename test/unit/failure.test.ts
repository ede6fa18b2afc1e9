// What a status or a broken connection means: type, exit code, and the wait asked for.
import { describe, expect, test } from "bun:test";
import { brief, networkError, retryAfterSeconds, statusError } from "../../src/providers/failure.ts";
import { proxyFor } from "../../src/providers/proxy.ts";
import { connectionTo } from "../support/connections.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const server = connectionTo("anthropic", { baseUrl: "https://m.example" });

const statuses = [
  [302, "protocol", 4],
  [400, "invalid_request", 4],
  [401, "auth", 3],
  [402, "auth", 3],
  [403, "auth", 3],
  [404, "not_found", 4],
  [405, "protocol", 4],
  [408, "timeout", 5],
  [409, "server_error", 5],
  [413, "too_large", 4],
  [422, "invalid_request", 4],
  [429, "rate_limit", 5],
  [500, "server_error", 5],
  [501, "protocol", 4],
  [502, "server_error", 5],
  [503, "server_error", 5],
  [504, "server_error", 5],
  [529, "overloaded", 5],
] as const;

const answer = (status: number, headers: Record<string, string> = {}, understood = true) => ({
  status,
  headers: new Headers(headers),
  understood,
  said: "the reason",
  requestId: "req_1",
});

describe("a status", () => {
  test.each(statuses)("%d is %s with exit code %d", (status, type, exitCode) => {
    const error = statusError(answer(status), server, NOW);
    expect(error).toMatchObject({ type, exitCode, mayRetry: exitCode === 5 });
    expect(error.details).toMatchObject({ httpStatus: status, requestId: "req_1" });
    expect(error.message).toContain("https://m.example");
    expect(error.message.split("\n")).toHaveLength(1);
  });

  test("404 in a form no model server uses means there is no Messages API", () => {
    expect(statusError(answer(404, {}, false), server, NOW)).toMatchObject({
      type: "protocol",
      message: "https://m.example does not speak the Messages API: 404 the reason",
    });
  });

  test("of a redirect names where it leads, and it is not followed", () => {
    const error = statusError(answer(307, { location: "https://other.example/v1?key=x" }), server, NOW);
    expect(error.message).toBe(
      "https://m.example redirects to other.example, which ash does not follow (307)",
    );
  });

  test("407 is about the proxy when there is one", () => {
    const proxied = {
      ...server,
      proxy: proxyFor("http://m.example", { HTTP_PROXY: "http://u:pass@p:3128" }),
    };
    const error = statusError(answer(407), proxied, NOW);
    expect(error).toMatchObject({
      type: "auth",
      message: "the proxy p:3128 wants a user name and a password",
    });
    expect(JSON.stringify(error)).not.toContain("pass@");
  });

  test("with x-should-retry: false is not asked again, and its exit code stays", () => {
    const error = statusError(answer(429, { "x-should-retry": "false" }), server, NOW);
    expect(error).toMatchObject({ mayRetry: false, retryable: true, exitCode: 5 });
  });
});

describe("the wait a server asks for", () => {
  const waits = [
    [{ "retry-after": "7" }, 7],
    [{ "retry-after": "0.5" }, 0.5],
    [{ "retry-after": "Mon, 30 Nov 2026 12:00:30 GMT" }, 30],
    [{ "retry-after": "Mon, 30 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after-ms": "1500" }, 1.5],
    [{ "retry-after-ms": "250", "retry-after": "60" }, 0.25],
    [{ "retry-after-ms": "soon", "retry-after": "60" }, 60],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after": "" }, undefined],
    [{}, undefined],
  ] as const;

  test.each(waits)("%j is %p seconds", (headers, seconds) => {
    const found = retryAfterSeconds(new Headers(headers as Record<string, string>), NOW);
    if (seconds === undefined) expect(found).toBeUndefined();
    else expect(found).toBe(seconds);
  });
});

const coded = (code: string): Error => Object.assign(new Error("no text decides"), { code });

describe("a connection that fails", () => {
  const causes = [
    ["ECONNREFUSED", "network", "https://m.example cannot be reached (ECONNREFUSED)"],
    ["ENOTFOUND", "network", "https://m.example cannot be reached: the name is not known (ENOTFOUND)"],
    ["ECONNRESET", "network", "https://m.example closed the connection before it answered"],
    ["ETIMEDOUT", "network", "the connection to https://m.example failed (ETIMEDOUT)"],
    ["EPROTO", "protocol", "https://m.example does not speak TLS"],
    ["Malformed_HTTP_Response", "protocol", "https://m.example does not speak HTTP"],
    ["CERT_HAS_EXPIRED", "config", "the certificate of m.example has expired"],
    ["CERT_NOT_YET_VALID", "config", "the certificate of m.example is not valid (CERT_NOT_YET_VALID)"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "config", "the certificate of m.example is for another name"],
    [
      "SELF_SIGNED_CERT_IN_CHAIN",
      "config",
      "the certificate of m.example comes from an issuer this machine does not know (SELF_SIGNED_CERT_IN_CHAIN)",
    ],
  ] as const;

  test.each(causes)("with %s is a %s error in one sentence", (code, type, message) => {
    expect(networkError(coded(code), server, false)).toMatchObject({ type, message });
  });

  test("in the middle of a reply is not asked again", () => {
    expect(networkError(coded("ECONNRESET"), server, true)).toMatchObject({
      type: "network",
      message: "https://m.example broke the connection in the middle of the reply",
      mayRetry: false,
    });
  });

  test("at the proxy names the proxy, its variable and no password", () => {
    const proxy = proxyFor("https://m.example", { HTTPS_PROXY: "http://u:hunter22@p:3128" });
    const message = (code: string): string => networkError(coded(code), { ...server, proxy }, false).message;
    expect(message("ECONNREFUSED")).toBe("the proxy p:3128 (HTTPS_PROXY) cannot be reached (ECONNREFUSED)");
    expect(message("ERR_PROXY_TUNNEL")).toBe(
      "the proxy p:3128 (HTTPS_PROXY) refuses to connect to https://m.example",
    );
  });

  test("of a local server asks whether it is running", () => {
    const local = connectionTo("ollama");
    expect(networkError(coded("ECONNREFUSED"), local, false).details.hint).toBe("is ollama running?");
  });
});

test("what a server said is shown on one line, short and without markup", () => {
  expect(brief("<html><style>p { x }</style><h1>502</h1>\n<p>Bad\tGateway</p>")).toBe("502 Bad Gateway");
  expect(brief("x".repeat(1000))).toHaveLength(301);
});
