// Tools listed, documented and added to the allowlist.
import { describe, expect, test } from "bun:test";
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolRow } from "../../src/commands/tools-table.ts";
import { check, ResultSchema } from "../../src/schema.ts";
import { brokenTool } from "../support/brokentools.ts";
import { modeOf, objectOf, useToolPlace } from "../support/toolplace.ts";

const PATIENCE_MS = 60_000;
const { place, tools, toolFile, writeTool } = useToolPlace();

describe("ash tools list", () => {
  test("shows what each tool does and whether the model may run it", async () => {
    writeTool(
      "mine.py",
      '#!/usr/bin/env python3\n# /// script\n# [tool.ash]\n# env = ["MY_KEY", "PATH"]\n# network = true\n# ///\n"""Does mine."""\n',
    );
    await tools(["list"]);
    appendFileSync(join(place().ashHome, ".ash_tools"), "gone.py\n");
    const finished = await tools(["list"]);
    expect(finished).toMatchObject({ code: 0, stderr: "" });
    const lines = finished.stdout.split("\n");
    expect(lines[0]).toMatch(/^NAME +ALLOWED +NETWORK +PACKAGES +CAPABILITY$/);
    const column = (name: string): readonly string[] =>
      lines.find((line) => line.startsWith(`${name} `))?.split(/ {2,}/) ?? [];
    expect(column("mine.py")).toEqual(["mine.py", "no", "yes", "none", "Does mine."]);
    expect(column("wikipedia.py")[1]).toMatch(/^yes \(\.ash_tools:\d+\)$/);
    expect(column("gone.py").at(-1)).toBe("(missing)");
    expect(lines).toContain("mine.py: not in ~/.ash/.ash_tools: add the line mine.py");
    expect(lines).toContain("mine.py: is given MY_KEY");
    expect(lines).toContain("mine.py:4: env: PATH is never handed to a tool");
    expect(finished.stdout).toMatch(/\npython: \/.*python3.* \(3\.\d+\.\d+\)\n$/);
  });

  test("says what helps: no line for a name no line can hold, and which Python is needed", async () => {
    const script = '#!/usr/bin/env python3\n"""Does mine."""\n';
    writeTool("my tool.py", script);
    writeTool("future.py", script.replace("\n", '\n# /// script\n# requires-python = ">=3.99"\n# ///\n'));
    const { stdout } = await tools(["list"]);
    expect(stdout).toContain("\nmy tool.py: its name cannot be called; rename it\n");
    expect(stdout).not.toContain("add the line my tool.py");
    expect(stdout).toContain("\nfuture.py: needs Python >=3.99; run: ash tools sync future\n");
  });

  test("names the folder when others can put tools into it", async () => {
    writeTool("mine.py", "#!/usr/bin/env python3\n");
    const folder = join(place().ashHome, "tools");
    chmodSync(folder, 0o777);
    const { stdout } = await tools(["list"]);
    expect(stdout).toContain(
      `\nmine.py: ${folder} can be written by other users; run: chmod go-w '${folder}'\n`,
    );
  });

  test("tells programs the same", async () => {
    writeTool("mine.py", '"""Does\x1b[31m mine."""\n');
    const { schema, tools: rows } = objectOf<{ schema: string; tools: ToolRow[] }>(
      (await tools(["list", "--json"])).stdout,
    );
    expect(schema).toBe("ash.tools/1");
    expect(rows.map(({ name }) => name)).toEqual(["headlines.py", "mine.py", "wikipedia.py", "yfinance.py"]);
    expect(rows[1]).toMatchObject({
      path: toolFile("mine.py"),
      capability: "Does mine.",
      allowlisted: false,
      source: null,
      reason: "not in ~/.ash/.ash_tools: add the line mine.py",
      network: false,
      env: [],
      dependencies: "none",
      problems: [],
    });
    expect(rows[2]).toMatchObject({ allowlisted: true, reason: null, network: true });
    expect(rows[3]).toMatchObject({ dependencies: "missing", install: "ash init" });
  });

  test("names the list that replaces the file", async () => {
    const env = { ASH_TOOL_ALLOWLIST: "headlines.py" };
    const { tools: rows } = objectOf<{ tools: ToolRow[] }>((await tools(["list", "--json"], { env })).stdout);
    expect(rows.map(({ allowlisted }) => allowlisted)).toEqual([true, false, false]);
    expect(rows[1]?.reason).toContain("not in ASH_TOOL_ALLOWLIST");
  });
});

