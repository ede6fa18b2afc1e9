// Checks Python tools in a place of their own, through the engine of the tests.
import { expect } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEngine } from "../../src/exec/engine.ts";
import { chooseMode, homeFolders, probeSandbox, type SandboxChoice } from "../../src/exec/sandbox.ts";
import { identityOf } from "../../src/host/executables.ts";
import { fileFacts, realPath } from "../../src/host/files.ts";
import type { Limits } from "../../src/limits.ts";
import { type CheckedTool, checkTool } from "../../src/python/contract.ts";
import type { Finding } from "../../src/python/finding.ts";
import { inspectSource } from "../../src/python/source.ts";
import { makeSurroundings } from "../../src/python/surroundings.ts";
import { ASH } from "./ash.ts";
import { type BrokenTool, brokenTool, lineOf, rulesOf } from "./brokentools.ts";
import { LIMITS, permitFor } from "./engine.ts";
import { FLAGS, PYTHON } from "./pythontool.ts";

/** Checks tools. */
export type CheckBench = {
  /** Checks a script; `limits` replaces single limits. */
  check(name: string, text: string | Uint8Array, more?: CheckMore): Promise<readonly Finding[]>;
  readonly home: string;
  close(): Promise<void>;
};

/** What may differ from check to check. */
export type CheckMore = {
  readonly limits?: Partial<Limits>;
  readonly mode?: number;
  readonly missing?: CheckedTool["missing"];
};

/** Modules the hostile folder has besides the usual ones. */
const MODULES = ["settings_of_mine"];

/** Opens a bench under the sandbox of the machine, or under the given one; one at a time. */
export function openCheckBench(choice: SandboxChoice = "auto"): CheckBench {
  const root = realPath(mkdtempSync(join(tmpdir(), "ash-contract-"))) ?? "";
  const home = join(root, "home");
  const tools = join(home, ".ash", "tools");
  mkdirSync(tools, { recursive: true, mode: 0o700 });
  // Before the engine: what may be read is found out once.
  const token = crypto.randomUUID();
  const surroundings = makeSurroundings(MODULES, token);
  const probe = probeSandbox();
  const engine = startEngine({
    facts: { home, user: "tester", language: undefined, timeZone: undefined },
    mode: chooseMode(probe, choice, false),
    probe,
    self: [ASH],
    scope: {
      homes: homeFolders([home]),
      ashHome: join(home, ".ash"),
      folder: surroundings.root,
      onlyRead: null,
      neverRead: [],
    },
    find: (name) => realPath(join("/usr/bin", name)),
  });
  return {
    home,
    async check(name, text, { limits, mode = 0o700, missing = null } = {}) {
      const path = join(tools, name);
      const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
      writeFileSync(path, bytes);
      chmodSync(path, mode);
      const facts = fileFacts(path);
      if (facts === null) throw new Error(`${path} is gone`);
      const script = { path, identity: identityOf(facts) };
      const source = inspectSource({ name, bytes, mode });
      return checkTool(
        { source, script: path, missing },
        {
          engine,
          permit: (args: readonly string[]) =>
            permitFor([PYTHON, ...FLAGS, path, ...args], { script, unrestricted: false, listsHomes: false }),
          limits: { ...LIMITS, ...limits },
          signal: new AbortController().signal,
          token,
          surroundings,
        },
      );
    },
    async close() {
      await engine.close();
      surroundings.remove();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Milliseconds a check may take on a busy machine. */
export const PATIENCE_MS = 60_000;

let number = 0;

/** Checks a broken tool, and that exactly its own rules are found broken. */
export async function checkBroken(bench: CheckBench, { parts, rules, at, says }: BrokenTool): Promise<void> {
  const text = brokenTool(parts);
  number += 1;
  const findings = await bench.check(`tool_${number}.py`, text);
  const told = findings.map((finding) => `${finding.rule}: ${finding.message}`).join("\n");
  expect({ rules: rulesOf(findings), told }).toEqual({ rules: [...rules].sort(), told });
  if (at !== undefined) expect(findings.map(({ line }) => line)).toContain(lineOf(text, at));
  if (says !== undefined) expect(told).toContain(says);
  for (const { message, fix } of findings) expect(`${message}${fix}`).not.toMatch(/\n|undefined|null/);
}
