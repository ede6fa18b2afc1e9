// Programs some tests need beyond a bare system. CI installs them all and sets ASH_TEST_ALL, so that a missing one
// fails there; elsewhere the test of a missing program does not run and says so.
import { describe, test } from "bun:test";
import { realPath } from "../../src/host/files.ts";
import type { Llama } from "./llama.ts";

const FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/games"];

/** True when the program is installed in a system folder. */
export const isInstalled = (name: string): boolean =>
  FOLDERS.some((folder) => realPath(`${folder}/${name}`) !== null);

/** The folder of the PATH of the tests a program is in, or null; the PATH of the ash under test is another one. */
export function programFolder(name: string): string | null {
  const folders = (process.env.PATH ?? "").split(":").filter((folder) => folder.startsWith("/"));
  return folders.find((folder) => realPath(`${folder}/${name}`) !== null) ?? null;
}

/** `test` for a test that needs a program; without it the test counts as not run, except where all are required. */
export function testWith(program: string): typeof test {
  const run =
    isInstalled(program) || programFolder(program) !== null || process.env.ASH_TEST_ALL !== undefined;
  if (!run) console.warn(`not run: tests that need ${program}, which is not installed`);
  return (run ? test : test.skip) as typeof test;
}

/** `describe` for tests of a real model server; they run only where one is named. */
export function describeWithLlama(llama: Llama | null): typeof describe {
  if (llama === null)
    console.warn("not run: tests of a real server; they need ASH_TEST_LLAMA_PYTHON and ASH_TEST_LLAMA_MODEL");
  return (llama === null ? describe.skip : describe) as typeof describe;
}

/** `test` for a test that asks the real package registry; it runs only where ASH_TEST_REGISTRY is set. */
export function testWithRegistry(): typeof test {
  const run = process.env.ASH_TEST_REGISTRY !== undefined;
  if (!run) console.warn("not run: tests that ask the package registry; set ASH_TEST_REGISTRY to run them");
  return (run ? test : test.skip) as typeof test;
}
