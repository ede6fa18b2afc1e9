// A place, a package index beside it, and a small ash that makes its environments from there.
import { afterEach, expect } from "bun:test";
import { join } from "node:path";
import { type Finished, type RunOptions, runAsh } from "./ash.ts";
import { type TestPlace, usePlace } from "./asking.ts";
import { withoutModules } from "./machineviews.ts";
import type { PackageIndex } from "./packageindex.ts";
import { runningIn } from "./processes.ts";
import { usePackageIndex } from "./provisioning.ts";
import { PINNED, tinyAsh } from "./tinyash.ts";

/** Without ensurepip an environment is made in a tenth of a second instead of three. */
export const QUICK = { under: withoutModules("ensurepip") };

/** Variables for one try on each request, and no long waiting for an answer. */
export const IMPATIENT = {
  PIP_RETRIES: "0",
  PIP_DEFAULT_TIMEOUT: "1",
  UV_HTTP_RETRIES: "0",
  UV_HTTP_TIMEOUT: "1",
};

/** What `ash init --json` prints. */
export type InitReport = {
  readonly schema: string;
  readonly status: string;
  readonly exit_code: number;
  readonly python: { readonly state: string };
  readonly error: { readonly type: string; readonly message: string; readonly hint: string } | null;
};

/** The report, which is the only line. */
export const reportOf = ({ stdout }: Finished): InitReport => {
  expect(stdout.split("\n")).toHaveLength(2);
  return JSON.parse(stdout) as InitReport;
};

/** The last line on stderr. */
export const lastLineOf = ({ stderr }: Finished): string => stderr.trimEnd().split("\n").at(-1) ?? "";

/** The place of the running test. */
export type InitPlace = {
  readonly place: TestPlace;
  readonly index: PackageIndex;
  /** What an ash is run with to take its packages from the index. */
  readonly optionsOf: (options?: RunOptions) => Promise<RunOptions>;
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Finished>;
  /** Runs `ash init`. */
  readonly init: (args?: readonly string[], options?: RunOptions) => Promise<Finished>;
  /** The path of the environment. */
  readonly venv: () => string;
};

/** Makes a place and an index before each test; after it nothing of the place may still run. */
export function useInitPlace(env: Readonly<Record<string, string>> = {}): InitPlace {
  const place = usePlace();
  const index = usePackageIndex([PINNED]);
  afterEach(() => expect(runningIn(place.home)).toEqual([]));
  const optionsOf: InitPlace["optionsOf"] = async (options = {}) => ({
    ...options,
    program: await tinyAsh(),
    env: { PIP_INDEX_URL: index.url, ...env, ...options.env },
  });
  const run: InitPlace["run"] = async (args, options) => runAsh(place, args, await optionsOf(options));
  return {
    place,
    index,
    optionsOf,
    run,
    init: (args = [], options) => run(["init", ...args], options),
    venv: () => join(place.ashHome, "venv"),
  };
}
