// headlines.py and the formats feeds come in, well-formed or not.
import { describe, expect, test } from "bun:test";
import { feedOf, fixture, readFeeds as read, titles, XML } from "../support/feeds.ts";
import { listOf } from "../support/pythontool.ts";
import { ok, packed } from "../support/webserver.ts";

describe("headlines.py and well-formed feeds", () => {
  test.concurrent("reads RSS 2.0: CDATA, HTML in titles, dates of both kinds, links of all kinds", () =>
    read({ "/rss": ok(fixture("rss2"), XML) }, ["--summaries"], ({ code, answer }, server) => {
      expect(code).toBe(0);
      expect(answer).toMatchObject({ status: "ok", matched: 3, count: 3, truncated: false });
      expect(answer.feeds).toEqual([
        {
          feed: `${server.url}/rss`,
          url: `${server.url}/rss`,
          status: "ok",
          title: "Harbour Post",
          items: 3,
        },
      ]);
      expect(answer.articles).toEqual([
        {
          title: "Lighthouse reopens after 12 years",
          url: "https://harbour.example/news/lighthouse",
          published: "2026-03-04T12:00:00Z",
          summary: "Visitors may climb again.",
          source: "Harbour Post",
        },
        {
          title: "Ferry & tram share one ticket",
          url: "https://harbour.example/news/ferry?a=1&region=2",
          published: "2026-03-03T07:30:00Z",
          summary: "From May, one ticket is enough.",
          source: "Harbour Post",
        },
        {
          title: "Notice without a date",
          url: `${server.url}/news/notice`,
          published: null,
          summary: "",
          source: "Harbour Post",
        },
      ]);
    }));

  test.concurrent("reads RSS 1.0", () =>
    read({ "/rdf": ok(fixture("rss1")) }, [], ({ answer }) =>
      expect(answer.articles).toEqual([
        {
          title: "Dam inspected",
          url: "https://valley.example/1",
          published: "2026-03-05T04:00:00Z",
          source: "Valley Wire",
        },
      ]),
    ));

  test.concurrent("reads Atom: XHTML titles, the right link, the first date", () =>
    read({ "/atom": packed(fixture("atom")) }, [], ({ answer }) =>
      expect(answer.articles).toEqual([
        {
          title: "Apples in March",
          url: "https://orchard.example/apples",
          published: "2026-03-06T15:00:00Z",
          source: "Orchard & Field",
        },
      ]),
    ));

  test.concurrent("merges several feeds, newest first, each article once", () => {
    const replies = { "/a": ok(fixture("rss2")), "/b": ok(fixture("atom")), "/c": ok(fixture("rss2")) };
    return read(replies, ["--limit", "2"], ({ answer }) => {
      expect(answer).toMatchObject({ status: "ok", matched: 4, count: 2, truncated: false });
      expect(titles(answer)).toEqual(["Apples in March", "Lighthouse reopens after 12 years"]);
    });
  });

  test.concurrent("filters by words in any case, and by age", () =>
    read({ "/a": ok(fixture("rss2")) }, ["--query", "TICKET ferry"], ({ answer }) =>
      expect(titles(answer)).toEqual(["Ferry & tram share one ticket"]),
    ));

  test.concurrent("leaves out what is old or has no date with --since", () => {
    const recent = `<item><title>New</title><pubDate>${new Date().toUTCString()}</pubDate></item>`;
    const feed = new TextDecoder().decode(fixture("rss2")).replace("<item>", `${recent}<item>`);
    return read({ "/a": ok(feed) }, ["--since", "2"], ({ answer }) => {
      expect(answer).toMatchObject({ status: "ok", matched: 1 });
      expect(titles(answer)).toEqual(["New"]);
    });
  });
});

/** More than the tool takes in the worst case. */
const PATIENCE_MS = 15_000;

