// The first run on a terminal, on a real one: the environment is made while somebody watches, or skipped.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runAsh } from "../support/ash.ts";
import { usePlace } from "../support/asking.ts";
import { type View, withoutModules } from "../support/machineviews.ts";
import { runningIn } from "../support/processes.ts";
import { halfMade, SLOW, usePackageIndex } from "../support/provisioning.ts";
import { testWith } from "../support/required.ts";
import { PINNED, tinyAsh } from "../support/tinyash.ts";
import { until } from "../support/until.ts";

const place = usePlace();
const index = usePackageIndex([PINNED]);

/** Without ensurepip an environment is made in a tenth of a second instead of three. */
const QUICK = withoutModules("ensurepip");
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Runs ash with a terminal for all its streams. */
async function onTerminal(view: View, args: readonly string[]) {
  const command = `exec ${[...view, await tinyAsh(), ...args].map(quoted).join(" ")}`;
  return Bun.spawn(["script", "-qec", command, "/dev/null"], {
    cwd: place.folder,
    env: {
      PATH: "/usr/bin:/bin",
      HOME: place.home,
      TERM: "dumb",
      SHELL: "/bin/sh",
      PIP_INDEX_URL: index.url,
    },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
}

testWith("bwrap")(
  "the first run on a terminal makes the environment with progress, the second says nothing of it",
  async () => {
    const first = await onTerminal(QUICK, ["run", "--", "echo", "done here"]);
    const text = await first.stdout.text();
    expect(text).toMatch(
      /installing the Python packages .*Ctrl-C skips[\s\S]*making an environment[\s\S]*tinypkg 1\.0[\s\S]*done here/,
    );
    expect(await first.exited).toBe(0);
    expect(existsSync(join(place.ashHome, "venv/bin/python"))).toBe(true);
    const second = await onTerminal(QUICK, ["run", "--", "echo", "done here"]);
    expect(await second.stdout.text()).toBe("done here\r\n");
  },
  SLOW,
);

test(
  "Ctrl-C while it waits skips the environment and goes on with what was asked",
  async () => {
    index.misbehave((part) => (part === "wheel" ? { kind: "silence" } : null));
    const running = await onTerminal([], ["run", "--", "echo", "done here"]);
    await until(() => index.fetched(PINNED) === 1);
    running.stdin.write("\x03");
    await running.stdin.flush();
    const text = await running.stdout.text();
    expect(text).toMatch(/skipped; to make up for it, run: ash init[\s\S]*done here/);
    expect(await running.exited).toBe(0);
    expect(existsSync(join(place.ashHome, "venv"))).toBe(false);
    expect(halfMade(place)).toEqual([]);
    expect(runningIn(place.home)).toEqual([]);
  },
  SLOW,
);

test("without a terminal the first run makes no environment", async () => {
  const run = await runAsh(place, ["run", "--", "echo", "hi"], {
    program: await tinyAsh(),
    env: { PIP_INDEX_URL: index.url },
  });
  expect(run).toMatchObject({ code: 0, stdout: "hi\n", stderr: "" });
  expect(existsSync(join(place.ashHome, "venv"))).toBe(false);
  expect(index.paths()).toEqual([]);
});
