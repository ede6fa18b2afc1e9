// What the policy means in a run: user rules, calls that need a yes, and what a session was denied.
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../src/schema.ts";
import { runAsh } from "../support/ash.ts";
import { answerOf, type PolicyAnswer, usePolicyPlace } from "../support/policyplace.ts";
import { onTerminal } from "../support/terminal.ts";

const { place, policy, writeList } = usePolicyPlace();

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
    const suggestions = answerOf(await policy(["suggest", "--json", session ?? ""]))
      .suggestions as PolicyAnswer[];
    expect(suggestions.map(({ line }) => line)).toEqual([
      "curl",
      "sort: unrestricted",
      "python3: unrestricted",
      null,
    ]);
    for (const { opens } of suggestions) expect(String(opens).length).toBeGreaterThan(15);
    writeList("curl: network\nsort: unrestricted\ncat\n");
    const later = answerOf(await policy(["suggest", "--json", "last"])).suggestions as PolicyAnswer[];
    expect(later.map(({ name }) => name)).not.toContain("sort");
  });

  test("is told which line lets git run unasked, and that line does", async () => {
    writeList("git\n");
    const judged = answerOf(await policy(["check", "--json", "--", "git", "status", "-sb"]));
    expect(judged).toMatchObject({
      decision: "ask",
      reason: expect.stringContaining('such as "git status"'),
    });
    await play([["git", "status", "-sb"]]);
    const suggested = answerOf(await policy(["suggest", "--json", "last"])).suggestions as PolicyAnswer[];
    expect(suggested.map(({ line }) => line)).toEqual(["git status"]);
    writeList("git status\n");
    expect(answerOf(await policy(["check", "--json", "--", "git", "status", "-sb"]))).toMatchObject({
      decision: "allow",
    });
  });
});
