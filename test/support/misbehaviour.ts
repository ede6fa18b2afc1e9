// What web servers do wrong, and how a bundled tool must answer: one table for every tool that asks the network.

import { expect } from "bun:test";
import { gzipSync } from "node:zlib";
import type { Case } from "./webcase.ts";
import { type Answering, ok, packed, type Reply, redirect, status } from "./webserver.ts";

const always = (reply: Reply) => (): Answering => () => reply;
const first =
  (reply: (url: string) => Reply) =>
  (good: Answering): Answering =>
  (request, number) =>
    number === 0 ? reply(`http://${request.headers.host}`) : good(request, number);

const HUGE = 3 * 1024 * 1024;
const HTML = "<!DOCTYPE html><html><head><title>Sign in</title></head><body><p>Please</p></body></html>";
const hour = (): string => new Date(Date.now() + 3_600_000).toUTCString();

/** Refuses until the moment it names has come: only who waits as asked gets an answer. */
function closedUntil(wait: number, name: (until: Date) => string): (good: Answering) => Answering {
  return (good) => {
    let until: Date | null = null;
    return (request, number) => {
      until ??= new Date(Math.ceil((Date.now() + wait) / 1000) * 1000);
      const refusal = status(429, { "Retry-After": name(until) });
      return Date.now() < until.getTime() ? refusal : good(request, number);
    };
  };
}

const untilDate = (until: Date): string => until.toUTCString();
const untilSeconds = (until: Date): string => String(Math.ceil((until.getTime() - Date.now()) / 1000));

type Outcome = Pick<Case, "expected" | "code">;
const ANSWERS: Outcome = { expected: {}, code: 0 };
const fails = (error: string, code: number, facts: Readonly<Record<string, unknown>> = {}): Outcome => ({
  expected: { error, ...facts },
  code,
});

const PATIENCE: readonly Case[] = [
  {
    claim: "waits as many seconds as Retry-After says",
    server: closedUntil(700, untilSeconds),
    ...ANSWERS,
  },
  {
    claim: "waits until the date Retry-After names",
    server: closedUntil(700, untilDate),
    ...ANSWERS,
  },
  {
    claim: "fails at once when Retry-After is longer than its own deadline",
    server: always(status(429, { "Retry-After": "3600" })),
    ...fails("rate_limited", 75, { retry_after_s: 3600, http_status: 429 }),
    requests: 1,
  },
  {
    claim: "fails at once when Retry-After names a date after its own deadline",
    server: () => () => status(429, { "Retry-After": hour() }),
    ...fails("rate_limited", 75, { retry_after_s: expect.any(Number) }),
    requests: 1,
  },
  {
    claim: "treats a 503 with a long Retry-After as a rate limit",
    server: always(status(503, { "Retry-After": "120" })),
    ...fails("rate_limited", 75, { retry_after_s: 120 }),
    requests: 1,
  },
  {
    claim: "gives up after three attempts when it is refused without Retry-After",
    server: always(status(429)),
    ...fails("rate_limited", 75, { http_status: 429 }),
    requests: 3,
  },
  {
    claim: "survives a Retry-After that is nonsense",
    server: first(() => status(429, { "Retry-After": "soon; \u00b2" })),
    ...ANSWERS,
    requests: 2,
  },
  { claim: "tries again after a 503", server: first(() => status(503)), ...ANSWERS, requests: 2 },
  {
    claim: "gives up after three times 503, and says that later may do",
    server: always(status(503)),
    ...fails("http_error", 75, { http_status: 503 }),
    requests: 3,
  },
  {
    claim: "does not repeat a request that ended in 500",
    server: always(status(500, {}, HTML)),
    ...fails("http_error", 1, { http_status: 500 }),
    requests: 1,
  },
  {
    claim: "does not repeat a request that ended in 404",
    server: always(status(404)),
    ...fails("http_error", 1, { http_status: 404 }),
    requests: 1,
  },
];

/** Long enough to start, short enough to wait for. */
const SHORT = "0.5";

