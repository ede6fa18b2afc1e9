// Servers behind TLS: which certificates are trusted, and what is said of the others.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runAsh } from "../support/ash.ts";
import { usePlace } from "../support/asking.ts";
import { says, startModelServer } from "../support/modelserver.ts";
import { type RawServer, response, useRawServer } from "../support/rawserver.ts";
import { testWith } from "../support/required.ts";
import { HELLO } from "../support/sse.ts";

const place = usePlace();
const server = useRawServer();
const KEY = { ANTHROPIC_API_KEY: "test-key-0123456789" };
const ask = (url: string, env: Record<string, string> = {}, args: readonly string[] = []) =>
  runAsh(place, ["--json", "--base-url", url, ...args, "go"], { env: { ...KEY, ...env } });

describe("a certificate", () => {
  const folder = join(import.meta.dir, "../fixtures/tls");
  const pem = (name: string): string => join(folder, `${name}.pem`);
  const key = readFileSync(join(folder, "leaf.key"), "utf8");
  const CA = { NODE_EXTRA_CA_CERTS: pem("ca") };

  function serve(name: string): RawServer {
    const answer = response("200 OK", HELLO, { "content-type": "text/event-stream" });
    return server.start((line) => line.send(answer), { cert: readFileSync(pem(name), "utf8"), key });
  }

  const refused = [
    ["of an unknown issuer", "good", {}, /comes from an issuer this machine does not know/],
    ["that signed itself", "self", {}, /comes from an issuer this machine does not know/],
    [
      "of an unknown issuer, whatever NODE_TLS_REJECT_UNAUTHORIZED says",
      "good",
      { NODE_TLS_REJECT_UNAUTHORIZED: "0" },
      /does not know/,
    ],
    ["for another name", "wrong", CA, /is for another name/],
    ["that has expired", "expired", CA, /has expired/],
  ] as const;

  test.each(refused)("%s is refused before the key is sent", async (_, name, env, sentence) => {
    serve(name);
    const run = await ask(server.url, env);
    expect(run.code).toBe(3);
    expect(run.json().error).toMatchObject({ type: "config", retryable: false });
    expect(run.json().error?.message).toMatch(sentence);
    expect(run.json().error?.message).toContain(`127.0.0.1:${server.port}`);
    expect(run.stderr.split("\n")).toHaveLength(2);
    expect(server.requests).toEqual([]);
  });

  const trusted = [
    ["NODE_EXTRA_CA_CERTS", CA],
    ["SSL_CERT_FILE", { SSL_CERT_FILE: pem("ca") }],
  ] as const;

  test.each(trusted)("of a company's own CA is trusted with %s", async (_, env) => {
    serve("good");
    expect((await ask(server.url, env)).json()).toMatchObject({ status: "ok", result: "hello" });
    expect(server.requests[0]).toContain("x-api-key: test-key-0123456789");
  });

  testWith("bwrap")("of a CA in the system's own store is trusted without any variable", async () => {
    serve("good");
    const ash = join(import.meta.dir, "../../dist/ash");
    const store = ["--tmpfs", "/etc/ssl", "--ro-bind", pem("ca"), "/etc/ssl/certs/ca-certificates.crt"];
    const args = ["--dev-bind", "/", "/", ...store, ash, "--json", "--base-url", server.url, "go"];
    const run = Bun.spawn(["bwrap", ...args], {
      cwd: place.folder,
      env: { PATH: "/usr/bin:/bin", HOME: place.home, ...KEY },
      stdin: "ignore",
      stdout: "pipe",
    });
    expect(JSON.parse(await run.stdout.text())).toMatchObject({ status: "ok", result: "hello" });
  });

  test("asked of a server without TLS is told from its opposite", async () => {
    const plain = startModelServer([says("never")]);
    const url = plain.url.replace("http:", "https:");
    const run = await ask(url);
    await plain.stop();
    expect(run.code).toBe(4);
    expect(run.json().error).toMatchObject({
      type: "protocol",
      message: `${url} does not speak TLS`,
      hint: "an address without TLS starts with http://",
    });
  });
});
