// How fast ash starts: --version, --help and a whole replayed run against a compiled hello-world of the same Bun.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, printTable } from "../figures.ts";

const ROUNDS = Number(process.argv[2] ?? 25);
const ash = join(import.meta.dir, "../../dist/ash");
const scratch = mkdtempSync(join(tmpdir(), "ash-bench-"));

try {
  const source = join(scratch, "hello.ts");
  const hello = join(scratch, "hello");
  writeFileSync(source, 'console.log("hello");\n');
  const build = [
    process.execPath,
    "build",
    "--compile",
    "--production",
    "--minify",
    "--bytecode",
    "--format=esm",
    source,
    "--outfile",
    hello,
  ];
  const built = Bun.spawnSync(build, { stdout: "ignore", stderr: "pipe" });
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  const commands = {
    "hello world": [hello],
    "ash --version": [ash, "--version"],
    "ash --help": [ash, "--help"],
    "ash --replay demo (3 tools run)": [ash, "--no-save", "--replay", "demo", "hi"],
  };
  const measured = Bun.spawnSync(["python3", "-I", join(import.meta.dir, "measure.py")], {
    stdin: new TextEncoder().encode(JSON.stringify({ rounds: ROUNDS, commands })),
    env: { PATH: "/usr/bin:/bin", HOME: scratch },
  });
  const results = JSON.parse(measured.stdout.toString()) as Record<
    string,
    { ms: number[]; mb: number[]; exit: number }
  >;
  const rows = Object.entries(results).map(([name, { ms, mb, exit }]) => ({
    name,
    figure: median(ms),
    more: [`${median(mb).toFixed(1)} MB peak`, exit === 0 ? "" : `exit ${exit}`],
  }));
  printTable(`start, ${ROUNDS} interleaved rounds, median wall time`, "ms", rows);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
