// What a Python tool prints, read: its help, its answer, and its line for the allowlist.
import { describe, expect, test } from "bun:test";
import { withLine } from "../../src/commands/tools-offer.ts";
import { listText, type ToolRow } from "../../src/commands/tools-table.ts";
import { parseAllowlist } from "../../src/policy/allowlist.ts";
import { readAnswers } from "../../src/python/answer.ts";
import { mentions, readHelp } from "../../src/python/helpoptions.ts";
import { KNOWN_LIBRARIES, STANDARD_MODULES } from "../../src/python/modulenames.ts";

describe("a help text", () => {
  test("of argparse before 3.13 gives every option with all its names", () => {
    const text = `usage: x.py [-h] (--query TEXT | --title TITLE) [-l {en,de}] [--deep | --no-deep]

Looks up --things
--not-an-option here.

options:
  -h, --help            show this help message and exit
  --query TEXT          words; instead of
                        --title, say
  -l {en,de}, --language {en,de}
                        one of -x, -y
  --deep, --no-deep
  --pair A B
`;
    expect(readHelp(text)).toEqual({
      options: [["-h", "--help"], ["--query"], ["-l", "--language"], ["--deep"], ["--no-deep"], ["--pair"]],
      subcommands: [],
      needsArguments: true,
    });
  });

  test("of other libraries gives theirs", () => {
    const click = `Usage: tool.py [OPTIONS] NAME

  Says hello.

Options:
  -c, --count INTEGER     Number of greetings.  [default: 1]
  --shout / --no-shout    Loud.
  --name=TEXT             Who.
  --help                  Show this message and exit.
`;
    expect(readHelp(click)).toMatchObject({
      options: [["-c", "--count"], ["--shout"], ["--no-shout"], ["--name"], ["--help"]],
      needsArguments: true,
    });
    expect(readHelp("mine\n\n--city CITY   a city\n-v\n- an item\n-- a dash\n").options).toEqual([
      ["--city"],
      ["-v"],
    ]);
    expect(readHelp("")).toEqual({ options: [], subcommands: [], needsArguments: false });
  });

  const needs = [
    ["usage: x.py", false],
    ["usage: x.py [-h] [--a A [A ...]]", false],
    ["usage: x.py [-h] place", true],
    ["usage: x.py [-h] [place]", false],
    ["usage: python3 x.py [options]", false],
    ["usage: x.py [-h] {a,b} ...", true],
    ["usage: x.py [-h] --city CITY\n            [--limit N]\n\n  --other", true],
  ] as const;
  test.each(needs)("%j says whether something is required", (text, expected) => {
    expect(readHelp(text).needsArguments).toBe(expected);
  });

  test("names subcommands in braces or below a placeholder", () => {
    expect(readHelp("usage: x.py [-h] {add,list-all} ...\n").subcommands).toEqual(["add", "list-all"]);
    const listed = `usage: x.py [-h] COMMAND ...

positional arguments:
  COMMAND
    add       adds
    rm (remove)
              removes
    list-all  lists

options:
  -h, --help  help
`;
    expect(readHelp(listed).subcommands).toEqual(["add", "rm", "list-all"]);
    expect(readHelp("usage: x.py [-h] ...\n").subcommands).toEqual([]);
  });
});

test("a documentation names an option only as a word of its own", () => {
  expect(mentions("use `--limit N` or --limit-days", "--limit")).toBe(true);
  expect(mentions("use --limit=3.", "--limit")).toBe(true);
  expect(mentions("use --limit-days", "--limit")).toBe(false);
  expect(mentions("use --no-limit", "--limit")).toBe(false);
  expect(mentions("use --[no-]deep", "--no-deep")).toBe(true);
  expect(mentions("use +x.", "x")).toBe(true);
});

