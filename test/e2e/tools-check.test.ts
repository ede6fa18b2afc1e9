// The contract of Python tools, checked.
import { describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finish, runAsh, startAsh } from "../support/ash.ts";
import { brokenTool } from "../support/brokentools.ts";
import { objectOf, useToolPlace } from "../support/toolplace.ts";
import { until } from "../support/until.ts";

const PATIENCE_MS = 60_000;
const { place, tools, toolFile, writeTool } = useToolPlace();

describe("ash tools check", () => {
  test(
    "is green for the tools that come with ash, in an empty home",
    async () => {
      const finished = await tools(["check"]);
      expect(finished).toMatchObject({ code: 0, stderr: "" });
      const marks = finished.stdout.split("\n").filter((line) => line.startsWith("✓"));
      expect(marks).toEqual(["✓ headlines.py", "✓ wikipedia.py", "✓ yfinance.py"]);
      expect(finished.stdout).not.toContain("error");
    },
    PATIENCE_MS,
  );

  test(
    "exits with 9 and names file, line, rule and fix",
    async () => {
      writeTool("mine.py", brokenTool({ options: 'parser.add_argument("--days")' }));
      const finished = await tools(["check", "mine"]);
      expect(finished).toMatchObject({ code: 9, stderr: "" });
      expect(finished.stdout).toMatch(
        /^tools\/mine\.py:\d+: error docs-options: --days is not in --ai-docs; add it to the Arguments section\n$/,
      );
      const { tools: reports, ...rest } = objectOf<{ tools: object[] }>(
        (await tools(["check", "--json", "mine.py"])).stdout,
      );
      expect(rest).toEqual({ schema: "ash.tools.check/1", status: "error", exit_code: 9 } as object);
      expect(reports).toMatchObject([
        {
          name: "mine.py",
          path: toolFile("mine.py"),
          ok: false,
          findings: [
            { file: toolFile("mine.py"), rule: "docs-options", level: "error", line: expect.any(Number) },
          ],
        },
      ]);
    },
    PATIENCE_MS,
  );

  test(
    "does not mind hostile neighbours, in the working folder and beside the tool",
    async () => {
      await tools(["new", "weather", "--option", "city"]);
      for (const folder of [place().folder, join(place().ashHome, "tools")])
        for (const module of ["json", "argparse", "os"])
          writeFileSync(join(folder, `${module}.py`), "raise SystemExit('hijacked')\n", { mode: 0o700 });
      expect(await tools(["check", "weather"])).toMatchObject({
        code: 0,
        stdout: "✓ weather.py\n",
        stderr: "",
      });
      appendFileSync(join(place().ashHome, ".ash_tools"), "weather.py\n");
      const run = await runAsh(place(), ["run", "--", "weather.py", "--city", "Berlin"]);
      expect(run).toMatchObject({ code: 0, stdout: '{"status": "ok", "city": "Berlin"}\n' });
    },
    PATIENCE_MS,
  );

  test("does not run what others can change", async () => {
    writeTool(
      "open.py",
      `#!/usr/bin/env python3\nopen(${JSON.stringify(join(place().home, "ran"))}, "w")\n`,
      0o722,
    );
    const finished = await tools(["check", "open"]);
    expect(finished.code).toBe(9);
    expect(finished.stdout).toMatch(
      /^tools\/open\.py: error not-trusted: .* can be written by other users; run: chmod/,
    );
    expect(existsSync(join(place().home, "ran"))).toBe(false);
  });

  test("says so when there is no Python", async () => {
    const finished = await tools(["check", "--json"], { env: { ASH_PYTHON: "/no/such/python" } });
    expect(finished.code).toBe(9);
    expect(finished.json().error).toMatchObject({
      type: "tool_runtime",
      message: expect.stringContaining("/no/such/python"),
    });
  });

  test("checks nothing when there is nothing", async () => {
    mkdirSync(join(place().ashHome, "tools"), { recursive: true, mode: 0o700 });
    const finished = await tools(["check", "nothing"]);
    expect(finished).toMatchObject({ code: 2, stdout: "" });
    expect(finished.stderr).toContain("there is no tool nothing.py in ~/.ash/tools");
  });
});

/** Command lines of processes that name a path. */
const running = (path: string): readonly string[] =>
  readdirSync("/proc").flatMap((pid) => {
    try {
      const line = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, "latin1") : "";
      return line.includes(path) ? [line] : [];
    } catch {
      return [];
    }
  });

test("an interrupted check ends at once, and neither a tool nor a folder of it is left", async () => {
  writeTool("slow.py", "#!/usr/bin/env python3\nimport time\ntime.sleep(600)\n");
  const temporary = join(place().folder, "tmp");
  mkdirSync(temporary);
  const started = startAsh(place(), ["tools", "check", "slow", "--json"], { env: { TMPDIR: temporary } });
  await until(() => running(toolFile("slow.py")).length > 0);
  started.kill("SIGINT");
  const finished = await finish(started);
  expect(finished.code).toBe(130);
  expect(finished.json()).toMatchObject({ status: "interrupted", error: { type: "interrupted" } });
  expect(running(toolFile("slow.py"))).toEqual([]);
  expect(readdirSync(temporary)).toEqual([]);
});
