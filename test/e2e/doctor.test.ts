// The report of ash doctor as a whole.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runAsh } from "../support/ash.ts";
import { KEY } from "../support/asking.ts";
import { snapshot } from "../support/cases.ts";
import { checkOf, failedIn, useDoctor } from "../support/doctor.ts";

// Each test starts ash several times, and the machine may be busy.
setDefaultTimeout(30_000);

const { place, doctor, setUp, inHome } = useDoctor();

describe("ash doctor", () => {
  test("finds nothing broken on this machine, and every lock holds when it is tried", async () => {
    await setUp();
    const report = await doctor();
    expect(failedIn(report)).toEqual([]);
    for (const id of [
      "home",
      "files",
      "config",
      "system-prompt",
      "sessions",
      "disk",
      "allowlist",
      "path",
      "python",
      "python-tools",
      "model",
      "key",
      "proxy",
      "certificates",
      "clock",
      "terminal",
      "stdin",
      "sandbox",
      "engine",
    ])
      expect(checkOf(report, id).status).toBe("ok");
    const locks = report.checks.filter(({ id }) => id.startsWith("lock-"));
    expect(locks.map(({ status }) => status)).toEqual(["ok", "ok", "ok", "ok", "ok", "ok"]);
    expect(checkOf(report, "sandbox").facts).toMatchObject({
      mode: "jail",
      seccomp: true,
      landlock: expect.any(Number),
    });
    expect(checkOf(report, "lock-files").facts).toMatchObject({
      read: { secret: "EACCES", own: "EACCES", plain: "done" },
      write: { outside: "EACCES", scratch: "done" },
    });
    expect(checkOf(report, "lock-network").facts).toMatchObject({
      internet: "socket: errno 1",
      local_socket: "socket: errno 1",
    });
    expect(checkOf(report, "lock-programs").facts).toEqual({
      executed: false,
      seccomp: 2,
      no_new_privs: true,
    });
    expect(checkOf(report, "lock-limits").facts.limits).toMatchObject({
      "cpu time": "10",
      "file size": "16777216",
      "open files": "256",
    });
  });

  test("works before there is a home and makes nothing at all", async () => {
    const temporary = join(place.folder, "tmp");
    mkdirSync(temporary);
    const before = snapshot([place.home, place.folder]);
    const report = await doctor([], { ...KEY, TMPDIR: temporary });
    expect(failedIn(report)).toEqual([]);
    expect(checkOf(report, "home")).toMatchObject({ status: "warn", fix: "run: ash init" });
    expect(snapshot([place.home, place.folder])).toEqual(before);
  });

  test("prints one line for each finding where there is no terminal", async () => {
    const run = await runAsh(place, ["doctor"], { env: KEY });
    const report = await doctor();
    const lines = run.stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(report.checks.length + 2);
    for (const line of lines.slice(0, -2)) expect(line).toMatch(/^(?:ok {2}|warn|FAIL) {2}[a-z-]+ +\S/);
    expect(lines.at(-1)).toMatch(/^\d+ ok, \d+ warnings?, 0 failed$/);
    expect(run.stdout).toMatch(/^warn {2}home .*; fix: run: ash init$/m);
  });

  test("shows the facts when asked: every name with its program and owner", async () => {
    const run = await runAsh(place, ["doctor", "--facts"], { env: KEY });
    expect(run.stdout).toMatch(/^ +uname \/\S+\/uname root$/m);
    const found = checkOf(await doctor(), "programs").facts.found as readonly Record<string, string>[];
    expect(found).toContainEqual({ name: "uname", path: expect.stringMatching(/\/uname$/), owner: "root" });
  });

  const refused = [
    [["doctor", "now"], "takes flags only, not now"],
    [["doctor", "--onlin"], "unknown flag --onlin"],
    [["doctor", "--base-url", "nowhere"], "--base-url: 'nowhere' is not a URL"],
  ] as const;

  test.each(refused)("%j is a usage error by name", async (args, message) => {
    const run = await runAsh(place, [...args, "--json"]);
    expect(run.code).toBe(2);
    expect(run.json().error).toMatchObject({ type: "usage", message: expect.stringContaining(message) });
  });
});

describe("a configuration that is broken, for ash doctor", () => {
  const spoilFile = (): void => {
    mkdirSync(place.ashHome, { mode: 0o700 });
    writeFileSync(inHome("config.toml"), "max_turns = \n", { mode: 0o600 });
  };

  test("is a failed line, and everything else is still looked at", async () => {
    spoilFile();
    const report = await doctor();
    expect(failedIn(report)).toEqual([
      `config: ${inHome("config.toml")}:1: ${checkOf(report, "config").message.split(": ")[1]}`,
    ]);
    for (const id of ["allowlist", "engine", "python", "model", "stdin"])
      expect(checkOf(report, id).status).toBe("ok");
  });

  test("is a line for each thing that is wrong", async () => {
    spoilFile();
    const report = await doctor([], { ...KEY, ASH_MAX_TURNS: "many" });
    const messages = report.checks.filter(({ id }) => id === "config").map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringContaining("config.toml:1"),
      "ASH_MAX_TURNS: 'many' is not a whole number",
    ]);
    expect(checkOf(report, "model").status).toBe("ok");
  });

  test("repeats no key in its message", async () => {
    const run = await runAsh(place, ["doctor", "--json"], {
      env: { ANTHROPIC_API_KEY: "canary with blanks" },
    });
    expect(run.code).toBe(3);
    expect(run.stdout).not.toContain("canary with");
  });

  test("by a home that is nowhere still tells what it can", async () => {
    const report = await doctor([], { ...KEY, ASH_HOME: "here" });
    expect(failedIn(report)).toEqual(["config: ASH_HOME is 'here'"]);
    expect(report.checks.map(({ id }) => id)).toEqual(["ash", "config", "clock", "terminal", "stdin"]);
  });
});
