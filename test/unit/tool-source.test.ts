// The source of a Python tool, and of one that is made by ash tools new.
import { describe, expect, test } from "bun:test";
import { parseOption, toolText } from "../../src/python/skeleton.ts";
import { importsOf, inspectSource } from "../../src/python/source.ts";
import { rulesOf } from "../support/brokentools.ts";

describe("a tool's file", () => {
  const HEAD = "#!/usr/bin/env python3\n";
  const inspect = (text: string, more: { name?: string; mode?: number } = {}) =>
    inspectSource({ name: "tool.py", mode: 0o700, ...more, bytes: new TextEncoder().encode(text) }).findings;

  const cases = [
    [HEAD, {}, []],
    ["#!/usr/bin/python3\n", {}, ["shebang"]],
    ["#!/usr/bin/env python3 \n", {}, ["shebang"]],
    ["", {}, ["shebang"]],
    [HEAD, { mode: 0o644 }, ["mode"]],
    [HEAD, { mode: 0o655 }, ["mode"]],
    [`${HEAD}#///script\n# dependencies = []\n# ///\n`, {}, ["metadata"]],
    [
      `${HEAD}# /// script\n# [tool.ash]\n# netwrok = true\n# env = ['PATH']\n# ///\n`,
      {},
      ["metadata", "metadata"],
    ],
    [HEAD.replace("\n", "\r\n"), {}, ["line-ends"]],
    [`\ufeff${HEAD}`, {}, ["encoding"]],
    [`${HEAD}x = '\0'\n`, {}, ["encoding"]],
    [HEAD, { name: "queue.py" }, ["name!"]],
    [HEAD, { name: "my tool.py" }, ["name"]],
    [`${HEAD}import requests\n`, { name: "requests.py" }, ["name!", "network-undeclared!"]],
    [`${HEAD}import os, yaml.nodes as n\n`, { name: "yaml.py" }, ["name!"]],
    [`${HEAD}importlib.import_module("yaml")\n`, { name: "yaml.py" }, ["name!"]],
    [`${HEAD}sys.path[:] = []\nimport yaml\n`, { name: "yaml.py" }, []],
    [`${HEAD}# /// script\n# dependencies = ["py-YAML>=1"]\n# ///\n`, { name: "py_yaml.py" }, ["name!"]],
    [`${HEAD}import yaml\n`, { name: "yaml_tool.py" }, []],
    [`${HEAD}from urllib import request\n`, {}, ["network-undeclared!"]],
    [`${HEAD}import urllib.parse\n`, {}, []],
    [`${HEAD}# /// script\n# tool.ash.network = true\n# ///\nimport socket\n`, {}, []],
  ] as const;
  test.each(cases)("%j with %j breaks %j", (text, more, rules) => {
    expect(rulesOf(inspect(text, more))).toEqual([...rules]);
  });

  test("is blamed with the line", () => {
    expect(inspect(`${HEAD}\n\nimport socket\n`)[0]).toMatchObject({ line: 4, rule: "network-undeclared" });
    expect(inspect(`${HEAD}#///script\n`)[0]).toMatchObject({
      line: 2,
      message: "'#///script' does not start a block",
      fix: "write exactly '# /// script'",
    });
  });

  test("imports what its text says", () => {
    const text = `import a, b.c as d  # comment
from e.f import g, h
  import i;
__import__("j")
from . import k
important = 1
`;
    expect([...importsOf(text)].sort()).toEqual(
      [".", "a", "b.c", "e.f", "e.f.g", "e.f.h", "i", "j", "..k"].sort(),
    );
  });
});

describe("an option of a new tool", () => {
  test.each([
    ["city", { name: "city", type: "str" }],
    ["--max-items:int", { name: "max-items", type: "int" }],
    ["x:bool", { name: "x", type: "bool" }],
  ] as const)("%j is read", (text, value) => {
    expect(parseOption(text)).toEqual({ ok: true, value });
  });

  test.each([
    "",
    "City",
    "a_b",
    "-x",
    "a--b",
    "a-",
    "1a",
    "a:",
    "a:text",
    "a:int:3",
    "help",
    "ai-docs",
    "status",
    "a\nb",
  ])("%j is refused", (text) => {
    expect(parseOption(text).ok).toBe(false);
  });
});

test("a new tool is a clean source whatever its description holds", () => {
  const options = [
    { name: "from", type: "str" },
    { name: "n", type: "float" },
  ] as const;
  for (const description of ['Says "hi" \\ """ \\n', 'ends in a quote"', "ends in \\", "é ✓ @NAME@"]) {
    const text = toolText({ name: "weather", description, options });
    const bytes = new TextEncoder().encode(text);
    const { findings, metadata } = inspectSource({ name: "weather.py", bytes, mode: 0o700 });
    expect(findings).toEqual([]);
    expect(metadata.capability).toBe(description);
    expect(text).not.toMatch(/@[A-Z_]{5,}@/);
  }
});
