// wikipedia.py as ash starts it, against recorded answers and against a server that misbehaves.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { CASES } from "../support/misbehaviour.ts";
import { type Answered, listOf, objectOf, runTool } from "../support/pythontool.ts";
import { check, type Subject } from "../support/webcase.ts";
import {
  type Answering,
  ok,
  packed,
  type Reply,
  status,
  type WebServer,
  withWebServer,
} from "../support/webserver.ts";

const fixture = (name: string): Promise<string> =>
  Bun.file(join(import.meta.dir, "../fixtures/web", `wikipedia-${name}.json`)).text();

const [SEARCH, PAGE, AMBIGUOUS, SOURCE, MISSING, INTERWIKI, JAPANESE] = await Promise.all(
  ["search", "page", "ambiguous", "ambiguous-source", "missing", "interwiki", "japanese"].map(fixture),
);

const recorded = (body: string | undefined): Reply => ok(body ?? "", { "Content-Type": "application/json" });

/** Answers searches, questions about a page and questions about its source. */
function wiki(parts: { search?: Reply; page?: Reply; source?: Reply }): Answering {
  return (request) => {
    const refusal = status(400);
    if (request.path.endsWith("/w/rest.php/v1/search/page")) return parts.search ?? refusal;
    return (request.query.get("prop") === "revisions" ? parts.source : parts.page) ?? refusal;
  };
}

const NORMAL = wiki({ search: recorded(SEARCH), page: recorded(PAGE) });

function ask(
  answering: Answering,
  args: readonly string[],
  look: (answered: Answered, server: WebServer) => void,
): Promise<void> {
  return withWebServer(answering, async (server) => {
    look(await runTool("wikipedia.py", ["--base-url", server.url, ...args]), server);
  });
}

describe("wikipedia.py --query", () => {
  test.concurrent("gives results with snippets as plain text, and the summary of the best", () =>
    ask(NORMAL, ["--query", "lantern fly"], ({ code, answer }, server) => {
      expect(code).toBe(0);
      expect(answer).toMatchObject({ status: "ok", language: "en", truncated: false });
      const [first, second] = listOf(answer.results);
      expect(first).toEqual({
        title: "Lantern fly (kite)",
        url: `${server.url}/wiki/Lantern_fly_(kite)`,
        description: "kite that carries a small lamp",
        snippet: "A lantern fly is a kite with a light, flown at night & in fog; see R&D <notes>",
      });
      expect(second).toMatchObject({
        url: `${server.url}/wiki/Gr%C3%BCner_Weg`,
        description: null,
        snippet: "a lanterngnihton walk in spring",
      });
      expect(objectOf(answer.page)).toMatchObject({ title: "Lantern fly (kite)", summary_truncated: false });
    }));

  test.concurrent("asks in series, packed, with a User-Agent as Wikimedia wants it", () =>
    ask(NORMAL, ["--query", "lantern fly", "--limit", "2", "--contact", "me@example.org"], (_, server) => {
      expect(server.requests.map((request) => request.path)).toEqual([
        "/w/rest.php/v1/search/page",
        "/w/api.php",
      ]);
      const [search, page] = server.requests;
      expect(search?.query.get("q")).toBe("lantern fly");
      expect(search?.query.get("limit")).toBe("2");
      expect(search?.headers["user-agent"]).toMatch(
        /^ash-wikipedia\/[\d.]+ \(me@example\.org\) Python-urllib\/3\.\d+$/,
      );
      expect(search?.headers["accept-encoding"]).toBe("gzip");
      expect(page?.query.get("titles")).toBe("Lantern fly (kite)");
      expect(page?.query.get("formatversion")).toBe("2");
      expect(page?.query.has("exsentences")).toBeFalse();
    }));

  test.concurrent("reports a search without results", () =>
    ask(wiki({ search: recorded('{"pages": []}') }), ["--query", "qqqq"], ({ code, answer }) => {
      expect(answer).toMatchObject({ status: "not_found", results: [], message: expect.any(String) });
      expect(code).toBe(0);
    }));

  test.concurrent("keeps the results when the summary fails, and says what failed", () =>
    ask(wiki({ search: recorded(SEARCH), page: status(500) }), ["--query", "x"], ({ code, answer }) => {
      expect(answer).toMatchObject({ status: "partial", error: "http_error", http_status: 500 });
      expect(listOf(answer.results).length).toBe(2);
      expect(code).toBe(0);
    }));

  test.concurrent("keeps the results when the summary does not come in time", () =>
    ask(
      wiki({ search: recorded(SEARCH), page: { kind: "silence" } }),
      ["--query", "x", "--timeout", "1.5"],
      ({ answer }) => expect(answer).toMatchObject({ status: "partial", error: "timeout" }),
    ));

  test.concurrent("leaves results out rather than exceed its size, and says how many", () => {
    const page = { title: "凧".repeat(80), excerpt: "風".repeat(400), description: "空".repeat(300) };
    const many = JSON.stringify({ pages: Array(20).fill(page) });
    return ask(
      wiki({ search: recorded(many), page: recorded(PAGE) }),
      ["--query", "x", "--limit", "20"],
      ({ answer }) => {
        const left = listOf(answer.results).length;
        expect(answer).toMatchObject({ status: "ok", truncated: true, omitted: { results: 20 - left } });
        expect(left).toBeGreaterThan(0);
      },
    );
  });
});

