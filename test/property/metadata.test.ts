// The block finder against the reference of the standard: its regular expression and tomllib, run by Python itself.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { docstringLine } from "../../src/python/docstring.ts";
import { parseMetadata, satisfies } from "../../src/python/metadata.ts";
import { findScriptBlocks } from "../../src/python/scriptblock.ts";
import { PYTHON } from "../support/pythontool.ts";

const REFERENCE = `
import ast, io, json, re, sys
try:
    import tomllib
except ModuleNotFoundError:
    from pip._vendor import tomli as tomllib
REGEX = r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\\s(?P<content>(^#(| .*)$\\s)+)^# ///$"

def blocks(text):
    found = [match for match in re.finditer(REGEX, text) if match.group("type") == "script"]
    return [re.sub("(?m)^#( |)", "", match.group("content")) for match in found]

def dependencies(found):
    if len(found) != 1:
        return None
    try:
        value = tomllib.loads(found[0]).get("dependencies", [])
    except tomllib.TOMLDecodeError:
        return None
    return value

def docstring(text):
    try:
        found = ast.get_docstring(ast.parse(text))
    except (SyntaxError, ValueError):
        return None
    return found

answers = []
for source in json.load(sys.stdin):
    text = io.TextIOWrapper(io.BytesIO(source.encode("utf-8")), encoding="utf-8-sig", newline=None).read()
    found = blocks(text)
    answers.append({"blocks": found, "dependencies": dependencies(found), "docstring": docstring(text)})
json.dump(answers, sys.stdout)
`;

type Verdict = {
  readonly blocks: readonly string[];
  readonly dependencies: readonly string[] | null;
  readonly docstring: string | null;
};

async function askPython(sources: readonly string[]): Promise<readonly Verdict[]> {
  const child = Bun.spawn([PYTHON, "-I", "-X", "utf8", "-c", REFERENCE], {
    stdin: new TextEncoder().encode(JSON.stringify(sources)),
    stdout: "pipe",
    stderr: "inherit",
  });
  const answer = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return JSON.parse(answer) as readonly Verdict[];
}

/** The same normal form Python's text files have: no byte order mark, LF. */
const normal = (source: string): string => source.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");

const LINES = [
  "# /// script",
  "# /// script",
  "# ///",
  "# ///",
  "#",
  "# ",
  '# dependencies = ["requests", "rich>=1"]',
  "# dependencies = []",
  "# [tool.ash]",
  "# network = true",
  "# /// other-type",
  "# /// Script",
  "# /// script ",
  "# /// ",
  "# ///\t",
  "#///",
  "#/// script",
  "#\tdependencies = []",
  "#dependencies = []",
  "",
  "  ",
  "x = 1",
  '"""',
  "\u2028# ///",
  "# é\u2028# ///",
];

