// How arguments are taken apart, and what is put in front of them or after them.
import { describe, expect, test } from "bun:test";
import { judgeArguments, judgeUnknown } from "../../src/policy/arguments.ts";
import { optionTable, splitArguments } from "../../src/policy/commands/options.ts";
import { formatProblem } from "../../src/policy/commands/values.ts";
import { judgePath } from "../../src/policy/paths.ts";
import { fakeFacts } from "../support/policyfacts.ts";

const facts = fakeFacts({ "/home/u/project/one/a": "file", "/home/u/project/two/a": "file" });

const table = optionTable("-abu -n,--lines=count -o= -w?small --all --all-names --color?word --pair==");

const split = (...args: readonly string[]) => splitArguments(args, table);

const judge = (command: string, ...args: readonly string[]) => judgeArguments(command, args, facts);

describe("taking arguments apart", () => {
  test.each([
    [["-ab"], ["-a", "-b"]],
    [["-n5"], ["-n"]],
    [["-n", "5"], ["-n"]],
    [
      ["-an5", "x"],
      ["-a", "-n"],
    ],
    [["--lines=5"], ["--lines"]],
    [["--lines", "--all"], ["--lines"]],
    [
      ["-w5", "-w"],
      ["-w", "-w"],
    ],
    [["--color", "x"], ["--color"]],
    [["--pair", "--all", "-a"], ["--pair"]],
  ])("%p gives the options %p", (args, names) => {
    expect(split(...args)).toMatchObject({ options: names.map((name) => ({ name })) });
  });

  test.each([
    [
      ["-", "", "x"],
      ["-", "", "x"],
    ],
    [
      ["--", "-a", "--"],
      ["-a", "--"],
    ],
    [
      ["x", "-a", "y"],
      ["x", "y"],
    ],
    [["--color", "always"], ["always"]],
    [
      ["+x", "@y", "=z"],
      ["+x", "@y", "=z"],
    ],
  ])("%p gives the operands %p", (args, operands) => {
    expect(split(...args)).toMatchObject({ operands });
  });

  test.each([
    "-x",
    "-ax",
    "--line=5",
    "--al",
    "--ALL",
    "-n",
    "--all=1",
    "---all",
    "-1",
    "--pair x",
    "--=x",
    "-é",
  ])("%s is refused", (text) => {
    expect(split(...text.split(" "))).toMatchObject({ rule: "option" });
  });

  test("an abbreviation is told its full name, even when it is only the start of one", () => {
    expect(split("--line")).toMatchObject({ reason: "write --lines in full, not --line" });
    expect(judge("sort", "--rev", "x")).toMatchObject({ reason: "sort: write --reverse in full, not --rev" });
  });

  test("an unknown option is told what is allowed", () => {
    const judged = judge("sort", "-o", "x");
    expect(judged).toMatchObject({ ok: false, rule: "option" });
    expect(judged?.ok === false && judged.reason).toContain("-o is not allowed; allowed: -bdf");
  });
});

