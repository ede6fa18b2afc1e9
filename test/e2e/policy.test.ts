// Questions to the policy, user rules and levels, over the compiled binary.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../src/schema.ts";
import { type Finished, makePlace, type Place, type RunOptions, runAsh } from "../support/ash.ts";
import { onTerminal } from "../support/terminal.ts";

let place: Place;

beforeEach(() => {
  place = makePlace();
  mkdirSync(join(place.home, ".ssh"), { mode: 0o700 });
  writeFileSync(join(place.home, ".ssh/id_rsa"), "a key", { mode: 0o600 });
});
afterEach(() => place.remove());

const policy = (args: readonly string[], options: RunOptions = {}): Promise<Finished> =>
  runAsh(place, ["policy", ...args], options);

type Answer = Readonly<Record<string, unknown>> & { readonly reason?: string };
const answerOf = (run: Finished): Answer => JSON.parse(run.stdout) as Answer;

function writeList(text: string): void {
  mkdirSync(place.ashHome, { recursive: true, mode: 0o700 });
  writeFileSync(join(place.ashHome, ".ash_tools"), text, { mode: 0o600 });
}

/** A recording of one turn of calls and a last answer. */
function scriptOf(calls: readonly (readonly string[])[]): string {
  const content = calls.map(([command, ...args], i) => ({
    type: "tool_use",
    id: `toolu_${i + 1}`,
    name: "run_unix_command",
    input: { command, args },
  }));
  const lines = [
    { type: "recording", schema: "ash.recording/1", model: "test" },
    { type: "reply", answers: [], content, stop_reason: "tool_use" },
    {
      type: "reply",
      answers: content.map(({ id }) => id),
      content: [{ type: "text", text: "done" }],
      stop_reason: "end_turn",
    },
  ];
  const path = join(place.home, "script.jsonl");
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}

const play = async (calls: readonly (readonly string[])[], ...flags: readonly string[]): Promise<Result> =>
  (await runAsh(place, ["--json", ...flags, "--replay", scriptOf(calls), "go"])).json();

describe("ash policy check", () => {
  const refused: readonly (readonly [claim: string, argv: readonly string[], rule: string, says: string])[] =
    [
      ["find that deletes", ["find", ".", "-delete"], "option", "only tests and -print"],
      ["awk that runs a program", ["awk", 'BEGIN{system("id")}'], "program-text", "printing"],
      ["a name that is not listed", ["git", "-c", "alias.x=!id", "x"], "not-listed", "ash policy list"],
      ["a key", ["cat", "{HOME}/.ssh/id_rsa"], "path", "other files"],
      ["an abbreviated option", ["sort", "--outp=x", "f"], "option", "allowed: "],
    ];
  test.each(refused)("refuses %s and says what is allowed instead", async (_claim, argv, rule, says) => {
    const words = argv.map((word) => word.replace("{HOME}", place.home));
    const run = await policy(["check", "--json", "--", ...words]);
    expect(run.code).toBe(7);
    const answer = answerOf(run);
    expect(answer).toMatchObject({ decision: "deny", rule, exit_code: 7, resolved_path: expect.any(String) });
    expect(answer.reason).toContain(says);
    const text = await policy(["check", "--", ...words]);
    expect(text).toMatchObject({ code: 7, stderr: "" });
    expect(text.stdout).toContain(answer.reason ?? "");
  });

  test("refuses git that starts a program even where git is listed", async () => {
    writeList("git\n");
    const run = await policy(["check", "--json", "--", "git", "-c", "alias.x=!id", "x"]);
    expect(run.code).toBe(7);
    expect(answerOf(run)).toMatchObject({ decision: "deny", source: `${place.ashHome}/.ash_tools:1` });
  });

  const allowed: readonly (readonly string[])[] = [
    ["jq", ".a | .b", "f"],
    ["grep", "-E", "a|b", "f"],
    ["awk", "$3 > 5", "f"],
    ["wikipedia.py", "--query", "AT&T; history > 1900"],
  ];
  test.each(allowed)("allows %s %s", async (...argv) => {
    const run = await policy(["check", "--json", "--", ...argv]);
    expect(run.code).toBe(0);
    const answer = answerOf(run);
    expect(answer).toMatchObject({ decision: "allow", rule: "listed", exit_code: 0 });
    expect(answer.resolved_path).toMatch(/^\//);
    expect(answer.source).toMatch(/\.ash_tools:\d+$/);
  });

  test("shows what would be started, forced safe flags included", async () => {
    const run = await policy(["check", "--json", "--", "rg", "x", "."]);
    expect(answerOf(run)).toMatchObject({ argv: [expect.arrayContaining(["rg", "--no-config", "x", "."])] });
  });

  test("judges every stage of a pipeline and names the one that is refused", async () => {
    const run = await policy(["check", "--json", "--pipe", "--", "cat", "f", "|", "sort", "-o", "x"]);
    expect(run.code).toBe(7);
    expect(answerOf(run)).toMatchObject({ decision: "deny", stage: 1 });
    expect((await policy(["check", "--pipe", "--", "cat", "f", "|", "wc", "-l"])).code).toBe(0);
  });

  test("starts nothing and creates no session", async () => {
    writeFileSync(join(place.folder, "f"), "x\n");
    await policy(["check", "--", "cat", "f"]);
    expect((await runAsh(place, ["policy", "why", "last", "1"])).code).toBe(2);
  });

  test.each([
    [["check"], "there is no tool to run"],
    [[], "ash policy needs a subcommand"],
    [["chek", "--", "ls"], "did you mean: ash policy check?"],
    [["list", "ls"], "takes no further word: ls"],
    [["check", "--pipe", "--", "ls"], "a pipeline has 2 to 16 stages"],
    [["list", "--pipe"], "it belongs to: ash policy check"],
    [["why"], "there is no session named"],
    [["suggest", "20200101-000000-00000000"], "unknown session"],
    [["test", "missing-file"], "missing-file: there is no such file"],
  ])("used as %j is a usage error", async (args, says) => {
    const run = await policy(args);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr.split("\n")).toHaveLength(2);
    expect(run.stderr).toContain(says);
  });
});

