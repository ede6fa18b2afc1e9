// Text folded to a width.
import { describe, expect, test } from "bun:test";
import { listText, type ToolRow } from "../../src/commands/tools-table.ts";
import { clip, definitions, fold, pad, shorten } from "../../src/layout.ts";
import { cleanLine } from "../../src/python/docstring.ts";

describe("layout", () => {
  test("folds at blanks, indents what follows, and leaves a long word whole", () => {
    expect(fold("one two three four", 9)).toBe("one two\nthree\nfour");
    expect(fold("one two three four", 9, 2)).toBe("one two\n  three\n  four");
    expect(fold("see /a/very/long/path now", 8)).toBe("see\n/a/very/long/path\nnow");
    expect(fold("", 8)).toBe("");
  });

  test("counts columns as a terminal shows them", () => {
    expect(pad("日本", 6)).toBe("日本  ");
    expect(pad("long", 2)).toBe("long");
    expect(clip("日本語のテキスト", 7)).toBe("日本語…");
    expect(clip("e\u0301e\u0301e\u0301", 2)).toBe("e\u0301…");
    expect(clip("short", 5)).toBe("short");
    expect(clip("shorter", 6)).toBe("short…");
    expect(clip("anything", 0)).toBe("");
  });

  test("never cuts a character in two", () => {
    expect(shorten("a🎈b", 2)).toBe("a…");
    expect(shorten("a🎈b", 3)).toBe("a🎈…");
    expect(shorten("a🎈b", 4)).toBe("a🎈b");
    expect(cleanLine(`${"x".repeat(198)}🎈🎈`)).toBe(`${"x".repeat(198)}…`);
  });

  test("shows what a tool is for in the columns there are, whatever the script", () => {
    const row: ToolRow = {
      ...{
        name: "a.py",
        path: "/a.py",
        capability: "天気を調べる🎈".repeat(20),
        allowlisted: true,
        source: "f:1",
      },
      ...{ reason: null, interpreter: null, python: null, requires_python: null, network: false, env: [] },
      ...{ requires: [], dependencies: "none", install: null, problems: [] },
    };
    const line = listText([row]).split("\n")[1] ?? "";
    expect(line.isWellFormed()).toBe(true);
    expect(Bun.stringWidth(line.slice(line.indexOf("天")))).toBeLessThanOrEqual(70);
  });

  test("puts a term and its meaning side by side, and below each other when there is no room", () => {
    const rows = [
      ["-a", "the first thing there is to say"],
      ["--quite-a-long-name=<WITH A LONG VALUE>", "x"],
    ] as const;
    expect(definitions(rows, 62)).toBe(
      `  -a${" ".repeat(34)}the first thing there is\n${" ".repeat(38)}to say\n  --quite-a-long-name=<WITH A LONG VALUE>\n${" ".repeat(38)}x`,
    );
    expect(definitions(rows, 20)).toBe(
      "  -a\n    the first thing\n    there is to say\n  --quite-a-long-name=<WITH A LONG VALUE>\n    x",
    );
    for (const line of definitions(rows.slice(0, 1), 20).split("\n"))
      expect(line.length).toBeLessThanOrEqual(20);
  });
});
