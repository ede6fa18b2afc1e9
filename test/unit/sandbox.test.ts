// Which mode of the sandbox a machine and a wish lead to.
import { describe, expect, test } from "bun:test";
import { availableModes, chooseMode, kernelLimits, type SandboxProbe } from "../../src/exec/sandbox.ts";

const probe = (more: Partial<SandboxProbe> = {}): SandboxProbe => ({
  landlock: 4,
  seccomp: true,
  bwrap: "/usr/bin/bwrap",
  rlimits: true,
  ...more,
});
const bare = probe({ landlock: 0, bwrap: null });

describe("the sandbox mode", () => {
  test("is the strongest the machine has", () => {
    expect(availableModes(probe())).toEqual(["jail", "bwrap", "rlimits", "none"]);
    expect(chooseMode(probe(), "auto", false)).toBe("jail");
    expect(chooseMode(probe({ landlock: 0 }), "auto", false)).toBe("bwrap");
    expect(chooseMode(probe({ seccomp: false }), "auto", false)).toBe("bwrap");
    expect(chooseMode(bare, "auto", false)).toBe("rlimits");
    expect(chooseMode({ ...bare, rlimits: false }, "auto", false)).toBe("none");
  });

  test("is exactly the one asked for, or an error", () => {
    expect(chooseMode(probe(), "rlimits", false)).toBe("rlimits");
    expect(chooseMode(probe(), "none", false)).toBe("none");
    expect(() => chooseMode(bare, "jail", false)).toThrow("the sandbox jail is not available here");
    expect(() => chooseMode(bare, "bwrap", false)).toThrow("the sandbox bwrap is not available here");
  });

  test("below a real sandbox is refused when one is required", () => {
    for (const choice of ["auto", "rlimits", "none"] as const) {
      expect(() => chooseMode(bare, choice, true)).toThrow("require_sandbox");
    }
    expect(chooseMode(probe(), "auto", true)).toBe("jail");
    expect(chooseMode(probe({ landlock: 0 }), "auto", true)).toBe("bwrap");
  });
});

test("kernel limits follow the limits of a call, with room where the kernel counts more", () => {
  const limits = { timeoutMs: 1, outputMax: 1, memoryMax: 1000, cpuMs: 1500, fileMax: 77, processMax: 10 };
  expect(kernelLimits(limits)).toMatchObject({ cpuSeconds: 2, dataBytes: 2000, fileBytes: 77 });
  expect(kernelLimits(limits).processes).toBeGreaterThan(10);
});
