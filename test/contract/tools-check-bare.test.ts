// The check of tools on a machine without any sandbox: the observer in the interpreter is all there is, and enough.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { BROKEN_BEHAVIOUR } from "../support/brokencalls.ts";
import { BROKEN_DOCS } from "../support/brokendocs.ts";
import { brokenTool, rulesOf } from "../support/brokentools.ts";
import { checkBroken, openCheckBench, PATIENCE_MS } from "../support/toolcheck.ts";

const bench = openCheckBench("none");
afterAll(() => bench.close());

describe("without any sandbox", () => {
  const told = [...BROKEN_BEHAVIOUR, ...BROKEN_DOCS].filter(({ rules }) =>
    rules.some((rule) => /^(writes-outside|starts-programs!|docs-network|shadowed)$/.test(rule)),
  );
  for (const tool of told)
    test.concurrent(
      `a tool that ${tool.claim} breaks the same rule`,
      () => checkBroken(bench, tool),
      PATIENCE_MS,
    );

  test(
    "nothing of what a tool tries to write is written",
    async () => {
      const target = join(bench.home, "written");
      const text = brokenTool({
        before: `try:\n    open(${JSON.stringify(target)}, "w").close()\nexcept OSError:\n    pass`,
      });
      expect(rulesOf(await bench.check("writer.py", text))).toEqual(["writes-outside"]);
      expect(existsSync(target)).toBe(false);
    },
    PATIENCE_MS,
  );
});
