// Lines of random streams, cut into random chunks.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Line, splitLines } from "../../src/lines.ts";

async function* inChunks(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...places, bytes.length]) {
    yield bytes.subarray(from, to);
    from = to;
  }
}

async function linesOf(
  bytes: Uint8Array,
  cuts: readonly number[],
  longest: number,
): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for await (const line of splitLines(inChunks(bytes, cuts), longest)) lines.push(line);
  return lines;
}

/** Few different bytes, so that line feeds are frequent. */
const bytes = fc
  .array(fc.constantFrom(10, 13, 65, 255), { maxLength: 80 })
  .map((list) => new Uint8Array(list));
const cuts = fc.array(fc.nat(100), { maxLength: 12 });

describe("splitting into lines", () => {
  test("gives the same lines however the bytes arrive, and loses none", async () => {
    await fc.assert(
      fc.asyncProperty(bytes, cuts, async (data, places) => {
        const lines = await linesOf(data, places, 1000);
        const joined = lines.flatMap((line) => [...line.bytes, ...(line.whole ? [10] : [])]);
        expect(joined).toEqual([...data]);
        expect(lines).toEqual([...(await linesOf(data, [], 1000))]);
        expect(lines.map(({ number }) => number)).toEqual(lines.map((_, i) => i + 1));
        expect(lines.at(-1)?.end ?? 0).toBe(data.length);
      }),
    );
  });

  test("skips what is too long and nothing else, and keeps the numbers right", async () => {
    await fc.assert(
      fc.asyncProperty(bytes, cuts, fc.integer({ min: 1, max: 10 }), async (data, places, longest) => {
        const all = await linesOf(data, [], 1000);
        const some = await linesOf(data, places, longest);
        expect(some).toEqual(
          all.map((line) =>
            line.bytes.length > longest ? { ...line, bytes: new Uint8Array(), tooLong: true } : line,
          ) as never,
        );
      }),
    );
  });
});
