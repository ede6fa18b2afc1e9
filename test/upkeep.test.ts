// How the tests and the scripts themselves are kept: short, with their subject on the first line, and without sleeps.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { codeOf, filesBelow } from "./support/source.ts";

const ROOT = join(import.meta.dir, "..");

type File = { readonly name: string; readonly text: string };

const read = (path: string): File => ({ name: relative(ROOT, path), text: readFileSync(path, "utf8") });
const namesOf = (files: readonly File[]): readonly string[] => files.map(({ name }) => name);

const code = ["test", "scripts"].flatMap((folder) => filesBelow(join(ROOT, folder))).map(read);
const shell = readdirSync(join(ROOT, "scripts"), { withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.name.includes("."))
  .map(({ name }) => read(join(ROOT, "scripts", name)));

describe("a test, its support or a script", () => {
  test("has at most 250 lines, and opens with what it is about", () => {
    expect(namesOf(code.filter(({ text }) => text.split("\n").length > 251))).toEqual([]);
    expect(namesOf(code.filter(({ text }) => !text.startsWith("// ")))).toEqual([]);
  });

  test("has a name that says what is in it", () => {
    const empty = /(^|\/)(utils?|helpers?|managers?|common|misc)(\.|\/)/;
    expect(namesOf(code).filter((name) => empty.test(name))).toEqual([]);
  });

  test("sleeps nowhere and skips nothing but where support decides it", () => {
    const tests = code.filter(({ name }) => name.endsWith(".test.ts"));
    const pattern = /\bBun\.sleep|\bsetTimeout\(|\.(?:skip|skipIf|todo|only)\(/;
    expect(namesOf(tests.filter(({ text }) => pattern.test(codeOf(text))))).toEqual([]);
  });
});

test("a shell script says what it does and stops at its first failure", () => {
  expect(shell.length).toBeGreaterThan(0);
  const proper = /^#!\/usr\/bin\/env bash\n# \S.*\n(#.*\n)*set -euo pipefail\n/;
  expect(namesOf(shell.filter(({ text }) => !proper.test(text)))).toEqual([]);
});
