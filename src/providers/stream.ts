// Bytes of an event stream → events, however the bytes are cut. The only importer of the event-stream parser.
import { createParser } from "eventsource-parser";

/** What reading a stream tells. */
export type EventSinks = {
  /** One event, parsed from its JSON. */
  readonly onEvent: (event: unknown) => void;
  /** One event that is not JSON. */
  readonly onBroken: (text: string) => void;
};

/** Characters of one event that are kept while its end has not come. */
const LONGEST_EVENT = 32 * 1024 * 1024;

/** Some servers name an event only in the line before its data. */
function named(value: unknown, name: string | undefined): unknown {
  if (name === undefined || typeof value !== "object" || value === null || "type" in value) return value;
  return { type: name, ...value };
}

function parse(data: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(data) };
  } catch {
    return null;
  }
}

/** Reads a stream to its end; resolves to the number of events it held. */
export async function readEvents(
  chunks: AsyncIterable<Uint8Array>,
  { onEvent, onBroken }: EventSinks,
): Promise<number> {
  let count = 0;
  let ending = false;
  const parser = createParser({
    maxBufferSize: LONGEST_EVENT,
    onEvent({ data, event }) {
      if (data === "[DONE]") return;
      const parsed = parse(data);
      if (parsed !== null) {
        count += 1;
        onEvent(named(parsed.value, event));
      } else if (!ending) onBroken(data);
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
  // The last event may lack its empty line; when it is half an event instead, the stream was cut.
  ending = true;
  parser.feed(`${decoder.decode()}\n\n`);
  return count;
}