describe("ash tools docs", () => {
  test("prints what the model sees, cleaned, and says that it may not run it", async () => {
    writeTool("mine.py", '#!/usr/bin/env python3\nprint("\\x1b[31m# mine\\x1b[0m \\u202e docs")\n');
    const finished = await tools(["docs", "mine"]);
    expect(finished).toMatchObject({ code: 0, stdout: "# mine  docs\n" });
    expect(finished.stderr).toBe(
      "ash: warning: the model may not run mine.py: add the line mine.py to ~/.ash/.ash_tools\n",
    );
    expect(objectOf<object>((await tools(["docs", "mine.py", "--json"])).stdout)).toEqual({
      schema: "ash.tools.docs/1",
      name: "mine.py",
      allowlisted: false,
      docs: "# mine  docs\n",
      bytes: 25,
      truncated: false,
    });
  });

  test("of an allowed tool come without a word", async () => {
    const finished = await tools(["docs", "wikipedia"]);
    expect(finished).toMatchObject({ code: 0, stderr: "" });
    expect(finished.stdout).toStartWith("# wikipedia.py\n");
  });

  test("that fail exit with 9 and show what was printed", async () => {
    writeTool("mine.py", '#!/usr/bin/env python3\nimport sys\nprint("half")\nsys.exit("no more")\n');
    const finished = await tools(["docs", "mine"]);
    expect(finished).toMatchObject({ code: 9, stdout: "half\n" });
    expect(finished.stderr).toContain("no more\n");
    expect(finished.stderr).toContain("mine.py exited with status 1 (see: ash tools check mine)");
    expect((await tools(["docs", "mine", "--json"])).json().error?.type).toBe("tool_failed");
  });
});

describe("ash tools add", () => {
  test(
    "copies a script, checks it and shows the line to add",
    async () => {
      writeFileSync(join(place().folder, "mine.py"), brokenTool(), { mode: 0o644 });
      const finished = await tools(["add", "mine.py"]);
      expect(finished).toMatchObject({ code: 0, stderr: "" });
      expect(finished.stdout).toBe(
        "wrote ~/.ash/tools/mine.py\n✓ mine.py\nto let the model run it, add this line to ~/.ash/.ash_tools:\nmine.py\n",
      );
      expect(modeOf(toolFile("mine.py"))).toBe(0o700);
      expect((await tools(["add", "mine.py"])).code).toBe(0);
    },
    PATIENCE_MS,
  );

  test(
    "exits with 9 when the script breaks the contract",
    async () => {
      writeFileSync(join(place().folder, "mine.py"), "#!/usr/bin/env python3\nprint('hello')\n");
      const finished = await tools(["add", join(place().folder, "mine.py"), "--json"]);
      expect(finished).toMatchObject({ code: 9, stderr: "" });
      expect(objectOf<object>(finished.stdout)).toMatchObject({
        schema: "ash.tools.add/1",
        status: "error",
        exit_code: 9,
        name: "mine.py",
        check: { ok: false },
        allowlist: { state: "not_added" },
      });
    },
    PATIENCE_MS,
  );

  test("never replaces another file", async () => {
    writeTool("mine.py", "# mine\n");
    writeFileSync(join(place().folder, "mine.py"), "# other\n");
    const finished = await tools(["add", "mine.py"]);
    expect(finished).toMatchObject({ code: 2, stdout: "" });
    expect(finished.stderr).toContain("is there already, and it is another file (to replace it, run: cp '");
    expect(readFileSync(toolFile("mine.py"), "utf8")).toBe("# mine\n");
  });

  test.each([
    ["missing.py", "there is no file missing.py"],
    [".", "does not end in .py"],
    ["json.py", "json is a module of Python"],
    ["My-Tool.py", "'My-Tool' is no name for a tool"],
    ["folder.py", "folder.py is not a regular file"],
  ])("refuses %j", async (path, message) => {
    mkdirSync(join(place().folder, "folder.py"));
    for (const name of ["json.py", "My-Tool.py"]) writeFileSync(join(place().folder, name), "");
    const finished = await tools(["add", path]);
    expect(finished).toMatchObject({ code: 2, stdout: "" });
    expect(finished.stderr).toContain(message);
  });
});

describe("ash tools", () => {
  test.each([
    [[], "ash tools needs a subcommand"],
    [["chekc"], "did you mean: ash tools check?"],
    [["something"], "write one of: ash tools list, docs, new, check, add, sync"],
    [["list", "mine"], "ash tools list takes no name"],
    [["check", "--option", "x"], "ash tools check has no flag --option"],
    [["check", "wikipedai"], "did you mean wikipedia.py?"],
    [["docs"], "a name is missing"],
  ] as const)("with %j is a usage error, as text and as an object", async (args, message) => {
    const text = await tools(args);
    expect(text).toMatchObject({ code: 2, stdout: "" });
    expect(text.stderr).toContain(message);
    const result = (await tools([...args, "--json"])).json();
    expect(check(ResultSchema, result)).toMatchObject({ ok: true });
    expect(result).toMatchObject({ status: "error", exit_code: 2, error: { type: "usage" } });
  });
});