describe("wikipedia.py --title", () => {
  test.concurrent("follows a redirect and says where it came from", () =>
    ask(NORMAL, ["--title", "lantern fly"], ({ answer }, server) => {
      expect(answer.results).toBeUndefined();
      expect(answer.page).toEqual({
        title: "Lantern fly (kite)",
        url: `${server.url}/wiki/Lantern_fly_(kite)`,
        description: "kite that carries a small lamp",
        summary:
          "A lantern fly is a kite that carries a lamp. It is flown at night, if 0 < wind < 5.\n" +
          "Nobody knows who flew the first one.",
        summary_truncated: false,
        redirected_from: "Lantern fly",
      });
      expect(server.requests.length).toBe(1);
      expect(server.requests[0]?.query.get("redirects")).toBe("1");
    }));

  test.concurrent("lists the options of a disambiguation page", () => {
    const pages = wiki({ page: recorded(AMBIGUOUS), source: recorded(SOURCE) });
    return ask(pages, ["--title", "Quill"], ({ code, answer }) => {
      expect(answer).toMatchObject({ status: "disambiguation", page: { title: "Quill" } });
      expect(answer.options).toEqual([
        { title: "Quill (pen)", text: "Quill (pen), a pen made of a feather" },
        { title: "Porcupine", text: "Quill, a spine of a porcupine" },
        { title: "Quill River", text: "Quill River – in Norway" },
        { title: "Mission: Quill", text: "Mission: Quill" },
      ]);
      expect(code).toBe(0);
    });
  });

  test.concurrent("keeps the page when the options of a disambiguation page fail", () =>
    ask(wiki({ page: recorded(AMBIGUOUS), source: recorded(MISSING) }), ["--title", "Quill"], ({ answer }) =>
      expect(answer).toMatchObject({ status: "partial", error: "bad_response", page: { title: "Quill" } }),
    ));

  for (const [claim, body] of [
    ["a page that is missing", MISSING],
    ["a title of another wiki", INTERWIKI],
    ["a title no page can have", '{"query": {"pages": [{"title": "", "invalid": true}]}}'],
  ] as const) {
    test.concurrent(`says not_found for ${claim}`, () =>
      ask(wiki({ page: recorded(body) }), ["--title", "Nowhere"], ({ code, answer }) => {
        expect(answer).toMatchObject({ status: "not_found", message: expect.any(String) });
        expect(code).toBe(0);
      }));
  }

  test.concurrent("reads another language, packed, through a base URL with the language in it", () =>
    withWebServer(wiki({ page: packed(JAPANESE ?? "") }), async (server) => {
      const base = `${server.url}/{language}`;
      const { answer } = await runTool("wikipedia.py", [
        ...["--base-url", base, "--language", "JA", "--title", "凧", "--sentences", "2"],
      ]);
      expect(answer).toMatchObject({ status: "ok", language: "ja", page: { title: "凧" } });
      expect(objectOf(answer.page).summary).toBe("凧は、糸で引いて空に揚げる道具である。");
      expect(server.requests[0]?.path).toBe("/ja/w/api.php");
      expect(server.requests[0]?.query.get("exsentences")).toBe("2");
    }));

  test.concurrent("cuts a long summary at a word and says so", () => {
    const long = JSON.stringify({
      query: { pages: [{ title: "Long", extract: "lorem ipsum ".repeat(900) }] },
    });
    return ask(wiki({ page: recorded(long) }), ["--title", "Long", "--chars", "100"], ({ answer }) => {
      expect(objectOf(answer.page).summary_truncated).toBeTrue();
      expect(objectOf(answer.page).summary).toMatch(/^lorem ipsum [a-z ]{60,85}(lorem|ipsum)…$/);
    });
  });

  test.concurrent("stays small when everything in the answer is as large as it can be", () => {
    const title = "𝒳".repeat(255);
    const page = { title, extract: "𝒳 ".repeat(40_000), description: title };
    const huge = JSON.stringify({ query: { pages: [page], redirects: [{ from: title }] } });
    return ask(wiki({ page: recorded(huge) }), ["--title", "X", "--chars", "1200"], ({ answer }) =>
      expect(answer.status).toBe("ok"),
    );
  });
});

describe("wikipedia.py and a wiki that refuses", () => {
  for (const [code, error] of [
    ["ratelimited", "rate_limited"],
    ["internal_api_error_X", "bad_response"],
  ] as const) {
    test.concurrent(`turns the API's error ${code} into ${error}`, () =>
      ask(wiki({ page: recorded(`{"error": {"code": "${code}"}}`) }), ["--title", "X"], ({ answer }) =>
        expect(answer).toMatchObject({ status: "error", error }),
      ));
  }

  test.concurrent("hands on how long to wait", () =>
    ask(
      wiki({ page: ok('{"error": {"code": "maxlag"}}', { "Retry-After": "5" }) }),
      ["--title", "X"],
      ({ code, answer }) => {
        expect(answer).toMatchObject({ status: "error", error: "rate_limited", retry_after_s: 5 });
        expect(code).toBe(75);
      },
    ));

  for (const body of [
    "[]",
    "7",
    "null",
    '{"query": 7}',
    '{"query": {"pages": [7]}}',
    '{"query": {"pages": []}}',
  ]) {
    test.concurrent(`reports JSON of another shape: ${body}`, () =>
      ask(wiki({ page: recorded(body) }), ["--title", "X"], ({ code, answer }) => {
        expect(answer).toMatchObject({ status: "error", error: "bad_response" });
        expect(code).toBe(1);
      }));
  }
});

const SUBJECT: Subject = {
  good: NORMAL,
  run: (url, seconds) =>
    runTool("wikipedia.py", ["--base-url", url, "--title", "lantern fly", "--timeout", seconds]),
};

describe("wikipedia.py and a server that misbehaves", () => {
  for (const item of CASES) test.concurrent(item.claim, () => check(SUBJECT, item));
});
