// The settings as ash config shows them.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingsReport } from "../../src/schema/reports.ts";
import { SETTINGS } from "../../src/settings.ts";
import { runAsh } from "../support/ash.ts";
import { usePlace } from "../support/asking.ts";
import { snapshot } from "../support/cases.ts";
import { schemaProblems } from "../support/schemas.ts";
import { inShell, onTerminal } from "../support/terminal.ts";

// Each test starts ash several times, and the machine may be busy.
setDefaultTimeout(30_000);

const place = usePlace();

async function report(
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<SettingsReport> {
  const run = await runAsh(place, ["config", "--json", ...args], { env });
  expect(run).toMatchObject({ code: 0, stderr: "" });
  const object = run.json() as unknown as SettingsReport;
  expect(schemaProblems("settings", object)).toEqual([]);
  return object;
}

const row = ({ settings }: SettingsReport, name: string): SettingsReport["settings"][number] => {
  const found = settings.find((setting) => setting.name === name);
  if (found === undefined) throw new Error(`there is no setting ${name}`);
  return found;
};

function writeConfig(text: string): void {
  mkdirSync(place.ashHome, { recursive: true, mode: 0o700 });
  writeFileSync(join(place.ashHome, "config.toml"), text, { mode: 0o600 });
}

describe("ash config", () => {
  test("lists every setting, from its default on, and makes nothing", async () => {
    const object = await report();
    expect(object.settings).toHaveLength(Object.keys(SETTINGS).length);
    expect(object.settings.every(({ origin }) => origin === "default")).toBe(true);
    expect(row(object, "tool_timeout")).toMatchObject({
      value: 15_000,
      unit: "ms",
      shown: "15s",
      env: ["ASH_TOOL_TIMEOUT"],
      toml: "tool_timeout",
      flag: "timeout",
    });
    expect(row(object, "tool_memory_max")).toMatchObject({ value: 1024 ** 3, unit: "bytes", shown: "1GiB" });
    expect(readdirSync(place.home)).toEqual([]);
  });

  test("says where each value comes from: a flag, a variable, the file, or the default", async () => {
    writeConfig('max_turns = 7\ntool_timeout = "20s"\nmodel = "haiku"\nlevel = "ask"\n');
    const object = await report(["--max-turns", "3", "-m", "opus"], {
      ASH_MODEL: "sonnet",
      ASH_TOOL_TIMEOUT: "1.5m",
    });
    expect(row(object, "max_turns")).toMatchObject({ value: 3, origin: "flag --max-turns" });
    expect(row(object, "model")).toMatchObject({ value: "opus", origin: "flag --model" });
    expect(row(object, "tool_timeout")).toMatchObject({
      value: 90_000,
      shown: "90s",
      origin: "env ASH_TOOL_TIMEOUT",
    });
    expect(row(object, "level")).toMatchObject({ value: "ask", origin: join(place.ashHome, "config.toml") });
    expect(row(object, "deadline")).toMatchObject({ origin: "default", shown: "10m" });
    expect(object.model).toMatchObject({
      provider: "anthropic",
      model: "claude-opus-5-5",
      key: "not set",
      problem: expect.stringContaining("there is no key"),
    });
  });

  test("takes no lock that a run would take", async () => {
    await report(["--lock=nightly"]);
    expect(existsSync(join(place.ashHome, "locks"))).toBe(false);
  });

  test("takes the flags of a question and of a call, and shows what they would do", async () => {
    const object = await report([
      "--allow-run=ls,cat,wikipedia.py",
      "--deny-run",
      "cat",
      "--timeout",
      "2s",
      "--continue",
      "--no-save",
      "--jsonl",
      "--provider",
      "ollama",
      "-m",
      "qwen3",
    ]);
    expect(object.permissions).toMatchObject({
      source: "flag --allow-run",
      allow: ["ls", "wikipedia.py"],
      deny: ["cat"],
      network: ["wikipedia.py"],
      level: "read",
    });
    expect(row(object, "tool_timeout")).toMatchObject({ value: 2000, origin: "flag --timeout" });
    expect(object.model).toEqual({
      provider: "ollama",
      base_url: "http://localhost:11434",
      model: "qwen3",
      key: "not set",
      key_origin: null,
      problem: null,
    });
    expect((await report(["--replay", "demo"])).model.provider).toBe("script (demo)");
  });

  test("shows the list that would hold: the file, or the built-in one before there is a home", async () => {
    expect((await report()).permissions).toMatchObject({
      source: "the built-in allowlist",
      allow: expect.arrayContaining(["ls", "wikipedia.py"]),
    });
    mkdirSync(place.ashHome, { mode: 0o700 });
    writeFileSync(join(place.ashHome, ".ash_tools"), "uname, tar: unrestricted, git: ask network\n", {
      mode: 0o600,
    });
    expect((await report()).permissions).toMatchObject({
      source: join(place.ashHome, ".ash_tools"),
      allow: ["uname", "tar", "git"],
      unrestricted: ["tar"],
      ask: ["git"],
      network: ["git"],
    });
  });

  const keys: readonly (readonly [string, readonly string[], Record<string, string>, string])[] = [
    ["a variable", [], { ANTHROPIC_API_KEY: "sk-ant-canary-0123456789" }, "env ANTHROPIC_API_KEY"],
    ["a bearer token", [], { ANTHROPIC_AUTH_TOKEN: "canary-0123456789" }, "env ANTHROPIC_AUTH_TOKEN"],
    [
      "a preset's own variable",
      ["--provider", "openrouter", "-m", "x"],
      { OPENROUTER_API_KEY: "canary-0123456789" },
      "env OPENROUTER_API_KEY",
    ],
    ["the file", [], {}, "api_key in config.toml"],
  ];

  test.each(keys)("never shows a key, only that it is set: %s", async (_, args, env, origin) => {
    if (origin.endsWith("config.toml")) writeConfig('api_key = "canary-0123456789"\n');
    for (const mode of [[], ["--json"]]) {
      const run = await runAsh(place, ["config", ...mode, ...args], { env });
      expect(run.code).toBe(0);
      expect(`${run.stdout}${run.stderr}`).not.toContain("canary");
    }
    expect((await report(args, env)).model).toMatchObject({ key: "set", key_origin: origin, problem: null });
  });

  test("repeats no bad key in its error", async () => {
    const run = await runAsh(place, ["config", "--json"], {
      env: { ANTHROPIC_API_KEY: "canary with blanks" },
    });
    expect(run.code).toBe(3);
    expect(`${run.stdout}${run.stderr}`).not.toContain("canary");
    expect(run.json().error?.message).toContain("ANTHROPIC_API_KEY: the value is not a key");
  });

  test("says why a key is not sent", async () => {
    const object = await report([], {
      ANTHROPIC_API_KEY: "canary-0123456789",
      ANTHROPIC_BASE_URL: "http://example.com",
    });
    expect(object.model).toMatchObject({
      base_url: "http://example.com",
      key: "not set",
      problem: expect.stringContaining("not encrypted"),
    });
  });

  test("warns of a mistyped variable and a sandbox that is not to be had", async () => {
    const run = await runAsh(place, ["config"], { env: { ASH_TOOL_TIMOUT: "5s", ASH_SANDBOX: "rlimits" } });
    expect(run.stderr).toBe(
      "ash: warning: ASH_TOOL_TIMOUT is not a setting of ash; did you mean ASH_TOOL_TIMEOUT?\n",
    );
    writeConfig("require_sandbox = true\n");
    expect((await report([], { ASH_SANDBOX: "rlimits" })).permissions.sandbox).toBeNull();
  });

  const refused: readonly (readonly [string, readonly string[], Record<string, string>, string, number])[] = [
    ["a broken file", [], {}, "config.toml:2", 3],
    ["a wrong variable", [], { ASH_MAX_TURNS: "many" }, "ASH_MAX_TURNS: 'many' is not a whole number", 3],
    ["a wrong flag", ["--deadline", "soon"], {}, "--deadline: 'soon'", 2],
    ["an unknown flag", ["--modl", "x"], {}, "unknown flag --modl", 2],
    ["an operand", ["model"], {}, "takes flags only, not model", 2],
    ["a relative home", [], { ASH_HOME: "here" }, "ASH_HOME is 'here'", 3],
  ];

  test.each(refused)("refuses %s by name, as one object and one line", async (name, ...expected) => {
    const [args, env, message, code] = expected;
    if (name === "a broken file") writeConfig('model = "x"\nmax_turns = \n');
    const run = await runAsh(place, ["config", "--json", ...args], { env });
    expect(run.code).toBe(code);
    expect(run.json().error?.message).toContain(message);
    expect(run.stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("is the same in a hostile folder, with stdin closed and without colour", async () => {
    const plain = (await runAsh(place, ["config"])).stdout;
    writeFileSync(join(place.folder, "config.toml"), 'model = "evil"\n');
    writeFileSync(join(place.folder, ".env"), "ASH_MODEL=evil\n");
    writeFileSync(join(place.folder, ".ash_tools"), "rm\n");
    const before = snapshot([place.folder]);
    expect(await inShell(place, '"$ASH" config <&-', { NO_COLOR: "1" })).toEqual({
      code: 0,
      stdout: plain,
      stderr: "",
    });
    expect(snapshot([place.folder])).toEqual(before);
  });

  test("works with a home that cannot be written", async () => {
    writeConfig("max_turns = 5\n");
    chmodSync(place.ashHome, 0o500);
    expect(row(await report(), "max_turns").value).toBe(5);
    expect(existsSync(join(place.ashHome, "manifest.json"))).toBe(false);
    chmodSync(place.ashHome, 0o700);
  });

  test("fits a terminal of 80 columns and a narrow one, and clears what a path may hide", async () => {
    const home = join(place.home, "h\u001b[31m\u202e");
    mkdirSync(home, { mode: 0o700 });
    for (const columns of [44, 80]) {
      const { code, screen } = await onTerminal(place, ["config"], { columns });
      expect(code).toBe(0);
      for (const line of screen.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
      const hidden = await onTerminal(place, ["config"], { columns, env: { ASH_HOME: home } });
      expect(hidden.screen).not.toMatch(/[\u001b\u202e]/);
    }
  });
});
