// Questions to the policy, over the compiled binary.
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runAsh } from "../support/ash.ts";
import { answerOf, type PolicyAnswer, usePolicyPlace } from "../support/policyplace.ts";

const { place, policy, writeList } = usePolicyPlace();

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
    const names = answerOf(await policy(["list", "--json"])).names as PolicyAnswer[];
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
    const names = answer.names as PolicyAnswer[];
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
    const failures = answerOf(run).failures as PolicyAnswer[];
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
