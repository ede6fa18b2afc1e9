// Machines that lack what `ash init` needs: what it says, and that running it again repairs it.
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { snapshot } from "../support/cases.ts";
import { IMPATIENT, reportOf, useInitPlace } from "../support/initplace.ts";
import {
  both,
  type View,
  withHollowModule,
  withoutModules,
  withoutNetwork,
  withoutPython,
  withPipSettings,
  withReadOnly,
} from "../support/machineviews.ts";
import { halfMade, SLOW } from "../support/provisioning.ts";
import { testWith } from "../support/required.ts";
import { PINNED } from "../support/tinyash.ts";

const { place, index, init } = useInitPlace(IMPATIENT);

describe("a machine", () => {
  const poor: readonly (readonly [claim: string, view: () => View, message: RegExp, hint: RegExp])[] = [
    [
      "without Python",
      withoutPython,
      /python3, and there is none/,
      /(install|apt|dnf|apk|pacman|zypper|brew).*; then run: ash init$/,
    ],
    [
      "without the venv module",
      () => withoutModules("venv"),
      /cannot make environments: it has no venv module/,
      /(apt install python3\.\d+-venv|install uv).*; then run: ash init$/,
    ],
    [
      "without ensurepip and pip",
      () => withoutModules("ensurepip", "pip"),
      /cannot make environments: it has no pip/,
      /(apt install python3\.\d+-venv|install uv).*; then run: ash init$/,
    ],
    [
      "without a network",
      withoutNetwork,
      /the package index http:\/\/127\.0\.0\.1:\d+ cannot be reached/,
      /^check the network.*; then run: ash init$/,
    ],
  ];

  for (const [claim, view, message, hint] of poor) {
    testWith("bwrap")(
      `${claim} gets the files, one line that names the fix, and the rest when that is done`,
      async () => {
        const failed = await init(["--json"], { under: view() });
        const report = reportOf(failed);
        expect(report).toMatchObject({
          schema: "ash.init/1",
          status: "error",
          exit_code: 9,
          error: { type: "tool_runtime" },
        });
        expect(report.error?.message).toMatch(message);
        expect(report.error?.hint).toMatch(hint);
        expect(failed.stderr.trimEnd().split("\n").at(-1)).toContain(report.error?.message ?? "?");
        expect(readdirSync(join(place.ashHome, "tools"))).toContain("yfinance.py");
        expect(halfMade(place)).toEqual([]);
        expect((await init([], { under: withoutModules("ensurepip") })).code).toBe(0);
      },
      SLOW,
    );
  }

  testWith("bwrap")(
    "without ensurepip uses the pip of its Python",
    async () => {
      const made = await init([], { under: withoutModules("ensurepip") });
      expect(made).toMatchObject({ code: 0 });
      expect(made.stderr).toContain("(without pip)");
      const python = join(place.ashHome, "venv/bin/python");
      const asked = Bun.spawnSync([python, "-I", "-c", "import tinypkg; print(tinypkg.VERSION)"], {
        env: {},
      });
      expect(asked.stdout.toString()).toBe("1.0\n");
    },
    SLOW,
  );

  testWith("bwrap")(
    "with an ensurepip that does not work goes the next way",
    async () => {
      const made = await init([], { under: withHollowModule("ensurepip", place.folder) });
      expect(made).toMatchObject({ code: 0 });
      expect(made.stderr).toMatch(/the environment could not be made: .*\n.*\(without pip\)/);
    },
    SLOW,
  );

  testWith("uv")(
    "with a uv that does not work goes the next way",
    async () => {
      const folder = join(place.home, "bin");
      mkdirSync(folder);
      writeFileSync(join(folder, "uv"), "#!/bin/sh\necho 'error: I am broken' >&2\nexit 2\n", {
        mode: 0o755,
      });
      const made = await init([], { env: { PATH: `${folder}:/usr/bin:/bin` } });
      expect(made).toMatchObject({ code: 0 });
      expect(made.stderr).toContain("the environment could not be made: I am broken");
    },
    SLOW,
  );

  testWith("bwrap")(
    "with a home that cannot be written prints one object with code 3 and changes nothing",
    async () => {
      mkdirSync(place.ashHome, { mode: 0o700 });
      const before = snapshot([place.home]);
      const failed = await init(["--json"], { under: withReadOnly(place.home) });
      expect(reportOf(failed)).toMatchObject({
        schema: "ash.init/1",
        status: "error",
        exit_code: 3,
        error: {
          type: "config",
          message: `${place.ashHome} cannot be written (EROFS)`,
          hint: "make it writable, or set ASH_HOME",
        },
      });
      expect(failed.code).toBe(3);
      expect(snapshot([place.home])).toEqual(before);
    },
    SLOW,
  );

  testWith("bwrap")(
    "whose own pip settings name an index is heard",
    async () => {
      const settings = join(place.folder, "pip.conf");
      writeFileSync(settings, `[global]\nindex-url = ${index.url}\n`);
      const view = both(withoutModules("ensurepip"), withPipSettings(settings));
      expect(await init([], { under: view, env: { PIP_INDEX_URL: "" } })).toMatchObject({ code: 0 });
      expect(index.fetched(PINNED)).toBe(1);
    },
    SLOW,
  );
});

test("a Python that is too old is named, and ASH_PYTHON decides", async () => {
  const old = join(place.home, "python3.8");
  const said = '{"version": [3, 8, 20], "venv": true, "ensurepip": true, "pip": true, "pipFolder": null}';
  writeFileSync(old, `#!/bin/sh\necho '${said}'\n`, { mode: 0o755 });
  const failed = await init(["--json"], { env: { ASH_PYTHON: old } });
  expect(reportOf(failed).error).toMatchObject({
    type: "tool_runtime",
    message: `there is no Python >=3.9: ${old} is 3.8.20`,
    hint: "install Python >=3.9, or set ASH_PYTHON; then run: ash init",
  });
  const none = await init(["--json"], { env: { ASH_PYTHON: join(place.home, "none") } });
  expect(reportOf(none).error?.message).toMatch(/^ASH_PYTHON: .*none is not a program$/);
});
