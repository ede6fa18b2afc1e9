// headlines.py as ash starts it: several feeds at once, its cache, and a server that misbehaves.
import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixture, readFeeds as read, titles, XML } from "../support/feeds.ts";
import { CASES } from "../support/misbehaviour.ts";
import { type Answered, runTool } from "../support/pythontool.ts";
import { check, type Subject } from "../support/webcase.ts";
import { ok, status, type WebServer, withWebServer } from "../support/webserver.ts";

describe("headlines.py and several feeds of which some fail", () => {
  test.concurrent("gives one status for each and `partial` for all", () => {
    const replies = {
      "/good": ok(fixture("rss1")),
      "/gone": status(410),
      "/slow": { kind: "silence" } as const,
    };
    return read(replies, ["--timeout", "1.5"], ({ code, answer }) => {
      expect(answer).toMatchObject({
        status: "partial",
        feeds: [
          { status: "ok", items: 1 },
          { status: "error", error: "http_error", http_status: 410 },
          { status: "error", error: "timeout" },
        ],
      });
      expect(titles(answer)).toEqual(["Dam inspected"]);
      expect(code).toBe(0);
    });
  });

  test.concurrent("fails as the first one when all fail, and still tells about each", () =>
    read({ "/a": status(500), "/b": ok("hello") }, [], ({ code, answer }) => {
      expect(answer).toMatchObject({
        status: "error",
        error: "http_error",
        feeds: [{ error: "http_error" }, { error: "bad_response" }],
      });
      expect(code).toBe(1);
    }));
});

/** Runs twice with a cache between; the second time the server sees what the tool remembers. */
function twice(
  headers: Readonly<Record<string, string>>,
  look: (second: Answered, server: WebServer) => void,
  between: (cache: string) => void = () => undefined,
): Promise<void> {
  const cache = mkdtempSync(join(tmpdir(), "ash-cache-"));
  return withWebServer(
    (request) =>
      request.headers["if-none-match"] === undefined && request.headers["if-modified-since"] === undefined
        ? ok(fixture("rss1"), headers)
        : status(304),
    async (server) => {
      const args = ["--feed", `${server.url}/a`, "--cache-dir", join(cache, "feeds")];
      await runTool("headlines.py", args);
      between(join(cache, "feeds"));
      look(await runTool("headlines.py", args), server);
    },
  ).finally(() => rmSync(cache, { recursive: true, force: true }));
}

describe("headlines.py --cache-dir", () => {
  const etag = '"v1-\u00e9"';
  for (const [header, asked] of [
    ["ETag", "if-none-match"],
    ["Last-Modified", "if-modified-since"],
  ] as const) {
    test.concurrent(`asks with ${header} and answers from the cache when nothing changed`, () =>
      twice({ [header]: '"v1"' }, ({ answer }, server) => {
        expect(server.requests[1]?.headers[asked]).toBe('"v1"');
        expect(answer).toMatchObject({ status: "ok", feeds: [{ cache: "hit", title: "Valley Wire" }] });
        expect(titles(answer)).toEqual(["Dam inspected"]);
      }));
  }

  test.concurrent("stores nothing when the server gives nothing to ask with", () =>
    twice({}, ({ answer }) => expect(answer).toMatchObject({ feeds: [{ status: "ok", cache: "none" }] })));

  for (const damage of ["{", "[]", '{"url": 1}', ""]) {
    test.concurrent(`asks again without condition when the cache holds ${damage || "nothing"}`, () =>
      twice(
        { ETag: '"v1"' },
        ({ answer }, server) => {
          expect(answer).toMatchObject({ status: "ok", feeds: [{ cache: "stored" }] });
          expect(server.requests[1]?.headers["if-none-match"]).toBeUndefined();
        },
        (cache) => {
          for (const name of readdirSync(cache)) writeFileSync(join(cache, name), damage);
        },
      ));
  }

  test.concurrent("goes on without a cache that cannot be written", () =>
    read({ "/a": ok(fixture("rss1"), { ETag: etag }) }, ["--cache-dir", "/dev/null/x"], ({ answer }) =>
      expect(answer).toMatchObject({ status: "ok", feeds: [{ cache: "none" }] }),
    ));

  test.concurrent("reports a 304 nobody asked for", () =>
    read({ "/a": status(304) }, [], ({ answer }) =>
      expect(answer).toMatchObject({ status: "error", error: "bad_response" }),
    ));
});

const SUBJECT: Subject = {
  good: () => ok(fixture("rss2"), XML),
  run: (url, seconds) => runTool("headlines.py", ["--feed", `${url}/feed`, "--timeout", seconds]),
};

describe("headlines.py and a server that misbehaves", () => {
  for (const item of CASES) test.concurrent(item.claim, () => check(SUBJECT, item));
});
