// Captures of random streams, cut into random chunks.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { droppedMarker, startCapture } from "../../src/exec/capture.ts";

const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 });

function capture(limit: number, parts: readonly Uint8Array[]) {
  const started = startCapture(limit);
  for (const part of parts) started.add(part);
  return started.finish();
}

test("a capture does not depend on how the stream was cut into chunks", () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 200 }), (parts, limit) => {
      expect(capture(limit, parts)).toEqual(capture(limit, [Buffer.concat(parts)]));
    }),
  );
});

test("a capture within the limit is the text itself, and the total is always exact", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
      const bytes = new TextEncoder().encode(text);
      const { bytes: total, text: kept, truncated } = capture(Math.max(1, bytes.length), [bytes]);
      expect([total, kept, truncated]).toEqual([bytes.length, text, false]);
    }),
  );
});

test("a cut text keeps a prefix and a suffix of whole characters, and the marker counts the rest", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\n"), minLength: 60, maxLength: 200 });
  fc.assert(
    fc.property(word, fc.integer({ min: 8, max: 50 }), (text, limit) => {
      const bytes = new TextEncoder().encode(text);
      const { text: kept } = capture(limit, [bytes]);
      const match = /\n\[… (\d+) bytes dropped here …\]\n/.exec(kept);
      const [head = "", tail = ""] = kept.split(droppedMarker(Number(match?.[1])));
      expect(text.startsWith(head)).toBe(true);
      expect(text.endsWith(tail)).toBe(true);
      expect(Buffer.byteLength(head) + Buffer.byteLength(tail) + Number(match?.[1])).toBe(bytes.length);
      expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeLessThanOrEqual(limit);
    }),
  );
});
