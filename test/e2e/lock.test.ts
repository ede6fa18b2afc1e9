// Runs that name a lock.
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASH, environmentOf, finish, runAsh, startAsh } from "../support/ash.ts";
import { KEY, usePlace, useServer } from "../support/asking.ts";
import { calls, says } from "../support/modelserver.ts";

const place = usePlace();
const server = useServer();

const start = (args: readonly string[], env = {}) =>
  startAsh(place, ["--base-url", server.url, ...args], { env: { ...KEY, ...env } });
const run = (args: readonly string[]) => finish(start(args));

/** A server whose first reply waits for `open`, and the moment it was asked. */
function slowServer() {
  const asked = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  server.start([
    async () => {
      asked.resolve();
      await open.promise;
      return Response.json({
        ...{ id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn" },
        content: [{ type: "text", text: "done" }],
        usage: { input_tokens: 1, output_tokens: 1 },
      });
    },
    says("second"),
  ]);
  return { asked: asked.promise, open: open.resolve };
}

describe("--lock", () => {
  test("held by one run ends a second one at once, in every output mode, without a request", async () => {
    const { asked, open } = slowServer();
    const first = start(["--lock", "report", "go"]);
    await asked;
    const text = await run(["--lock", "report", "go"]);
    expect(text).toMatchObject({ code: 5, stdout: "" });
    expect(text.stderr).toMatch(/^ash: another run holds the lock report \(.+\)\n$/);
    const json = await run(["--json", "--lock", "report", "go"]);
    expect(json.code).toBe(5);
    expect(json.json()).toMatchObject({
      status: "locked",
      exit_code: 5,
      turns: 0,
      session_id: null,
      error: { type: "locked", retryable: true },
    });
    const jsonl = await run(["--jsonl", "--lock", "report", "go"]);
    expect(jsonl.code).toBe(5);
    const events = jsonl.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; result?: object });
    expect(events.map(({ type }) => type)).toEqual(["run.start", "run.end"]);
    expect(events[1]?.result).toMatchObject({ status: "locked", exit_code: 5 });
    expect(server.requests).toHaveLength(1);
    open();
    expect(await finish(first)).toMatchObject({ code: 0, stdout: "done\n" });
  });

  test("is looked at before stdin is", async () => {
    const { asked, open } = slowServer();
    const first = start(["--lock", "report", "go"]);
    await asked;
    const second = Bun.spawn([ASH, "--lock", "report", "summarise"], {
      env: environmentOf(place, KEY),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    await second.exited;
    expect(second.exitCode).toBe(5);
    open();
    await finish(first);
  });

  test("under another name holds nobody up, and under the same one nobody afterwards", async () => {
    const { asked, open } = slowServer();
    const first = start(["--lock", "report", "go"]);
    await asked;
    expect(await run(["--lock", "other", "go"])).toMatchObject({ code: 0, stdout: "second\n" });
    open();
    await finish(first);
    expect(await run(["--lock", "report", "go"])).toMatchObject({ code: 0, stdout: "second\n" });
  });

  test("is free as soon as its holder is killed, whatever tool was running", async () => {
    const asked = Promise.withResolvers<void>();
    server.start([calls("tail", ["-f", "/dev/null"]), says("mine")]);
    const first = start(["--lock", "report", "--jsonl", "go"], { ASH_TOOL_ALLOWLIST: "tail: unrestricted" });
    const reader = first.stdout.getReader();
    void (async () => {
      const decoder = new TextDecoder();
      let seen = "";
      for (let got = await reader.read(); !got.done; got = await reader.read()) {
        seen += decoder.decode(got.value, { stream: true });
        if (seen.includes('"tool.start"')) asked.resolve();
      }
    })();
    await asked.promise;
    first.kill("SIGKILL");
    await first.exited;
    expect(await run(["--lock", "report", "go"])).toMatchObject({ code: 0, stdout: "mine\n" });
  });

  test.each(["a/b", "..", ".hidden", "a b", "é", "x".repeat(65), "a\nb"])(
    "refuses the name %j",
    async (name) => {
      server.start([says("no")]);
      const refused = await run(["--json", `--lock=${name}`, "go"]);
      expect(refused.code).toBe(2);
      expect(refused.json()).toMatchObject({ status: "error", error: { type: "usage" } });
      expect(server.requests).toHaveLength(0);
    },
  );

  test("in a home that cannot be written is an error, not a run without a lock", async () => {
    server.start([says("no")]);
    writeFileSync(join(place.home, "file"), "");
    const env = { ...KEY, ASH_HOME: join(place.home, "file", "ash") };
    const refused = await runAsh(place, ["--json", "--base-url", server.url, "--lock", "report", "go"], {
      env,
    });
    expect(refused.code).toBe(3);
    expect(refused.json().error).toMatchObject({ type: "config" });
    expect(server.requests).toHaveLength(0);
  });
});
