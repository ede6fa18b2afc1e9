// Decisions about actions: names, arguments, programs that start others, and what is then started.
import { describe, expect, test } from "bun:test";
import { parseAllowlist } from "../../src/policy/allowlist.ts";
import { decide } from "../../src/policy/decide.ts";
import type { Decision, Lookup, Policy, World } from "../../src/policy/policy.ts";

import { fakeFacts } from "../support/policyfacts.ts";

const located = (path: string): Lookup => ({
  ok: true,
  located: { path, identity: { device: 1, inode: 2, size: 3, modifiedMs: 4 } },
});
const world: World = {
  paths: fakeFacts(),
  findExecutable: (name) =>
    name === "absent"
      ? { ok: false, rule: "not-installed", reason: "absent is not installed" }
      : located(`/usr/bin/${name}`),
  findTool: (name) => located(`/ash/tools/${name}`),
  findPython: () => located("/usr/bin/python3.11"),
  toolFacts: () => ({ network: false, environment: {}, timeoutMs: null, outputMax: null }),
};

function policy(list: string, more: Partial<Policy> = {}): Policy {
  return {
    entries: parseAllowlist(list, "list").entries,
    denied: new Set(),
    strictArguments: false,
    level: "read",
    network: "declared",
    ...more,
  };
}

const judge = (
  list: string,
  command: string,
  args: readonly string[] = [],
  more: Partial<Policy> = {},
): Decision => decide({ stages: [{ command, args }] }, policy(list, more), world);

const rule = (decision: Decision): string => `${decision.verdict}:${decision.rule}`;

describe("a name", () => {
  const wrong = [
    "",
    "ls\n",
    " ls",
    "ls ",
    "l\u0455",
    "ls\u200b",
    "ｌｓ",
    "./ls",
    "/bin/ls",
    "../ls",
    "~/bin/ls",
    "$(id)",
    "__proto__",
    ".ls",
    "a".repeat(65),
  ];
  test.each(wrong)("%j is not one", (name) => expect(rule(judge("ls", name))).toBe("deny:name"));

  test.each(["constructor", "toString", "LS", "cat"])("%s is not on a list that has ls alone", (name) => {
    expect(rule(judge("ls", name))).toBe("deny:not-listed");
  });

  test("with its arguments inside says how to call it", () => {
    const decision = judge("ls", "ls -la /tmp");
    expect(decision).toMatchObject({
      verdict: "deny",
      reason: 'put only "ls" in command, and each argument as its own item of args',
    });
  });

  test("close to a listed one says so", () => {
    expect(judge("grep", "gerp")).toMatchObject({ reason: expect.stringContaining("did you mean grep?") });
  });

  test("taken away for this run is denied whatever the list says", () => {
    expect(rule(judge("ls: unrestricted", "ls", [], { denied: new Set(["ls"]) }))).toBe(
      "deny:denied-for-this-run",
    );
  });
});

describe("arguments", () => {
  const refused = [
    ["a NUL", ["a\0b"], "control-character"],
    ["an escape", ["\x1b[2J"], "control-character"],
    ["DEL", ["\x7f"], "control-character"],
    ["a C1 control", ["\x9b"], "control-character"],
    ["a lone surrogate", ["\ud800"], "control-character"],
    ["one of more than 32 KiB", ["x".repeat(32_769)], "too-long"],
    ["more than 128 KiB in all", Array(5).fill("x".repeat(30_000)), "too-long"],
    ["257 of them", Array(257).fill("x"), "too-long"],
  ] as const;
  test.each(refused)("with %s are refused even for an unrestricted program", (_, args, name) => {
    expect(rule(judge("make: unrestricted", "make", args))).toBe(`deny:${name}`);
  });

  const shell = ["a;b", "a|b", "a & b", "`id`", "$(id)", "a > b", "a < b", "a\nb"];
  test.each(shell)("with %j are refused for a command that does not read text", (argument) => {
    expect(rule(judge("mytool", "mytool", [argument]))).toBe("deny:shell-character");
    expect(rule(judge("mytool: unrestricted", "mytool", [argument]))).toBe("allow:listed");
  });

  test("of text commands and Python tools may hold them, unless arguments are strict", () => {
    for (const argument of shell) {
      expect(rule(judge("grep", "grep", [argument, "f"]))).toBe("allow:listed");
      expect(rule(judge("wikipedia.py", "wikipedia.py", ["--query", argument]))).toBe("allow:listed");
      expect(rule(judge("grep", "grep", [argument, "f"], { strictArguments: true }))).toBe(
        "deny:shell-character",
      );
    }
  });

  test("keep tab, newline, quotes, stars, dollars and braces", () => {
    expect(
      rule(judge("mytool", "mytool", ["a\tb", "*", "$HOME", "{a,b}", '"x"', "~", "#", "!", "%", "\\", ""])),
    ).toBe("allow:listed");
  });
});

