// Tries the sandbox of this machine: runs a probe through the engine as if it were a tool, in a folder with a secret of
// its own. It leaves nothing behind.
import { join } from "node:path";
import { identityOf } from "../host/executables.ts";
import { fileFacts, makeTemporaryFolder, removeTree, replaceFile } from "../host/files.ts";
import { selfCommand } from "../host/system.ts";
import type { Limits } from "../limits.ts";
import type { Permit } from "../policy/policy.ts";
import type { CallResult } from "./call.ts";
import type { Engine } from "./engine.ts";
import { PROBE_WORD } from "./jail-word.ts";
import { NOT_EXECUTED, type ProbeOrder, type ProbeReport } from "./probe-child.ts";

/** What the test found. */
export type SelfTest =
  | {
      readonly ok: true;
      readonly report: ProbeReport;
      /** The probe could become another program. */
      readonly executed: boolean;
      readonly durationMs: number;
    }
  | { readonly ok: false; readonly problem: string };

/** What a self-test needs. */
export type SelfTestParts = {
  /** Opens an engine whose calls run in the folder. */
  readonly openEngine: (folder: string) => Engine;
  /** A file of the user's that no tool may read; null when there is none. */
  readonly secretFile: string | null;
  /** The path of a program that does nothing; null when there is none. */
  readonly harmless: string | null;
  readonly limits: Limits;
  readonly signal: AbortSignal;
};

/** The probe is a whole runtime, which maps far more memory than it uses: it needs more than a tool may be given. */
const NEEDS = {
  timeoutMs: 15_000,
  memoryMax: 16 * 1024 ** 3,
  processMax: 64,
  cpuMs: 10_000,
  outputMax: 64 * 1024,
};

const atLeast = (limits: Limits): Limits => ({
  ...limits,
  timeoutMs: Math.max(limits.timeoutMs, NEEDS.timeoutMs),
  memoryMax: Math.max(limits.memoryMax, NEEDS.memoryMax),
  processMax: Math.max(limits.processMax, NEEDS.processMax),
  cpuMs: Math.max(limits.cpuMs, NEEDS.cpuMs),
  outputMax: NEEDS.outputMax,
});

function probePermit(order: ProbeOrder): Permit | null {
  const [path = "", ...more] = selfCommand();
  const facts = fileFacts(path);
  if (facts === null) return null;
  return {
    executable: { path, identity: identityOf(facts) },
    script: null,
    argv: [path, ...more, PROBE_WORD, JSON.stringify(order)],
    network: false,
    environment: {},
    timeoutMs: null,
    outputMax: null,
    unrestricted: false,
    writes: false,
    helpers: false,
    kernelSockets: false,
    localSockets: false,
    listsHomes: false,
  };
}

function readResult({ stages: [stage], stdout, limit, problem, durationMs }: CallResult): SelfTest {
  if (problem !== null) return { ok: false, problem: `the probe could not be started (${problem.problem})` };
  try {
    const report = JSON.parse(stdout.text.trim()) as ProbeReport;
    return { ok: true, report, executed: stage?.code !== NOT_EXECUTED, durationMs };
  } catch {
    const end = limit ?? stage?.signal ?? `exit ${stage?.code ?? "?"}`;
    const said = stage?.stderr.text.trim().split("\n").at(-1) ?? "";
    return {
      ok: false,
      problem: `the probe ended without a report (${end})${said === "" ? "" : `: ${said}`}`,
    };
  }
}

/** Runs the probe. Throws the system error when there is no place for temporary files. */
export async function testSandbox(parts: SelfTestParts): Promise<SelfTest> {
  const folder = makeTemporaryFolder("ash-doctor-");
  try {
    const [secret, plain] = [join(folder, ".env"), join(folder, "plain.txt")];
    for (const path of [secret, plain]) replaceFile(path, "probe\n", 0o600);
    const files = parts.secretFile === null ? { secret } : { secret, own: parts.secretFile };
    const engine = parts.openEngine(folder);
    try {
      const order: ProbeOrder = {
        read: { ...files, plain },
        write: { outside: join(folder, "written") },
        limited: engine.sandbox !== "none",
        execute: parts.harmless,
      };
      const permit = probePermit(order);
      if (permit === null) return { ok: false, problem: "ash does not find its own program" };
      const limits = atLeast(parts.limits);
      const call = { permits: [permit], folder, limits, remainingMs: limits.timeoutMs, signal: parts.signal };
      return readResult(await engine.perform(call));
    } finally {
      await engine.close();
    }
  } finally {
    removeTree(folder);
  }
}
