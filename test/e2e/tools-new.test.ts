// New tools written by ash tools new, and their line in the allowlist.
import { describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runAsh, startAsh } from "../support/ash.ts";
import { PYTHON } from "../support/pythontool.ts";
import { onTerminal } from "../support/terminal.ts";
import { modeOf, objectOf, useToolPlace } from "../support/toolplace.ts";

const PATIENCE_MS = 60_000;
const { place, tools, toolFile, writeTool, allowlist } = useToolPlace();

describe("ash tools new", () => {
  test(
    "writes a tool that is green without an edit, and its test",
    async () => {
      const made = await tools(["new", "weather"]);
      expect(made).toMatchObject({ code: 0, stderr: "" });
      expect(made.stdout).toBe(
        "wrote ~/.ash/tools/weather.py\nwrote ~/.ash/tools/tests/test_weather.py\n" +
          "edit it, then run: ash tools check weather\n" +
          "to let the model run it, add this line to ~/.ash/.ash_tools:\nweather.py\n",
      );
      expect(modeOf(toolFile("weather.py"))).toBe(0o700);
      expect(modeOf(toolFile("tests/test_weather.py"))).toBe(0o600);
      expect(await tools(["check", "weather"])).toMatchObject({
        code: 0,
        stdout: "✓ weather.py\n",
        stderr: "",
      });
      expect(allowlist()).not.toContain("weather");
    },
    PATIENCE_MS,
  );

  test(
    "gives it the options that are asked for, and a test that passes",
    async () => {
      const options = ["city", "days:int", "ratio:float", "all:bool", "from"].flatMap((option) => [
        "--option",
        option,
      ]);
      const made = await tools([
        "new",
        "weather.py",
        ...options,
        "--description",
        'Tells the "weather".',
        "--json",
      ]);
      expect(objectOf<object>(made.stdout)).toEqual({
        schema: "ash.tools.new/1",
        name: "weather.py",
        path: toolFile("weather.py"),
        test: toolFile("tests/test_weather.py"),
        allowlist: {
          state: "not_added",
          file: join(place().ashHome, ".ash_tools"),
          line: "weather.py",
          source: null,
        },
      });
      expect(await tools(["check", "weather"])).toMatchObject({ code: 0, stdout: "✓ weather.py\n" });
      const child = Bun.spawn([PYTHON, "-I", toolFile("tests/test_weather.py")], {
        stdout: "pipe",
        stderr: "pipe",
      });
      const said = await new Response(child.stderr).text();
      expect({ code: await child.exited, said }).toEqual({ code: 0, said: expect.stringMatching(/\nOK\n$/) });
      expect(said).toContain("Ran 4 tests");
    },
    PATIENCE_MS,
  );

  const refused = [
    [["json"], "json is a module of Python"],
    [["Weather"], "'Weather' is no name for a tool"],
    [["../weather"], "'../weather' is no name for a tool"],
    [["1weather"], "is no name for a tool"],
    [["we-ather"], "is no name for a tool"],
    [["w".repeat(42)], "is no name for a tool"],
    [[], "a name is missing"],
    [["a", "b"], "one name is enough"],
    [["a", "--option", "x:text"], "--option: 'x:text' has no known type"],
    [["a", "--option", "x", "--option", "x:int"], "--option: x is given twice"],
    [["a", "--option"], "--option needs a value"],
    [["a", "--description", "one\ntwo"], "--description must be one line"],
    [["a", "--description", "x\u202ey"], "--description must be one line of visible text"],
  ] as const;
  test.each(refused)("refuses %j and writes nothing", async (args, message) => {
    const finished = await tools(
      ["new", ...args, "--json"].slice(0, args.at(-1) === "--option" ? -1 : undefined),
    );
    expect(finished.code).toBe(2);
    expect(`${finished.stdout}${finished.stderr}`).toContain(message);
    expect(existsSync(toolFile("tests"))).toBe(false);
  });

  test("never replaces a file", async () => {
    writeTool("mine.py", "# mine\n");
    const finished = await tools(["new", "mine"]);
    expect(finished).toMatchObject({ code: 2, stdout: "" });
    expect(finished.stderr).toContain("~/.ash/tools/mine.py is there already");
    expect(readFileSync(toolFile("mine.py"), "utf8")).toBe("# mine\n");
  });

  test("warns of the name of a well-known library", async () => {
    expect((await tools(["new", "requests"])).stderr).toMatch(
      /^ash: warning: requests is also a well-known library/,
    );
  });
});

describe("the allowlist line of a new tool", () => {
  const ask = (type: string, name = "weather") =>
    onTerminal(place(), ["tools", "new", name], { typed: [["[y/N] ", type]] });

  test("is added after a yes, and what was there stays", async () => {
    await tools(["list"]);
    const before = `${allowlist()}# mine, without an end`;
    writeFileSync(join(place().ashHome, ".ash_tools"), before);
    const shown = await ask("y\n");
    expect(shown).toMatchObject({ code: 0, untyped: [] });
    expect(shown.screen).toContain(
      "add the line weather.py to ~/.ash/.ash_tools, so that the model may run it? [y/N] y\n",
    );
    expect(shown.screen).toMatch(/added to the allowlist \(~\/\.ash\/\.ash_tools:\d+\)\n/);
    expect(allowlist()).toBe(`${before}\nweather.py\n`);
    expect(modeOf(join(place().ashHome, ".ash_tools"))).toBe(0o600);
    const run = await runAsh(place(), ["run", "--", "weather.py"]);
    expect(run).toMatchObject({ code: 0, stdout: '{"status": "ok"}\n' });
  });

  test.each([
    ["n\n", 0],
    ["\n", 0],
    ["yup\n", 0],
    ["\u0004", 0],
    ["\u0003", 130],
  ] as const)("is not added after %j", async (type, code) => {
    const shown = await ask(type);
    expect(shown).toMatchObject({ code, untyped: [] });
    expect(allowlist()).not.toContain("weather");
    expect(existsSync(toolFile("weather.py"))).toBe(true);
  });

  test("is not offered when it is there", async () => {
    await tools(["list"]);
    appendFileSync(join(place().ashHome, ".ash_tools"), "weather.py  # soon\n");
    const shown = await ask("y\n");
    expect(shown).toMatchObject({ code: 0, untyped: [["[y/N] ", "y\n"]] });
    expect(shown.screen).toMatch(/weather\.py is on the allowlist already \(~\/\.ash\/\.ash_tools:\d+\)\n/);
    expect(allowlist().match(/weather\.py/g)).toHaveLength(1);
  });

  test("is printed, and nobody is asked, where there is no terminal", async () => {
    const started = startAsh(place(), ["tools", "new", "weather"], { stdin: "y\n" });
    expect(await started.exited).toBe(0);
    expect(await started.stdout.text()).toContain("add this line");
    expect(allowlist()).not.toContain("weather");
  });
});
