// Output that is kept within a limit.
import { describe, expect, test } from "bun:test";
import { droppedMarker, looksBinary, startCapture } from "../../src/exec/capture.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function capture(limit: number, ...chunks: readonly Uint8Array[]) {
  const started = startCapture(limit);
  for (const chunk of chunks) started.add(chunk);
  return started.finish();
}

describe("a capture", () => {
  test("keeps output of exactly the limit whole, and one byte more as head and tail", () => {
    const exact = "x".repeat(8192);
    expect(capture(8192, bytes(exact))).toEqual({
      text: exact,
      bytes: 8192,
      truncated: false,
      binary: false,
    });
    const over = capture(8192, bytes(`${exact}y`));
    expect(over).toMatchObject({ bytes: 8193, truncated: true });
    expect(over.text).toBe(`${"x".repeat(6144)}${droppedMarker(1)}${"x".repeat(2047)}y`);
  });

  test("cuts between characters on both sides and counts what it dropped", () => {
    const text = "é".repeat(5000);
    const { text: kept, bytes: total } = capture(101, bytes(text));
    expect(total).toBe(10_000);
    expect(kept).not.toContain("\ufffd");
    const [head = "", rest = ""] = kept.split("\n[… ");
    const [dropped = "", tail = ""] = rest.split(" bytes dropped here …]\n");
    expect(head.length * 2 + Number(dropped) + tail.length * 2).toBe(10_000);
    expect(head.length).toBe(38);
    expect(tail.length).toBe(12);
  });

  test("sees a character that arrives in two chunks", () => {
    expect(capture(100, new Uint8Array([0xc3]), new Uint8Array([0xa9])).text).toBe("é");
  });

  test("replaces invalid UTF-8 instead of failing", () => {
    expect(capture(100, new Uint8Array([0x61, 0xff, 0xfe, 0x62])).text).toBe("a\ufffd\ufffdb");
  });

  test("names binary output instead of showing it", () => {
    const elf = new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0x3e, 0]);
    expect(capture(100, elf)).toEqual({
      text: "[binary output, 20 bytes, not shown]",
      bytes: 20,
      truncated: false,
      binary: true,
    });
  });

  test("takes paths separated by NUL and coloured text for text", () => {
    expect(looksBinary(bytes("./some/file/name\0./some/other/file\0"))).toBe(false);
    expect(looksBinary(bytes("\x1b[31mred\x1b[0m and \t more\r\n"))).toBe(false);
    expect(looksBinary(new Uint8Array())).toBe(false);
  });

  test("of a limit of one byte still counts", () => {
    expect(capture(1, bytes("abc"))).toMatchObject({ bytes: 3, truncated: true });
  });
});
