// The metadata block of a script, and blocks that are nearly one.
import { describe, expect, test } from "bun:test";
import { parseMetadata } from "../../src/python/metadata.ts";

const script = (...lines: readonly string[]): string =>
  ["#!/usr/bin/env python3", "# /// script", ...lines.map((line) => `# ${line}`.trimEnd()), "# ///", ""].join(
    "\n",
  );
const problemsOf = (source: string | Uint8Array): readonly string[] =>
  parseMetadata(source).problems.map(({ line, message }) => `${line}: ${message}`);

describe("a script's metadata", () => {
  test("is everything its block declares", () => {
    const text = script(
      'requires-python = ">=3.9"',
      'dependencies = [" requests>=2,<3", "rich ; python_version < \'3.12\'"]',
      "",
      "[tool.ash]",
      "network = true",
      'env = ["WEATHER_API_KEY", "WEATHER_API_KEY", "CITY_2"]',
      'timeout = "2m"',
      'output_max = "64KiB"',
      'description = "Tells the weather."',
      "[tool.other]",
      "anything = 1",
    );
    expect(parseMetadata(text)).toEqual({
      dependencies: ["requests>=2,<3", "rich ; python_version < '3.12'"],
      requiresPython: ">=3.9",
      network: true,
      env: ["WEATHER_API_KEY", "CITY_2"],
      timeoutMs: 120_000,
      outputMax: 65_536,
      capability: "Tells the weather.",
      hasBlock: true,
      problems: [],
    });
  });

  test("is empty without a block, and nothing is wrong with that", () => {
    expect(parseMetadata("print('hi')\n")).toEqual({
      dependencies: [],
      requiresPython: null,
      network: false,
      env: [],
      timeoutMs: null,
      outputMax: null,
      capability: null,
      hasBlock: false,
      problems: [],
    });
  });

  test("counts bare numbers as seconds and bytes", () => {
    expect(parseMetadata(script("[tool.ash]", "timeout = 1.5", "output_max = 4096"))).toMatchObject({
      timeoutMs: 1500,
      outputMax: 4096,
      problems: [],
    });
  });

  test("ends at the last end line of an unbroken comment", () => {
    const text =
      '# /// script\n# dependencies = ["a"]\n# x = """\n# ///\n# """\n# ///\n# just a comment\n\n# ///\n';
    expect(problemsOf(text)).toEqual(["3: unknown key x; known: dependencies, requires-python, tool"]);
    expect(parseMetadata(text).dependencies).toEqual(["a"]);
  });

  test("is not read from a block of another type, nor from one inside it", () => {
    const text =
      '# /// pyproject\n# dependencies = ["a"]\n# ///\n\n# /// notes\n# /// script\n# dependencies = ["b"]\n# ///\n';
    expect(parseMetadata(text)).toMatchObject({ hasBlock: false, dependencies: [], problems: [] });
  });

  test("starts in the comment of an unclosed block of another type", () => {
    const text = '# /// notes\nx = 1\n# /// script\n# dependencies = ["b"]\n# ///\n';
    expect(parseMetadata(text)).toMatchObject({ hasBlock: true, dependencies: ["b"], problems: [] });
  });
});

describe("a near miss", () => {
  const body = '# dependencies = ["a"]\n# ///\n';
  const starts = [
    "#///script",
    "# ///script",
    "#/// script",
    "#  /// script",
    "# ///  script",
    "#\t/// script",
    "# /// script ",
    "# /// script\t",
    " # /// script",
    "## /// script",
    "# // script",
    "# //// script",
    "# /// Script",
    "# /// SCRIPT",
    "# /// scripts",
    "# /// scirpt",
    "# /// script:",
  ];
  test.each(starts)("of a first line, %j, is reported with the line to write", (start) => {
    const { hasBlock, dependencies, problems } = parseMetadata(`#!x\n${start}\n${body}`);
    expect({ hasBlock, dependencies }).toEqual({ hasBlock: false, dependencies: [] });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ line: 2, message: expect.stringContaining("'# /// script'") });
  });

  test.each(["#///", "# /// ", "# ///\t", "#  ///", "# //", "# ////", " # ///", "#\t///"])(
    "of a last line, %j, is reported with the line to write",
    (end) => {
      const { hasBlock, problems } = parseMetadata(`# /// script\n# dependencies = []\n${end}\nx = 1\n`);
      expect(hasBlock).toBe(false);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatchObject({ line: 3, message: expect.stringContaining("exactly '# ///'") });
    },
  );

  const broken = [
    ["dependencies = []", "start the line with '# '"],
    ["#dependencies = []", "put one blank after the #"],
    ["#\tdependencies = []", "put one blank after the #"],
    ["", "an empty line cuts the block"],
    ["  ", "an empty line cuts the block"],
  ] as const;
  test.each(broken)("of a line in the middle, %j, is reported", (line, message) => {
    const { hasBlock, problems } = parseMetadata(`# /// script\n# network = 1\n${line}\n# ///\n`);
    expect(hasBlock).toBe(false);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ line: 3, message: expect.stringContaining(message) });
  });

  const whole = [
    [
      "# /// script\n# dependencies = []\nimport os\n",
      "1: the block is not closed; end it with a line '# ///'",
    ],
    ["# /// script\n", "1: the block is not closed; end it with a line '# ///'"],
    ["# /// script\n# ///\n", "1: the block is empty; write dependencies = [] into it, or remove it"],
    [
      "# /// script\n# dependencies = []\n# ///\n\n# /// script\n# dependencies = []\n# ///\n",
      "5: a second script block (the first is in line 1); keep one of them",
    ],
  ] as const;
  test.each(whole)("of a whole block, %j, is reported", (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  test("is no reason to see one in ordinary comments", () => {
    const text =
      "# see // for integer division\n# //\n#### script\n# script\n# /// scripting-notes\n# a\n# ///\n";
    expect(problemsOf(text)).toEqual([]);
  });

  test("in the bytes is reported, and the block is read all the same", () => {
    const text = '#!x\n# /// script\n# dependencies = ["a"]\n# ///\n';
    const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
    for (const source of [`\ufeff${text}`, bytes(`\ufeff${text}`)]) {
      expect(parseMetadata(source).dependencies).toEqual(["a"]);
      expect(problemsOf(source)).toEqual([
        "1: the file starts with a byte order mark; save it as UTF-8 without one",
      ]);
    }
    for (const source of [text.replaceAll("\n", "\r\n"), text.replaceAll("\n", "\r")]) {
      expect(parseMetadata(source).dependencies).toEqual(["a"]);
      expect(problemsOf(source)).toEqual(["1: lines end in CR LF; save the file with Unix line ends (LF)"]);
    }
    const latin = Buffer.concat([bytes(text), Buffer.from([0x23, 0xe9, 0x0a])]);
    expect(parseMetadata(latin).dependencies).toEqual(["a"]);
    expect(problemsOf(latin)).toEqual(["5: not UTF-8 at byte offset 47; save the file as UTF-8"]);
  });
});

