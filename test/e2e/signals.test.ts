import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { finish, makePlace, type Place, startAsh } from "../support/ash.ts";
import { calls, type ModelServer, says, startModelServer } from "../support/modelserver.ts";

let place: Place;
let server: ModelServer;

beforeEach(() => {
  place = makePlace();
});

afterEach(async () => {
  expect(server.problems).toEqual([]);
  await server.stop();
  place.remove();
});

/** What the processes run whose environment names the place's home: ash and its tools. */
function left(home: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid) || !readFileSync(`/proc/${pid}/environ`, "latin1").includes(`HOME=${home}\0`))
        return [];
      return [readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ").trim()];
    } catch {
      return [];
    }
  });
}

const table = [
  ["SIGINT", 130, "interrupted"],
  ["SIGTERM", 143, "terminated"],
  ["SIGHUP", 143, "terminated"],
] as const;

describe("a signal", () => {
  test.each(table)(
    "%s while a tool runs prints the object, kills the tool and exits with its code",
    async (name, code, type) => {
      const asked = Promise.withResolvers<void>();
      server = startModelServer([calls("tail", ["-f", "/dev/null"]), says("never")]);
      const running = startAsh(place, ["--json", "--base-url", server.url, "--allow-run", "tail", "go"], {
        env: { ANTHROPIC_API_KEY: "test-key" },
      });
      // The tool's own process is the sign that the call has begun.
      const look = setInterval(() => left(place.home).includes("tail -f /dev/null") && asked.resolve(), 5);
      await asked.promise;
      clearInterval(look);
      running.kill(name);
      const run = await finish(running);
      expect(run.code).toBe(code);
      expect(run.json()).toMatchObject({ status: "interrupted", exit_code: code, error: { type } });
      expect(run.json().tools[0]?.argv).toEqual(["tail", "-f", "/dev/null"]);
      expect(left(place.home)).toEqual([]);
    },
  );

  test.each(table)("%s while the model thinks stops the request", async (name, code, type) => {
    const asked = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    server = startModelServer([
      (_, signal) => {
        signal.addEventListener("abort", () => stopped.resolve());
        asked.resolve();
        return new Promise(() => undefined);
      },
    ]);
    const running = startAsh(place, ["--json", "--base-url", server.url, "go"], {
      env: { ANTHROPIC_API_KEY: "test-key" },
    });
    await asked.promise;
    running.kill(name);
    const run = await finish(running);
    expect(run.code).toBe(code);
    expect(run.json()).toMatchObject({ status: "interrupted", error: { type }, turns: 1 });
    await stopped.promise;
  });

  test("a deadline ends a run that waits, and says which limit it was", async () => {
    server = startModelServer([() => new Promise(() => undefined)]);
    const args = ["--json", "--base-url", server.url, "--deadline", "300ms", "go"];
    const run = await finish(startAsh(place, args, { env: { ANTHROPIC_API_KEY: "test-key" } }));
    expect(run.code).toBe(6);
    expect(run.json()).toMatchObject({ status: "limit", limit: "deadline", error: { type: "limit" } });
  });

  test("the turn limit asks once more without tools, keeps the text and says which limit it was", async () => {
    const looping = {
      ...calls("echo", ["hi"]),
      content: [{ type: "text", text: "Still looking." }, ...calls("echo", ["hi"]).content],
    } as const;
    server = startModelServer([looping]);
    const args = ["--json", "--base-url", server.url, "--max-turns", "2", "go"];
    const run = await finish(startAsh(place, args, { env: { ANTHROPIC_API_KEY: "test-key" } }));
    expect(run.code).toBe(6);
    expect(run.json()).toMatchObject({ status: "limit", limit: "turns", turns: 3, result: "Still looking." });
    expect(run.json().tools).toHaveLength(1);
    expect(server.requests.map((request) => request.tool_choice)).toEqual([
      undefined,
      undefined,
      { type: "none" },
    ]);
  });
});
