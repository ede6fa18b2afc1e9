// The list of sessions.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { usePlace } from "../support/asking.ts";
import { calls, says } from "../support/modelserver.ts";
import { archiveOf, end, line, start } from "../support/sessions.ts";
import { onTerminal } from "../support/terminal.ts";

// Each test starts ash several times, and the machine may be busy.
setDefaultTimeout(30_000);

const place = usePlace();
const archive = archiveOf(place);

describe("ash sessions list", () => {
  test("tells what was asked, when, how it ended and with which model, the newest first", async () => {
    const first = await archive.converse([calls("uname", ["-s"]), says("Linux")], ["which system?\nreally"]);
    const second = await archive.converse([says("")], ["say nothing"]);
    const report = await archive.listed("list");
    expect(report).toMatchObject({ action: "list", total: 2, folder: archive.folder });
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
    const text = await archive.sessions("list");
    expect(text).toMatchObject({ code: 0, stderr: "" });
    const lines = text.stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^\d{8}-\d{6}-[0-9a-f]{8} {2}now {2}incomplete \(8\) {2}1 turn {3}test-model$/);
    expect(lines[1]).toBe("  say nothing");
    expect(lines[2]).toMatch(/ {2}ok {14}2 turns {2}test-model$/);
  });

  test("goes by the last run of a session that was continued", async () => {
    await archive.converse([says("one")], ["first"]);
    await archive.converse([says("")], ["-c", "second"]);
    expect((await archive.listed("list")).sessions).toMatchObject([
      { prompt: "first", status: "incomplete", exit_code: 8 },
    ]);
  });

  test("shows as many as asked for and says when there are more", async () => {
    for (let i = 0; i < 25; i += 1) archive.save(i, [start(`prompt ${i}`), end()]);
    const text = await archive.sessions("list");
    expect(text.stdout.trimEnd().split("\n")).toHaveLength(40);
    expect(text.stderr).toBe("ash: the newest 20 of 25; all: --limit 25\n");
    expect((await archive.listed("list", "--limit", "3")).sessions.map(({ prompt }) => prompt)).toEqual([
      "prompt 0",
      "prompt 1",
      "prompt 2",
    ]);
    expect((await archive.listed("list", "--limit", "99")).sessions).toHaveLength(25);
  });

  test("is empty without sessions and makes nothing", async () => {
    expect((await archive.listed("list")).sessions).toEqual([]);
    expect(await archive.sessions("list")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "ash: there is no saved session\n",
    });
    expect(readdirSync(place.home)).toEqual([]);
  });

  test("takes torn, foreign and empty files as they are", async () => {
    const torn = archive.save(1, [start("torn"), end()]);
    appendFileSync(
      join(archive.folder, `${torn}.jsonl`),
      '{"ts":"2026-01-02T03:04:06.000Z","run":"r2","type":"run.st',
    );
    const cut = archive.save(2, [
      start("cut"),
      line("r1", { type: "message", message: { role: "user", content: [] } }),
    ]);
    const empty = archive.save(3, []);
    archive.save(4, [{ what: "is this?" }, [1, 2], "text"]);
    const wrong = archive.save(5, [
      line("r1", { type: "run.start", prompt: 5 }),
      line("r1", { type: "run.end", result: { status: "great" } }),
    ]);
    mkdirSync(join(archive.folder, "20260102-030405-000000aa.jsonl"));
    symlinkSync("/etc/passwd", join(archive.folder, "20260102-030405-000000bb.jsonl"));
    writeFileSync(join(archive.folder, "notes.txt"), "mine");
    Bun.spawnSync(["mkfifo", join(archive.folder, "20260102-030405-000000cc.jsonl")]);
    const report = await archive.listed("list", "--limit", "99");
    expect(report.total).toBe(5);
    const byId = new Map(report.sessions.map((session) => [session.id, session]));
    expect(byId.get(torn)).toMatchObject({ prompt: "torn", status: "ok" });
    expect(byId.get(cut)).toMatchObject({ prompt: "cut", status: null, running: false });
    expect(byId.get(empty)).toMatchObject({ prompt: null, started: null, status: null, bytes: 0 });
    expect(byId.get(wrong)).toMatchObject({ prompt: null, status: null });
    expect((await archive.sessions("list")).stdout).toContain("unfinished");
  });

  test("reads only the beginning and the end of a file, however long it is", async () => {
    for (let i = 0; i < 200; i += 1) {
      const path = join(archive.folder, `${archive.save(i, [start(`prompt ${i}`)])}.jsonl`);
      const file = openSync(path, "r+");
      ftruncateSync(file, 4 * 1024 ** 3);
      writeSync(file, `\n${JSON.stringify(end())}\n`, 4 * 1024 ** 3);
      closeSync(file);
    }
    const report = await archive.listed("list", "--limit", "200");
    expect(report.sessions).toHaveLength(200);
    expect(report.sessions.every(({ status, prompt }) => status === "ok" && prompt !== null)).toBe(true);
  }, 20_000);

  test("copes with a first and a last line of a megabyte", async () => {
    const long = "x".repeat(1_000_000);
    archive.save(1, [
      start(`${long}`),
      line("r1", {
        type: "run.end",
        result: { status: "ok", exit_code: 0, turns: 1, model: null, result: long },
      }),
    ]);
    const [session] = (await archive.listed("list")).sessions;
    expect(session).toMatchObject({ status: "ok", turns: 1 });
    expect(session?.prompt).toHaveLength(201);
  });

  test("copes with ten thousand sessions", async () => {
    for (let i = 0; i < 10_000; i += 1) archive.save(i, [start(`prompt ${i}`), end()]);
    expect((await archive.listed("list", "--limit", "1")).total).toBe(10_000);
    expect((await archive.listed("list", "--limit", "10000")).sessions.at(-1)?.prompt).toBe("prompt 9999");
    expect((await archive.sessions("rm", "--all", "--yes")).stdout).toBe("removed 10000 sessions\n");
    expect(readdirSync(archive.folder)).toEqual([]);
  }, 60_000);

  test("fits a narrow terminal, wide characters and all, and shows no escape sequence", async () => {
    archive.save(1, [start("日本語の質問です、とても長い質問です\u001b[31m\u202e red"), end()]);
    for (const columns of [30, 40, 80]) {
      const { code, screen } = await onTerminal(place, ["sessions", "list"], { columns });
      expect(code).toBe(0);
      expect(screen).not.toMatch(/[\u001b\u202e]/);
      for (const text of screen.trimEnd().split("\n"))
        expect(Bun.stringWidth(text)).toBeLessThanOrEqual(columns);
    }
    expect((await archive.sessions("list")).stdout).toContain("日本語の質問です、とても長い質問です red\n");
  });
});
