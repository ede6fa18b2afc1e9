// A place with a key in it and an allowlist of its own, and `ash policy` there.
import { beforeEach } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Finished, type Place, type RunOptions, runAsh } from "./ash.ts";
import { usePlace } from "./asking.ts";

/** What `ash policy` prints as JSON. */
export type PolicyAnswer = Readonly<Record<string, unknown>> & { readonly reason?: string };

/** The answer on stdout. */
export const answerOf = (run: Finished): PolicyAnswer => JSON.parse(run.stdout) as PolicyAnswer;

/** The place of the running test. */
export type PolicyPlace = {
  readonly place: Place;
  /** Runs `ash policy`. */
  readonly policy: (args: readonly string[], options?: RunOptions) => Promise<Finished>;
  /** Writes the allowlist. */
  readonly writeList: (text: string) => void;
};

/** Makes a place with a private key before each test and removes it afterwards. */
export function usePolicyPlace(): PolicyPlace {
  const place = usePlace();
  beforeEach(() => {
    mkdirSync(join(place.home, ".ssh"), { mode: 0o700 });
    writeFileSync(join(place.home, ".ssh/id_rsa"), "a key", { mode: 0o600 });
  });
  return {
    place,
    policy: (args, options = {}) => runAsh(place, ["policy", ...args], options),
    writeList(text) {
      mkdirSync(place.ashHome, { recursive: true, mode: 0o700 });
      writeFileSync(join(place.ashHome, ".ash_tools"), text, { mode: 0o600 });
    },
  };
}
