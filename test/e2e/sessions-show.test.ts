// One session, shown.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { runAsh } from "../support/ash.ts";
import { usePlace } from "../support/asking.ts";
import { calls, says } from "../support/modelserver.ts";
import { archiveOf, end, line, start } from "../support/sessions.ts";

// Each test starts ash several times, and the machine may be busy.
setDefaultTimeout(30_000);

const place = usePlace();
const archive = archiveOf(place);

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
    const run = await archive.converse(
      [{ content, stop_reason: "tool_use" }, says("It is \u001b[31mgone.")],
      ["where is it?"],
      "some data\n",
    );
    const id = run.json().session_id ?? "";
    const text = (await archive.sessions("show", id)).stdout;
    expect(text).toContain(`session ${id}\n${join(archive.folder, `${id}.jsonl`)}\n`);
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
    const run = await archive.converse([calls("echo", ["hello there"]), says("done")], ["go"]);
    const id = run.json().session_id ?? "";
    const report = await archive.shown("last");
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
    const id = archive.save(1, [
      start("one", "r1"),
      start("two", "r2"),
      said("r2", "second"),
      said("r1", "first"),
      end("r2"),
      end("r1"),
    ]);
    const report = await archive.shown(id);
    expect(report.runs.map(({ prompt, entries }) => [prompt, entries])).toEqual([
      ["one", [{ type: "text", role: "assistant", text: "first" }]],
      ["two", [{ type: "text", role: "assistant", text: "second" }]],
    ]);
  });

  test("says how many lines are lost, and shows the rest", async () => {
    const id = archive.save(1, [start("before the crash")]);
    appendFileSync(
      join(archive.folder, `${id}.jsonl`),
      '{"ts":"2026-01-02T03:04:06.000Z","run":"r1","ty\n{}\n',
    );
    expect(await archive.shown(id)).toMatchObject({
      lost_lines: 2,
      runs: [{ prompt: "before the crash", result: null }],
    });
    const text = (await archive.sessions("show", id)).stdout;
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
    archive.save(1, [start("how long?"), line("r1", { type: "run.end", result })]);
    expect((await archive.shown("last")).runs[0]?.result).toMatchObject({
      status: "limit",
      exit_code: 6,
      turns: 3,
      cost_usd: null,
    });
    expect((await archive.sessions("show", "last")).stdout).toMatch(
      /\n> how long\?\n\n── limit, exit 6, 3 turns, 0 ms\n$/,
    );
  });

  test("shows no key, whoever wrote it into the file", async () => {
    archive.save(1, [start("my key is canary-0123456789, remember it"), end()]);
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
    const run = await archive.sessions(...args, "--json");
    expect(run.code).toBe(2);
    expect(run.json()).toMatchObject({ schema: "ash.result/1", exit_code: 2 });
    expect(run.json().error?.message).toContain(message);
    expect(run.stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});
