// What ash doctor finds out about Python and the sandbox.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { runAsh } from "../support/ash.ts";
import { KEY } from "../support/asking.ts";
import { checkOf, failedIn, useDoctor } from "../support/doctor.ts";
import { testWith } from "../support/required.ts";

// Each test starts ash several times, and the machine may be busy.
setDefaultTimeout(30_000);

const { place, doctor, setUp, inHome } = useDoctor();

describe("Python, for ash doctor", () => {
  test("that is not there is a warning: everything else works", async () => {
    const report = await doctor([], { ...KEY, ASH_PYTHON: "/no/python" });
    expect(checkOf(report, "python")).toMatchObject({
      status: "warn",
      message: expect.stringContaining("ASH_PYTHON"),
    });
    expect(checkOf(report, "venv").message).toBe("not used: env ASH_PYTHON wins over it");
    expect(report.exit_code).toBe(0);
  });

  test("has its environments told apart: missing, broken, a tool's own, and one nobody needs", async () => {
    await setUp();
    expect(checkOf(await doctor(), "venv")).toMatchObject({
      status: "warn",
      facts: { state: "missing" },
      fix: "run: ash init",
    });
    mkdirSync(inHome("venv"));
    mkdirSync(inHome("venvs/0123456789abcdef"), { recursive: true });
    writeFileSync(inHome("tools/own.py"), '# /// script\n# dependencies = ["six"]\n# ///\n', { mode: 0o700 });
    const report = await doctor();
    expect(checkOf(report, "venv")).toMatchObject({ status: "warn", facts: { state: "broken" } });
    expect(checkOf(report, "venvs")).toMatchObject({
      status: "warn",
      facts: {
        environments: [{ tool: "own.py", state: "missing" }],
        unused: [inHome("venvs/0123456789abcdef")],
      },
    });
  });

  test("has a tool's wrong declaration told with its line", async () => {
    await setUp();
    writeFileSync(inHome("tools/odd.py"), "# /// script\n# dependencies = 5\n# ///\n", { mode: 0o700 });
    expect(checkOf(await doctor(), "python-tools")).toMatchObject({
      status: "warn",
      message: expect.stringContaining("odd.py:2: dependencies must be a list"),
    });
  });
});

describe("the sandbox, for ash doctor", () => {
  test("that is weaker shows what a tool could do", async () => {
    const report = await doctor([], { ...KEY, ASH_SANDBOX: "rlimits" });
    expect(failedIn(report)).toEqual([]);
    expect(checkOf(report, "sandbox")).toMatchObject({
      status: "warn",
      fix: "take it away: env ASH_SANDBOX",
    });
    expect(checkOf(report, "lock-files")).toMatchObject({
      status: "warn",
      message: expect.stringContaining("a tool could read a secret file"),
    });
    expect(checkOf(report, "lock-network").message).toBe("a tool could use the network");
    expect(checkOf(report, "lock-programs").status).toBe("warn");
    expect(checkOf(report, "lock-limits").status).toBe("ok");
    expect(checkOf(await doctor([], { ...KEY, ASH_SANDBOX: "none" }), "lock-limits").status).toBe("warn");
  });

  testWith("bwrap")("that is bubblewrap holds as well", async () => {
    const report = await doctor([], { ...KEY, ASH_SANDBOX: "bwrap" });
    expect(failedIn(report)).toEqual([]);
    expect(checkOf(report, "lock-files")).toMatchObject({
      status: "ok",
      facts: { write: { outside: "EROFS" } },
    });
    expect(checkOf(report, "lock-network").status).toBe("ok");
  });

  test("that is required and not to be had is a failure", async () => {
    mkdirSync(place.ashHome, { mode: 0o700 });
    writeFileSync(inHome("config.toml"), "require_sandbox = true\n", { mode: 0o600 });
    expect(failedIn(await doctor([], { ...KEY, ASH_SANDBOX: "none" }))).toEqual([
      "sandbox: require_sandbox is set, but the best mode here is none",
    ]);
  });

  test("without a place for temporary files is a failure", async () => {
    const report = await doctor([], { ...KEY, TMPDIR: "/no/such/folder" });
    expect(checkOf(report, "engine")).toMatchObject({
      status: "fail",
      fix: expect.stringContaining("TMPDIR"),
    });
  });

  test("has a probe that is no command for people", async () => {
    for (const args of [["__probe"], ["__probe", "{}"], ["__probe", "null"]]) {
      const run = await runAsh(place, args);
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toContain("it is no command");
    }
  });
});
