// Runs a bundled Python tool as ash does: isolated mode, /dev/null as stdin, an environment built from nothing,
// and checks what holds for every run: one JSON object, no word on stderr, in time and in size.
import { expect } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SYSTEM_PATH } from "../../src/exec/environment.ts";

const SYSTEM = SYSTEM_PATH.join(":");
const TIME_LIMIT_MS = 15_000;
const OUTPUT_MAX = 8192;

function findPython(): string {
  const found = Bun.which("python3", { PATH: SYSTEM }) ?? Bun.which("python3");
  if (found === null) throw new Error("these tests need python3");
  return found;
}

/** The interpreter of the tests. */
export const PYTHON = findPython();

/** The flags ash starts every Python tool with. */
export const FLAGS: readonly string[] = ["-I", "-X", "utf8", "-u", "-B"];

/** The path of a bundled tool. */
export const toolPath = (name: string): string => join(import.meta.dir, "../../tools", name);

/** A JSON value nobody has looked into yet. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What a process left behind. */
export type Ended = {
  readonly code: number | null;
  readonly signal: string | number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** What a tool answered. */
export type Answered = {
  readonly code: number | null;
  readonly answer: { readonly [key: string]: Json };
};

/** How to start a process. */
export type Start = {
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** Runs the process; the last argument of `sh -c`, which gets the command as "$@". */
  readonly shell?: string;
};

/** Runs a command with a home and a TMPDIR of its own, which are removed afterwards. */
export async function runCommand(command: readonly string[], start: Start = {}): Promise<Ended> {
  const root = mkdtempSync(join(tmpdir(), "ash-tool-"));
  const temporary = join(root, "tmp");
  mkdirSync(temporary);
  const environment = { PATH: SYSTEM, HOME: root, LANG: "C.UTF-8", TERM: "dumb", TMPDIR: temporary };
  const through = start.shell === undefined ? [] : ["/bin/sh", "-c", start.shell, "sh"];
  try {
    const child = Bun.spawn([...through, ...command], {
      cwd: start.folder ?? root,
      env: { ...environment, ...start.env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: TIME_LIMIT_MS,
      killSignal: "SIGKILL",
    });
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code: child.exitCode, signal: child.signalCode, stdout, stderr };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The command line that starts a bundled tool. */
export function toolCommand(name: string, args: readonly string[], python = PYTHON): readonly string[] {
  return [python, ...FLAGS, toolPath(name), ...args];
}

/** Reads the one JSON object of a run, and checks that there is nothing else. */
export function theAnswer(ended: Ended): Answered {
  expect(ended.stderr).toBe("");
  expect(ended.signal).toBeNull();
  expect(ended.stdout).toMatch(/^\{[ -~]*\}\n$/);
  expect(ended.stdout.length).toBeLessThanOrEqual(OUTPUT_MAX);
  const answer = JSON.parse(ended.stdout) as Answered["answer"];
  expect(answer.status).toBeString();
  return { code: ended.code, answer };
}

/** Runs a bundled tool and returns its answer. */
export async function runTool(name: string, args: readonly string[], start: Start = {}): Promise<Answered> {
  return theAnswer(await runCommand(toolCommand(name, args), start));
}

/** The list under a key, or an empty one. */
export function listOf(value: Json | undefined): readonly { readonly [key: string]: Json }[] {
  return Array.isArray(value) ? (value as readonly { readonly [key: string]: Json }[]) : [];
}

/** The object under a key, or an empty one. */
export function objectOf(value: Json | undefined): { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: Json })
    : {};
}
