// git: the subcommand first, read-only subcommands only, and every setting that starts a program switched off.
import { describe, expect, test } from "bun:test";
import { judgeArguments } from "../../src/policy/arguments.ts";
import { GIT_COMMANDS } from "../../src/policy/commands/gitcommands.ts";
import { fakeFacts } from "../support/policyfacts.ts";

const facts = fakeFacts();
const judge = (...args: readonly string[]) => judgeArguments("git", args, facts);
const argsOf = (...args: readonly string[]): readonly string[] => {
  const judged = judge(...args);
  return judged?.ok === true ? judged.args : [];
};

describe("what is put in front", () => {
  test.each([
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "diff.external=",
    "gpg.program=false",
    "protocol.ext.allow=never",
    "log.showSignature=false",
    "credential.helper=",
  ])("%s goes before every subcommand", (setting) => {
    for (const command of GIT_COMMANDS.keys()) {
      const needs = (GIT_COMMANDS.get(command)?.operands.min ?? 0) > 0 ? ["HEAD"] : [];
      const args = argsOf(...command.split(" "), ...needs);
      const [word = ""] = command.split(" ");
      expect(args.indexOf(setting)).toBeGreaterThan(0);
      expect(args[args.indexOf(setting) - 1]).toBe("-c");
      expect(args.indexOf(word)).toBeGreaterThan(args.indexOf(setting));
    }
  });

  test("no pager and no locks, ever", () => {
    expect(argsOf("status").slice(0, 2)).toEqual(["--no-pager", "--no-optional-locks"]);
  });

  test("what shows differences starts no helper and looks into no submodule", () => {
    expect(argsOf("log", "-p").join(" ")).toEndWith("log --no-ext-diff --no-textconv -p");
    expect(argsOf("diff").join(" ")).toContain(
      " diff --no-ext-diff --no-textconv --ignore-submodules=dirty ",
    );
    expect(argsOf("status").join(" ")).toEndWith("status --ignore-submodules=dirty");
    expect(argsOf("blame", "a.txt").join(" ")).toEndWith("blame --no-textconv a.txt");
    expect(argsOf("grep", "x").join(" ")).toContain(" grep --no-textconv x :(exclude");
  });
});

describe("operands", () => {
  test.each(
    [
      ["show", "HEAD:src/a.ts"],
      ["log", "main..topic", "--", "src"],
      ["log", "stash@{0}"],
      ["diff", "HEAD~2", ":(exclude)node_modules"],
      ["show", "HEAD^{tree}"],
      ["blame", "-L", "1,5", "a.txt"],
    ].map((args) => ({ args, shown: args.join(" ") })),
  )("$shown", ({ args }) => {
    expect(judge(...args)).toMatchObject({ ok: true });
  });

  test.each(
    [
      ["show", "HEAD:.env"],
      ["show", "HEAD:deploy/.env.production"],
      ["log", "--", "/home/u/.ssh/id_rsa"],
      ["diff", "/dev/null", "~/.ssh/id_rsa"],
      ["log", "--", ":(glob)**/.env"],
      ["grep", "x", "--", ":/server.key"],
      ["blame", "/proc/self/environ"],
    ].map((args) => ({ args, shown: args.join(" ") })),
  )("$shown goes through the path rule", ({ args }) => {
    expect(judge(...args)).toMatchObject({
      ok: false,
      rule: "path",
    });
  });

  test("an operand that would create something needs --list", () => {
    expect(judge("branch", "topic")).toMatchObject({ ok: false, rule: "operand" });
    expect(judge("branch", "--list", "t*")).toMatchObject({ ok: true });
    expect(judge("tag", "v1")).toMatchObject({ ok: false, rule: "operand" });
    expect(judge("tag", "-l", "v*")).toMatchObject({ ok: true });
  });
});

test("words before the subcommand that ask for what is forced anyway are taken away, and nothing else", () => {
  const plain = argsOf("log", "-1");
  expect(plain).toContain("log");
  expect(argsOf("--no-pager", "log", "-1")).toEqual(plain);
  expect(argsOf("-P", "--no-optional-locks", "log", "-1")).toEqual(plain);
});

test("what is asked of a remote is answered without asking it", () => {
  expect(argsOf("remote", "show", "origin").slice(-4)).toEqual(["remote", "show", "-n", "origin"]);
});

describe("credential files are left out", () => {
  const hides = (...args: readonly string[]): boolean =>
    argsOf(...args)
      .at(-1)
      ?.startsWith(":(exclude,icase,glob)**/") ?? false;

  test("of what shows the working tree, which could not open them", () => {
    for (const args of [
      ["diff"],
      ["diff", "HEAD", "--", "src"],
      ["diff", "-S", "a:b"],
      ["grep", "a:b"],
      ["diff-index", "HEAD"],
    ])
      expect([args, hides(...args)]).toEqual([args, true]);
    expect(argsOf("diff", "--", "a")).toContain(":(exclude,icase,glob)**/.env");
  });

  test("but not where single files are named, or history would be told differently", () => {
    for (const args of [["diff", "HEAD:a", "HEAD~1:a"], ["log", "-p"], ["show"], ["status"], ["blame", "a"]])
      expect([args, hides(...args)]).toEqual([args, false]);
  });
});

test("a summary without a revision is one of HEAD, not of standard input", () => {
  const tail = (...args: readonly string[]) => argsOf(...args).slice(-2);
  expect(tail("shortlog", "-sn")).toEqual(["-sn", "HEAD"]);
  expect(tail("shortlog", "-s", "--since", "1 year ago")).toEqual(["1 year ago", "HEAD"]);
  expect(argsOf("shortlog", "-sn", "--", "src").slice(-3)).toEqual(["HEAD", "--", "src"]);
  expect(tail("shortlog", "-sn", "main")).toEqual(["-sn", "main"]);
  expect(tail("shortlog", "-sn", "--all")).toEqual(["-sn", "--all"]);
});

describe("refused", () => {
  test.each([
    [["-c", "x=y", "status"], "subcommand"],
    [["stash", "push"], "subcommand"],
    [["worktree", "add", "x"], "subcommand"],
    [["clone", "x"], "subcommand"],
    [["log", "--format=%h %G?"], "option"],
    [["for-each-ref", "--format=%(signature:grade)"], "option"],
    [["log", "-pO", "x"], "option"],
    [["diff", "-Oorder"], "option"],
    [["status", "-v"], "option"],
    [["describe", "--dirty"], "option"],
    [["reflog", "expire", "--all"], "operand"],
    [["remote", "update"], "operand"],
    [["--no-pager", "push"], "subcommand"],
    [["--no-pager", "--git-dir=x", "log"], "subcommand"],
    [["tag", "-n", "--force", "v1"], "option"],
  ])("%p: %s", (args, rule) => {
    expect(judge(...args)).toMatchObject({ ok: false, rule });
  });
});
