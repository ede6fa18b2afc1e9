// The proxy of the environment: used for other machines, never for this one, and never told a key.
import { afterEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runAsh } from "../support/ash.ts";
import { usePlace } from "../support/asking.ts";
import { says, startModelServer } from "../support/modelserver.ts";
import { type ProxyManners, type ProxyServer, startProxyServer } from "../support/proxyserver.ts";
import { type RawServer, response, useRawServer } from "../support/rawserver.ts";
import { HELLO } from "../support/sse.ts";

const KEY = "canary-key-0123456789";
const REPLY = response("200 OK", HELLO, { "content-type": "text/event-stream" });
const folder = join(import.meta.dir, "../fixtures/tls");
const CA = { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") };
const place = usePlace();
let proxy: ProxyServer | undefined;
const server = useRawServer();

afterEach(() => {
  proxy?.stop();
});

async function startProxy(manners: ProxyManners): Promise<ProxyServer> {
  proxy = await startProxyServer(manners);
  return proxy;
}

/** A TLS server for the name model.example, which only the proxy can find. */
function startHidden(): RawServer {
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  return server.start((line) => line.send(REPLY), { cert: read("good.pem"), key: read("leaf.key") });
}

const askSecure = (env: Record<string, string>) =>
  runAsh(place, ["--json", "--base-url", "https://model.example", "go"], {
    env: { ANTHROPIC_API_KEY: KEY, ...CA, ...env },
  });

const askPlain = (env: Record<string, string>) =>
  runAsh(
    place,
    ["--json", "--provider", "llamacpp", "--base-url", "http://model.example", "--model", "m", "go"],
    {
      env,
    },
  );

describe("a server on another machine", () => {
  test.each(["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])(
    "is reached through a tunnel of %s, which sees no key and no prompt",
    async (variable) => {
      const { port } = startHidden();
      const { address, heads } = await startProxy({ target: port });
      const run = await askSecure({ [variable]: `http://me:hunter22@${address}` });
      expect(run.json()).toMatchObject({ status: "ok", result: "hello" });
      expect(heads).toHaveLength(1);
      expect(heads[0]).toStartWith("CONNECT model.example:443 HTTP/1.1");
      expect(heads[0]).toContain(`Proxy-Authorization: Basic ${btoa("me:hunter22")}`);
      expect(heads[0]).not.toContain("canary");
      expect(server.requests[0]).toContain(`x-api-key: ${KEY}`);
      expect(server.requests[0]).not.toContain("hunter22");
    },
  );

  test("without TLS and without a key is reached through HTTP_PROXY", async () => {
    const { address, heads } = await startProxy({ answer: REPLY });
    expect((await askPlain({ HTTP_PROXY: address })).json()).toMatchObject({ status: "ok", result: "hello" });
    expect(heads[0]).toStartWith("POST http://model.example/v1/messages HTTP/1.1");
  });

  test("named in NO_PROXY is reached directly", async () => {
    const { address, heads } = await startProxy({ answer: REPLY });
    const run = await askPlain({ HTTP_PROXY: address, NO_PROXY: "localhost,.example" });
    expect(run.code).toBe(5);
    expect(run.json().error?.message).toStartWith("http://model.example cannot be reached");
    expect(heads).toEqual([]);
  });

  const refusals = [
    [
      "403 Forbidden",
      askSecure,
      "HTTPS_PROXY",
      5,
      /^the proxy \S+ \(HTTPS_PROXY\) refuses to connect to https:\/\/model\.example$/,
    ],
    [
      "407 Proxy Authentication Required",
      askPlain,
      "HTTP_PROXY",
      3,
      /^the proxy \S+ wants a user name and a password$/,
    ],
  ] as const;

  test.each(refusals)("behind a proxy that says %s is told in one sentence", async (refuse, ask, ...told) => {
    const [variable, code, sentence] = told;
    const { address } = await startProxy({ refuse });
    const run = await ask({ [variable]: `http://me:hunter22@${address}` });
    expect(run.code).toBe(code);
    expect(run.json().error?.message).toMatch(sentence);
    expect(run.stdout + run.stderr).not.toContain("hunter22");
  });

  test("behind a proxy that is not there names the proxy and its variable", async () => {
    const run = await askSecure({ HTTPS_PROXY: "http://me:hunter22@127.0.0.1:1" });
    expect(run.code).toBe(5);
    expect(run.json().error?.message).toBe(
      "the proxy 127.0.0.1:1 (HTTPS_PROXY) cannot be reached (ECONNREFUSED)",
    );
    expect(run.stdout + run.stderr).not.toContain("hunter22");
  });

  test("behind a proxy ash cannot use is a configuration error", async () => {
    const run = await askSecure({ ALL_PROXY: "socks5://127.0.0.1:1080" });
    expect(run.code).toBe(3);
    expect(run.json().error).toMatchObject({
      type: "config",
      message: "ALL_PROXY names a socks5 proxy, which ash cannot use",
    });
  });
});

describe("a server on this machine", () => {
  test.each(["127.0.0.1", "localhost"])(
    "at %s is never reached through a proxy, so its key stays here",
    async (host) => {
      const { address, heads } = await startProxy({ answer: REPLY });
      const model = startModelServer([says("direct")], [KEY]);
      const url = model.url.replace("127.0.0.1", host);
      const variables = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"].map((name) => [
        name,
        `http://${address}`,
      ]);
      const run = await runAsh(place, ["--json", "--base-url", url, "go"], {
        env: { ANTHROPIC_API_KEY: KEY, ...Object.fromEntries(variables) },
      });
      await model.stop();
      expect(run.json()).toMatchObject({ status: "ok", result: "direct" });
      expect(heads).toEqual([]);
    },
  );
});
