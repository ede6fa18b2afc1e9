// Text folded to a width.
import { describe, expect, test } from "bun:test";
import { clip, definitions, fold, pad } from "../../src/layout.ts";

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
