// The real thing: an empty home, the real lock, the package registry this machine reaches.
import { expect } from "bun:test";
import { symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_SETTINGS } from "../../src/python/sources.ts";
import { type Finished, runAsh } from "../support/ash.ts";
import { usePlace } from "../support/asking.ts";
import { halfMade, PATH_WITH_UV } from "../support/provisioning.ts";
import { testWith, testWithRegistry } from "../support/required.ts";

const SLOW = 900_000;

const place = usePlace();

/** How this machine reaches packages: its indexes, proxies and authorities. */
function reach(): Record<string, string> {
  const set = PACKAGE_SETTINGS.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(set);
}

async function proveInit(path: string, way: RegExp): Promise<void> {
  const env = { PATH: path, ...reach() };
  const run = (...args: readonly string[]): Promise<Finished> => runAsh(place, args, { env });
  const first = await run("init");
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("is set up") });
  expect(first.stderr).toMatch(way);
  expect(first.stderr).toMatch(/ {2}yfinance \d/);
  const python = join(place.ashHome, "venv/bin/python");
  const imported = Bun.spawnSync([python, "-I", "-c", "import yfinance; print(yfinance.__version__)"], {
    env: {},
  });
  expect(imported.stdout.toString()).toBe("1.7.0\n");
  for (const tool of ["yfinance.py", "wikipedia.py", "headlines.py"]) {
    const docs = await run("run", "--json", "--", tool, "--ai-docs");
    expect(docs.json()).toMatchObject({ exit_code: 0, warnings: [] });
    expect(docs.json().result).toContain("Capabilities");
  }
  expect(await run("init")).toMatchObject({ code: 0, stdout: "up to date\n", stderr: "" });
  unlinkSync(python);
  symlinkSync("/usr/bin/python3.0", python);
  const repaired = await run("init");
  expect(repaired).toMatchObject({ code: 0, stdout: expect.stringContaining("is set up") });
  expect(halfMade(place)).toEqual([]);
}

testWithRegistry()(
  "init makes the environment of the bundled tools from the registry with Python's own venv and pip",
  () => proveInit("/usr/bin:/bin", /making an environment with Python 3\.\d+\.\d+\n/),
  SLOW,
);

if (process.env.ASH_TEST_REGISTRY !== undefined) {
  testWith("uv")(
    "init makes the environment of the bundled tools from the registry with uv",
    () => proveInit(PATH_WITH_UV, /\(uv\)/),
    SLOW,
  );
}