describe("a declaration that is wrong", () => {
  const wrong = [
    [["dependencies = 'a'"], "3: dependencies must be a list"],
    [["dependencies = ['--index-url=http://x']"], '3: "--index-url=http://x" is not a requirement'],
    [["dependencies = ['./evil']"], '3: "./evil" is not a requirement'],
    [["dependencies = ['a=1']"], '3: "a=1" is not a requirement'],
    [["dependencies = [1]"], "3: 1 is not a requirement"],
    [["dependancies = []"], "3: unknown key dependancies; did you mean dependencies?"],
    [["requires_python = '>=3'"], "3: unknown key requires_python; did you mean requires-python?"],
    [["requires-python = 3"], "3: requires-python must be a text"],
    [["requires-python = '3.9'"], "3: requires-python: '3.9' has no operator; write it like >=3.9"],
    [["requires-python = '>=3.9 <3.13'"], "3: requires-python: '>=3.9 <3.13' has no operator"],
    [["requires-python = '=3.9'"], "3: requires-python: '=3.9' has no operator"],
    [["requires-python = '>=3.x'"], "3: requires-python: '3.x' is not a version"],
    [["requires-python = '~=3'"], "3: requires-python: '~=3' needs two numbers"],
    [["requires-python = '>=3.*'"], "3: requires-python: '>=3.*': .* goes with == and != only"],
    [["tool.ash = 1"], "3: [tool.ash] must be a table"],
    [["[tool.ash]", "netwrok = true"], "4: unknown key netwrok in [tool.ash]; did you mean network?"],
    [["[tool.ash]", "outputmax = 1"], "4: unknown key outputmax in [tool.ash]; did you mean output_max?"],
    [["[tool.ash]", "network = 'yes'"], "4: network must be true or false, without quotes"],
    [["[tool.ash]", "env = 'A'"], "4: env must be a list of names"],
    [["[tool.ash]", "env = ['api_key']"], "4: env: 'api_key' is not a name like WEATHER_API_KEY"],
    [["[tool.ash]", "env = [7]"], "4: env: 7 is not a name"],
    [["[tool.ash]", "env = ['PATH']"], "4: env: PATH is never handed to a tool"],
    [["[tool.ash]", "timeout = 'soon'"], "4: timeout: 'soon' is not a duration"],
    [["[tool.ash]", "timeout = '11m'"], "4: timeout: '11m' must be at most 10m"],
    [["[tool.ash]", "timeout = -1"], "4: timeout: '-1' is not a duration"],
    [["[tool.ash]", "timeout = true"], "4: timeout must be a text or a number"],
    [["[tool.ash]", "output_max = '2MiB'"], "4: output_max: '2MiB' must be at most 1MiB"],
    [["[tool.ash]", "output_max = 0"], "4: output_max: '0' must be at least 1"],
    [["[tool.ash]", "description = 'a\\nb'"], null],
    [["[tool.ash]", 'description = "a\\nb"'], "4: description must be one line of text"],
    [["[tool.ash]", "description = 3"], "4: description must be one line of text"],
    [["dependencies = ["], "the block is not TOML"],
    [["a = 1", "b ="], "4: the block is not TOML"],
  ] as const;
  test.each(wrong)("%j is reported with its line", (lines, message) => {
    const problems = problemsOf(script(...lines));
    expect(problems).toHaveLength(message === null ? 0 : 1);
    expect(problems[0] ?? "").toContain(message ?? "");
  });

  test("counts as not declared", () => {
    const text = script("dependencies = ['ok', '-e .']", "[tool.ash]", "network = 1", "timeout = 'x'");
    expect(parseMetadata(text)).toMatchObject({ dependencies: ["ok"], network: false, timeoutMs: null });
  });
});