describe("a program that starts others", () => {
  test.each([
    "bash",
    "xargs",
    "python3",
    "python3.12",
    "perl5.36.0",
    "sudo",
    "ssh",
    "vi",
    "make",
    "timeout",
    "node",
    "ash",
  ])("%s is refused when listed, and allowed only as unrestricted", (name) => {
    expect(rule(judge(name, name))).toBe("deny:runs-programs");
    expect(rule(judge(`${name}: unrestricted`, name))).toBe("allow:listed");
  });

  test("env prints the environment when it is alone, and is refused with anything else", () => {
    expect(rule(judge("env", "env"))).toBe("allow:listed");
    for (const args of [["id"], ["-S", "id"], ["A=b"], [""], ["-0"]])
      expect(rule(judge("env", "env", args))).toBe("deny:runs-programs");
    expect(judge("env", "env", ["id"])).toMatchObject({
      reason: expect.stringContaining("env with arguments"),
    });
    expect(rule(judge("env: unrestricted", "env", ["id"]))).toBe("allow:listed");
  });
});

test("a line that names subcommands of git means them also after --no-pager", () => {
  expect(rule(judge("git log|status", "git", ["--no-pager", "log", "-1"]))).toBe("allow:listed");
  expect(rule(judge("git log|status", "git", ["--no-pager", "diff"]))).toBe("deny:subcommand");
  expect(rule(judge("git log|status", "git", ["--no-pager"]))).toBe("deny:subcommand");
});

test("only what shows the state of the network may ask the kernel about it", () => {
  const asks = (name: string, ...args: string[]): boolean | null => {
    const decision = judge(name, name, args);
    return decision.verdict === "allow" ? (decision.permits[0]?.kernelSockets ?? null) : null;
  };
  for (const name of ["ip", "ss", "netstat", "ifconfig", "route", "arp", "hostname"])
    expect([name, asks(name, ...(name === "ip" ? ["addr"] : []))]).toEqual([name, true]);
  for (const name of ["ls", "lsof", "ps", "env"]) expect([name, asks(name)]).toEqual([name, false]);
});

test("a program gets local sockets only where the list names what it may ask", () => {
  const local = (list: string, name: string, ...args: string[]): boolean | null => {
    const decision = judge(list, name, args);
    return decision.verdict === "deny" ? null : (decision.permits[0]?.localSockets ?? null);
  };
  expect(local("docker ps|logs", "docker", "ps", "-a")).toBe(true);
  expect(local("systemctl status", "systemctl", "status", "ssh")).toBe(true);
  expect(local("docker: unrestricted", "docker", "run", "x")).toBe(true);
  expect(local("docker", "docker", "ps")).toBeNull();
  expect(local("nmcli", "nmcli", "connection")).toBe(false);
  expect(local("mytool status", "mytool", "status")).toBe(false);
});

describe("an allowed action", () => {
  test("is what will be started: the path found once and the arguments as they are", () => {
    const decision = judge("ls", "ls", ["-l", "a b"]);
    expect(decision).toMatchObject({ verdict: "allow", source: "list" });
    if (decision.verdict !== "allow") throw new Error("denied");
    expect(decision.permits[0]).toMatchObject({
      executable: { path: "/usr/bin/ls" },
      argv: ["ls", "-l", "a b"],
      script: null,
    });
  });

  test("of a Python tool starts the interpreter isolated", () => {
    const decision = judge("wikipedia.py", "wikipedia.py", ["--query", "x"]);
    if (decision.verdict !== "allow") throw new Error("denied");
    expect(decision.permits[0]?.argv).toEqual([
      "/usr/bin/python3.11",
      "-I",
      "-X",
      "utf8",
      "-u",
      "-B",
      "/ash/tools/wikipedia.py",
      "--query",
      "x",
    ]);
  });

  test("needs every stage allowed, and names the one that is not", () => {
    const stages = [
      { command: "ls", args: [] },
      { command: "rm", args: ["x"] },
      { command: "wc", args: [] },
    ];
    expect(decide({ stages }, policy("ls, wc"), world)).toMatchObject({
      verdict: "deny",
      stage: 1,
      rule: "not-listed",
    });
  });

  test("needs the program installed", () => {
    expect(rule(judge("absent", "absent"))).toBe("deny:not-installed");
  });

  test("of a listed subcommand stays within it", () => {
    expect(rule(judge("kubectl get|describe", "kubectl", ["get", "pods"]))).toBe("allow:listed");
    expect(rule(judge("kubectl get|describe", "kubectl", ["delete", "pods"]))).toBe("deny:subcommand");
    expect(rule(judge("kubectl get|describe", "kubectl"))).toBe("deny:subcommand");
    expect(rule(judge("kubectl", "kubectl", ["get"]))).toBe("deny:runs-programs");
  });
});
