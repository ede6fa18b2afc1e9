// Runs the compiled binary the way users and scripts do: an environment built from nothing, a home of its own.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Result } from "../../src/schema.ts";

/** The program under test. */
export const ASH = join(import.meta.dir, "../../dist/ash");

if (!existsSync(ASH)) throw new Error("dist/ash is missing: run ./scripts/build first");

/** A throw-away place: a home, an ASH_HOME below it that does not exist yet, and a working folder. */
export type Place = {
  readonly home: string;
  readonly ashHome: string;
  readonly folder: string;
  remove(): void;
};

/** Makes a place. */
export function makePlace(): Place {
  const root = mkdtempSync(join(tmpdir(), "ash-test-"));
  const home = join(root, "home");
  const folder = join(root, "work");
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(folder);
  return {
    home,
    ashHome: join(home, ".ash"),
    folder,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** How to run. */
export type RunOptions = {
  readonly env?: Readonly<Record<string, string>>;
  /** Text for stdin; without it stdin is /dev/null. */
  readonly stdin?: string | Uint8Array;
  /** stdin is a pipe that stays open and silent. */
  readonly openStdin?: true;
  readonly folder?: string;
  /** Another ash than the one under test. */
  readonly program?: string;
  /** The command it is started under, such as one that changes what it sees of the machine. */
  readonly under?: readonly string[];
};

/** What a run left behind. */
export type Finished = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as the one JSON object it must be. */
  json(): Result;
};

/** The environment of a run: nothing but what is named here. */
export function environmentOf(
  place: Place,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { PATH: "/usr/bin:/bin", HOME: place.home, TERM: "dumb", ...extra };
}

function parseOnlyObject(stdout: string): Result {
  const lines = stdout.split("\n");
  if (lines.length !== 2 || lines[1] !== "")
    throw new Error(`stdout is not exactly one line: ${JSON.stringify(stdout)}`);
  return JSON.parse(lines[0] ?? "") as Result;
}

/** Starts ash. */
export function startAsh(place: Place, args: readonly string[], options: RunOptions = {}) {
  const stdin = typeof options.stdin === "string" ? new TextEncoder().encode(options.stdin) : options.stdin;
  return Bun.spawn([...(options.under ?? []), options.program ?? ASH, ...args], {
    cwd: options.folder ?? place.folder,
    env: environmentOf(place, options.env),
    stdin: options.openStdin === true ? "pipe" : (stdin ?? "ignore"),
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** Waits for a started ash. */
export async function finish(process: ReturnType<typeof startAsh>): Promise<Finished> {
  const [stdout, stderr] = await Promise.all([process.stdout.text(), process.stderr.text(), process.exited]);
  const { exitCode, signalCode } = process;
  const signal = signalCode === null ? null : String(signalCode);
  return { code: exitCode, signal, stdout, stderr, json: () => parseOnlyObject(stdout) };
}

/** Runs ash to its end. */
export function runAsh(place: Place, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return finish(startAsh(place, args, options));
}