const SLOWNESS: readonly Case[] = [
  {
    claim: "leaves on time when the server says nothing",
    seconds: SHORT,
    server: always({ kind: "silence" }),
    ...fails("timeout", 75),
  },
  {
    claim: "leaves on time when the body comes byte by byte",
    seconds: SHORT,
    server: always({ kind: "drip" }),
    ...fails("timeout", 75),
  },
  {
    claim: "leaves on time when the head comes byte by byte",
    seconds: SHORT,
    server: always({ kind: "drip_head" }),
    ...fails("timeout", 75),
  },
  {
    claim: "leaves on time when the body stops in the middle",
    seconds: SHORT,
    server: always({ kind: "stall", body: "{" }),
    ...fails("timeout", 75),
  },
];

const NONSENSE: readonly Case[] = [
  {
    claim: "never takes a cut body for a whole one",
    server: always({ kind: "cut", body: "{}" }),
    ...fails("network", 75),
    requests: 3,
  },
  {
    claim: "tries again when the connection closes without a byte",
    server: first(() => ({ kind: "hangup" })),
    ...ANSWERS,
    requests: 2,
  },
  {
    claim: "reports a connection that keeps closing",
    server: always({ kind: "hangup" }),
    ...fails("network", 75),
    requests: 3,
  },
  {
    claim: "reports a server that does not speak HTTP",
    server: always({ kind: "raw", text: "SSH-2.0-Server\r\n\r\n" }),
    ...fails("bad_response", 1),
  },
  {
    claim: "reports a sign-in page",
    server: always(ok(HTML, { "Content-Type": "text/html" })),
    ...fails("bad_response", 1),
  },
  {
    claim: "reports an answer that is neither JSON nor a feed",
    server: always(ok('{"pages": [}')),
    ...fails("bad_response", 1),
  },
  { claim: "reports an empty answer", server: always(ok("")), expected: { error: "bad_response" }, code: 1 },
  {
    claim: "reports bytes that are no text",
    server: always(ok(new Uint8Array([0, 255, 254, 128]))),
    ...fails("bad_response", 1),
  },
  {
    claim: "survives JSON and tags nested without end",
    server: always(ok("[<a>".repeat(100_000))),
    ...fails("bad_response", 1),
  },
  {
    claim: "refuses a body that is announced as huge",
    server: always(ok(new Uint8Array(HUGE))),
    ...fails("too_large", 1),
  },
  {
    claim: "refuses a body that turns out to be huge",
    server: always({ kind: "raw", text: `HTTP/1.1 200 OK\r\n\r\n${"x".repeat(HUGE)}` }),
    ...fails("too_large", 1),
  },
  {
    claim: "refuses a small body that unpacks to a huge one",
    server: always(packed(new Uint8Array(HUGE * 10))),
    ...fails("too_large", 1),
  },
  {
    claim: "never takes a cut gzip body for a whole one",
    server: always(ok(gzipSync("x".repeat(500)).subarray(0, 20), { "Content-Encoding": "gzip" })),
    ...fails("network", 75),
  },
  {
    claim: "reports gzip that is none",
    server: always(ok("plain", { "Content-Encoding": "gzip" })),
    ...fails("bad_response", 1),
  },
];

const REDIRECTS: readonly Case[] = [
  {
    claim: "follows a redirect",
    server: first((url) => redirect(`${url}/elsewhere?again=1`, 301)),
    ...ANSWERS,
  },
  {
    claim: "follows a relative redirect",
    server: first(() => redirect("/elsewhere", 308)),
    ...ANSWERS,
  },
  {
    claim: "gives up a redirect loop after five redirects",
    server: always(redirect("/loop")),
    ...fails("bad_redirect", 1),
    requests: 6,
  },
  {
    claim: "does not follow a redirect to a file",
    server: always(redirect("file:///etc/passwd")),
    ...fails("bad_redirect", 1),
    requests: 1,
  },
  {
    claim: "does not follow a redirect to ftp",
    server: always(redirect("ftp://127.0.0.1/x")),
    ...fails("bad_redirect", 1),
    requests: 1,
  },
  {
    claim: "does not follow a redirect with a password in it",
    server: always(redirect("http://user:pw@127.0.0.1/")),
    ...fails("bad_redirect", 1),
    requests: 1,
  },
  {
    claim: "reports a redirect to an address that cannot be read",
    server: always(redirect("http://[half")),
    ...fails("bad_redirect", 1),
    requests: 1,
  },
];

/** Every case. */
export const CASES: readonly Case[] = [...PATIENCE, ...SLOWNESS, ...NONSENSE, ...REDIRECTS];
