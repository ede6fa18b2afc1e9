// Python tools with dependencies, and a package index that has two small packages for them.
import { type Finished, type Place, type RunOptions, runAsh } from "./ash.ts";
import { usePlace } from "./asking.ts";
import type { PackageIndex } from "./packageindex.ts";
import { usePackageIndex } from "./provisioning.ts";
import { makeWheel } from "./wheel.ts";

/** A package without dependencies. */
export const TINY = makeWheel("tinypkg");

/** A package that needs the other one. */
export const OTHER = makeWheel("otherpkg", { requires: ["tinypkg"] });

/** What the tool of a run printed. */
export const printed = (finished: Finished): Record<string, unknown> =>
  JSON.parse(finished.json().result ?? "{}") as Record<string, unknown>;

/** The warnings of a run. */
export const messages = (finished: Finished): readonly string[] =>
  finished.json().warnings.map(({ message }) => message);

/** The place of the running test. */
export type DependentTools = {
  readonly place: Place;
  readonly index: PackageIndex;
  /** Variables that lead to the index, and more. */
  readonly withIndex: (env?: Readonly<Record<string, string>>) => Record<string, string>;
  /** What an ash is run with to take packages from the index. */
  readonly optionsOf: (options?: RunOptions) => RunOptions;
  /** Runs a tool. */
  readonly run: (name: string, options?: RunOptions) => Promise<Finished>;
};

/** Makes a place and an index before each test and removes them afterwards. */
export function useDependentTools(): DependentTools {
  const place = usePlace();
  const index = usePackageIndex([TINY, OTHER]);
  const withIndex: DependentTools["withIndex"] = (env = {}) => ({
    PIP_INDEX_URL: index.url,
    PIP_RETRIES: "0",
    ...env,
  });
  const optionsOf: DependentTools["optionsOf"] = (options = {}) => ({
    ...options,
    env: withIndex(options.env),
  });
  return {
    place,
    index,
    withIndex,
    optionsOf,
    run: (name, options) =>
      runAsh(place, ["run", "--json", "--allow-run", name, "--", name], optionsOf(options)),
  };
}
