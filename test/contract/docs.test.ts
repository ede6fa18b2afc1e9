// The generated pages and the links of docs/.
import { expect, test } from "bun:test";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { documents, stalePages } from "../../scripts/docs.ts";
import { COMMAND_NAMES, commandSpec } from "../../src/spec.ts";

const DOCS = join(import.meta.dir, "../../docs");

test("every generated page is up to date; if not, run ./scripts/docs", () => {
  expect(stalePages()).toEqual([]);
});

test("a page that was edited, removed or left over is noticed", () => {
  const copy = mkdtempSync(join(tmpdir(), "ash-docs-"));
  try {
    cpSync(DOCS, copy, { recursive: true });
    expect(stalePages(copy)).toEqual([]);
    const page = join(copy, "exit-codes.md");
    writeFileSync(page, readFileSync(page, "utf8").replace("a complete answer", "an answer"));
    rmSync(join(copy, "schemas/result.json"));
    writeFileSync(join(copy, "schemas/older.json"), "{}");
    expect(stalePages(copy)).toEqual(["exit-codes.md", "schemas/result.json", "schemas/older.json"]);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

test("every command takes the flags the command line page says all take", () => {
  for (const name of COMMAND_NAMES) {
    const flags = commandSpec(name).flags.map((flag) => flag.name);
    expect(flags).toEqual(expect.arrayContaining(["json", "no-color", "help"]));
  }
});

test("the pages link nowhere that does not exist, and their tables have equal rows", () => {
  for (const [path, text] of documents()) {
    if (!path.endsWith(".md")) continue;
    for (const [, target = ""] of text.matchAll(/\]\(([^)]+)\)/g))
      expect(readFileSync(join(DOCS, path, "..", target), "utf8")).not.toBe("");
    const tables = text
      .trimEnd()
      .split("\n\n")
      .filter((block) => block.startsWith("|"));
    for (const table of tables) {
      const cells = table.split("\n").map((line) => line.replaceAll("\\|", "").split("|").length);
      expect(new Set(cells).size).toBe(1);
    }
  }
});
