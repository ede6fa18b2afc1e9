// Variables that make libraries, runtimes and other programs talk: stdout stays the answer, stderr stays quiet, and no
// key gets out.
import { describe, expect, test } from "bun:test";
import { runAsh } from "../support/ash.ts";
import { usePlace, useServer } from "../support/asking.ts";
import { calls, fails, says } from "../support/modelserver.ts";

const KEY = "canary-key-0123456789";

const place = usePlace();
const server = useServer();

const variables: readonly (readonly [name: string, value: string])[] = [
  ["ANTHROPIC_LOG", "debug"],
  ["ANTHROPIC_OPEN_TELEMETRY", "true"],
  ["DEBUG", "*"],
  ["CONSOLA_LEVEL", "999"],
  ["CONSOLA_LEVEL", "verbose"],
  ["CI", "1"],
  ["GITHUB_ACTIONS", "true"],
  ["FORCE_COLOR", "3"],
  ["CLICOLOR_FORCE", "1"],
  ["NODE_DEBUG", "*"],
  ["NODE_DEBUG", "http,https,net,tls,fetch,undici"],
  ["NODE_DEBUG_NATIVE", "*"],
  ["NODE_ENV", "development"],
  ["NODE_PENDING_DEPRECATION", "1"],
  ["NODE_TLS_REJECT_UNAUTHORIZED", "0"],
  ["BUN_CONFIG_VERBOSE_FETCH", "curl"],
  ["BUN_CONFIG_VERBOSE_FETCH", "true"],
  ["BUN_DEBUG_ALL", "1"],
  ["BUN_DEBUG_fetch", "1"],
  ["BUN_DEBUG_QUIET_LOGS", "0"],
  ["BUN_TRACE", "1"],
  ["BUN_CONFIG_HTTP_IDLE_TIMEOUT", "1"],
  ["BUN_OPTIONS", "--version"],
  ["SSLKEYLOGFILE", "/dev/stderr"],
  ["NO_COLOR", "1"],
  ["LOG_LEVEL", "trace"],
  ["VERBOSE", "1"],
];

describe("with a talkative variable", () => {
  test.each(variables)("%s=%s a run prints its answer and nothing else", async (name, value) => {
    server.start([calls("uname", ["-s"]), says("quiet")], [KEY]);
    const env = { ANTHROPIC_API_KEY: KEY, [name]: value };
    const run = await runAsh(place, ["--base-url", server.url, "go"], { env });
    expect(run).toMatchObject({ code: 0, stdout: "quiet\n", stderr: "" });
  });

  test("whichever it is, a failure is one object and one line, and no key is in them", async () => {
    server.start([fails(400, "invalid_request_error")], [KEY]);
    const env = { ...Object.fromEntries(variables), ANTHROPIC_API_KEY: KEY };
    const run = await runAsh(place, ["--json", "--base-url", server.url, "go"], { env });
    expect(run.json().error?.type).toBe("invalid_request");
    expect(run.stderr.split("\n")).toHaveLength(2);
    expect(run.stderr).not.toContain("\u001b");
    expect(run.stdout + run.stderr).not.toContain("canary");
  });

  test("whichever it is, a model that is out of date makes no noise of the SDK's", async () => {
    server.start([says("quiet")], [KEY]);
    const run = await runAsh(place, ["--base-url", server.url, "--model", "claude-opus-4-5", "go"], {
      env: { ANTHROPIC_API_KEY: KEY },
    });
    expect(run).toMatchObject({ code: 0, stdout: "quiet\n", stderr: "" });
  });
});

test("a server that says the key back has it taken out", async () => {
  server.start(
    [
      () =>
        Response.json(
          { error: { type: "invalid_request_error", message: `bad key ${KEY}` } },
          { status: 400 },
        ),
    ],
    [KEY],
  );
  const run = await runAsh(place, ["--json", "--base-url", server.url, "go"], {
    env: { ANTHROPIC_API_KEY: KEY },
  });
  expect(run.json().error?.message).toContain("bad key [redacted:");
  expect(run.stdout + run.stderr).not.toContain("canary");
});
