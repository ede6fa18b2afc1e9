// The engine's bench for a block of tests. The benchmarks open benches too, so that nothing of the test runner is in
// engine.ts.
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "bun:test";
import type { Sandbox } from "../../src/schema.ts";
import { type Bench, leftovers, openBench, processesNow } from "./engine.ts";

/** A bench for all tests of a block; after each of them no process of it may be left. */
export function useBench(mode: Sandbox): Bench {
  let bench: Bench;
  let before: ReadonlySet<number>;
  beforeAll(() => {
    bench = openBench(mode);
  });
  afterAll(() => bench.close());
  beforeEach(() => {
    before = processesNow();
  });
  afterEach(() => expect(leftovers(before, bench)).toEqual([]));
  return {
    get engine() {
      return bench.engine;
    },
    get folder() {
      return bench.folder;
    },
    get home() {
      return bench.home;
    },
    get ashHome() {
      return bench.ashHome;
    },
    run: (argvs, more) => bench.run(argvs, more),
    sh: (script, more) => bench.sh(script, more),
    close: () => bench.close(),
  };
}
