// How the model learns of a user's own script: a line in the system prompt, the whole text one call away or preloaded.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { appendFileSync, chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../src/schema.ts";
import { runAsh } from "../support/ash.ts";
import { KEY, useServer } from "../support/asking.ts";
import { answersIn, calls, type ScriptedReply, says, systemIn } from "../support/modelserver.ts";
import { PYTHON } from "../support/pythontool.ts";
import { useToolPlace } from "../support/toolplace.ts";

setDefaultTimeout(30_000);

const { place, writeTool, toolFile, tools } = useToolPlace();
const server = useServer();

/** A tool that counts how often it was asked for its documentation. */
const script = (capability: string): string => `#!/usr/bin/env python3
"""${capability}"""
import json, sys
if "--ai-docs" in sys.argv:
    print("# mine.py\\n${capability}\\n## Usage\\nmine.py --number N")
else:
    print(json.dumps({"status": "ok", "doubled": 2 * int(sys.argv[sys.argv.index("--number") + 1])}))
`;

async function ask(
  answers: readonly ScriptedReply[],
  env: Readonly<Record<string, string>> = {},
): Promise<Result> {
  server.start(answers);
  const run = await runAsh(place(), ["--json", "--base-url", server.url, "double 21"], {
    env: { ...KEY, ASH_PYTHON: PYTHON, ...env },
  });
  return run.json();
}

const allow = (line: string): void => appendFileSync(join(place().ashHome, ".ash_tools"), `${line}\n`);
const usesIt: readonly ScriptedReply[] = [
  calls("mine.py", ["--ai-docs"]),
  calls("mine.py", ["--number", "21"]),
  says("It is 42."),
];

describe("a user's own script", () => {
  test("is refused with the line to add, and with it is discovered and used in one run", async () => {
    await tools(["list"]);
    writeTool("mine.py", script("Doubles a number."));
    const refused = await ask(usesIt);
    expect(systemIn(server.requests[0])).not.toContain("mine.py");
    expect(refused.denials).toHaveLength(2);
    expect(refused.denials[0]?.reason).toContain("mine.py");
    expect(refused.denials[0]?.reason).toContain("with this line in .ash_tools: mine.py");

    allow("mine.py");
    const used = await ask(usesIt);
    expect(systemIn(server.requests[0])).toContain("  mine.py: Doubles a number.\n");
    expect(answersIn(server.requests[1])[0]?.content).toContain("mine.py --number N");
    expect(JSON.parse(answersIn(server.requests[2])[0]?.content ?? "").stdout).toBe(
      '{"status": "ok", "doubled": 42}\n',
    );
    expect(used).toMatchObject({
      status: "ok",
      result: "It is 42.",
      denials: [],
      tools: [
        { decision: "allow", tool_status: null },
        { decision: "allow", tool_status: "ok" },
      ],
    });
  });
});

describe("preload_docs", () => {
  const preload = (): void => appendFileSync(join(place().ashHome, "config.toml"), "preload_docs = true\n");
  const kept = (): readonly string[] => readdirSync(join(place().ashHome, "cache", "docs")).sort();

  test("puts the whole documentation into the prompt, asks once for it, and again when the script changed", async () => {
    await tools(["list"]);
    writeTool("mine.py", script("Doubles a number."));
    allow("mine.py");
    preload();
    await ask([says("ok")]);
    expect(systemIn(server.requests[0])).toContain(
      '<docs tool="mine.py">\n# mine.py\nDoubles a number.\n## Usage\nmine.py --number N\n</docs>',
    );
    const first = kept();
    expect(first.filter((name) => name.startsWith("mine.py-"))).toHaveLength(1);

    // Were it asked again, it could not answer.
    chmodSync(toolFile("mine.py"), 0o600);
    await ask([says("ok")], { ASH_PYTHON: "/bin/false" });
    expect(systemIn(server.requests[0])).toContain("mine.py --number N");

    writeTool("mine.py", script("Doubles whole numbers."));
    await ask([says("ok")]);
    expect(systemIn(server.requests[0])).toContain("# mine.py\nDoubles whole numbers.");
    expect(kept()).not.toEqual(first);
  });

  test("of a tool that gives none is a warning and its one line", async () => {
    await tools(["list"]);
    writeTool("mine.py", '"""Doubles a number."""\nimport sys\nsys.exit(3)\n');
    allow("mine.py");
    preload();
    const result = await ask([says("ok")]);
    expect(result.status).toBe("ok");
    expect(result.warnings).toMatchObject([
      { type: "preload_docs", message: expect.stringContaining("ash tools check mine") },
    ]);
    expect(systemIn(server.requests[0])).toContain("  mine.py: Doubles a number.");
    expect(systemIn(server.requests[0])).not.toContain('<docs tool="mine.py">');
  });
});
