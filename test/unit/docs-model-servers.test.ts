// docs/model-servers.md says what the presets and the errors are; here it is held to them.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PRESETS, type Preset } from "../../src/providers/presets.ts";

const text = readFileSync(join(import.meta.dir, "../../docs/model-servers.md"), "utf8");
const sources = ["failure", "select", "proxy", "messages", "models", "reply"].map((name) =>
  readFileSync(join(import.meta.dir, `../../src/providers/${name}.ts`), "utf8"),
);
const others = ["answer", "commands/models"].map((name) =>
  readFileSync(join(import.meta.dir, `../../src/${name}.ts`), "utf8"),
);
const code = [...sources, ...others].join("\n");

const rowOf = ({ name }: Preset): string =>
  text.split("\n").find((line) => line.startsWith(`| ${name} |`)) ?? "no row";

describe("the page about model servers", () => {
  test.each(PRESETS)("has the row and the section of $name", (preset) => {
    const row = rowOf(preset);
    expect(row).toContain(`\`${preset.baseUrl}\``);
    for (const variable of preset.keyEnv) expect(row).toContain(`\`${variable}\``);
    expect(row.includes("if any")).toBe(!preset.keyRequired);
    expect(row).toContain(preset.auth === "bearer" ? "`authorization: Bearer`" : "`x-api-key`");
    expect(row).toEndWith(`| ${preset.idleMs / 60_000} min |`);
    expect(text).toContain(`\n### ${preset.name}\n`);
  });

  test("names exactly the servers that take tool_choice, and what goes back to whom", () => {
    const named = (pattern: RegExp): readonly string[] =>
      (pattern.exec(text.replace(/\s+/g, " "))?.[1] ?? "").split(/, | and /);
    const having = (fits: (preset: Preset) => boolean): readonly string[] =>
      PRESETS.filter(fits).map(({ name }) => name);
    expect(named(/one last answer: ([^.]+)\./)).toEqual(having(({ toolChoice }) => toolChoice));
    expect(named(/thinking alone to ([^,]+(?:, [a-z]+)* and [a-z]+),/)).toEqual(
      having(({ keeps }) => keeps === "thinking"),
    );
    for (const { apiVersion, maxOutputTokens } of PRESETS) {
      expect(text).toContain(apiVersion);
      expect(text).toContain(String(maxOutputTokens));
    }
  });

  /** The sentences of the table, each up to the first part that varies. */
  const sentences = text
    .split("\n")
    .filter((line) => line.startsWith("| `") && line.split("|").length === 6)
    .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ""))
    .filter((sentence) => !/^[\d… ]+$|^… /.test(sentence));

  test.each(sentences)("says only what ash says: %s", (sentence) => {
    const pieces = sentence
      .split(
        /\bURL\b|\bHOST\b|\bNAME\b|\bKEY\b|\bID\b|\bP\b|HTTPS_PROXY|socks5|end_turn|ECONNREFUSED|ENOTFOUND|\b\d+\b|2m 0s|…/,
      )
      .map((piece) =>
        piece
          .trim()
          .replace(/^[):(]+|[(:]+$/g, "")
          .trim(),
      )
      .filter((piece) => piece.length > 3);
    expect(pieces.length).toBeGreaterThan(0);
    expect(pieces.filter((piece) => !code.includes(piece))).toEqual([]);
  });

  test("names every warning", () => {
    const kinds = [...code.matchAll(/type: "(no_usage|not_streamed|tool_choice_ignored)"/g)].map(
      (match) => match[1],
    );
    expect(new Set(kinds).size).toBe(3);
    for (const kind of kinds) expect(text).toContain(`| \`${kind}\` |`);
  });
});