describe("ash policy list", () => {
  test("says what every name may do", async () => {
    const names = answerOf(await policy(["list", "--json"])).names as Answer[];
    expect(names.length).toBeGreaterThan(50);
    for (const entry of names) {
      expect(entry, String(entry.name)).toMatchObject({
        does: expect.stringMatching(/\S.*/),
        source: expect.any(String),
      });
      if (!String(entry.name).endsWith(".py"))
        expect(["accept-list", "parser"]).toContain(String(entry.rule));
    }
    expect(names.find(({ name }) => name === "wikipedia.py")).toMatchObject({
      network: true,
      runs: "unasked",
    });
    const text = await policy(["list"]);
    expect(text.stdout).toContain("sort");
    expect(text.stdout).toContain("level read");
  });

  test("shows the permissions of this run", async () => {
    const run = await policy([
      "list",
      "--json",
      "--deny-net",
      "--deny-run=ls",
      `--allow-read=${place.folder}`,
    ]);
    const answer = answerOf(run);
    expect(answer.permissions).toMatchObject({
      network: "none",
      deny_run: ["ls"],
      allow_read: [place.folder],
    });
    const names = answer.names as Answer[];
    expect(names.find(({ name }) => name === "ls")).toMatchObject({ runs: "never" });
    expect(names.filter(({ network }) => network === true)).toEqual([]);
  });
});