describe("headlines.py and malformed feeds", () => {
  test.concurrent("reads what real feeds get wrong, drops what is cut, and never expands an entity of the feed's own", () =>
    read({ "/a": ok(fixture("malformed")) }, ["--summaries"], ({ code, answer }) => {
      expect(code).toBe(0);
      const articles = listOf(answer.articles);
      expect(articles.map((article) => [article.title, article.url])).toEqual([
        ["Unclosed title", "https://salt.example/2"],
        ["Fish & chips été &b; &bogus", "https://salt.example/?a=1&region=2&copy=3"],
        ["Text with controls", null],
        ["Only a description", null],
        ["Bad link", null],
      ]);
      expect(articles[2]?.summary).toBe("Unescaped markup & more");
      expect(articles[0]?.source).toBe("Salt & Pepper");
      expect(JSON.stringify(answer)).not.toContain("boom");
    }));

  const latin = new Uint8Array(
    [...feedOf(["Caf#"])].map((char) => (char === "#" ? 0xe9 : char.charCodeAt(0))),
  );
  const utf16 = new Uint8Array([0xff, 0xfe, ...new Uint8Array(Buffer.from(feedOf(["Café"]), "utf16le"))]);
  for (const [claim, body, type] of [
    ["Latin-1 that calls itself UTF-8", latin, "text/xml; charset=utf-8"],
    ["Latin-1 that the header declares", latin, "text/xml; charset=iso-8859-1"],
    ["UTF-8 that calls itself Latin-1", feedOf(["Café"]), "text/xml; charset=iso-8859-1"],
    ["UTF-8 with a byte order mark", `\ufeff${feedOf(["Café"])}`, "text/xml"],
    ["UTF-16", utf16, "text/xml"],
    ["an encoding that does not exist", feedOf(["Café"]), "text/xml; charset=klingon"],
    ["a feed behind a PHP warning", `<br />\n<b>Warning</b>: x\n${feedOf(["Café"])}`, "text/html"],
  ] as const) {
    test.concurrent(`reads ${claim}`, () =>
      read({ "/a": ok(body, { "Content-Type": type }) }, [], ({ answer }) =>
        expect(titles(answer)).toEqual(["Café"]),
      ));
  }

  test.concurrent("is not stopped by a bomb of entities or of tags", () => {
    const bomb = `<!DOCTYPE r [<!ENTITY a "${"x".repeat(1000)}"><!ENTITY b "${"&a;".repeat(1000)}">]>`;
    const deep = "<x>".repeat(50_000);
    return read({ "/a": ok(`${bomb}${feedOf(["&b;", `Deep ${deep}`])}`) }, [], ({ answer }) =>
      expect(titles(answer)).toEqual(["&b;", "Deep"]),
    );
  });

  for (const unit of [
    "<!",
    "<a ",
    "<!--",
    "<![CDATA[",
    "</",
    "<item>",
    '<a b="',
    "<?",
    "<",
    "&#1",
    "<a></b>",
  ]) {
    test.concurrent(
      `takes time in proportion to the length of a feed made of ${unit}`,
      () => {
        const flood = `<rss><channel>${unit.repeat(700_000 / unit.length)}`;
        return read({ "/a": ok(flood) }, ["--timeout", "12"], ({ answer }) =>
          expect(answer.status).toBe("ok"),
        );
      },
      PATIENCE_MS,
    );
  }

  test.concurrent("finds every item when no item is ever closed", () => {
    const open = Array.from({ length: 150 }, (_, n) => `<item><title>${n}</title>`).join("");
    return read({ "/a": ok(`<rss><channel>${open}`) }, [], ({ answer }) => expect(answer.matched).toBe(150));
  });

  test.concurrent("leaves articles out rather than exceed its size, and says how many", () => {
    const many = Array.from({ length: 60 }, (_, n) => `${n} ${"見出し".repeat(200)}`);
    return read({ "/a": ok(feedOf(many)) }, ["--limit", "50", "--summaries"], ({ answer }) => {
      const count = Number(answer.count);
      expect(count).toBeGreaterThan(3);
      expect(answer).toMatchObject({ matched: 60, truncated: true, omitted: { articles: 50 - count } });
    });
  });
});
