// Environments that are broken, half-made or out of date, and are made anew.
import { describe, expect } from "bun:test";
import { lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { QUICK, useInitPlace } from "../support/initplace.ts";
import { environmentsOf, halfMade, putTool, SLOW } from "../support/provisioning.ts";
import { testWith } from "../support/required.ts";

const { place, run, venv } = useInitPlace();

describe("an environment", () => {
  testWith("bwrap")(
    "whose Python is gone is made anew by ash init",
    async () => {
      expect((await run(["init"], QUICK)).code).toBe(0);
      const link = join(venv(), "bin/python");
      unlinkSync(link);
      symlinkSync("/usr/bin/python3.0", link);
      const dry = await run(["init", "--dry-run", "--json"]);
      expect(JSON.parse(dry.stdout)).toMatchObject({ python: { state: "missing" } });
      expect(await run(["init"], QUICK)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("is set up"),
      });
      expect(Bun.spawnSync([link, "-I", "-c", "import tinypkg"], { env: {} }).exitCode).toBe(0);
      expect(halfMade(place)).toEqual([]);
    },
    SLOW,
  );

  testWith("bwrap")(
    "whose Python is gone is made anew by the tool that needs it",
    async () => {
      putTool(place, "mine.py");
      const args = ["run", "--json", "--allow-run", "mine.py", "--", "mine.py"];
      expect((await run(args, QUICK)).code).toBe(0);
      const link = join(place.ashHome, "venvs", environmentsOf(place)[0] ?? "", "bin/python");
      expect(lstatSync(link).isSymbolicLink()).toBe(true);
      unlinkSync(link);
      symlinkSync("/usr/bin/python3.0", link);
      expect((await run(args, QUICK)).json()).toMatchObject({
        exit_code: 0,
        warnings: [{ type: "python_environment" }],
      });
      expect((await run(args)).json()).toMatchObject({ exit_code: 0, warnings: [] });
      expect(environmentsOf(place)).toHaveLength(1);
    },
    SLOW,
  );

  testWith("bwrap")(
    "without its mark counts as half-made, and anything in its place is replaced",
    async () => {
      expect((await run(["init"], QUICK)).code).toBe(0);
      rmSync(join(venv(), ".ash-ready.json"));
      expect(await run(["init"], QUICK)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("is set up"),
      });
      rmSync(venv(), { recursive: true });
      writeFileSync(venv(), "a file\n");
      expect(await run(["init"], QUICK)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("is set up"),
      });
      expect(lstatSync(venv()).isDirectory()).toBe(true);
    },
    SLOW,
  );

  testWith("bwrap")(
    "that lost a file of a package is found out, and made anew by init",
    async () => {
      expect((await run(["init"], QUICK)).code).toBe(0);
      const [file = ""] = [...new Bun.Glob("lib/python3*/site-packages/tinypkg.py").scanSync(venv())];
      const source = readFileSync(join(venv(), file), "utf8");
      rmSync(join(venv(), file));
      expect((await run(["doctor"], QUICK)).stdout).toMatch(
        /warn +venv .*files of tinypkg-1\.0 are missing or changed/,
      );
      expect((await run(["init", "--dry-run"], QUICK)).stdout).toContain("would be");
      const repaired = await run(["init"], QUICK);
      expect(repaired).toMatchObject({ code: 0, stdout: expect.stringContaining("is set up") });
      expect(repaired.stderr).toContain("files of tinypkg-1.0 are missing or changed");
      expect(readFileSync(join(venv(), file), "utf8")).toBe(source);
      expect(await run(["init"])).toMatchObject({ code: 0, stdout: "up to date\n" });
    },
    SLOW,
  );

  testWith("bwrap")(
    "made from an older lock is used until the new one can be made",
    async () => {
      expect((await run(["init"], QUICK)).code).toBe(0);
      const path = join(venv(), ".ash-ready.json");
      const mark = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
      writeFileSync(path, JSON.stringify({ ...mark, requirements: "0".repeat(64) }));
      const body = "import json, sys\nprint(json.dumps({'status': 'ok', 'prefix': sys.prefix}))\n";
      putTool(place, "mine.py", { dependencies: ["yfinance==1.7.0"], body });
      const args = ["run", "--json", "--allow-run", "mine.py", "--", "mine.py"];
      const down = { PIP_INDEX_URL: "http://127.0.0.1:1/simple/", PIP_RETRIES: "0" };
      const failed = (await run(args, { ...QUICK, env: down })).json();
      expect(failed.exit_code).toBe(0);
      expect(JSON.parse(failed.result ?? "")).toMatchObject({ prefix: expect.stringMatching(/\/venv$/) });
      expect(failed.warnings.at(-1)?.message).toMatch(
        /^what mine\.py needs is not there: .*; then run: ash init\)$/,
      );
      expect((await run(args, QUICK)).json().warnings).toHaveLength(1);
      expect((await run(args)).json().warnings).toEqual([]);
    },
    SLOW,
  );

  testWith("bwrap")(
    "in a home behind a link works like any other",
    async () => {
      const real = join(place.home, "elsewhere");
      mkdirSync(real, { mode: 0o700 });
      symlinkSync(real, place.ashHome);
      expect((await run(["init"], QUICK)).code).toBe(0);
      const program = Bun.spawnSync([join(venv(), "bin/tinypkg")], { env: {} });
      expect(program.stdout.toString()).toBe("tinypkg 1.0\n");
      expect(await run(["init"])).toMatchObject({ code: 0, stdout: "up to date\n" });
    },
    SLOW,
  );
});
