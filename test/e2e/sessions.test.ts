import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { SessionReport, SessionsReport } from "../../src/schema/reports.ts";
import { type Finished, finish, makePlace, type Place, runAsh, startAsh } from "../support/ash.ts";
import { calls, type ModelServer, says, startModelServer } from "../support/modelserver.ts";
import { schemaProblems } from "../support/schemas.ts";
import { inShell, onTerminal } from "../support/terminal.ts";

// Each test starts ash several times, and the machine may be busy.
setDefaultTimeout(30_000);

let place: Place;
let server: ModelServer | undefined;

beforeEach(() => {
  place = makePlace();
});

afterEach(async () => {
  await server?.stop();
  server = undefined;
  place.remove();
});

const KEY = { ANTHROPIC_API_KEY: "test-key" };
const folder = (): string => join(place.ashHome, "sessions");
const sessions = (...args: readonly string[]): Promise<Finished> => runAsh(place, ["sessions", ...args]);

async function listed(...args: readonly string[]): Promise<SessionsReport> {
  const run = await sessions(...args, "--json");
  expect(run).toMatchObject({ code: 0, stderr: "" });
  const report = run.json() as unknown as SessionsReport;
  expect(schemaProblems("sessions", report)).toEqual([]);
  return report;
}

async function shown(id: string): Promise<SessionReport> {
  const run = await sessions("show", id, "--json");
  expect(run).toMatchObject({ code: 0, stderr: "" });
  const report = run.json() as unknown as SessionReport;
  expect(schemaProblems("session", report)).toEqual([]);
  return report;
}

