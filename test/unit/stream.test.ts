// Server-sent events, in whatever pieces they come.
import { describe, expect, test } from "bun:test";
import { readEvents } from "../../src/providers/stream.ts";

async function* pieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    yield bytes.subarray(from, cut);
    from = cut;
  }
}

async function read(text: string, cuts: readonly number[] = []) {
  const events: unknown[] = [];
  const broken: string[] = [];
  const count = await readEvents(pieces(new TextEncoder().encode(text), cuts), {
    onEvent: (event) => events.push(event),
    onBroken: (data) => broken.push(data),
  });
  return { events, broken, count };
}

const STREAM = 'event: a\ndata: {"type":"a","t":"grüße 🦊 日本"}\n\n: ping\n\ndata: {"type":"b"}\n\n';
const EVENTS = [{ type: "a", t: "grüße 🦊 日本" }, { type: "b" }];

describe("a stream", () => {
  test("cut anywhere, also inside a character, gives the same events", async () => {
    const size = new TextEncoder().encode(STREAM).length;
    for (let cut = 0; cut <= size; cut += 1) expect((await read(STREAM, [cut])).events).toEqual(EVENTS);
    const everywhere = [...Array(size).keys()];
    expect((await read(STREAM, everywhere)).events).toEqual(EVENTS);
  });

  const endings = [
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ] as const;

  test.each(endings)("with %s line ends is read, wherever it is cut", async (_, ending) => {
    const text = STREAM.replaceAll("\n", ending);
    const size = new TextEncoder().encode(text).length;
    for (let cut = 0; cut <= size; cut += 1) expect((await read(text, [cut])).events).toEqual(EVENTS);
  });

  const tolerated = [
    ["a byte-order mark", `\ufeff${STREAM}`, EVENTS],
    ["no blank after data:", 'data:{"type":"a"}\n\n', [{ type: "a" }]],
    ["an event over several lines", 'data: {"type":\ndata: "a"}\n\n', [{ type: "a" }]],
    ["no empty line at the end", 'data: {"type":"a"}', [{ type: "a" }]],
    ["the mark other servers end with", 'data: {"type":"a"}\n\ndata: [DONE]\n\n', [{ type: "a" }]],
    ["ids and retries", 'id: 7\nretry: 10\ndata: {"type":"a"}\n\n', [{ type: "a" }]],
    [
      "the type only in the event line",
      'event: error\ndata: {"error":{}}\n\n',
      [{ type: "error", error: {} }],
    ],
    ["half an event at the end", 'data: {"type":"a"}\n\ndata: {"typ', [{ type: "a" }]],
    ["nothing", "", []],
    ["only comments", ": one\n\n: two\n\n", []],
  ] as const;

  test.each(tolerated)("with %s is read", async (_, text, events) => {
    const found = await read(text);
    expect(found.events).toEqual(events as unknown as unknown[]);
    expect(found).toMatchObject({ broken: [], count: events.length });
  });

  test("with an event that is not JSON says which", async () => {
    expect((await read("data: oops\n\ndata: 1\n\n")).broken).toEqual(["oops"]);
  });
});
