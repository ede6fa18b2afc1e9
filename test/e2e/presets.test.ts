// What each preset puts on the wire, to the last header, and where no key goes.
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { PRESETS } from "../../src/providers/presets.ts";
import { runAsh } from "../support/ash.ts";
import { usePlace, useServer } from "../support/asking.ts";
import { calls, says, startModelServer } from "../support/modelserver.ts";

const KEY = "canary-key-0123456789";

const place = usePlace();
const server = useServer();

const PLAIN = [
  "accept",
  "accept-encoding",
  "anthropic-version",
  "connection",
  "content-length",
  "content-type",
];
const ALWAYS = [...PLAIN, "host", "user-agent"];

describe("a request", () => {
  test.each(PRESETS)("to $name has exactly these headers and fields", async (preset) => {
    server.start([calls("uname"), says("done")], [KEY]);
    const [variable = ""] = preset.keyEnv;
    const run = await runAsh(
      place,
      ["--json", "--provider", preset.name, "--base-url", server.url, "--model", "m/1", "go"],
      { env: { [variable]: KEY } },
    );
    expect(run.json()).toMatchObject({ status: "ok", result: "done", turns: 2 });
    const keyHeader = preset.auth === "bearer" ? "authorization" : "x-api-key";
    for (const { method, path, headers, text } of server.heard) {
      expect([method, path]).toEqual(["POST", "/v1/messages"]);
      expect(Object.keys(headers).sort()).toEqual([...ALWAYS, keyHeader].sort());
      expect(headers).toMatchObject({
        [keyHeader]: preset.auth === "bearer" ? `Bearer ${KEY}` : KEY,
        "anthropic-version": preset.apiVersion,
        "content-type": "application/json",
        "user-agent": `ash/${version}`,
      });
      const body = JSON.parse(text) as Record<string, unknown>;
      expect(Object.keys(body).sort()).toEqual([
        "max_tokens",
        "messages",
        "model",
        "stream",
        "system",
        "tools",
      ]);
      expect(body).toMatchObject({ model: "m/1", max_tokens: preset.maxOutputTokens, stream: true });
      expect(typeof body.system).toBe(preset.cache ? "object" : "string");
    }
  });

  test.each(PRESETS.filter(({ keyRequired }) => !keyRequired))("to $name needs no key", async (preset) => {
    server.start([says("done")], []);
    const run = await runAsh(
      place,
      ["--json", "--provider", preset.name, "--base-url", server.url, "--model", "m", "go"],
      {
        env: {
          ANTHROPIC_API_KEY: KEY,
          ANTHROPIC_CUSTOM_HEADERS: `x-secret: ${KEY}`,
          OPENROUTER_API_KEY: KEY,
        },
      },
    );
    expect(run.json()).toMatchObject({ status: "ok", result: "done" });
    expect(Object.keys(server.heard[0]?.headers ?? {}).sort()).toEqual([...ALWAYS].sort());
    expect(JSON.stringify(server.heard)).not.toContain("canary");
  });

  test.each(PRESETS.filter(({ keyRequired }) => keyRequired))(
    "to $name without its key is not made",
    async (preset) => {
      const env = Object.fromEntries(
        PRESETS.filter(({ name }) => name !== preset.name && name !== "anthropic").flatMap(({ keyEnv }) =>
          keyEnv.map((name) => [name, KEY]),
        ),
      );
      const run = await runAsh(place, ["--json", "--provider", preset.name, "--model", "m", "go"], { env });
      expect(run.code).toBe(3);
      expect(run.json().error).toMatchObject({
        type: "auth",
        message: `there is no key for ${preset.name}`,
        hint: expect.stringContaining(preset.keyEnv[0] ?? "?"),
      });
      expect(run.stdout + run.stderr).not.toContain("canary");
    },
  );

  test("carries the headers of ANTHROPIC_CUSTOM_HEADERS, and no other program's", async () => {
    server.start([says("done")], [KEY]);
    const env = {
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_CUSTOM_HEADERS: "X-Gateway: one\ncf-aig-authorization: Bearer gateway-secret-1234",
      ANTHROPIC_AUTH_TOKEN: "another",
      ANTHROPIC_PROFILE: "work",
    };
    const run = await runAsh(place, ["--json", "go"], { env });
    expect(run.json().status).toBe("ok");
    const headers = server.heard[0]?.headers ?? {};
    expect(headers).toMatchObject({
      "x-api-key": KEY,
      "x-gateway": "one",
      "cf-aig-authorization": "Bearer gateway-secret-1234",
    });
    expect(Object.keys(headers).sort()).toEqual(
      [...ALWAYS, "x-api-key", "x-gateway", "cf-aig-authorization"].sort(),
    );
  });

  test("takes the parts off an address that ash adds itself", async () => {
    server.start([says("done")], [KEY]);
    for (const end of ["/v1", "/v1/", "/v1/messages", "/"]) {
      const run = await runAsh(place, ["--json", "--base-url", `${server.url}${end}`, "go"], {
        env: { ANTHROPIC_API_KEY: KEY },
      });
      expect(run.json().status).toBe("ok");
    }
  });
});

