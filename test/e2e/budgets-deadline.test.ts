// The deadline of a run.
import { describe, expect, test } from "bun:test";
import { ASH, environmentOf } from "../support/ash.ts";
import { KEY, resultOf, useAsking } from "../support/asking.ts";
import { type Answer, calls, says, streamed } from "../support/modelserver.ts";

const { place, server, ask } = useAsking();
const MODES = ["--json", "--jsonl"] as const;

describe("a deadline", () => {
  test("stops a tool in time for an answer without tools", async () => {
    server.start([calls("tail", ["-f", "/dev/null"]), says("It took too long.")]);
    const run = await ask(["--json", "--deadline", "3s", "go"], {
      ...KEY,
      ASH_TOOL_ALLOWLIST: "tail: unrestricted",
    });
    const result = run.json();
    expect(result).toMatchObject({ exit_code: 6, limit: "deadline", result: "It took too long." });
    expect(result.tools[0]).toMatchObject({ timed_out: true });
    expect(server.requests.map((request) => request.tool_choice)).toEqual([undefined, { type: "none" }]);
  });

  test.each(MODES)("keeps the text of a reply that never ended, in %s", async (mode) => {
    const half: Answer = async (body, signal) => {
      const text = await (await streamed(says("The first half"))(body, signal)).text();
      const start = text.slice(0, text.indexOf("event: content_block_stop"));
      const stream = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
      });
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    };
    server.start([half]);
    const run = await ask([mode, "--deadline", "1500ms", "go"]);
    expect(run.code).toBe(6);
    expect(resultOf(run.stdout)).toMatchObject({ limit: "deadline", result: "The first half" });
  });

  test("counts the time it takes to read stdin", async () => {
    server.start([says("never")]);
    const silent = Bun.spawn([ASH, "--base-url", server.url, "--json", "--deadline", "300ms", "go"], {
      cwd: place.folder,
      env: environmentOf(place, KEY),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await silent.exited).toBe(6);
    expect(JSON.parse(await silent.stdout.text())).toMatchObject({ limit: "deadline", turns: 0 });
    expect(server.requests).toHaveLength(0);
  });

  test("is not waited past for a server that asks for time", async () => {
    server.start([
      () =>
        Response.json(
          { type: "error", error: { type: "overloaded_error", message: "busy" } },
          { status: 529, headers: { "retry-after": "30" } },
        ),
    ]);
    const run = await ask(["--json", "--deadline", "5s", "go"]);
    expect(run.json()).toMatchObject({ exit_code: 5, error: { type: "overloaded", retry_after_s: 30 } });
    expect(server.requests).toHaveLength(1);
  });
});
