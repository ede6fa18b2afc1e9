// A certificate authority for one test and a package index behind a certificate it signed.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answerAsIndex } from "./packageindex.ts";
import type { Wheel } from "./wheel.ts";

function openssl(folder: string, ...args: readonly string[]): void {
  const done = Bun.spawnSync(["openssl", ...args], { cwd: folder, stderr: "pipe" });
  if (done.exitCode !== 0) throw new Error(`openssl ${args[0]}: ${done.stderr.toString()}`);
}

/** An index reached by https. */
export type SecureIndex = {
  readonly url: string;
  /** The file of the authority that vouches for it. */
  readonly authority: string;
  readonly requests: readonly string[];
  stop(): Promise<void>;
};

/** Starts an index on loopback whose certificate only a new authority vouches for; its files go into a folder. */
export function startSecureIndex(wheels: readonly Wheel[], folder: string): SecureIndex {
  const key = ["-newkey", "rsa:2048", "-nodes", "-days", "2"];
  openssl(
    folder,
    "req",
    "-x509",
    ...key,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-subj",
    "/CN=test authority",
    "-addext",
    "basicConstraints=critical,CA:TRUE",
    "-addext",
    "keyUsage=critical,keyCertSign",
  );
  openssl(folder, "req", ...key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost");
  const extensions =
    "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n";
  writeFileSync(join(folder, "extensions"), extensions);
  openssl(
    folder,
    "x509",
    "-req",
    "-in",
    "server.csr",
    "-CA",
    "ca.pem",
    "-CAkey",
    "ca.key",
    "-CAcreateserial",
    "-days",
    "2",
    "-extfile",
    "extensions",
    "-out",
    "server.pem",
  );
  const requests: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: {
      key: readFileSync(join(folder, "server.key"), "utf8"),
      cert: readFileSync(join(folder, "server.pem"), "utf8"),
    },
    fetch(request) {
      const url = new URL(request.url);
      requests.push(url.pathname);
      const asked = {
        method: "GET",
        target: url.pathname,
        path: url.pathname,
        query: url.searchParams,
        headers: {},
      };
      const reply = answerAsIndex(wheels, asked);
      return reply.kind === "answer"
        ? new Response(reply.body, { status: reply.status, headers: reply.headers })
        : new Response("", { status: 500 });
    },
  });
  return {
    url: `https://localhost:${server.port}/simple/`,
    authority: join(folder, "ca.pem"),
    requests,
    stop: () => server.stop(true),
  };
}
