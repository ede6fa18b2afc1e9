// A server on loopback that writes bytes as the test says: for everything a proper HTTP server is too polite to do.
import { afterEach } from "bun:test";
import type { Socket, TCPSocketListener } from "bun";

/** One connection, as the script of a test sees it. */
export type Line = {
  /** Writes bytes now. */
  send(bytes: string | Uint8Array): void;
  /** Writes bytes one at a time, each on its own. */
  trickle(bytes: string): Promise<void>;
  /** Ends the connection in order. */
  close(): void;
  /** Breaks the connection. */
  reset(): void;
};

/** What happens to the request with this number, counted from 0. */
export type Script = (line: Line, request: string, number: number) => void | Promise<void>;

/** A running server. */
export type RawServer = {
  readonly url: string;
  readonly port: number;
  /** Every request, head and body. */
  readonly requests: readonly string[];
  stop(): void;
};

type State = { received: Buffer };

/** True when the head and the announced body are there. */
function isWhole(received: Buffer): boolean {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /^content-length:\s*(\d+)/im.exec(received.toString("latin1", 0, end))?.[1] ?? "0";
  return received.length >= end + 4 + Number(length);
}

const lineOf = (socket: Socket<State>): Line => ({
  send: (bytes) => void socket.write(bytes),
  async trickle(text) {
    for (const byte of new TextEncoder().encode(text)) {
      socket.write(Uint8Array.of(byte));
      socket.flush();
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  close: () => void socket.end(),
  reset: () => void socket.terminate(),
});

/** Starts a server; with a certificate it speaks TLS. */
export function startRawServer(script: Script, tls?: { cert: string; key: string }): RawServer {
  const requests: string[] = [];
  const listener: TCPSocketListener<State> = Bun.listen<State>({
    hostname: "127.0.0.1",
    port: 0,
    ...(tls === undefined ? {} : { tls }),
    socket: {
      open(socket) {
        socket.data = { received: Buffer.alloc(0) };
      },
      data(socket, bytes) {
        socket.data.received = Buffer.concat([socket.data.received, bytes]);
        if (!isWhole(socket.data.received)) return;
        const request = socket.data.received.toString("utf8");
        socket.data.received = Buffer.alloc(0);
        requests.push(request);
        void script(lineOf(socket), request, requests.length - 1);
      },
    },
  });
  const { port } = listener;
  const scheme = tls === undefined ? "http" : "https";
  return { url: `${scheme}://127.0.0.1:${port}`, port, requests, stop: () => listener.stop(true) };
}

/** The newest raw server of the running test. */
export type TestRawServer = Pick<RawServer, "url" | "port" | "requests"> & {
  /** Starts a server as `startRawServer` does. */
  start(...given: Parameters<typeof startRawServer>): RawServer;
};

/** Raw servers for the running test, stopped after it. */
export function useRawServer(): TestRawServer {
  let started: RawServer[] = [];
  afterEach(() => {
    for (const server of started) server.stop();
    started = [];
  });
  const newest = (): RawServer => {
    const server = started.at(-1);
    if (server === undefined) throw new Error("the test has started no server");
    return server;
  };
  return {
    get url() {
      return newest().url;
    },
    get port() {
      return newest().port;
    },
    get requests() {
      return newest().requests;
    },
    start(...given) {
      const server = startRawServer(...given);
      started.push(server);
      return server;
    },
  };
}

/** A head that announces a stream of unknown length. */
export const STREAM_HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

/** An answer with a length. */
export function response(
  status: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const length = new TextEncoder().encode(body).length;
  const lines = Object.entries({ "content-length": String(length), ...headers }).map(
    ([k, v]) => `${k}: ${v}`,
  );
  return `HTTP/1.1 ${status}\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}
