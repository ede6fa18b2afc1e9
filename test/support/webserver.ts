// A web server on loopback that can also misbehave: it hangs, drips, cuts, floods and lies, as real ones do.
// It speaks raw TCP, because a proper HTTP server cannot be made to answer improperly.
import { gzipSync } from "node:zlib";

/** One request as the server saw it; header names in lower case. */
export type WebRequest = {
  readonly method: string;
  /** What stood between the method and the version: a path, or a whole address when a proxy was asked. */
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
};

/** What the server does with one request. */
export type Reply =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    }
  /** Accepts the request and says nothing. */
  | { readonly kind: "silence" }
  /** Sends a proper head, then a byte of the body every now and then, for ever. */
  | { readonly kind: "drip" }
  /** Sends a byte of the head every now and then, for ever. */
  | { readonly kind: "drip_head" }
  /** Announces more than it sends, then keeps the connection open. */
  | { readonly kind: "stall"; readonly body: string }
  /** Announces more than it sends, then closes. */
  | { readonly kind: "cut"; readonly body: string }
  /** Closes without a byte. */
  | { readonly kind: "hangup" }
  /** Sends these bytes as they are, then closes. */
  | { readonly kind: "raw"; readonly text: string }
  /** Does nothing until it is known what to do. */
  | { readonly kind: "later"; readonly reply: Promise<Reply> };

/** Decides what happens to the request with this number, counted from 0. */
export type Answering = (request: WebRequest, number: number) => Reply;

/** A running server. */
export type WebServer = {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  /** Every request so far. */
  readonly requests: readonly WebRequest[];
  stop(): void;
};

const bytes = (body: string | Uint8Array): Uint8Array =>
  typeof body === "string" ? new TextEncoder().encode(body) : body;

/** An answer with this body. */
export function ok(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Reply {
  return { kind: "answer", status: 200, headers, body: bytes(body) };
}

/** An answer that is packed with gzip. */
export function packed(body: string | Uint8Array): Reply {
  return ok(gzipSync(bytes(body)), { "Content-Encoding": "gzip" });
}

/** An answer with another status than 200. */
export function status(
  code: number,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = "",
): Reply {
  return { kind: "answer", status: code, headers, body: bytes(body) };
}

/** A redirect. */
export const redirect = (location: string, code = 302): Reply => status(code, { Location: location });

type Connection = {
  received: string;
  timer: ReturnType<typeof setInterval> | null;
  /** What the socket did not take yet. */
  unsent: Uint8Array | null;
};
type Socket = Bun.Socket<Connection>;

const DRIP_MS = 25;

function drip(socket: Socket): void {
  socket.data.timer = setInterval(() => socket.write("x"), DRIP_MS);
}

function head(code: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${code} Status\r\n${lines.join("")}Connection: close\r\n\r\n`;
}

/** Sends all of it, however little the socket takes at a time, then ends the connection. */
function sendAll(socket: Socket, data: Uint8Array): void {
  const sent = socket.write(data);
  if (sent < 0) return;
  if (sent === data.length) {
    socket.end();
    return;
  }
  socket.data.unsent = data.subarray(sent);
}

function perform(socket: Socket, reply: Reply): void {
  switch (reply.kind) {
    case "answer": {
      const length = { "Content-Length": String(reply.body.length) };
      sendAll(
        socket,
        Buffer.concat([bytes(head(reply.status, { ...length, ...reply.headers })), reply.body]),
      );
      return;
    }
    case "silence":
      return;
    case "drip":
      socket.write(head(200, { "Content-Length": "1000" }));
      return drip(socket);
    case "drip_head":
      socket.write("HTTP/1.1 200 OK\r\nX-Long: ");
      return drip(socket);
    case "stall":
      socket.write(head(200, { "Content-Length": "100000" }) + reply.body);
      return;
    case "cut":
      return sendAll(socket, bytes(head(200, { "Content-Length": "100000" }) + reply.body));
    case "hangup":
      socket.end();
      return;
    case "raw":
      return sendAll(socket, bytes(reply.text));
    case "later":
      void reply.reply.then((known) => perform(socket, known));
      return;
  }
}

function parse(text: string): WebRequest {
  const [first = "", ...lines] = text.split("\r\n");
  const [method = "", target = ""] = first.split(" ");
  const url = new URL(target, "http://loopback.invalid");
  const headers = lines
    .filter((line) => line.includes(":"))
    .map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    });
  return {
    method,
    target,
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(headers),
  };
}

/** Starts a server on a free port. */
export function startWebServer(answering: Answering): WebServer {
  const requests: WebRequest[] = [];
  const open = new Set<Socket>();
  const quiet = (socket: Socket): void => {
    if (socket.data.timer !== null) clearInterval(socket.data.timer);
    open.delete(socket);
  };
  const listener = Bun.listen<Connection>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        socket.data = { received: "", timer: null, unsent: null };
        open.add(socket);
      },
      data(socket, chunk) {
        socket.data.received += chunk.toString("latin1");
        if (!socket.data.received.includes("\r\n\r\n")) return;
        const request = parse(socket.data.received);
        socket.data.received = "";
        requests.push(request);
        perform(socket, answering(request, requests.length - 1));
      },
      drain(socket) {
        const { unsent } = socket.data;
        socket.data.unsent = null;
        if (unsent !== null) sendAll(socket, unsent);
      },
      close: quiet,
      error: quiet,
    },
  });
  return {
    url: `http://127.0.0.1:${listener.port}`,
    requests,
    stop() {
      for (const socket of open) quiet(socket);
      listener.stop(true);
    },
  };
}

/** Runs `use` against a server of its own and stops it afterwards. */
export async function withWebServer<T>(
  answering: Answering,
  use: (server: WebServer) => Promise<T>,
): Promise<T> {
  const server = startWebServer(answering);
  try {
    return await use(server);
  } finally {
    server.stop();
  }
}