describe("ash policy test", () => {
  test("holds for the rules and the list as installed", async () => {
    const run = await policy(["test", "--json"]);
    expect(run.code).toBe(0);
    expect(answerOf(run)).toMatchObject({ failures: [], exit_code: 0 });
    expect(Number(answerOf(run).total)).toBeGreaterThan(1000);
  });

  test("runs the examples of the list and reports the line of one that fails", async () => {
    writeList("cat, grep\n# ok: grep -E 'a|b' f\n# no: cat ~/.ssh/id_rsa\n# ok: cat f | grep x\n# ok: ls\n");
    const run = await policy(["test", "--json"]);
    expect(run.code).toBe(7);
    const failures = answerOf(run).failures as Answer[];
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatchObject({ source: "~/.ash/.ash_tools:5", expected: "allow", argv: ["ls"] });
    expect((await policy(["test"])).stdout).toContain(
      "~/.ash/.ash_tools:5: expected allow, got deny (not-listed)",
    );
  });

  test("reads a table, and names a line that is none", async () => {
    const table = join(place.folder, "cases.tsv");
    writeFileSync(
      table,
      'id\tcommand\targv\texpected\n1\tcat\t["{HOME}/.ssh/id_rsa"]\tdeny\n2\tsort\t["f"]\tallow\n3\trun_unix_pipeline\t[["cat","f"],["wc","-l"]]\tallow\n',
    );
    const run = await policy(["test", "--json", table]);
    expect(run.code).toBe(0);
    expect(answerOf(run)).toMatchObject({ total: 3, failures: [] });
    writeFileSync(table, "id\tcommand\targv\texpected\n1\tcat\tnot json\tallow\n");
    expect(await policy(["test", table])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${table}:2`),
    });
  });
});

describe("a user rule", () => {
  test("restricts a program ash does not know to its subcommands", async () => {
    writeList("frobctl get|describe\ngit log|status\n");
    const check = async (...argv: readonly string[]) =>
      answerOf(await policy(["check", "--json", "--", ...argv]));
    expect(await check("frobctl", "delete", "pod")).toMatchObject({ decision: "deny", rule: "subcommand" });
    expect(await check("frobctl", "get", "pods")).toMatchObject({ rule: "not-installed" });
    expect(await check("git", "push")).toMatchObject({ decision: "deny", rule: "subcommand" });
    expect(await check("git", "log", "-3")).toMatchObject({ decision: "allow" });
    expect(await check("git", "log", "--output=x")).toMatchObject({ decision: "deny", rule: "option" });
  });

  test.each([
    ["ls: sometimes", 2, "'sometimes' is unknown after the colon"],
    ["ls /tmp", 2, "'/tmp' is not a subcommand"],
    ["/bin/ls", 2, "is not a bare executable name"],
  ])("%s is an error with its line", async (line, number, says) => {
    writeList(`cat\n${line}\n`);
    const run = await policy(["check", "--", "cat", "f"]);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain(`.ash_tools:${number}`);
    expect(run.stderr).toContain(says);
  });
});

describe("a call that needs a yes", () => {
  const asks = "touch\ncat: ask\n";

  test("is denied where nobody can be asked", async () => {
    writeList(asks);
    const result = await play([
      ["touch", "made"],
      ["cat", "f"],
    ]);
    expect(result.tools.map(({ decision, rule }) => `${decision}:${rule}`)).toEqual([
      "deny:needs-a-yes",
      "deny:needs-a-yes",
    ]);
    expect(result).toMatchObject({ status: "ok", result: "done" });
    expect((await policy(["check", "--", "touch", "x"])).code).toBe(7);
  });

  test("shows program, argv, folder and reason, and runs after y only", async () => {
    writeList(asks);
    const script = scriptOf([
      ["touch", "ma\u200bde"],
      ["touch", "no"],
      ["touch", "ma\u200bde"],
    ]);
    const run = await onTerminal(place, ["--replay", script, "go"], {
      typed: [
        ["run it? [y/N] ", "y\n"],
        ["run it? [y/N] ", "\n"],
      ],
    });
    expect(run).toMatchObject({ code: 0, untyped: [] });
    expect(run.screen).toContain("/usr/bin/touch");
    expect(run.screen).toContain('["touch", "ma\\u{200b}de"]');
    expect(run.screen).toContain(place.folder);
    expect(run.screen.match(/run it\?/g)).toHaveLength(2);
    expect(readFileSync(join(place.folder, "ma\u200bde"), "utf8")).toBe("");
    expect(Bun.stripANSI(run.screen)).toContain("✓ touch");
    expect(() => readFileSync(join(place.folder, "no"))).toThrow();
  });

  test("is never asked about by a run that prints JSON", async () => {
    writeList(asks);
    const run = await onTerminal(place, ["--json", "--replay", scriptOf([["touch", "x"]]), "go"]);
    expect(run.code).toBe(0);
    expect(run.screen).not.toContain("run it?");
    expect(run.screen).toContain('"rule":"needs-a-yes"');
  });

  test("includes every call at the level ask, and none at the level auto", async () => {
    writeList("ls\ntouch\n");
    const calls = [["ls"], ["touch", "made"]];
    const decisions = ({ tools }: Result) => tools.map(({ decision }) => decision);
    expect(decisions(await play(calls))).toEqual(["allow", "deny"]);
    expect(decisions(await play(calls, "--level=ask"))).toEqual(["deny", "deny"]);
    expect(decisions(await play(calls, "--level=auto"))).toEqual(["allow", "allow"]);
    expect(readFileSync(join(place.folder, "made"), "utf8")).toBe("");
  });

  test("is not left to the level auto without a jail", async () => {
    const run = await runAsh(place, ["--json", "--level=auto", "--replay", "demo", "go"], {
      env: { ASH_SANDBOX: "rlimits" },
    });
    expect(run.code).toBe(3);
    expect(run.json().error?.message).toContain("auto");
  });
});

describe("what a session was denied", () => {
  const calls = [
    ["curl", "http://127.0.0.1/"],
    ["sort", "-o", "x", "f"],
    ["python3", "-c", "1"],
    ["cat", "/etc/shadow"],
  ];

  test("is explained call by call", async () => {
    const { session_id: session } = await play(calls);
    const run = await policy(["why", "--json", session ?? "", "toolu_2"]);
    expect(run.code).toBe(0);
    expect(answerOf(run)).toMatchObject({
      id: "toolu_2",
      argv: [["sort", "-o", "x", "f"]],
      decided: { decision: "deny", rule: "option" },
      judged_now: { decision: "deny", rule: "option" },
    });
    expect((await policy(["why", "last", "4"])).stdout).toContain("/etc/shadow");
    expect(await policy(["why", "last", "toolu_9"])).toMatchObject({ code: 2 });
  });

  test("comes with the smallest lines that would allow it and what they would open", async () => {
    const { session_id: session } = await play(calls);
    const suggestions = answerOf(await policy(["suggest", "--json", session ?? ""])).suggestions as Answer[];
    expect(suggestions.map(({ line }) => line)).toEqual([
      "curl",
      "sort: unrestricted",
      "python3: unrestricted",
      null,
    ]);
    for (const { opens } of suggestions) expect(String(opens).length).toBeGreaterThan(15);
    writeList("curl: network\nsort: unrestricted\ncat\n");
    const later = answerOf(await policy(["suggest", "--json", "last"])).suggestions as Answer[];
    expect(later.map(({ name }) => name)).not.toContain("sort");
  });
});