describe("a key", () => {
  const config = (text: string): void => {
    mkdirSync(place.ashHome, { mode: 0o700 });
    writeFileSync(join(place.ashHome, "config.toml"), text, { mode: 0o600 });
  };

  test("of the environment is not sent to an address of the file, and nothing is", async () => {
    server.start([says("never")]);
    config(`base_url = "${server.url}"\n`);
    const run = await runAsh(place, ["--json", "go"], { env: { ANTHROPIC_API_KEY: KEY } });
    expect(run.code).toBe(3);
    expect(run.json().error).toMatchObject({
      type: "config",
      message: `ANTHROPIC_API_KEY was not given for ${server.url}, so it is not sent there`,
    });
    expect(server.heard).toEqual([]);
    expect(run.stdout + run.stderr).not.toContain("canary");
  });

  test("of one preset is not sent where ANTHROPIC_BASE_URL happens to point", async () => {
    server.start([says("never")]);
    const env = { ANTHROPIC_BASE_URL: server.url, OPENROUTER_API_KEY: KEY };
    const run = await runAsh(place, ["--json", "--provider", "openrouter", "--model", "m", "go"], { env });
    expect(run.code).toBe(3);
    expect(server.heard).toEqual([]);
  });

  test("of the file for one preset is not sent to another", async () => {
    server.start([says("hi")], []);
    config(`provider = "openrouter"\napi_key = "${KEY}"\n`);
    const args = ["--json", "--provider", "llamacpp", "--base-url", server.url, "--model", "m", "go"];
    expect((await runAsh(place, args)).json().status).toBe("ok");
    expect(JSON.stringify(server.heard)).not.toContain("canary");
    const other = await runAsh(place, ["--json", "--provider", "anthropic", "go"]);
    expect(other.code).toBe(3);
  });

  test.each([301, 302, 307, 308])("does not follow a redirect (%d)", async (status) => {
    const thief = startModelServer([says("thanks")], []);
    server.start(
      [() => new Response(null, { status, headers: { location: `${thief.url}/v1/messages` } })],
      [KEY],
    );
    const run = await runAsh(place, ["--json", "--base-url", server.url, "go"], {
      env: { ANTHROPIC_API_KEY: KEY },
    });
    await thief.stop();
    expect(run.code).toBe(4);
    expect(run.json().error).toMatchObject({
      type: "protocol",
      message: `${server.url} redirects to ${new URL(thief.url).host}, which ash does not follow (${status})`,
    });
    expect(thief.heard).toEqual([]);
  });

  test("that is malformed is refused and never shown", async () => {
    for (const name of ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS"]) {
      const run = await runAsh(place, ["--json", "go"], {
        env: { ANTHROPIC_API_KEY: KEY, [name]: `${KEY} \u00e9` },
      });
      expect(run.code).toBe(3);
      expect(run.json().error?.message).toContain(name);
      expect(run.stdout + run.stderr).not.toContain("canary");
    }
  });
});
