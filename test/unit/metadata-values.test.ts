// Single values of a script's metadata: variables, requirements, versions, capabilities.
import { describe, expect, test } from "bun:test";
import { refusedVariable } from "../../src/python/declarations.ts";
import { capabilityOf, satisfies } from "../../src/python/metadata.ts";
import { isRequirement } from "../../src/python/specifier.ts";

const script = (...lines: readonly string[]): string =>
  ["#!/usr/bin/env python3", "# /// script", ...lines.map((line) => `# ${line}`.trimEnd()), "# ///", ""].join(
    "\n",
  );

describe("a variable", () => {
  test.each([
    "PATH",
    "HOME",
    "ANTHROPIC_API_KEY",
    "ASH_HOME",
    "BUN_OPTIONS",
    "LD_PRELOAD",
    "PYTHONPATH",
    "PYTHON_COLORS",
    "NODE_OPTIONS",
    "GIT_SSH",
    "BASH_ENV",
    "lower",
    "A-B",
    "1A",
    "",
  ])("%j is never handed to a tool", (name) => {
    expect(refusedVariable(name)).not.toBeNull();
  });

  test.each(["WEATHER_API_KEY", "GITHUB_TOKEN", "LESSON", "LDAP_URL", "HOMEPAGE", "HTTPS_PROXY"])(
    "%j may be declared",
    (name) => {
      expect(refusedVariable(name)).toBeNull();
    },
  );
});

describe("a requirement", () => {
  test.each([
    "requests",
    "requests>=2",
    "requests >=2, <3",
    "a[x,y]~=1.2",
    "a (>=1)",
    "a==1.*",
    "a @ https://host/a.whl",
    "a; python_version<'3'",
    "zope.interface",
  ])("%j has the form of one", (text) => {
    expect(isRequirement(text)).toBe(true);
  });

  test.each([
    "",
    "-r x",
    "--pre",
    ".",
    "../a",
    "a b",
    "a >= ",
    "a\n--pre",
    "/etc/x",
    "a,b",
    `a${"b".repeat(300)}`,
  ])("%j has not", (text) => {
    expect(isRequirement(text)).toBe(false);
  });
});

describe("requires-python", () => {
  const cases = [
    [">=3.9", [3, 9, 0], true],
    [">=3.9", [3, 8, 18], false],
    [">=3.9,<3.13", [3, 12, 9], true],
    [">=3.9,<3.13", [3, 13, 0], false],
    ["==3.11.*", [3, 11, 7], true],
    ["==3.11.*", [3, 1, 1], false],
    ["==3.11", [3, 11, 0], true],
    ["==3.11", [3, 11, 7], false],
    ["!=3.11.*", [3, 11, 7], false],
    ["!=3.11.3", [3, 11, 7], true],
    ["~=3.9", [3, 14, 0], true],
    ["~=3.9", [4, 0, 0], false],
    ["~=3.9.2", [3, 9, 7], true],
    ["~=3.9.2", [3, 10, 0], false],
    [">3.11", [3, 11, 0], false],
    [">3.11", [3, 11, 1], true],
    ["<=3.11", [3, 11, 1], false],
    [">=3.13.0rc1", [3, 13, 0], true],
    ["<3.13.0rc1", [3, 13, 0], false],
    ["==3.13.0rc1", [3, 13, 0], false],
    [">3.12.0.post1", [3, 12, 0], false],
    ["===3.11.7", [3, 11, 7], true],
    ["===3.11", [3, 11, 0], false],
    [" >= 3.9 , < 4 ", [3, 9, 1], true],
    ["nonsense", [3, 9, 1], false],
    [null, [2, 7, 0], true],
  ] as const;
  test.each(cases)("%j and %j: %p", (wanted, version, expected) => {
    expect(satisfies(wanted, version)).toBe(expected);
  });
});

describe("the capability", () => {
  const cases = [
    ['"""One line."""\n', "One line."],
    ["#!x\n# c\n\n'''One.\n\nMore.\n'''\n", "One."],
    ['"""\\\nAfter a backslash.\n"""', "After a backslash."],
    ['"""\n\n  Indented.  \n"""', "Indented."],
    ["r'raw \\n stays'\n", "raw \\n stays"],
    ['"tab\\tand \\u00e9 \\x41 \\"q\\""', 'tab and é A "q"'],
    ['"""She said ""hi"" twice."""', 'She said ""hi"" twice.'],
    ['u"unicode"', "unicode"],
    ['b"bytes"', null],
    ['f"format"', null],
    ["import os\n'''late'''\n", null],
    ['"never closed\n"', null],
    ['"""never closed', null],
    ['""', null],
    ["", null],
    ['"\\x1b[31mred\\x1b[0m \u202eand reversed"', "red and reversed"],
    [script("[tool.ash]", "description = '  From   the block. '").concat('"""Docs."""\n'), "From the block."],
    [script("dependencies = []").concat('"""Docs."""\n'), "Docs."],
    [`"${"x".repeat(300)}"`, `${"x".repeat(199)}…`],
  ] as const;
  test.each(cases)("of %j is %p", (text, expected) => {
    expect(capabilityOf(text)).toBe(expected);
  });
});
