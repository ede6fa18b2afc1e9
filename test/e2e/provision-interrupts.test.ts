// Making an environment, interrupted in every way there is, and by others at the same time: nothing half-made counts,
// nothing is left running, and the next run puts things right.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Finished, makePlace, type Place, type RunOptions, runAsh } from "../support/ash.ts";
import { withoutModules } from "../support/machineviews.ts";
import { type PackageIndex, startPackageIndex } from "../support/packageindex.ts";
import { runningIn } from "../support/processes.ts";
import {
  environmentsOf,
  halfMade,
  PATH_WITH_UV,
  putTool,
  until,
  type Watched,
  watchAsh,
} from "../support/provisioning.ts";
import { testWith } from "../support/required.ts";
import { PINNED, tinyAsh } from "../support/tinyash.ts";
import { ok, type Reply } from "../support/webserver.ts";

const SLOW = 120_000;

let place: Place;
let index: PackageIndex;

beforeEach(() => {
  place = makePlace();
  index = startPackageIndex([PINNED]);
});
afterEach(() => {
  expect(runningIn(place.home)).toEqual([]);
  index.stop();
  place.remove();
});

const optionsOf = async (options: RunOptions = {}): Promise<RunOptions> => ({
  ...options,
  program: await tinyAsh(),
  env: { PIP_INDEX_URL: index.url, ...options.env },
});
const start = async (args: readonly string[], options: RunOptions = {}): Promise<Watched> =>
  watchAsh(place, args, await optionsOf(options));
const run = async (args: readonly string[], options: RunOptions = {}): Promise<Finished> =>
  runAsh(place, args, await optionsOf(options));

/** Without ensurepip an environment is made in a tenth of a second instead of three. */
const QUICK = { under: withoutModules("ensurepip") };
const venv = (): string => join(place.ashHome, "venv");

/** An init that waits for a wheel which does not come. */
async function startStuck(args: readonly string[] = [], options: RunOptions = {}): Promise<Watched> {
  index.misbehave((part) => (part === "wheel" ? { kind: "silence" } : null));
  const running = await start(["init", ...args], options);
  await until(() => index.fetched(PINNED) === 1);
  index.misbehave(null);
  return running;
}

/** The process that installs packages, and not the ash that started it. */
const installer = (): number => {
  const found = runningIn(place.home).find(({ command }) =>
    / (pip|-c) .*install|uv pip install/s.test(command),
  );
  return found?.pid ?? 0;
};

async function expectRepaired(options: RunOptions = {}): Promise<void> {
  const again = await run(["init"], options);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("is set up") });
  expect(again.stderr).not.toContain("waiting for another ash");
  expect(halfMade(place)).toEqual([]);
  expect(await run(["init"], options)).toMatchObject({ code: 0, stdout: "up to date\n" });
}

const SIGNALS = [
  ["SIGINT", 130, "interrupted"],
  ["SIGTERM", 143, "terminated"],
  ["SIGHUP", 143, "terminated"],
] as const;

