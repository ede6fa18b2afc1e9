// How long `ash init` takes: a second run, the files alone, and the whole environment with pip and with uv, fetched
// from the registry and from what was fetched before. The network is in the figures that say so.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PACKAGE_SETTINGS } from "../../src/python/sources.ts";
import { median, printTable, type Row } from "../figures.ts";

const ROUNDS = Number(process.argv[2] ?? 3);
const SECOND_RUNS = 10;
const ash = join(import.meta.dir, "../../dist/ash");
const uv = Bun.which("uv");
const scratch = mkdtempSync(join(tmpdir(), "ash-bench-"));

/** How this machine reaches packages: its indexes, proxies and authorities. */
const reach = PACKAGE_SETTINGS.flatMap((name) => {
  const value = process.env[name];
  return value === undefined ? [] : [[name, value] as const];
});

type Way = { readonly name: string; readonly path: string };
const WAYS: readonly Way[] = [
  { name: "pip", path: "/usr/bin:/bin" },
  ...(uv === null ? [] : [{ name: "uv", path: `${join(uv, "..")}:/usr/bin:/bin` }]),
];

const times = new Map<string, number[]>();

/** Runs `ash init` in a home and keeps the milliseconds under a name. */
function measure(name: string, home: string, way: Way, args: readonly string[] = []): void {
  const env = { HOME: home, PATH: way.path, ...Object.fromEntries(reach) };
  const began = performance.now();
  const run = Bun.spawnSync([ash, "init", ...args], { env, cwd: scratch, stdout: "ignore", stderr: "pipe" });
  const ms = performance.now() - began;
  if (run.exitCode !== 0) throw new Error(`${name}: exit ${run.exitCode}: ${run.stderr.toString()}`);
  times.set(name, [...(times.get(name) ?? []), ms]);
}

const SECOND = "second run (up to date)";

function round(number: number): void {
  for (const [i, way] of WAYS.entries()) {
    const home = join(scratch, `${way.name}-${number}`);
    if (i === 0) measure("files only", `${home}-files`, way, ["--no-python"]);
    measure(`venv with ${way.name}, from the registry`, home, way);
    rmSync(join(home, ".ash/venv"), { recursive: true });
    measure(`venv with ${way.name}, fetched before`, home, way);
    for (let run = 0; run < (i === 0 ? SECOND_RUNS : 0); run += 1) measure(SECOND, home, way);
    rmSync(home, { recursive: true });
  }
}

try {
  for (let number = 0; number < ROUNDS; number += 1) round(number);
  const rows: readonly Row[] = [...times].map(([name, list]) => ({
    name,
    figure: median(list),
    more: [`${Math.min(...list).toFixed(0)} to ${Math.max(...list).toFixed(0)} ms`],
  }));
  const base = rows.find((row) => row.name === SECOND);
  const ordered = rows.toSorted((a, b) => a.figure - b.figure);
  printTable(`init, ${ROUNDS} rounds, median wall time, ratio to the second run`, "ms", ordered, base);
  console.log(
    "\n  What comes from the registry varies with the network; so does pip's check of what it fetched before.",
  );
  if (uv === null) console.log("  There is no uv on the PATH: its rows are left out.");
} finally {
  if (existsSync(scratch)) rmSync(scratch, { recursive: true, force: true });
}
