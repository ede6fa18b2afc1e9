// Package indexes that fail: what `ash init` says and leaves behind, and that running it again repairs it.
import { describe, expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { IMPATIENT, reportOf, useInitPlace } from "../support/initplace.ts";
import { withoutModules } from "../support/machineviews.ts";
import { type Misbehaving, startPackageIndex } from "../support/packageindex.ts";
import { halfMade, PATH_WITH_UV, SLOW } from "../support/provisioning.ts";
import { testWith } from "../support/required.ts";
import { type Reply, status } from "../support/webserver.ts";
import { makeWheel } from "../support/wheel.ts";

const { place, index, init } = useInitPlace(IMPATIENT);

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
        const tampered = startPackageIndex([
          makeWheel("tinypkg", { source: "raise SystemExit('tampered')" }),
        ]);
        const env = { ...("env" in options ? options.env : {}), PIP_INDEX_URL: tampered.url };
        const failed = await init(["--json"], { ...options, env });
        tampered.stop();
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
