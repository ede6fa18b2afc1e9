// The flags of `ash init`, and what it does not do: no process when all is well, no file outside ASH_HOME.
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { snapshot } from "../support/cases.ts";
import { lastLineOf, QUICK, useInitPlace } from "../support/initplace.ts";
import { both, systemPythons, withOnlyWritable, withoutModules } from "../support/machineviews.ts";
import { halfMade, PATH_WITH_UV, SLOW } from "../support/provisioning.ts";
import { programFolder, testWith } from "../support/required.ts";

const { place, index, init, venv } = useInitPlace({ PIP_RETRIES: "0", UV_HTTP_RETRIES: "0" });
const WITH_UV = { env: { PATH: PATH_WITH_UV } };

describe("init --offline", () => {
  const missing =
    /^ash: packages could not be installed: tinypkg\S* is not among the packages that are already here \(leave --offline out, or name a folder with its wheel in PIP_FIND_LINKS; then run: ash init\)$/;

  testWith("bwrap")(
    "asks nobody, and says what is missing",
    async () => {
      const failed = await init(["--offline"], QUICK);
      expect(failed.code).toBe(9);
      expect(lastLineOf(failed)).toMatch(missing);
      expect(index.paths()).toEqual([]);
      expect(existsSync(venv())).toBe(false);
      expect(halfMade(place)).toEqual([]);
    },
    SLOW,
  );

  testWith("uv")(
    "asks nobody, and says what is missing, with uv too",
    async () => {
      const failed = await init(["--offline"], WITH_UV);
      expect(failed.code).toBe(9);
      expect(lastLineOf(failed)).toMatch(missing);
      expect(index.paths()).toEqual([]);
    },
    SLOW,
  );

  testWith("uv")(
    "works from what uv fetched before",
    async () => {
      expect((await init([], WITH_UV)).code).toBe(0);
      rmSync(venv(), { recursive: true });
      expect(await init(["--offline"], WITH_UV)).toMatchObject({ code: 0 });
    },
    SLOW,
  );

  testWith("bwrap")(
    "works from the wheels somebody fetched with the list an environment keeps",
    async () => {
      expect((await init([], QUICK)).code).toBe(0);
      const wheels = join(place.folder, "wheels");
      const [python = "python3"] = systemPythons();
      const how = ["--only-binary", ":all:", "--no-deps", "--require-hashes", "--dest", wheels];
      const fetched = Bun.spawn(
        [python, "-I", "-m", "pip", "download", ...how, "-r", join(venv(), "requirements.txt")],
        { env: { PATH: "/usr/bin:/bin", HOME: place.home, PIP_INDEX_URL: index.url }, stderr: "ignore" },
      );
      expect(await fetched.exited).toBe(0);
      rmSync(place.ashHome, { recursive: true });
      expect(await init(["--offline"], { ...QUICK, env: { PIP_FIND_LINKS: wheels } })).toMatchObject({
        code: 0,
      });
    },
    SLOW,
  );
});

describe("init", () => {
  testWith("uv")(
    "a second time says up to date and starts neither a Python nor uv",
    async () => {
      const bin = join(place.home, "bin");
      const log = join(place.home, "started");
      mkdirSync(bin);
      const record = (name: string, program: string): void =>
        writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >>'${log}'\nexec '${program}' "$@"\n`, {
          mode: 0o755,
        });
      record("uv", join(programFolder("uv") ?? "", "uv"));
      record("thepython", systemPythons()[0] ?? "");
      const options = { env: { PATH: `${bin}:/usr/bin:/bin`, ASH_PYTHON: join(bin, "thepython") } };
      expect((await init([], options)).code).toBe(0);
      expect(readFileSync(log, "utf8")).toMatch(/thepython[\s\S]*uv/);
      rmSync(log);
      expect(await init([], options)).toMatchObject({ code: 0, stdout: "up to date\n", stderr: "" });
      expect(existsSync(log)).toBe(false);
    },
    SLOW,
  );

  testWith("bwrap")(
    "--dry-run changes nothing, whether all is well or the environment is broken",
    async () => {
      expect((await init([], QUICK)).code).toBe(0);
      for (const damage of [() => undefined, () => rmSync(join(venv(), ".ash-ready.json"))]) {
        damage();
        const before = snapshot([place.home]);
        const dry = await init(["--dry-run", "--force"]);
        expect(dry.code).toBe(0);
        expect(snapshot([place.home])).toEqual(before);
        expect(dry.stdout.startsWith("up to date")).toBe(existsSync(join(venv(), ".ash-ready.json")));
      }
    },
    SLOW,
  );

  testWith("bwrap")(
    "--force puts the shipped files back and leaves the environment alone",
    async () => {
      expect((await init([], QUICK)).code).toBe(0);
      writeFileSync(join(place.ashHome, ".ash_tools"), "ls # mine\n");
      const before = snapshot([venv()]);
      const forced = await init(["--force", "--json"]);
      expect(JSON.parse(forced.stdout)).toMatchObject({ status: "ok", python: { state: "ready" } });
      expect(readFileSync(join(place.ashHome, ".ash_tools.old"), "utf8")).toBe("ls # mine\n");
      expect(snapshot([venv()])).toEqual(before);
    },
    SLOW,
  );

  test("--no-python makes no environment and asks nobody, and says so", async () => {
    const run = await init(["--no-python", "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({
      status: "ok",
      python: { state: "skipped", version: null },
    });
    expect(existsSync(venv())).toBe(false);
    expect(index.paths()).toEqual([]);
    expect(await init(["--no-python"])).toMatchObject({ code: 0, stdout: "up to date\n" });
  });

  test("with a word it does not take is a usage error in one object", async () => {
    const run = await init(["--json", "everything"]);
    expect(run.code).toBe(2);
    expect(run.json().error).toMatchObject({
      type: "usage",
      message: "ash init takes no 'everything'",
      hint: "to ask the model about it: ash -- init everything",
    });
    expect(existsSync(place.ashHome)).toBe(false);
  });
});

describe("nothing is written outside ASH_HOME", () => {
  const ways = [
    ["Python's venv and pip", [], "/usr/bin:/bin", "bwrap"],
    ["a foreign pip", ["ensurepip"], "/usr/bin:/bin", "bwrap"],
    ["uv", [], PATH_WITH_UV, "uv"],
  ] as const;

  for (const [name, hidden, path, program] of ways) {
    testWith(program)(
      `by ${name}: a machine that is read-only everywhere else will do`,
      async () => {
        mkdirSync(place.ashHome, { mode: 0o700 });
        const view = both(withOnlyWritable(place.ashHome), withoutModules(...hidden));
        expect(await init([], { under: view, env: { PATH: path } })).toMatchObject({ code: 0 });
      },
      SLOW,
    );
  }
});