describe("an answer", () => {
  const good = [
    ['{"status": "ok"}\n', ["ok"]],
    ['  {\n "status": "partial",\n "a": [1]\n}\n\n', ["partial"]],
    ['{"status": "ok"}\n\n{"status": "error"}\n', ["ok", "error"]],
  ] as const;
  test.each(good)("%j is read", (text, statuses) => {
    const read = readAnswers(text);
    expect(read.ok && read.answers.map(({ status }) => status)).toEqual([...statuses]);
  });

  const bad = [
    ["", "output-empty", "stdout is empty"],
    [" \n", "output-empty", "stdout is empty"],
    ["\ufeff", "output-text", "byte order mark"],
    ["hello", "output-text", "is not JSON: 'hello'"],
    ["\u001b[31m{", "output-text", "'\\u{1b}[31m{'"],
    ['Loading\n{"status": "ok"}', "output-text", "'Loading' before the JSON"],
    ['{"status": "ok"}\n[done]', "output-text", "'[done]' after the JSON"],
    ['{"status": "ok"} {"a": "}"}', "output-values", "several JSON values"],
    ['{"status": "ok", "x": NaN, "y": "NaN"}', "output-nan", "NaN or Infinity"],
    ['{"status": "ok", "x": -Infinity}\n{"status": "ok"}', "output-nan", "NaN or Infinity"],
    ['{"status": "ok", "x": "NaN"', "output-text", "is not JSON"],
    ["[]", "output-status", "no JSON object"],
    ["null", "output-status", "no JSON object"],
    ["{}", "output-status", "has no status"],
    ['{"status": null}', "output-status", "that is no text"],
    ['{"status": "ok"}\n{"item": 1}', "output-status", "has no status"],
  ] as const;
  test.each(bad)("%j breaks %s", (text, rule, message) => {
    const read = readAnswers(text);
    expect(read).toMatchObject({ ok: false, finding: { rule, level: "error" } });
    expect(read.ok ? "" : read.finding.message).toContain(message);
  });
});

describe("a line added to an allowlist", () => {
  const cases = [
    ["", "x.py\n"],
    ["ls\n", "ls\nx.py\n"],
    ["ls", "ls\nx.py\n"],
    ["# a\r\nls\r\n", "# a\r\nls\r\nx.py\r\n"],
    ["ls # no end", "ls # no end\nx.py\n"],
  ] as const;
  test.each(cases)("of %j leaves all of it", (before, after) => {
    const text = withLine(before, "x.py");
    expect(text).toBe(after);
    expect(parseAllowlist(text, "f").entries.has("x.py")).toBe(true);
  });
});

test("the list of tools is a table, then what there is to say, then the interpreters", () => {
  const row: ToolRow = {
    name: "a.py",
    path: "/h/tools/a.py",
    capability: "Does a.",
    allowlisted: true,
    source: "/h/.ash_tools:7",
    reason: null,
    interpreter: "/usr/bin/python3",
    python: "3.11.2",
    requires_python: null,
    network: true,
    env: ["A_KEY"],
    requires: [],
    dependencies: "none",
    install: null,
    problems: [],
  };
  const other: ToolRow = {
    ...row,
    name: "longer.py",
    capability: null,
    allowlisted: false,
    source: null,
    reason: "not in ~/.ash/.ash_tools: add the line longer.py",
    network: false,
    env: [],
    requires: ["x>=1"],
    dependencies: "missing",
    install: "ash tools sync longer",
    problems: [{ line: 3, message: "wrong" }],
  };
  expect(listText([row, other])).toBe(`NAME       ALLOWED             NETWORK  PACKAGES   CAPABILITY
a.py       yes (.ash_tools:7)  yes      none       Does a.
longer.py  no                  no       not ready  –

a.py: is given A_KEY
longer.py: not in ~/.ash/.ash_tools: add the line longer.py
longer.py: needs x>=1; run: ash tools sync longer
longer.py:3: wrong

python: /usr/bin/python3 (3.11.2)
`);
  const apart = listText([row, { ...other, interpreter: "/v/bin/python", python: null, reason: null }]);
  expect(apart).toContain("python: /usr/bin/python3 (3.11.2): a.py\npython: /v/bin/python: longer.py\n");
});

test("the lists of modules hold names a tool could have", () => {
  for (const name of [...STANDARD_MODULES, ...KNOWN_LIBRARIES]) expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
  for (const name of ["json", "os", "tomllib", "distutils", "zoneinfo"])
    expect(STANDARD_MODULES.has(name)).toBe(true);
});
