// Making an environment, interrupted in every way there is, and by others at the same time: nothing half-made counts,
// nothing is left running, and the next run puts things right.
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import type { RunOptions } from "../support/ash.ts";
import { QUICK, useInitPlace } from "../support/initplace.ts";
import { runningIn } from "../support/processes.ts";
import { halfMade, PATH_WITH_UV, SLOW, type Watched, watchAsh } from "../support/provisioning.ts";
import { testWith } from "../support/required.ts";
import { PINNED, tinyAsh } from "../support/tinyash.ts";
import { until } from "../support/until.ts";
import { ok, type Reply } from "../support/webserver.ts";

const { place, index, optionsOf, run, venv } = useInitPlace();
const start = async (args: readonly string[], options: RunOptions = {}): Promise<Watched> =>
  watchAsh(place, args, await optionsOf(options));

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