/** A session file as ash writes it, `daysOld` days old. */
function save(number: number, lines: readonly unknown[], daysOld = 0): string {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  const id = `20260102-030405-${number.toString(16).padStart(8, "0")}`;
  const path = join(folder(), `${id}.jsonl`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
  const time = Date.now() / 1000 - daysOld * 86_400 - number;
  utimesSync(path, time, time);
  return id;
}

const line = (run: string, entry: object): object => ({ ts: "2026-01-02T03:04:05.000Z", run, ...entry });
const start = (prompt: string, run = "r1"): object =>
  line(run, { type: "run.start", prompt, provider: "anthropic", model: "test-model", folder: "/work" });
const end = (run = "r1"): object =>
  line(run, { type: "run.end", result: { status: "ok", exit_code: 0, turns: 2, model: "test-model" } });

/** Asks a server that lets the model call tools. */
async function converse(
  answers: Parameters<typeof startModelServer>[0],
  words: readonly string[],
  stdin?: string,
): Promise<Finished> {
  server = startModelServer(answers);
  const run = await runAsh(place, ["--json", "--base-url", server.url, ...words], {
    env: KEY,
    ...(stdin === undefined ? {} : { stdin }),
  });
  await server.stop();
  return run;
}

describe("ash sessions list", () => {
  test("tells what was asked, when, how it ended and with which model, the newest first", async () => {
    const first = await converse([calls("uname", ["-s"]), says("Linux")], ["which system?\nreally"]);
    const second = await converse([says("")], ["say nothing"]);
    const report = await listed("list");
    expect(report).toMatchObject({ action: "list", total: 2, folder: folder() });
    expect(report.sessions).toMatchObject([
      { id: second.json().session_id, prompt: "say nothing", status: "incomplete", exit_code: 8, turns: 1 },
      {
        id: first.json().session_id,
        prompt: "which system?",
        status: "ok",
        exit_code: 0,
        turns: 2,
        model: "test-model",
        folder: place.folder,
        running: false,
      },
    ]);
    const text = await sessions("list");
    expect(text).toMatchObject({ code: 0, stderr: "" });
    const lines = text.stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^\d{8}-\d{6}-[0-9a-f]{8} {2}now {2}incomplete \(8\) {2}1 turn {3}test-model$/);
    expect(lines[1]).toBe("  say nothing");
    expect(lines[2]).toMatch(/ {2}ok {14}2 turns {2}test-model$/);
  });

  test("goes by the last run of a session that was continued", async () => {
    await converse([says("one")], ["first"]);
    await converse([says("")], ["-c", "second"]);
    expect((await listed("list")).sessions).toMatchObject([
      { prompt: "first", status: "incomplete", exit_code: 8 },
    ]);
  });

  test("shows as many as asked for and says when there are more", async () => {
    for (let i = 0; i < 25; i += 1) save(i, [start(`prompt ${i}`), end()]);
    const text = await sessions("list");
    expect(text.stdout.trimEnd().split("\n")).toHaveLength(40);
    expect(text.stderr).toBe("ash: the newest 20 of 25; all: --limit 25\n");
    expect((await listed("list", "--limit", "3")).sessions.map(({ prompt }) => prompt)).toEqual([
      "prompt 0",
      "prompt 1",
      "prompt 2",
    ]);
    expect((await listed("list", "--limit", "99")).sessions).toHaveLength(25);
  });

  test("is empty without sessions and makes nothing", async () => {
    expect((await listed("list")).sessions).toEqual([]);
    expect(await sessions("list")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "ash: there is no saved session\n",
    });
    expect(readdirSync(place.home)).toEqual([]);
  });

  test("takes torn, foreign and empty files as they are", async () => {
    const torn = save(1, [start("torn"), end()]);
    appendFileSync(
      join(folder(), `${torn}.jsonl`),
      '{"ts":"2026-01-02T03:04:06.000Z","run":"r2","type":"run.st',
    );
    const cut = save(2, [
      start("cut"),
      line("r1", { type: "message", message: { role: "user", content: [] } }),
    ]);
    const empty = save(3, []);
    save(4, [{ what: "is this?" }, [1, 2], "text"]);
    const wrong = save(5, [
      line("r1", { type: "run.start", prompt: 5 }),
      line("r1", { type: "run.end", result: { status: "great" } }),
    ]);
    mkdirSync(join(folder(), "20260102-030405-000000aa.jsonl"));
    symlinkSync("/etc/passwd", join(folder(), "20260102-030405-000000bb.jsonl"));
    writeFileSync(join(folder(), "notes.txt"), "mine");
    Bun.spawnSync(["mkfifo", join(folder(), "20260102-030405-000000cc.jsonl")]);
    const report = await listed("list", "--limit", "99");
    expect(report.total).toBe(5);
    const byId = new Map(report.sessions.map((session) => [session.id, session]));
    expect(byId.get(torn)).toMatchObject({ prompt: "torn", status: "ok" });
    expect(byId.get(cut)).toMatchObject({ prompt: "cut", status: null, running: false });
    expect(byId.get(empty)).toMatchObject({ prompt: null, started: null, status: null, bytes: 0 });
    expect(byId.get(wrong)).toMatchObject({ prompt: null, status: null });
    expect((await sessions("list")).stdout).toContain("unfinished");
  });

  test("reads only the beginning and the end of a file, however long it is", async () => {
    for (let i = 0; i < 200; i += 1) {
      const path = join(folder(), `${save(i, [start(`prompt ${i}`)])}.jsonl`);
      const file = openSync(path, "r+");
      ftruncateSync(file, 4 * 1024 ** 3);
      writeSync(file, `\n${JSON.stringify(end())}\n`, 4 * 1024 ** 3);
      closeSync(file);
    }
    const report = await listed("list", "--limit", "200");
    expect(report.sessions).toHaveLength(200);
    expect(report.sessions.every(({ status, prompt }) => status === "ok" && prompt !== null)).toBe(true);
  }, 20_000);

  test("copes with a first and a last line of a megabyte", async () => {
    const long = "x".repeat(1_000_000);
    save(1, [
      start(`${long}`),
      line("r1", {
        type: "run.end",
        result: { status: "ok", exit_code: 0, turns: 1, model: null, result: long },
      }),
    ]);
    const [session] = (await listed("list")).sessions;
    expect(session).toMatchObject({ status: "ok", turns: 1 });
    expect(session?.prompt).toHaveLength(201);
  });

  test("copes with ten thousand sessions", async () => {
    for (let i = 0; i < 10_000; i += 1) save(i, [start(`prompt ${i}`), end()]);
    expect((await listed("list", "--limit", "1")).total).toBe(10_000);
    expect((await listed("list", "--limit", "10000")).sessions.at(-1)?.prompt).toBe("prompt 9999");
    expect((await sessions("rm", "--all", "--yes")).stdout).toBe("removed 10000 sessions\n");
    expect(readdirSync(folder())).toEqual([]);
  }, 60_000);

  test("fits a narrow terminal, wide characters and all, and shows no escape sequence", async () => {
    save(1, [start("日本語の質問です、とても長い質問です\u001b[31m\u202e red"), end()]);
    for (const columns of [30, 40, 80]) {
      const { code, screen } = await onTerminal(place, ["sessions", "list"], { columns });
      expect(code).toBe(0);
      expect(screen).not.toMatch(/[\u001b\u202e]/);
      for (const text of screen.trimEnd().split("\n"))
        expect(Bun.stringWidth(text)).toBeLessThanOrEqual(columns);
    }
    expect((await sessions("list")).stdout).toContain("日本語の質問です、とても長い質問です red\n");
  });
});

