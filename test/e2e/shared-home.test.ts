// Many processes on one home.
import { beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { takeLock } from "../../src/host/lock.ts";
import type { Result } from "../../src/schema.ts";
import { runAsh } from "../support/ash.ts";
import { KEY, useAsking } from "../support/asking.ts";
import { promptIn, says, startModelServer, streamed } from "../support/modelserver.ts";

const PROCESSES = 8;
const RUNS = 50;

const { place, server, ask } = useAsking();

beforeEach(() => {
  server.start([(request, signal) => streamed(says(`you asked: ${promptIn(request)}`))(request, signal)]);
});

/** One of the processes that run ash again and again. */
async function runsOf(process: number): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const prompt = `${process}.${run} ${"long ".repeat(200)}`;
    const finished = await ask(["--json", prompt]);
    expect(finished).toMatchObject({ code: 0, stderr: "" });
    expect(finished.json()).toMatchObject({ result: `you asked: ${prompt}`, warnings: [] });
    results.push(finished.json());
  }
  return results;
}

type Entry = {
  readonly type: string;
  readonly prompt?: string;
  readonly result?: { readonly exit_code: number };
};

describe("many processes on one home that is not there yet", () => {
  test("lose no session, tear no line and leave no lock and no half-written file", async () => {
    const results = (await Promise.all(Array.from({ length: PROCESSES }, (_, i) => runsOf(i)))).flat();
    const ids = results.map(({ session_id }) => session_id);
    expect(new Set(ids).size).toBe(PROCESSES * RUNS);
    const sessions = join(place.ashHome, "sessions");
    expect(readdirSync(sessions).sort()).toEqual(ids.map((id) => `${id}.jsonl`).sort());
    for (const { session_id, result } of results) {
      const text = readFileSync(join(sessions, `${session_id}.jsonl`), "utf8");
      expect(text).toEndWith("\n");
      const entries = text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Entry);
      expect(entries.map(({ type }) => type)).toEqual(["run.start", "message", "message", "run.end"]);
      expect(`you asked: ${entries[0]?.prompt}`).toBe(String(result));
      expect(entries[3]?.result?.exit_code).toBe(0);
    }
    expect(readdirSync(place.ashHome).sort()).toEqual([
      ...[".ash_system", ".ash_tools", "config.toml", "ledger", "manifest.json", "sessions", "tools"],
    ]);
  }, 120_000);

  test("append to one session without tearing each other's lines", async () => {
    const first = (await ask(["--json", "begin"])).json();
    const id = first.session_id ?? "";
    const one = (process: number) => ask(["--json", "--session", id, `${process} ${"x".repeat(20_000)}`]);
    const runs = await Promise.all(Array.from({ length: PROCESSES }, (_, i) => one(i)));
    for (const run of runs) expect(run.json()).toMatchObject({ status: "ok", session_id: id });
    const lines = readFileSync(join(place.ashHome, "sessions", `${id}.jsonl`), "utf8")
      .trimEnd()
      .split("\n");
    const entries = lines.map((line) => JSON.parse(line) as Entry);
    expect(entries.filter(({ type }) => type === "run.end")).toHaveLength(PROCESSES + 1);
  }, 60_000);

  test("that name one lock run one at a time, and the lock is free afterwards", async () => {
    let asking = 0;
    let most = 0;
    const locked = startModelServer([
      async (request, signal) => {
        asking += 1;
        most = Math.max(most, asking);
        await runAsh(place, ["--version"]);
        asking -= 1;
        return streamed(says("mine"))(request, signal);
      },
    ]);
    const one = () =>
      runAsh(place, ["--json", "--base-url", locked.url, "--lock", "shared", "go"], {
        env: KEY,
      });
    const runs = await Promise.all(Array.from({ length: PROCESSES }, one));
    await locked.stop();
    const statuses = runs.map((run) => run.json().status);
    expect(statuses.filter((status) => status === "ok").length).toBeGreaterThan(0);
    expect(statuses.every((status) => status === "ok" || status === "locked")).toBe(true);
    expect(most).toBe(1);
    const lock = takeLock(join(place.ashHome, "locks", "shared"));
    expect(lock).not.toBeNull();
    lock?.release();
  }, 30_000);
});