describe("an init that waits for a package", () => {
  test.each(SIGNALS)(
    "and gets %s ends with its code, leaves nothing, and is repaired",
    async (signal, code, type) => {
      const running = await startStuck(["--json"]);
      running.process.kill(signal);
      const ended = await running.ended;
      expect(ended.code).toBe(code);
      expect(JSON.parse(ended.stdout)).toMatchObject({
        schema: "ash.init/1",
        status: "interrupted",
        exit_code: code,
        python: { state: "failed" },
        error: { type },
      });
      expect(runningIn(place.home)).toEqual([]);
      expect(existsSync(venv())).toBe(false);
      expect(halfMade(place)).toEqual([]);
      if (signal === "SIGINT") await expectRepaired();
    },
    SLOW,
  );

  test(
    "and gets SIGINT while Python still makes the environment leaves nothing",
    async () => {
      const running = await start(["init"]);
      await until(() => runningIn(place.home).some(({ command }) => command.includes("ensurepip")));
      running.process.kill("SIGINT");
      const ended = await running.ended;
      expect(ended).toMatchObject({ code: 130, stdout: "" });
      expect(ended.stderr.trimEnd().split("\n").at(-1)).toBe("ash: interrupted by SIGINT");
      expect(runningIn(place.home)).toEqual([]);
      expect(halfMade(place)).toEqual([]);
      expect(index.paths()).toEqual([]);
    },
    SLOW,
  );

  testWith("uv")(
    "with uv and gets SIGINT leaves nothing, and is repaired",
    async () => {
      const options = { env: { PATH: PATH_WITH_UV } };
      const running = await startStuck([], options);
      running.process.kill("SIGINT");
      expect((await running.ended).code).toBe(130);
      expect(runningIn(place.home)).toEqual([]);
      expect(halfMade(place)).toEqual([]);
      await expectRepaired(options);
    },
    SLOW,
  );

  test(
    "and is killed outright is tidied up after by the next one",
    async () => {
      const running = await startStuck();
      const orphan = installer();
      expect(orphan).toBeGreaterThan(1);
      running.process.kill("SIGKILL");
      await running.process.exited;
      expect(halfMade(place)).not.toEqual([]);
      // Somebody who needs no environment ends and removes what was left, too.
      expect(await run(["init", "--no-python"])).toMatchObject({ code: 0 });
      // Whoever inherits it may leave it a zombie, which runs no more.
      await until(() => !runningIn(place.home).some(({ pid }) => pid === orphan));
      expect(halfMade(place).filter((path) => path.includes(".making-"))).toEqual([]);
      await expectRepaired();
    },
    SLOW,
  );

  test(
    "whose installer is killed says by what, and is repaired",
    async () => {
      const running = await startStuck();
      process.kill(installer(), "SIGKILL");
      const ended = await running.ended;
      expect(ended.code).toBe(9);
      expect(ended.stderr.trimEnd().split("\n").at(-1)).toBe(
        "ash: packages could not be installed: the installer was ended by SIGKILL (see whether memory ran out; then run: ash init)",
      );
      expect(existsSync(venv())).toBe(false);
      expect(halfMade(place)).toEqual([]);
      await expectRepaired();
    },
    SLOW,
  );

  test(
    "and whose stderr is closed by its reader goes on",
    async () => {
      const gate = Promise.withResolvers<Reply>();
      index.misbehave((part) => (part === "wheel" ? { kind: "later", reply: gate.promise } : null));
      const shell = Bun.spawn(
        ["bash", "-c", '"$0" init 2> >(head -n 1 >/dev/null); echo "exit $?"', await tinyAsh()],
        { env: { PATH: "/usr/bin:/bin", HOME: place.home, PIP_INDEX_URL: index.url }, stdout: "pipe" },
      );
      await until(() => index.fetched(PINNED) === 1);
      gate.resolve(ok(PINNED.bytes));
      expect(await shell.stdout.text()).toContain("exit 0");
    },
    SLOW,
  );
});

describe("two inits at once", () => {
  testWith("bwrap")(
    "make one environment: one waits and says so",
    async () => {
      const gate = Promise.withResolvers<Reply>();
      index.misbehave((part) => (part === "wheel" ? { kind: "later", reply: gate.promise } : null));
      const first = await start(["init", "--json"], QUICK);
      await until(() => index.fetched(PINNED) === 1);
      const second = await start(["init", "--json"], QUICK);
      await second.said("waiting for another ash that is at it");
      gate.resolve(ok(PINNED.bytes));
      const ends = await Promise.all([first.ended, second.ended]);
      expect(ends.map(({ code }) => code)).toEqual([0, 0]);
      const states = ends.map(
        ({ stdout }) => (JSON.parse(stdout) as { python: { state: string } }).python.state,
      );
      expect(states).toEqual(["made", "ready"]);
      expect(index.fetched(PINNED)).toBe(1);
      expect(halfMade(place)).toEqual([]);
    },
    SLOW,
  );

  testWith("bwrap")(
    "of which the waiting one is interrupted leave the other alone",
    async () => {
      const gate = Promise.withResolvers<Reply>();
      index.misbehave((part) => (part === "wheel" ? { kind: "later", reply: gate.promise } : null));
      const first = await start(["init"], QUICK);
      await until(() => index.fetched(PINNED) === 1);
      const second = await start(["init"]);
      await second.said("waiting for another ash");
      second.process.kill("SIGINT");
      expect((await second.ended).code).toBe(130);
      gate.resolve(ok(PINNED.bytes));
      expect((await first.ended).code).toBe(0);
    },
    SLOW,
  );
});

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
