// Signals while a tool runs, while the model thinks, and at any other moment.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { AgentEvent } from "../../src/schema.ts";
import { finish, startAsh } from "../support/ash.ts";
import { KEY, usePlace, useServer } from "../support/asking.ts";
import { calls, type ScriptedReply, says, whole } from "../support/modelserver.ts";
import { processesOf } from "../support/processes.ts";
import { until } from "../support/until.ts";

const place = usePlace();
const server = useServer();

const table = [
  ["SIGINT", 130, "interrupted"],
  ["SIGTERM", 143, "terminated"],
  ["SIGHUP", 143, "terminated"],
] as const;

describe("a signal", () => {
  test.each(table)(
    "%s while a tool runs prints the object, kills the tool and exits with its code",
    async (name, code, type) => {
      server.start([calls("tail", ["-f", "/dev/null"]), says("never")]);
      const running = startAsh(place, ["--json", "--base-url", server.url, "go"], {
        env: { ...KEY, ASH_TOOL_ALLOWLIST: "tail: unrestricted" },
      });
      // The tool's own process is the sign that the call has begun.
      await until(() => processesOf(place.home).includes("tail -f /dev/null"));
      running.kill(name);
      const run = await finish(running);
      expect(run.code).toBe(code);
      expect(run.json()).toMatchObject({ status: "interrupted", exit_code: code, error: { type } });
      expect(run.json().tools[0]?.argv).toEqual(["tail", "-f", "/dev/null"]);
      expect(processesOf(place.home)).toEqual([]);
    },
  );

  test.each(table)("%s that the caller ignores stops nothing, as under nohup", async (name) => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Response>();
    server.start([
      () => {
        asked.resolve();
        return answer.promise;
      },
    ]);
    const running = startAsh(place, ["--json", "--base-url", server.url, "go"], {
      env: { ANTHROPIC_API_KEY: "test-key" },
      under: ["/bin/bash", "-c", `trap '' ${name}; exec "$@"`, "bash"],
    });
    await asked.promise;
    running.kill(name);
    answer.resolve(
      whole(says("done"))({ model: "", messages: [] }, new AbortController().signal) as Response,
    );
    const run = await finish(running);
    expect({ code: run.code, result: run.json().result }).toEqual({ code: 0, result: "done" });
  });

  test.each(table)("%s while the model thinks stops the request", async (name, code, type) => {
    const asked = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    server.start([
      (_, signal) => {
        signal.addEventListener("abort", () => stopped.resolve());
        asked.resolve();
        return new Promise(() => undefined);
      },
    ]);
    const running = startAsh(place, ["--json", "--base-url", server.url, "go"], {
      env: KEY,
    });
    await asked.promise;
    running.kill(name);
    const run = await finish(running);
    expect(run.code).toBe(code);
    expect(run.json()).toMatchObject({ status: "interrupted", error: { type }, turns: 1 });
    await stopped.promise;
  });

  test("a deadline ends a run that waits, and says which limit it was", async () => {
    server.start([() => new Promise(() => undefined)]);
    const args = ["--json", "--base-url", server.url, "--deadline", "300ms", "go"];
    const run = await finish(startAsh(place, args, { env: KEY }));
    expect(run.code).toBe(6);
    expect(run.json()).toMatchObject({ status: "limit", limit: "deadline", error: { type: "limit" } });
  });

  test("the turn limit asks once more without tools, keeps the text and says which limit it was", async () => {
    const looping = {
      ...calls("echo", ["hi"]),
      content: [{ type: "text", text: "Still looking." }, ...calls("echo", ["hi"]).content],
    } as const;
    server.start([looping]);
    const args = ["--json", "--base-url", server.url, "--max-turns", "2", "go"];
    const run = await finish(startAsh(place, args, { env: KEY }));
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

const SIGINT_BIT = 1n << 1n;

/** Resolves when a process has taken over its signals. */
const untilListening = (pid: number): Promise<void> =>
  until(() => {
    const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? "0";
    return (BigInt(`0x${caught}`) & SIGINT_BIT) !== 0n;
  });

const TURNS = 8;

/** A run of many turns with two calls each: some fast, some that last, and text between them. */
const busyReplies = (): readonly ScriptedReply[] => [
  ...Array.from(
    { length: TURNS },
    (_, i): ScriptedReply => ({
      content: [
        { type: "text", text: `Step ${i}. ` },
        ...calls("seq", ["1", "2000"], `toolu_${i}_a`).content,
        ...calls("tail", ["-f", "/dev/null"], `toolu_${i}_b`).content,
      ],
      stop_reason: "tool_use",
    }),
  ),
  says("never reached: the signal comes before"),
];

/** Reads events as they arrive and calls `act` when the one with the number has been printed; 0 means at once. */
async function readEvents(
  stream: ReadableStream<Uint8Array>,
  number: number,
  act: () => void,
): Promise<readonly (AgentEvent & { readonly seq: number })[]> {
  let text = "";
  let acted = false;
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (!acted && text.split("\n").length > number) {
      acted = true;
      act();
    }
  }
  expect(acted).toBe(true);
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("a signal at any moment of a run with tools", () => {
  const moments = Array.from({ length: 20 }, (_, i) => i * 2 + 1);
  const cases = moments.map((moment, i) => {
    const [name, code] = table[i % 2] ?? table[0];
    return [name, code, moment] as const;
  });

  test.each(cases)(
    "%s ends it with %d after event %d: run.end last, nothing left",
    async (name, code, moment) => {
      server.start(busyReplies());
      const running = startAsh(place, ["--jsonl", "--deltas", "--base-url", server.url, "go"], {
        env: { ...KEY, ASH_TOOL_TIMEOUT: "40ms", ASH_TOOL_ALLOWLIST: "seq, tail: unrestricted" },
      });
      const events = await readEvents(running.stdout, moment, () => running.kill(name));
      await running.exited;
      expect(running.exitCode).toBe(code);
      const last = events.at(-1);
      if (last?.type !== "run.end") throw new Error("run.end is not the last event");
      expect(last.result).toMatchObject({ status: "interrupted", exit_code: code });
      expect(events.filter(({ type }) => type === "run.end")).toHaveLength(1);
      expect(processesOf(place.home)).toEqual([]);
    },
  );

  test.each(table)("%s before anything is printed still gives the object", async (name, code) => {
    server.start([says("fine")]);
    const running = startAsh(place, ["--json", "--base-url", server.url, "go"], {
      env: KEY,
      openStdin: true,
    });
    // It waits for the end of stdin: nothing has been asked yet.
    await untilListening(running.pid);
    running.kill(name);
    const run = await finish(running);
    expect(run.code).toBe(code);
    expect(run.json()).toMatchObject({ status: "interrupted", exit_code: code, turns: 0 });
  });
});
