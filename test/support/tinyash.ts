// An ash whose bundled tools need one tiny package instead of large ones: compiled from the same source with another
// lock, so that a whole `ash init` can be watched against an index on loopback.
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeWheel, type Wheel } from "./wheel.ts";

const ROOT = join(import.meta.dir, "../..");

/** The package its lock pins, with its hash. */
export const PINNED: Wheel = makeWheel("tinypkg", { version: "1.0" });

async function compile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "ash-tiny-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["src", "bootstrap", "tools", "package.json", "tsconfig.json"])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "tools/requirements.txt"), "yfinance==1.7.0\n");
  writeFileSync(join(folder, "tools/requirements.lock"), `tinypkg==1.0 --hash=sha256:${PINNED.sha256}\n`);
  const program = join(folder, "ash");
  const flags = ["--compile", "--production", "--minify", "--format=esm", "--splitting"];
  const assets = ["--asset", "bootstrap", "--asset", "tools"];
  const build = Bun.spawn(
    [process.execPath, "build", ...flags, ...assets, "src/main.ts", "--outfile", program],
    { cwd: folder, stdout: "pipe", stderr: "pipe" },
  );
  const [stdout, stderr] = await Promise.all([build.stdout.text(), build.stderr.text(), build.exited]);
  if (build.exitCode !== 0) throw new Error(`the tiny ash was not built: ${stdout}${stderr}`);
  return program;
}

let program: Promise<string> | undefined;

/** The path of that ash; compiled when first asked for, removed when the tests end. */
export function tinyAsh(): Promise<string> {
  program ??= compile();
  return program;
}
