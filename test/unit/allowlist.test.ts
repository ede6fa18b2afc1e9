// The allowlist, line by line.
import { describe, expect, test } from "bun:test";
import { parseAllowlist } from "../../src/policy/allowlist.ts";

const names = (text: string): string[] => [...parseAllowlist(text, "list").entries.keys()];
const problems = (text: string) => parseAllowlist(text, "list").problems;

describe("the allowlist", () => {
  test("has names on lines or between commas, with comments anywhere", () => {
    expect(names("# head\nls, cat # files\n\r\n  uname\r\nwikipedia.py,\tjq")).toEqual([
      "ls",
      "cat",
      "uname",
      "wikipedia.py",
      "jq",
    ]);
  });

  test("takes a byte order mark and Windows line ends", () => {
    expect(names("\ufeffls\r\ncat\r\n")).toEqual(["ls", "cat"]);
  });

  test("reads modifiers and subcommands", () => {
    const { entries } = parseAllowlist(
      "make: unrestricted\ncurl: network ask\ngit log|status | diff\nkubectl get|describe: network",
      "list",
    );
    expect(entries.get("make")).toEqual({
      name: "make",
      unrestricted: true,
      ask: false,
      network: false,
      subcommands: null,
      source: "list:1",
    });
    expect(entries.get("curl")).toMatchObject({ unrestricted: false, ask: true, network: true });
    expect(entries.get("git")).toMatchObject({ subcommands: ["log", "status", "diff"], source: "list:3" });
    expect(entries.get("kubectl")).toMatchObject({ subcommands: ["get", "describe"], network: true });
  });

  test("a name inside a comment allows nothing, and # inside a word is no comment", () => {
    expect(names("#ls\n# cat")).toEqual([]);
    expect(problems("ls#cat")[0]).toMatchObject({ fatal: true, source: "list" });
  });

  const wrong = [
    "/bin/ls",
    "./x",
    "ls -la",
    "../x",
    "l\u0455",
    "ls: everything",
    "ls:",
    "git log|",
    "git -x",
    "make unrestricted",
    "rsync ask network",
    "-rf",
    ".hidden",
    `${"a".repeat(65)}`,
  ];
  test.each(wrong)("%j is an error with its line", (line) => {
    expect(problems(`uname\n${line}\ncat`)).toEqual([
      { source: "list:2", message: expect.any(String), fatal: true },
    ]);
  });

  test("a modifier without its colon is no subcommand", () => {
    expect(problems("make unrestricted")[0]?.message).toBe(
      "'unrestricted' stands after a colon (write: make: unrestricted)",
    );
  });

  test("a name listed twice is reported with both lines and counts once", () => {
    const { entries, problems: found } = parseAllowlist("ls\ncat\nls: unrestricted", "list");
    expect(found).toEqual([
      { source: "list:3", message: "ls is listed twice (first in list:1)", fatal: false },
    ]);
    expect(entries.get("ls")?.unrestricted).toBe(false);
  });

  test("is empty for an empty text", () => {
    expect(parseAllowlist("", "list")).toEqual({ entries: new Map(), problems: [] });
  });
});
