// The contract of Python tools against scripts that break it in one way each: every rule fires on its own defect,
// and on nothing else.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { RULES } from "../../src/python/finding.ts";
import { BROKEN_BEHAVIOUR, BROKEN_OUTPUT } from "../support/brokencalls.ts";
import { BROKEN_DOCS } from "../support/brokendocs.ts";
import { brokenTool, rulesOf } from "../support/brokentools.ts";
import { toolPath } from "../support/pythontool.ts";
import { checkBroken, openCheckBench, PATIENCE_MS } from "../support/toolcheck.ts";

const bench = openCheckBench();
afterAll(() => bench.close());

describe("a tool that keeps the contract", () => {
  test(
    "is found to",
    async () => {
      expect(await bench.check("good.py", brokenTool())).toEqual([]);
    },
    PATIENCE_MS,
  );

  test.each(["wikipedia.py", "headlines.py", "yfinance.py"])(
    "is %s, which comes with ash",
    async (name) => {
      expect(await bench.check(name, readFileSync(toolPath(name)), { mode: 0o755 })).toEqual([]);
    },
    PATIENCE_MS,
  );
});

describe.each([
  ["documentation", BROKEN_DOCS],
  ["output", BROKEN_OUTPUT],
  ["behaviour", BROKEN_BEHAVIOUR],
])("in its %s, a tool that", (_, tools) => {
  for (const tool of tools) {
    const verdict = tool.rules.length === 0 ? "is fine" : `breaks ${tool.rules.join(" and ")}`;
    test.concurrent(`${tool.claim} ${verdict}`, () => checkBroken(bench, tool), PATIENCE_MS);
  }
});

describe("a tool that", () => {
  test.concurrent(
    "does not end in time is told its limit",
    async () => {
      const text = brokenTool({ refuse: "time.sleep(60)" });
      const findings = await bench.check("slow.py", text, { limits: { timeoutMs: 4000 } });
      expect(rulesOf(findings)).toEqual(["time"]);
      expect(findings[0]?.message).toContain("4.0 s");
    },
    PATIENCE_MS,
  );

  test.concurrent(
    "needs a newer Python is not run further",
    async () => {
      const text = brokenTool({
        before: "# /// script\n# requires-python = '>=3.99'\n# ///\nraise SystemExit(7)",
      });
      const findings = await bench.check("newer.py", text);
      expect(rulesOf(findings)).toEqual(["python-version"]);
      expect(findings[0]?.message).toMatch(/requires Python >=3\.99 and would run with 3\.\d+\.\d+$/);
    },
    PATIENCE_MS,
  );

  test.concurrent(
    "imports what is not installed is told the command",
    async () => {
      const missing = { names: ["no_such_library>=1"], command: "ash tools sync needy" };
      const needed = brokenTool({ before: "import no_such_library" });
      const findings = await bench.check("needy.py", needed, { missing });
      expect(rulesOf(findings)).toEqual(["dependencies"]);
      expect(findings[0]).toMatchObject({
        message: expect.stringContaining("no_such_library>=1"),
        fix: "run: ash tools sync needy",
      });
      expect(rulesOf(await bench.check("lazy.py", brokenTool(), { missing }))).toEqual(["dependencies!"]);
    },
    PATIENCE_MS,
  );

  test.concurrent(
    "is no text is not run",
    async () => {
      const text = Buffer.concat([Buffer.from(brokenTool()), Buffer.from([0x23, 0xe9, 0x0a])]);
      expect(rulesOf(await bench.check("latin.py", text))).toEqual(["encoding"]);
    },
    PATIENCE_MS,
  );

  test.concurrent(
    "has CR LF, a byte order mark or no executable bit is run all the same",
    async () => {
      expect(rulesOf(await bench.check("crlf.py", brokenTool().replaceAll("\n", "\r\n")))).toEqual([
        "line-ends",
      ]);
      expect(rulesOf(await bench.check("bom.py", `\ufeff${brokenTool()}`))).toEqual(["encoding"]);
      expect(rulesOf(await bench.check("mode.py", brokenTool(), { mode: 0o600 }))).toEqual(["mode"]);
    },
    PATIENCE_MS,
  );
});

test("every rule that a run can break is broken by some tool here", () => {
  const here = new Set([...BROKEN_DOCS, ...BROKEN_OUTPUT, ...BROKEN_BEHAVIOUR].flatMap(({ rules }) => rules));
  const others = ["time", "python-version", "dependencies", "encoding", "line-ends", "mode", "start"];
  const elsewhere = ["shebang", "not-trusted", "metadata", "name"];
  const untested = Object.keys(RULES).filter(
    (rule) => !here.has(rule) && !here.has(`${rule}!`) && !others.includes(rule) && !elsewhere.includes(rule),
  );
  expect(untested).toEqual([]);
});
