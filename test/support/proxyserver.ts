// An HTTP proxy on loopback: it opens tunnels to one TLS server, answers plain requests itself, and remembers both.
import { connect, createServer, type Socket } from "node:net";

/** A running proxy. */
export type ProxyServer = {
  /** host:port */
  readonly address: string;
  /** The head of every request it got. */
  readonly heads: readonly string[];
  stop(): void;
};

/** What it does: `answer` goes to plain requests, `target` is the port tunnels lead to, `refuse` refuses them. */
export type ProxyManners = {
  readonly answer?: string;
  readonly target?: number;
  readonly refuse?: string;
};

/** Starts a proxy. */
export async function startProxyServer({ answer, target, refuse }: ProxyManners): Promise<ProxyServer> {
  const heads: string[] = [];
  const open = new Set<Socket>();
  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => open.delete(socket));
  };
  const server = createServer((socket) => {
    keep(socket);
    socket.once("data", (bytes) => {
      const head = bytes.toString("latin1").split("\r\n\r\n")[0] ?? "";
      heads.push(head);
      if (refuse !== undefined) {
        socket.end(`HTTP/1.1 ${refuse}\r\ncontent-length: 0\r\n\r\n`);
      } else if (!head.startsWith("CONNECT ")) {
        socket.end(answer ?? "HTTP/1.1 500 Unexpected\r\ncontent-length: 0\r\n\r\n");
      } else {
        const onward = connect(target ?? 0, "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
          socket.pipe(onward).pipe(socket);
        });
        keep(onward);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  return {
    address: `127.0.0.1:${port}`,
    heads,
    stop() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