const anyLines = fc.array(fc.constantFrom(...LINES), { maxLength: 12 });
/** Lines that often hold a closed block, so that the finders have something to agree on. */
const blockLines = fc
  .tuple(
    anyLines,
    fc.array(fc.constantFrom(...LINES.filter((line) => /^#( |$)/.test(line))), { maxLength: 6 }),
    anyLines,
  )
  .map(([before, inside, after]) => [
    ...before.slice(0, 3),
    "# /// script",
    ...inside,
    "# ///",
    ...after.slice(0, 4),
  ]);

const sourceOf = fc
  .tuple(
    fc.constantFrom("", "\ufeff"),
    fc.constantFrom("\n", "\n", "\r\n", "\r"),
    fc.oneof(anyLines, blockLines),
    fc.boolean(),
  )
  .map(([mark, end, lines, closed]) => mark + lines.join(end) + (closed ? end : ""));

const FIXED = [
  "",
  "# /// script\n# dependencies = []\n# ///",
  "# /// script\n# ///\n",
  "# /// script\n#\n# ///\n",
  "# /// script\n# ///\n# dependencies = []\n# ///\n",
  '# /// script\n# note = """\n# /// script\n# ///\n# """\n# ///\n',
  "# /// script\n# dependencies = []\n# ///\n# trailing comment\n",
  "# /// script\n# dependencies = []\n# ///\n\n# /// script\n# dependencies = []\n# ///\n",
  '"""\n# /// script\n# dependencies = ["inside-a-string"]\n# ///\n"""\n',
];

describe("the block finder", () => {
  test("and the reference find the same blocks and the same dependencies", async () => {
    const sources = [...FIXED, ...fc.sample(sourceOf, { numRuns: 2000, seed: 723 })];
    const verdicts = await askPython(sources);
    const ours = sources.map((source) => {
      const { blocks } = findScriptBlocks(normal(source).split("\n"));
      return blocks.map(({ content }) => content.map((line) => `${line}\n`).join(""));
    });
    expect(ours).toEqual(verdicts.map(({ blocks }) => [...blocks]));
    for (const [i, source] of sources.entries()) {
      const { dependencies, hasBlock } = parseMetadata(source);
      expect({ source, dependencies, hasBlock }).toEqual({
        source,
        dependencies: [...(verdicts[i]?.dependencies ?? [])],
        hasBlock: (verdicts[i]?.blocks.length ?? 0) > 0,
      });
    }
    expect(verdicts.filter(({ blocks }) => blocks.length === 1).length).toBeGreaterThan(500);
  });

  test("says something whenever a line of it looks like a script block and none is found", () => {
    fc.assert(
      fc.property(sourceOf, (source) => {
        const { hasBlock, problems } = parseMetadata(source);
        const looksLikeOne = normal(source)
          .split("\n")
          .some((line) => line === "# /// script");
        return (
          !looksLikeOne ||
          hasBlock ||
          problems.length > 0 ||
          /# \/\/\/ (?:other-type|Script)$/m.test(normal(source))
        );
      }),
    );
  });

  test("never throws, names lines there are, and is quick on many starts", () => {
    fc.assert(
      fc.property(fc.oneof(sourceOf, fc.string({ unit: "binary", maxLength: 80 })), (source) => {
        const count = source.split(/\r\n?|\n/).length;
        for (const { line } of parseMetadata(source).problems) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(count);
        }
      }),
    );
    expect(parseMetadata("# /// script\n".repeat(40_000)).problems).toHaveLength(1);
    expect(parseMetadata("#/// script\n".repeat(40_000)).problems).toHaveLength(20);
  });

  test("takes bytes and text for the same", () => {
    fc.assert(
      fc.property(sourceOf, (source) => {
        expect(parseMetadata(new TextEncoder().encode(source))).toEqual(parseMetadata(source));
      }),
    );
  });
});

test("the first line of a docstring is the one Python sees", async () => {
  const pieces = ["One.", " two", "\\n", "\\\n", "\n", '\\"', "'", '"', "\\x41", "\\u00e9", "\\t", "  ", "#"];
  const docstring = fc
    .tuple(
      fc.constantFrom("", "#!/usr/bin/env python3\n", "\n\n# c\n"),
      fc.constantFrom("", "r", "u", "b", "f"),
      fc.constantFrom('"""', "'''", '"', "'"),
      fc.array(fc.constantFrom(...pieces), { maxLength: 6 }),
      fc.constantFrom("\n", "\nimport os\n", ""),
    )
    .map(([before, prefix, quote, inside, after]) => {
      // A bare quote would end a short string and begin another one, glued to it.
      const kept = quote.length === 1 ? inside.filter((piece) => piece !== "'" && piece !== '"') : inside;
      return before + prefix + quote + kept.join("") + quote + after;
    });
  const sources = fc.sample(docstring, { numRuns: 2000, seed: 257 });
  const verdicts = await askPython(sources);
  let found = 0;
  for (const [i, source] of sources.entries()) {
    const expected = verdicts[i]?.docstring;
    // What Python cannot parse at all may be read either way.
    if (expected === null || expected === undefined) continue;
    const first = expected.split("\n").find((line) => line.trim() !== "");
    expect({ source, line: docstringLine(source) }).toEqual({
      source,
      line: first === undefined ? null : first.replace(/\s+/g, " ").trim(),
    });
    found += 1;
  }
  expect(found).toBeGreaterThan(300);
});

test("a version satisfies >=V exactly when it does not satisfy <V, and ==V exactly when both <=V and >=V", () => {
  const number = fc.integer({ min: 0, max: 15 });
  const version = fc.tuple(fc.integer({ min: 3, max: 4 }), number, number);
  const wanted = fc
    .array(number, { minLength: 1, maxLength: 3 })
    .map((rest) => [3, ...rest].slice(0, 3).join("."));
  fc.assert(
    fc.property(version, wanted, ([major, minor, micro], text) => {
      const holds = (operator: string): boolean => satisfies(operator + text, [major, minor, micro]);
      expect(holds(">=")).toBe(!holds("<"));
      expect(holds("<=")).toBe(!holds(">"));
      expect(holds("==")).toBe(holds("<=") && holds(">="));
      expect(holds("!=")).toBe(!holds("=="));
    }),
  );
});