describe("ash sessions show", () => {
  test("shows what was said and called, with argv, exit codes and refusals", async () => {
    const stages = [
      { command: "printf", args: ["b\\na b\\n"] },
      { command: "sort", args: [] },
    ];
    const pipeline = { type: "tool_use", id: "p1", name: "run_unix_pipeline", input: { stages } } as const;
    const content = [
      { type: "text", text: "Let me look." },
      ...calls("ls", ["/no/such place"]).content,
      ...calls("rm", ["-rf", "x"], "toolu_2").content,
      pipeline,
    ] as const;
    const run = await converse(
      [{ content, stop_reason: "tool_use" }, says("It is \u001b[31mgone.")],
      ["where is it?"],
      "some data\n",
    );
    const id = run.json().session_id ?? "";
    const text = (await sessions("show", id)).stdout;
    expect(text).toContain(`session ${id}\n${join(folder(), `${id}.jsonl`)}\n`);
    expect(text).toContain(
      `· test-model (anthropic) · ${place.folder}\n`.replace("test-model", "claude-sonnet-5-5"),
    );
    expect(text).toMatch(/\n> where is it\?\n> \[\d+ bytes piped in\]\n\nLet me look\.\n/);
    expect(text).toMatch(/\n {2}✗ ls '\/no\/such place'\n {6}exit 2, [\d.]+ m?s, 0 bytes\n/);
    expect(text).toMatch(/\n {2}✗ rm -rf x\n {6}denied: rm is not on the allowlist/);
    expect(text).toMatch(/\n {2}✓ printf 'b\\na b\\n' \| sort\n {6}exit 0 \| 0, [\d.]+ m?s, 6 bytes\n/);
    expect(text).toContain("\nIt is gone.\n");
    expect(text).toMatch(/── ok, 2 turns, [\d.]+ m?s\n$/);
  });

  test("holds in JSON what the model was given as results", async () => {
    const run = await converse([calls("echo", ["hello there"]), says("done")], ["go"]);
    const id = run.json().session_id ?? "";
    const report = await shown("last");
    expect(report).toMatchObject({ id, running: false, lost_lines: 0 });
    const [only] = report.runs;
    expect(only).toMatchObject({
      prompt: "go",
      provider: "anthropic",
      folder: place.folder,
      result: { status: "ok", result: "done" },
    });
    expect(only?.entries.map((entry) => entry.type)).toEqual(["text", "call", "text"]);
    expect(only?.entries[1]).toMatchObject({
      call: { argv: ["echo", "hello there"], exit_code: 0 },
      reason: null,
      output: expect.stringContaining("hello there\\n"),
    });
  });

  test("keeps runs apart that wrote at the same time", async () => {
    const said = (run: string, text: string): object =>
      line(run, {
        type: "message",
        message: { role: "assistant", model: "m", content: [{ type: "text", text }] },
      });
    const id = save(1, [
      start("one", "r1"),
      start("two", "r2"),
      said("r2", "second"),
      said("r1", "first"),
      end("r2"),
      end("r1"),
    ]);
    const report = await shown(id);
    expect(report.runs.map(({ prompt, entries }) => [prompt, entries])).toEqual([
      ["one", [{ type: "text", role: "assistant", text: "first" }]],
      ["two", [{ type: "text", role: "assistant", text: "second" }]],
    ]);
  });

  test("says how many lines are lost, and shows the rest", async () => {
    const id = save(1, [start("before the crash")]);
    appendFileSync(join(folder(), `${id}.jsonl`), '{"ts":"2026-01-02T03:04:06.000Z","run":"r1","ty\n{}\n');
    expect(await shown(id)).toMatchObject({
      lost_lines: 2,
      runs: [{ prompt: "before the crash", result: null }],
    });
    const text = (await sessions("show", id)).stdout;
    expect(text).toContain("(2 lines cannot be read)");
    expect(text).toContain("── (not finished)\n");
  });

  test("takes the end of a run as an older ash wrote it", async () => {
    const result = {
      schema: "ash.result/1",
      status: "limit",
      exit_code: 6,
      turns: 3,
      model: "m",
      old_key: 1,
    };
    save(1, [start("how long?"), line("r1", { type: "run.end", result })]);
    expect((await shown("last")).runs[0]?.result).toMatchObject({
      status: "limit",
      exit_code: 6,
      turns: 3,
      cost_usd: null,
    });
    expect((await sessions("show", "last")).stdout).toMatch(
      /\n> how long\?\n\n── limit, exit 6, 3 turns, 0 ms\n$/,
    );
  });

  test("shows no key, whoever wrote it into the file", async () => {
    save(1, [start("my key is canary-0123456789, remember it"), end()]);
    const env = { ANTHROPIC_API_KEY: "canary-0123456789" };
    for (const args of [["list"], ["list", "--json"], ["show", "last"], ["show", "last", "--json"]]) {
      const run = await runAsh(place, ["sessions", ...args], { env });
      expect(run.stdout).toContain("my key is");
      expect(run.stdout).not.toContain("canary");
    }
  });

  const refused = [
    [["show"], "takes one id"],
    [["show", "a", "b"], "takes one id"],
    [["show", "last"], "there is no saved session"],
    [["show", "20260102-030405-00000000"], "unknown session 20260102-030405-00000000"],
    [["show", "../../etc/passwd"], "unknown session ../../etc/passwd"],
    [["show", "x", "--all"], "ash sessions show has no flag --all"],
    [["list", "x"], "takes no operand"],
    [["list", "--limit", "none"], "--limit: 'none' is not a whole number"],
    [["list", "--limit", "0"], "--limit: '0' must be at least 1"],
    [["rm"], "needs to know which"],
    [["rm", "x", "--all"], "not two of them"],
    [["rm", "--older-than", "soon"], "--older-than: 'soon' is not an age"],
    [["rm", "--older-than", "30"], "--older-than: '30' is not an age"],
    [["rm", "unknown"], "unknown session unknown"],
    [["path", "nope"], "unknown session nope"],
    [["lst"], "there is no ash sessions lst"],
    [["constructor"], "there is no ash sessions constructor"],
    [[], "needs a subcommand"],
  ] as const;

  test.each(refused)("and the others refuse %j by name", async (args, message) => {
    const run = await sessions(...args, "--json");
    expect(run.code).toBe(2);
    expect(run.json()).toMatchObject({ schema: "ash.result/1", exit_code: 2 });
    expect(run.json().error?.message).toContain(message);
    expect(run.stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("ash sessions rm", () => {
  const left = (): readonly string[] => readdirSync(folder()).map((name) => name.slice(0, -".jsonl".length));

  test("removes exactly the sessions it is given, each once", async () => {
    const [a, b, c] = [save(1, []), save(2, []), save(3, [])];
    expect((await listed("rm", a, b, a)).sessions.map(({ id }) => id)).toEqual([a, b]);
    expect(left()).toEqual([c]);
    expect(await sessions("rm", "last")).toMatchObject({
      code: 0,
      stdout: "removed 1 session\n",
      stderr: "",
    });
    expect(left()).toEqual([]);
  });

  test("removes none when one of them is unknown", async () => {
    const id = save(1, []);
    expect((await sessions("rm", id, "nope")).code).toBe(2);
    expect(left()).toEqual([id]);
  });

  test("removes those that were not written for so long", async () => {
    const [young, old] = [save(1, [], 29), save(2, [], 31)];
    expect((await listed("rm", "--older-than", "30d")).sessions.map(({ id }) => id)).toEqual([old]);
    expect(left()).toEqual([young]);
    expect((await sessions("rm", "--older-than", "30d")).stdout).toBe("removed 0 sessions\n");
  });

  test("wants --yes for --all where nobody can be asked", async () => {
    const id = save(1, []);
    const run = await sessions("rm", "--all");
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("give --yes");
    expect(left()).toEqual([id]);
    expect(await inShell(place, '"$ASH" sessions rm --all -y <&-')).toMatchObject({
      code: 0,
      stdout: "removed 1 session\n",
    });
    expect(left()).toEqual([]);
  });

  const answers = [
    ["y\n", 0, "removed 1 session", 0],
    ["n\n", 0, "nothing was removed", 1],
    ["\n", 0, "nothing was removed", 1],
    ["\u0004", 0, "nothing was removed", 1],
    ["\u0003", 130, "interrupted", 1],
  ] as const;

  test.each(answers)("asks on a terminal; %j", async (keys, code, said, kept) => {
    const id = save(1, []);
    const seen = await onTerminal(place, ["sessions", "rm", id], { typed: [["[y/N]", keys]] });
    expect(seen.screen).toContain(`remove session ${id}? [y/N]`);
    expect(seen.screen).toContain(said);
    expect(seen.code).toBe(code);
    expect(left()).toHaveLength(kept);
  });

  test("asks nothing with --yes", async () => {
    save(1, []);
    expect(await onTerminal(place, ["sessions", "rm", "--all", "--yes"])).toEqual({
      code: 0,
      screen: "removed 1 session\n",
    });
  });
});

describe("ash sessions path", () => {
  test("prints where they are", async () => {
    const id = save(1, [start("x"), end()]);
    expect(await sessions("path")).toMatchObject({ code: 0, stdout: `${folder()}\n`, stderr: "" });
    expect((await sessions("path", "last")).stdout).toBe(`${join(folder(), `${id}.jsonl`)}\n`);
    expect((await listed("path", id)).sessions).toMatchObject([{ id, path: join(folder(), `${id}.jsonl`) }]);
    expect((await listed("path")).sessions).toEqual([]);
  });
});

describe("a session that is being written", () => {
  test("shows as running, is kept by rm, and as unfinished once its run was killed", async () => {
    const asked = Promise.withResolvers<void>();
    server = startModelServer([
      () => {
        asked.resolve();
        return new Promise(() => undefined);
      },
    ]);
    const run = startAsh(place, ["--base-url", server.url, "think long"], { env: KEY });
    await asked.promise;
    const report = await listed("list");
    expect(report.sessions).toMatchObject([{ prompt: "think long", running: true, status: null }]);
    const id = report.sessions[0]?.id ?? "";
    expect((await sessions("list")).stdout).toContain("running");
    expect(await shown(id)).toMatchObject({ running: true, runs: [{ prompt: "think long", result: null }] });
    for (const args of [[id], ["--all", "--yes"]])
      expect(await sessions("rm", ...args)).toMatchObject({
        code: 0,
        stdout: "removed 0 sessions\n",
        stderr: `ash: ${id} is kept: a run is writing it\n`,
      });
    run.kill("SIGKILL");
    await finish(run);
    expect((await listed("list")).sessions).toMatchObject([{ id, running: false, status: null }]);
    expect((await sessions("rm", id)).stdout).toBe("removed 1 session\n");
  });

  test("is free again when the run has ended, and its mark is no leak into tools", async () => {
    const run = await converse([calls("ls", ["-l", "/proc/self/fd"]), says("done")], ["go"]);
    expect(run.json()).toMatchObject({ status: "ok" });
    expect((await listed("list")).sessions).toMatchObject([{ running: false, status: "ok" }]);
    const saved = readFileSync(join(folder(), `${run.json().session_id}.jsonl`), "utf8");
    expect(saved).toContain("/dev/null");
    expect(saved).not.toContain(`-> ${folder()}`);
  });
});
