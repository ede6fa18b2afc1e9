// The source as text, for the checks of how it is built.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/** The folder of the source. */
export const SOURCE = join(import.meta.dir, "../../src");

/** Every TypeScript file below a folder. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesBelow(path);
    return path.endsWith(".ts") ? [path] : [];
  });
}

/** A file of the source: its path below src/, its text, and what it imports. */
export type Source = { readonly name: string; readonly text: string; readonly imports: readonly string[] };

/** Reads one of them. */
export function readSource(path: string): Source {
  const text = readFileSync(path, "utf8");
  const found = text.matchAll(
    /(?:^(?:import|export)\s+(?:type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?|\bimport\()["']([^"'\n]+)["']/gm,
  );
  return { name: relative(SOURCE, path), text, imports: [...found].map((match) => match[1] ?? "") };
}

/** Lines of code with comments and the contents of strings taken out, enough to look for calls. */
export const codeOf = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(^|\s)\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');
