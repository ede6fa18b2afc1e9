// The fuzzer of the argument rules at work: nothing accepted does harm, and a hole that is opened on purpose is found.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

const FUZZER = join(import.meta.dir, "../../scripts/fuzz-policy");

async function fuzz(...args: readonly string[]): Promise<{ code: number | null; said: string }> {
  const child = Bun.spawn([FUZZER, ...args], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code: child.exitCode, said: `${out}${err}` };
}

describe("the fuzzer", () => {
  test("finds nothing among accepted calls", async () => {
    const { code, said } = await fuzz("--accepted", "2000", "--seed", String(process.pid));
    expect(said).toContain("no findings");
    expect(code).toBe(0);
  });

  test.each(["sort-output", "uniq-two", "tree-output"])("finds the planted hole %s", async (hole) => {
    const { code, said } = await fuzz("--plant", hole, "--accepted", "20000", "--seed", "5");
    expect(said).not.toContain("no findings");
    expect(code).toBe(1);
  });
});
