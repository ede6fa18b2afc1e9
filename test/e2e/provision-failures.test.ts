// What `ash init` says and leaves behind when its environment cannot be made, and that running it again repairs it.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Finished, makePlace, type Place, type RunOptions, runAsh } from "../support/ash.ts";
import { snapshot } from "../support/cases.ts";
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
import { type Misbehaving, type PackageIndex, startPackageIndex } from "../support/packageindex.ts";
import { runningIn } from "../support/processes.ts";
import { halfMade, PATH_WITH_UV } from "../support/provisioning.ts";
import { testWith } from "../support/required.ts";
import { PINNED, tinyAsh } from "../support/tinyash.ts";
import { type Reply, status } from "../support/webserver.ts";
import { makeWheel } from "../support/wheel.ts";

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

type InitReport = {
  readonly schema: string;
  readonly status: string;
  readonly exit_code: number;
  readonly python: { readonly state: string };
  readonly error: { readonly type: string; readonly message: string; readonly hint: string } | null;
};

/** One try on each request, and no long waiting for an answer. */
const IMPATIENT = {
  PIP_RETRIES: "0",
  PIP_DEFAULT_TIMEOUT: "1",
  UV_HTTP_RETRIES: "0",
  UV_HTTP_TIMEOUT: "1",
};

const init = async (args: readonly string[] = [], options: RunOptions = {}): Promise<Finished> =>
  runAsh(place, ["init", ...args], {
    ...options,
    program: await tinyAsh(),
    env: { PIP_INDEX_URL: index.url, ...IMPATIENT, ...options.env },
  });

const reportOf = ({ stdout }: Finished): InitReport => {
  expect(stdout.split("\n")).toHaveLength(2);
  return JSON.parse(stdout) as InitReport;
};

/** The ways packages are installed; each must fail alike. */
const INSTALLERS = [
  { name: "pip", program: "bwrap", options: { under: withoutModules("ensurepip") } },
  { name: "uv", program: "uv", options: { env: { PATH: PATH_WITH_UV } } },
] as const;

const always =
  (part: "page" | "wheel", reply: Reply): Misbehaving =>
  (asked) =>
    asked === part ? reply : null;

const INDEX = /the package index (http:\/\/)?127\.0\.0\.1:\d+/.source;
const FAILURES: readonly (readonly [claim: string, how: Misbehaving, problem: string])[] = [
  ["answers 500 for a wheel", always("wheel", status(500)), `${INDEX} answers with an error \\(500\\)`],
  ["answers 500 for a page", always("page", status(500)), `${INDEX} answers with an error \\(500\\)`],
  ["wants a password", always("page", status(401)), `${INDEX} refuses the credentials \\(401\\)`],
  ["hangs on a wheel", always("wheel", { kind: "silence" }), `${INDEX} does not answer in time`],
  ["hangs on a page", always("page", { kind: "silence" }), `${INDEX} does not answer in time`],
  ["hangs up", always("page", { kind: "hangup" }), `${INDEX} broke the connection off`],
  [
    "cuts a wheel",
    always("wheel", { kind: "cut", body: "PK" }),
    `(${INDEX}|the package index) broke the connection off|tinypkg==1\\.0 is not the file its hash stands for`,
  ],
  [
    "does not have it",
    always("page", status(404)),
    "the package index.* has no wheel of tinypkg.* for this Python and system",
  ],
];

for (const { name, program, options } of INSTALLERS) {
  describe(`${name}, when the index`, () => {
    for (const [claim, how, problem] of FAILURES) {
      testWith(program)(
        `${claim}, fails with one line and is repaired by a second run`,
        async () => {
          index.misbehave(how);
          const failed = await init([], options);
          expect(failed.code).toBe(9);
          expect(failed.stdout).toBe("");
          const last = failed.stderr.trimEnd().split("\n").at(-1);
          expect(last).toMatch(
            new RegExp(`^ash: packages could not be installed: (${problem}) \\(.+; then run: ash init\\)$`),
          );
          expect(existsSync(join(place.ashHome, "venv"))).toBe(false);
          expect(halfMade(place)).toEqual([]);
          index.misbehave(null);
          expect(await init([], options)).toMatchObject({
            code: 0,
            stdout: expect.stringContaining("is set up"),
          });
          expect(await init([], options)).toMatchObject({ code: 0, stdout: "up to date\n", stderr: "" });
        },
        SLOW,
      );
    }

    testWith(program)(
      "serves another file under the pinned name, installs nothing",
      async () => {
        index.stop();
        index = startPackageIndex([makeWheel("tinypkg", { source: "raise SystemExit('tampered')" })]);
        const failed = await init(["--json"], options);
        expect(reportOf(failed)).toMatchObject({
          status: "error",
          exit_code: 9,
          python: { state: "failed" },
        });
        expect(reportOf(failed).error?.message).toMatch(/tinypkg==1\.0 is not the file its hash stands for/);
        expect(existsSync(join(place.ashHome, "venv"))).toBe(false);
      },
      SLOW,
    );

    testWith(program)(
      "is not there at all, says so and does not try another way of installing",
      async () => {
        const gone = {
          ...options,
          env: { ...("env" in options ? options.env : {}), PIP_INDEX_URL: "http://127.0.0.1:1/simple/" },
        };
        const failed = await init([], gone);
        expect(failed.code).toBe(9);
        expect(failed.stderr.match(/making an environment/g)).toHaveLength(1);
        expect(failed.stderr).toContain(
          "the package index http://127.0.0.1:1 cannot be reached (check the network",
        );
      },
      SLOW,
    );
  });
}

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
