// Python tools whose environment cannot be made: what the run says and goes on with.
import { describe, expect, test } from "bun:test";
import { runAsh } from "../support/ash.ts";
import { messages, printed, useDependentTools } from "../support/dependenttools.ts";
import { QUICK } from "../support/initplace.ts";
import { withReadOnly } from "../support/machineviews.ts";
import { environmentsOf, halfMade, putTool, SLOW } from "../support/provisioning.ts";
import { testWith } from "../support/required.ts";

const { place, index, optionsOf, run } = useDependentTools();

describe("a tool that asks for a Python", () => {
  test("which is not there runs with the one that is, and says what is missing", async () => {
    putTool(place, "mine.py", { dependencies: [], requiresPython: ">=99", body: "print('{}')\n" });
    const finished = await run("mine.py");
    expect(finished.code).toBe(0);
    expect(messages(finished)).toEqual([
      expect.stringMatching(
        /^what mine\.py needs is not there: there is no Python >=99: \S+ is 3\.\d+\.\d+.* \(install Python >=99, or set ASH_PYTHON; then run the tool again\)$/,
      ),
    ]);
    expect(environmentsOf(place)).toEqual([]);
    expect(halfMade(place)).toEqual([]);
  });

  test("that is just there gets an environment without asking an index", async () => {
    const body = "import json, sys\nprint(json.dumps({'status': 'ok', 'prefix': sys.prefix}))\n";
    putTool(place, "mine.py", { dependencies: [], requiresPython: ">=3.9.1", body });
    const finished = await run("mine.py");
    expect(printed(finished).prefix).toContain("/venvs/");
    expect(index.paths()).toEqual([]);
  });
});

describe("a tool whose packages cannot be had", () => {
  const down = { env: { PIP_INDEX_URL: "http://127.0.0.1:1/simple/" } };

  testWith("bwrap")(
    "still runs, says what to do, and is repaired by running it again",
    async () => {
      putTool(place, "mine.py");
      const failed = await run("mine.py", { ...QUICK, ...down });
      expect(failed.code).toBe(9);
      expect(failed.json().tools[0]?.stderr).toContain("No module named 'tinypkg'");
      expect(messages(failed).at(-1)).toMatch(
        /^what mine\.py needs is not there: packages could not be installed: the package index http:\/\/127\.0\.0\.1:1 cannot be reached \(.*; then run the tool again\)$/,
      );
      expect(environmentsOf(place)).toEqual([]);
      expect(halfMade(place)).toEqual([]);
      expect((await run("mine.py", QUICK)).code).toBe(0);
    },
    SLOW,
  );

  testWith("bwrap")(
    "does not keep the other tools and the demo from working",
    async () => {
      putTool(place, "mine.py");
      putTool(place, "plain.py", { dependencies: [], body: 'print(\'{"status": "ok"}\')\n' });
      await run("mine.py", { ...QUICK, ...down });
      expect(printed(await run("plain.py", down))).toEqual({ status: "ok" });
      const demo = await runAsh(place, ["--json", "--replay", "demo", "hi"], optionsOf(down));
      expect(demo.json()).toMatchObject({ status: "ok", exit_code: 0, warnings: [] });
    },
    SLOW,
  );

  testWith("bwrap")(
    "says so in a home that cannot be written, and runs in one where they are already",
    async () => {
      putTool(place, "mine.py");
      const finished = await run("mine.py", { under: withReadOnly(place.home) });
      expect(finished.code).toBe(9);
      expect(messages(finished).at(-1)).toBe(
        `what mine.py needs is not there: ${place.ashHome} cannot be written (EROFS) (make it writable, or set ASH_HOME)`,
      );
      expect(index.paths()).toEqual([]);
      expect((await run("mine.py", QUICK)).code).toBe(0);
      const again = await run("mine.py", { under: withReadOnly(place.home) });
      expect(again.json()).toMatchObject({ exit_code: 0, warnings: [] });
    },
    SLOW,
  );
});