describe("arguments as they are given", () => {
  test("safe flags go first", () => {
    expect(judge("sed", "-n", "p", "f")).toEqual({ ok: true, args: ["--sandbox", "-n", "p", "f"] });
    expect(judge("lsof", "-p", "1")).toEqual({ ok: true, args: ["-n", "-p", "1"] });
    expect(judge("sqlite3", "a.db", "select 1")).toMatchObject({
      args: ["-batch", "-safe", "-readonly", "-init", "/dev/null", "a.db", "select 1"],
    });
  });

  test("without recursion nothing is added", () => {
    expect(judge("grep", "-n", "x", "f")).toEqual({ ok: true, args: ["-n", "x", "f"] });
    expect(judge("diff", "-u", "a", "b")).toEqual({ ok: true, args: ["-u", "a", "b"] });
  });

  test("credential files are hidden from what reads folders, after the user's own patterns and before --", () => {
    const grep = judge("grep", "-r", "--include=*", "--", "x", "src");
    const args = grep?.ok === true ? grep.args : [];
    expect(args.slice(0, 2)).toEqual(["-r", "--include=*"]);
    expect(args.slice(-3)).toEqual(["--", "x", "src"]);
    expect(args).toContain("--exclude=.[eE][nN][vV]");
    expect(args).toContain("--exclude-dir=.ssh");
    const rg = judge("rg", "-g", "*", "x", "src");
    expect(rg?.ok === true && rg.args[0]).toBe("--no-config");
    expect(rg?.ok === true && rg.args.at(-1)).toBe("--iglob=!.password-store");
  });

  test("links are not followed, whatever is asked: the arguments that are judged are the ones that are given", () => {
    const grep = judge("grep", "-inR", "-e", "-R", "--", "-R");
    expect(grep?.ok === true && grep.args.slice(0, 3)).toEqual(["-inr", "-e", "-R"]);
    expect(grep?.ok === true && grep.args.slice(-2)).toEqual(["--", "-R"]);
    const long = judge("grep", "--dereference-recursive", "x", "src");
    expect(long?.ok === true && long.args[0]).toBe("--recursive");
    const rg = judge("rg", "-L", "x", "src");
    const args = rg?.ok === true ? rg.args : [];
    expect(args.indexOf("--no-follow")).toBeGreaterThan(args.indexOf("-L"));
  });

  const hidden = (command: string, ...args: string[]): readonly string[] => {
    const judged = judge(command, ...args);
    return judged?.ok === true
      ? judged.args.flatMap((arg) => /^--(?:exclude=|iglob=!)(.*)$/.exec(arg)?.[1] ?? [])
      : [];
  };

  test.each([
    ".env .ENV .env.local .env.production prod.env .envrc .npmrc .pgpass .my.cnf .vault-token .htpasswd .secrets",
    "id_rsa id_ed25519 id_ecdsa_sk id_rsa.bak id_rsa-old ssh_host_rsa_key server.pem SERVER.KEY a.p8 a.p12 a.kdb a.jks",
    "credentials credentials.json aws_credentials db-credentials.yaml secrets.yml secret.json client_secret_1.json",
    "service-account.json x-firebase-adminsdk-1.json accessKeys.csv terraform.tfstate kubeconfig .zsh_history .viminfo",
  ])("whoever reads folders is kept from the names that may not be named: %s", (names) => {
    const globs = hidden("grep", "-r", "x", "src").map((glob) => new Bun.Glob(glob));
    const folded = hidden("rg", "x", "src").map((glob) => new Bun.Glob(glob));
    for (const name of names.split(" ")) {
      expect([name, judgePath(name, facts) === null]).toEqual([name, false]);
      expect([name, globs.some((glob) => glob.match(name))]).toEqual([name, true]);
      expect([name, folded.some((glob) => glob.match(name.toLowerCase()))]).toEqual([name, true]);
    }
  });

  test.each([
    ".env.example",
    ".env.sample",
    ".env.dist",
    ".env.template",
    "id_rsa.pub",
    "a.ts",
    "keys.md",
    "secrets.md",
  ])("what may be named is not hidden either: %s", (name) => {
    expect(judgePath(name, facts)).toBeNull();
    expect(hidden("grep", "-r", "x", "src").filter((glob) => new Bun.Glob(glob).match(name))).toEqual([]);
  });

  test("two folders are compared without the credential files in them, and without following links", () => {
    const judged = judge("diff", "one", "two");
    expect(judged?.ok === true && judged.args).toContain("--no-dereference");
    expect(judged?.ok === true && judged.args).toContain("-x.env");
    // diff prints them again above every pair of files.
    expect(judged?.ok === true && judged.args.join(" ").length).toBeLessThan(500);
  });

  test("the argument list that was given is not changed", () => {
    const given = Object.freeze(["-r", "x", "src"]);
    expect(judgeArguments("grep", given, facts)).toMatchObject({ ok: true });
  });
});

describe("a question about the program itself", () => {
  test("is accepted alone, and only alone", () => {
    expect(judge("sort", "--help")).toEqual({ ok: true, args: ["--help"] });
    expect(judge("sed", "--version")).toEqual({ ok: true, args: ["--version"] });
    expect(judge("sort", "--help", "-o")).toMatchObject({ ok: false });
    expect(judge("sort", "--version", "x")).toMatchObject({ ok: false });
    expect(judge("git", "--help")).toMatchObject({ ok: false });
    expect(judge("git", "log", "--help")).toMatchObject({ ok: false });
  });
});

describe("formats", () => {
  test.each(["%s", "%-10s|%5.2f", "100%%", "%9999d", "plain 123456789", "+%Y-%m-%d", "%%99999d"])(
    "%s is accepted",
    (format) => {
      expect(formatProblem(format)).toBeNull();
    },
  );

  test.each([
    "%99999d",
    "%-099999s",
    "%*d",
    "%.*f",
    "%5.99999f",
    "%1$99999s",
    "%2$*1$s",
    "a%%%0123456d",
    "+%_99999d",
  ])("%s is refused", (format) => {
    expect(formatProblem(format)).not.toBeNull();
  });
});

describe("commands without a rule", () => {
  test("have no judgement of their own", () => {
    expect(judgeArguments("kubectl", ["get", "pods"], facts)).toBeNull();
  });

  test.each([
    [["--file=/home/u/.ssh/id_rsa"]],
    [["-f/home/u/.ssh/id_rsa"]],
    [["a", "~/.aws/x"]],
    [["@/proc/self/environ"]],
    [["host:/etc/shadow"]],
    [["-vf/etc/shadow"]],
    [["-xzf~/.ssh/id_rsa"]],
    [["file:///etc/shadow"]],
    [["file://localhost/etc/shadow"]],
    [["url=file:///etc/%73hadow"]],
    [["/etc/shado%77"]],
  ])("%p goes through the path rule", (args) => {
    expect(judgeUnknown("thing", args, facts)).toMatchObject({ ok: false, rule: "path" });
  });

  test("harmless arguments are given as they are", () => {
    const args = [
      "-x",
      "--a=b",
      "https://x.example/?a=b&c",
      "file.txt",
      "100%",
      "%00",
      "-I/usr/include",
      "-vf/var/log/x",
      "file:///tmp/a%20b",
      "src/etc/hosts",
    ];
    expect(judgeUnknown("thing", args, facts)).toEqual({ ok: true, args });
  });
});
