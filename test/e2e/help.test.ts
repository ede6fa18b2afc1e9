// The help pages, which need no home.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { EXIT_MEANINGS } from "../../src/errors.ts";
import { settingRows } from "../../src/reference.ts";
import { COMMAND_NAMES, commandSpec, HELP_TOPICS } from "../../src/spec.ts";
import { makePlace, type Place, runAsh } from "../support/ash.ts";
import { inShell, onTerminal } from "../support/terminal.ts";

// Each test starts ash several times, and the machine may be busy.
setDefaultTimeout(30_000);

let place: Place;

beforeEach(() => {
  place = makePlace();
});

afterEach(() => {
  expect(existsSync(place.ashHome)).toBe(false);
  place.remove();
});

const help = async (...topics: readonly string[]): Promise<string> => {
  const run = await runAsh(place, ["help", ...topics]);
  expect(run).toMatchObject({ code: 0, stderr: "" });
  return run.stdout;
};

/** A text without the way it is folded. */
const flat = (text: string): string => text.replace(/\s+/g, " ");

describe("ash help", () => {
  test("names every command and every flag of a question", async () => {
    const text = flat(await help());
    for (const name of COMMAND_NAMES) expect(text).toContain(` ${name} ${commandSpec(name).summary}`);
    for (const flag of commandSpec("ask").flags) expect(text).toContain(`--${flag.name} `);
    expect(flat((await runAsh(place, ["--help"])).stdout)).toBe(text);
  });

  test.each([...COMMAND_NAMES])("explains %s with all its flags, and so does its --help", async (name) => {
    const text = await help(name);
    const { usage, flags } = commandSpec(name);
    expect(flat(text)).toStartWith(`usage: ash ${name} ${usage} `);
    for (const flag of flags) expect(flat(text)).toContain(`${flag.help}`);
    const own = await runAsh(place, [name, "--help"]);
    if (name !== "config") expect(own.stdout).toBe(text);
    else expect(text).toStartWith(own.stdout.trimEnd());
  });

  test("lists every exit code", async () => {
    const text = flat(await help("exit-codes"));
    for (const [code, meaning] of EXIT_MEANINGS) expect(text).toContain(` ${code} ${meaning}`);
  });

  test("lists every setting under the name it is looked for", async () => {
    const [env, config, limits] = await Promise.all([help("env"), help("config"), help("limits")]);
    for (const row of settingRows()) {
      for (const name of row.env) expect(env).toContain(name);
      if (row.toml !== null) expect(config).toContain(`  ${row.toml} `);
      if (/^(tool_.*max|tool_timeout|max_.*|deadline)$/.test(row.name))
        expect(limits).toContain(row.help.split(" ")[0] ?? "");
    }
    expect(env).toContain("ASH_HOME");
    expect(env).toContain("OPENROUTER_API_KEY");
  });

  test.each([...COMMAND_NAMES, ...HELP_TOPICS])(
    "about %s has no line over 80 columns and no blank at a line's end",
    async (topic) => {
      for (const line of (await help(topic)).split("\n")) {
        expect(Bun.stringWidth(line)).toBeLessThanOrEqual(80);
        expect(line).toBe(line.trimEnd());
      }
    },
  );

  test("prints one object with --json", async () => {
    const run = await runAsh(place, ["help", "exit-codes", "--json"]);
    expect(run.json() as unknown).toMatchObject({
      schema: "ash.help/1",
      topic: "exit-codes",
      text: expect.stringContaining("try again"),
    });
  });

  test.each([...HELP_TOPICS, "ask", "sessions"])("about %s fits a narrow terminal", async (topic) => {
    const { code, screen } = await onTerminal(place, ["help", topic], { columns: 44 });
    expect(code).toBe(0);
    const long = screen.split("\n").filter((line) => Bun.stringWidth(line) > 44);
    // One long word stays whole.
    expect(long.filter((line) => line.trim().includes(" "))).toEqual([]);
  });

  const refused = [
    [["help", "exit-code"], "did you mean exit-codes?"],
    [["help", "nonsense"], "topics: ask"],
    [["help", "env", "config"], null],
    [["help", "constructor"], "topics: ask"],
  ] as const;

  test.each(refused)("%j is a usage error that names the topics", async (args, hint) => {
    const run = await runAsh(place, [...args, "--json"]);
    expect(run.code).toBe(2);
    expect(run.json()).toMatchObject({ exit_code: 2, error: { type: "usage" } });
    if (hint !== null) expect(run.json().error?.hint).toContain(hint);
  });

  test.each(["help env", "schema event", "completion zsh", "config", "sessions path"])(
    "ends quietly with 141 when nobody reads: ash %s",
    async (line) => {
      const run = await inShell(place, `exec 3> >(true); wait $!; "$ASH" ${line} >&3; echo $?`);
      expect(run).toMatchObject({ stdout: "141\n", stderr: "" });
    },
  );

  test.each(["--version", "--help", "--version --json", "help run", "config", "schema event"])(
    "says that a full disk did not take it: ash %s",
    async (line) => {
      const run = await inShell(place, `"$ASH" ${line} >/dev/full; echo $?`);
      expect(run.stdout).toBe("3\n");
      expect(run.stderr).toBe(
        "ash: stdout cannot be written: ENOSPC (make room there, or send it elsewhere)\n",
      );
    },
  );

  test.each(["--version", "--help"])("ends with 141 when nobody reads: ash %s", async (line) => {
    const run = await inShell(place, `exec 3> >(true); wait $!; "$ASH" ${line} >&3; echo $?`);
    expect(run).toMatchObject({ stdout: "141\n", stderr: "" });
  });

  test("works without a home and in a hostile one", async () => {
    const run = await runAsh(place, ["help", "run"], { env: { HOME: "", ASH_HOME: "relative" } });
    expect(run).toMatchObject({ code: 0, stderr: "" });
  });
});
