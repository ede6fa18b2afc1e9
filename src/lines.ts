// Bytes that arrive in chunks → lines, one at a time. A line that is too long is skipped, not kept. Pure.

/** One line. */
export type Line = {
  /** From 1. */
  readonly number: number;
  /** Without its line feed; empty when it is too long. */
  readonly bytes: Uint8Array;
  readonly tooLong: boolean;
  /** False for a last line without a line feed. */
  readonly whole: boolean;
  /** Bytes of the input up to the end of this line. */
  readonly end: number;
};

const LINE_FEED = 10;
const NOTHING = new Uint8Array();

/** Splits chunks into lines of at most `longest` bytes; takes no chunk before its lines are asked for. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<Line> {
  let number = 0;
  let end = 0;
  let parts: Uint8Array[] = [];
  let size = 0;
  const add = (part: Uint8Array): void => {
    size += part.length;
    end += part.length;
    // What is too long already is counted and forgotten.
    if (size > longest) parts = [];
    else parts.push(part);
  };
  const take = (whole: boolean): Line => {
    const tooLong = size > longest;
    const bytes = tooLong ? NOTHING : parts.length === 1 ? (parts[0] ?? NOTHING) : Buffer.concat(parts);
    number += 1;
    parts = [];
    size = 0;
    return { number, bytes, tooLong, whole, end };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      add(chunk.subarray(from, at));
      end += 1;
      from = at + 1;
      yield take(true);
    }
    if (from < chunk.length) add(chunk.subarray(from));
  }
  if (size > 0) yield take(false);
}
