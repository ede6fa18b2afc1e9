// Keeps the head and the tail of a stream within a fixed number of bytes, and counts all of it exactly.
// Memory does not grow with the stream.
import { FLOOD_BYTES } from "../limits.ts";

/** What is kept of one stream. */
export type Captured = {
  /** Kept text, with a marker where bytes were dropped; a note instead of content when it is binary. */
  readonly text: string;
  /** Bytes the stream had in all. */
  readonly bytes: number;
  readonly truncated: boolean;
  readonly binary: boolean;
};

/** A capture in progress. */
export type Capture = {
  add(chunk: Uint8Array): void;
  readonly total: () => number;
  finish(): Captured;
};

const PROBE_BYTES = 512;

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

const sequenceLength = (lead: number): number => {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
};

/** The length of the longest prefix that does not end inside a UTF-8 character. */
export function wholeHead(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The index of the first byte that does not continue a UTF-8 character begun before. */
export function wholeTail(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return start;
}

/** True when more than a tenth of the first bytes are control characters: not text. */
export function looksBinary(bytes: Uint8Array): boolean {
  const probe = bytes.subarray(0, PROBE_BYTES);
  let controls = 0;
  for (const byte of probe) {
    const harmless = byte >= 0x20 || (byte >= 0x07 && byte <= 0x0d) || byte === 0x1b;
    if (!harmless || byte === 0x7f) controls += 1;
  }
  return controls * 10 > probe.length;
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The line that stands where bytes were dropped. */
export function droppedMarker(bytes: number): string {
  return `\n[… ${bytes} bytes dropped here …]\n`;
}

/** A producer is stopped soon after a flood of bytes: room for more would never be used. */
const MOST_BYTES = 4 * FLOOD_BYTES;

/** Starts a capture that keeps at most `most` bytes, 4 MiB at the highest: three quarters head, one quarter tail. */
export function startCapture(most: number): Capture {
  const limit = Math.min(most, MOST_BYTES);
  const headRoom = Math.max(1, Math.ceil((limit * 3) / 4));
  const tailRoom = limit - headRoom;
  const head = new Uint8Array(headRoom);
  const ring = new Uint8Array(tailRoom);
  let headLength = 0;
  let tailSeen = 0;
  let total = 0;

  const intoRing = (bytes: Uint8Array): void => {
    if (tailRoom === 0) return;
    const last = bytes.subarray(Math.max(0, bytes.length - tailRoom));
    const start = (tailSeen + bytes.length - last.length) % tailRoom;
    const first = Math.min(last.length, tailRoom - start);
    ring.set(last.subarray(0, first), start);
    ring.set(last.subarray(first), 0);
    tailSeen += bytes.length;
  };

  const tailBytes = (): Uint8Array => {
    if (tailSeen <= tailRoom) return ring.slice(0, tailSeen);
    const start = tailSeen % tailRoom;
    return Buffer.concat([ring.subarray(start), ring.subarray(0, start)]);
  };

  return {
    add(chunk) {
      total += chunk.length;
      const take = Math.min(chunk.length, headRoom - headLength);
      head.set(chunk.subarray(0, take), headLength);
      headLength += take;
      if (take < chunk.length) intoRing(chunk.subarray(take));
    },
    total: () => total,
    finish() {
      const kept = head.subarray(0, headLength);
      const tail = tailRoom === 0 ? new Uint8Array() : tailBytes();
      const truncated = total > limit;
      if (looksBinary(kept)) {
        return { text: `[binary output, ${total} bytes, not shown]`, bytes: total, truncated, binary: true };
      }
      if (!truncated)
        return { text: decode(Buffer.concat([kept, tail])), bytes: total, truncated, binary: false };
      const before = kept.subarray(0, wholeHead(kept));
      const after = tail.subarray(wholeTail(tail));
      const marker = droppedMarker(total - before.length - after.length);
      return { text: decode(before) + marker + decode(after), bytes: total, truncated, binary: false };
    },
  };
}
