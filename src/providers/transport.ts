// The bytes of one request: exactly these headers, the proxy of the address, certificates checked, no redirect
// followed, and a watchdog over silence. It knows nothing of what is said.

import { systemCode } from "../errors.ts";
import { monotonic } from "../host/clock.ts";
import type { Server } from "./connection.ts";

/** One request under way. */
export type Attempt = {
  /** Sends; the SDK is given this instead of the global function. */
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** The bytes of the answer as they come. */
  body(response: Response): AsyncIterable<Uint8Array>;
  /** True when the server was silent for too long. */
  silent(): boolean;
  /** What the network said when sending failed. */
  failure(): unknown;
  /** Ends the watch; called once whatever happened. */
  end(): void;
};

/** Headers of a request besides the user's own; the SDK would add a dozen that say what machine this is. */
const SENT = ["accept", "content-type", "user-agent", "anthropic-version", "authorization", "x-api-key"];

function headersFor(server: Server, given: RequestInit["headers"]): Headers {
  const all = new Headers(given);
  // A stream of small events gains nothing from compression, and some gateways hold it back to compress it.
  const sent = new Headers({ "accept-encoding": "identity" });
  for (const { name, value } of server.headers) sent.append(name, value.reveal());
  for (const name of SENT) {
    const value = all.get(name);
    if (value !== null) sent.set(name, value);
  }
  return sent;
}

const ENCODINGS = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "brotli",
  zstd: "zstd",
} as const;

/** Compressed data that cannot be read; its code is for whoever explains it. */
class BrokenEncoding extends Error {
  readonly code = "BROKEN_ENCODING";
}

/** The bytes of an answer, decompressed when the server compressed them all the same. */
async function* decoded(response: Response): AsyncGenerator<Uint8Array> {
  const name = response.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  const { body } = response;
  if (body === null) return;
  if (name === "identity" || name === "") {
    yield* body;
    return;
  }
  const format = Object.entries(ENCODINGS).find(([known]) => known === name)?.[1];
  if (format === undefined) throw new BrokenEncoding(name);
  try {
    yield* body.pipeThrough(new DecompressionStream(format));
  } catch (thrown) {
    throw systemCode(thrown) === undefined ? new BrokenEncoding(name, { cause: thrown }) : thrown;
  }
}

/** Longest part of an error page that is read. */
const LONGEST_ERROR = 64 * 1024;

/** A failed answer with the beginning of its body: nobody needs the rest, and some never end. */
async function shortened(response: Response, chunks: AsyncIterable<Uint8Array>): Promise<Response> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size >= LONGEST_ERROR) break;
  }
  const { status } = response;
  const headers = new Headers(response.headers);
  headers.delete("content-encoding");
  return new Response(Buffer.concat(parts).subarray(0, LONGEST_ERROR), { status, headers });
}

/** Aborts when nothing has happened for `ms`. */
function watchSilence(ms: number): {
  signal: AbortSignal;
  touch(): void;
  fired(): boolean;
  stop(): void;
} {
  const controller = new AbortController();
  let last = monotonic();
  let timer: ReturnType<typeof setTimeout>;
  const look = (): void => {
    const left = last + ms - monotonic();
    if (left <= 0) controller.abort();
    else timer = setTimeout(look, left);
  };
  timer = setTimeout(look, ms);
  return {
    signal: controller.signal,
    touch: () => {
      last = monotonic();
    },
    fired: () => controller.signal.aborted,
    stop: () => clearTimeout(timer),
  };
}

/** Starts an attempt to ask a server. `stop` ends it from outside. */
export function startAttempt(server: Server, stop: AbortSignal): Attempt {
  const watch = watchSilence(server.idleMs);
  const signal = AbortSignal.any([stop, watch.signal]);
  let failure: unknown;

  async function* body(response: Response): AsyncGenerator<Uint8Array> {
    watch.touch();
    for await (const chunk of decoded(response)) {
      watch.touch();
      yield chunk;
    }
  }

  const options: BunFetchRequestInit = {
    signal,
    // A key must not follow a redirect to another host.
    redirect: "manual",
    verbose: false,
    // Bun would complain on stderr by itself.
    decompress: false,
    // NODE_TLS_REJECT_UNAUTHORIZED must not send a key to whoever answers.
    tls: { rejectUnauthorized: true },
    proxy: server.proxy === null ? false : { url: server.proxy.url.reveal(), respectNoProxy: false },
  };

  return {
    async fetch(url, init = {}) {
      const headers = headersFor(server, init.headers);
      const { method, body: content } = init;
      try {
        // Bun ends a silent connection on its own after minutes it chooses; the watch above is exact.
        const request = { ...options, method, headers, body: content, timeout: false };
        const response = await fetch(String(url), request as BunFetchRequestInit);
        return response.ok ? response : await shortened(response, body(response));
      } catch (thrown) {
        failure = thrown;
        throw thrown;
      }
    },
    body,
    silent: watch.fired,
    failure: () => failure,
    end: watch.stop,
  };
}
