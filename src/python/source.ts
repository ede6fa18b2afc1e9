// What can be said about a tool from its file alone: bytes, mode, name and imports. Pure; nothing is started.
import { NAME } from "../policy/allowlist.ts";
import { invalidUtf8At } from "../text.ts";
import { broken, doubtful, type Finding } from "./finding.ts";
import { type Metadata, parseMetadata } from "./metadata.ts";
import { NETWORK_MODULES, STANDARD_MODULES } from "./modulenames.ts";

/** A tool's file as it was read. */
export type ToolSource = {
  /** File name, such as weather.py. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
};

/** What its file says. */
export type SourceReport = {
  readonly metadata: Metadata;
  /** The text with LF line ends, without a byte order mark. */
  readonly text: string;
  /** False for bytes that are no text: Python cannot read them either. */
  readonly isText: boolean;
  /** Top-level names of the modules it imports. */
  readonly imports: readonly string[];
  readonly findings: readonly Finding[];
};

const SHEBANG = "#!/usr/bin/env python3";

const lineAt = (bytes: Uint8Array, offset: number): number =>
  bytes.subarray(0, offset).reduce((line, byte) => line + (byte === 0x0a ? 1 : 0), 1);

function checkBytes(bytes: Uint8Array): readonly Finding[] {
  const nul = bytes.indexOf(0);
  const wrong = nul >= 0 ? nul : invalidUtf8At(bytes);
  if (wrong >= 0) {
    const what = nul >= 0 ? "a NUL byte" : "a byte that is not UTF-8";
    const text = {
      line: lineAt(bytes, wrong),
      message: `${what} at offset ${wrong}`,
      fix: "save the file as UTF-8",
    };
    return [broken("encoding", text)];
  }
  const found: Finding[] = [];
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    const message = "a byte order mark hides the shebang from the kernel";
    found.push(broken("encoding", { line: 1, message, fix: "save the file as UTF-8 without one" }));
  }
  const carriage = bytes.indexOf(0x0d);
  if (carriage >= 0) {
    const message = "lines end in CR LF, and the kernel looks for a program named 'python3\\r'";
    found.push(
      broken("line-ends", { line: lineAt(bytes, carriage), message, fix: "save the file with LF line ends" }),
    );
  }
  return found;
}

function checkHead(text: string, mode: number): readonly Finding[] {
  const found: Finding[] = [];
  if (text.split("\n", 1)[0] !== SHEBANG) {
    found.push(
      broken("shebang", {
        line: 1,
        message: `the first line is not ${SHEBANG}`,
        fix: "make it exactly that",
      }),
    );
  }
  if ((mode & 0o100) === 0) {
    found.push(broken("mode", { message: "the executable bit is not set", fix: "run: chmod u+x on it" }));
  }
  return found;
}

const IMPORT = /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b[ \t]*([^#\n]*)|import[ \t]+([^#;\n]+))/gm;
const DYNAMIC = /\b(?:importlib\.import_module|__import__)\([ \t]*["']([\w.]+)["']/g;

/** Full names of the modules a script imports, as far as its text tells. */
export function importsOf(text: string): readonly string[] {
  const found = new Set<string>();
  for (const [, from, names = "", plain = ""] of text.matchAll(IMPORT)) {
    if (from !== undefined) {
      found.add(from);
      for (const [name] of names.matchAll(/\w+/g)) found.add(`${from}.${name}`);
    }
    for (const part of plain.split(",")) {
      const name = /^[\w.]+/.exec(part.trim())?.[0];
      if (name !== undefined) found.add(name);
    }
  }
  for (const [, name = ""] of text.matchAll(DYNAMIC)) found.add(name);
  return [...found];
}

/** The line that imports a module, counted from 1; null when none names it. */
export const importLine = (text: string, module: string): number | null => {
  const last = module.split(".").at(-1) ?? module;
  const at = text.split("\n").findIndex((line) => /\bimport/.test(line) && line.includes(last));
  return at < 0 ? null : at + 1;
};

const normalized = (name: string): string => name.toLowerCase().replace(/[-.]/g, "_");
const requirementName = (requirement: string): string => /^[\w.-]+/.exec(requirement.trim())?.[0] ?? "";

/** Whether a script takes its own folder off the module path, so that neighbours cannot be imported. */
const guardsItself = (text: string): boolean =>
  /\bsys\.path(?:\[:\])?[ \t]*=|\bsys\.path\.(?:pop|remove)\(/.test(text);

function checkName(
  name: string,
  text: string,
  report: Pick<SourceReport, "metadata" | "imports">,
): readonly Finding[] {
  if (!NAME.test(name)) {
    const message = `'${name}' cannot be called: a name has letters, digits and . _ + - only`;
    return [broken("name", { message, fix: "rename the file" })];
  }
  const stem = name.replace(/\.py$/, "");
  if (guardsItself(text)) return [];
  const fix = `rename it, for one to ${stem}_tool.py`;
  if (STANDARD_MODULES.has(stem)) {
    const message = `it is named like Python's own module ${stem}: scripts run by hand beside it import it instead`;
    return [doubtful("name", { message, fix })];
  }
  const imported = report.imports.map((module) => module.split(".")[0] ?? "");
  const libraries = [...imported, ...report.metadata.dependencies.map(requirementName)].map(normalized);
  if (!libraries.includes(normalized(stem))) return [];
  const message = `it is named like the library ${stem} it uses: run by hand, it imports itself`;
  return [doubtful("name", { message, fix })];
}

function checkNetwork(
  text: string,
  { metadata, imports }: Pick<SourceReport, "metadata" | "imports">,
): readonly Finding[] {
  const module = imports.find((name) => NETWORK_MODULES.has(name));
  if (metadata.network || module === undefined) return [];
  const message = `it imports ${module}, but does not declare the network, so that every connection is refused`;
  const fix = "put network = true under [tool.ash] in the # /// script block, if it needs it";
  return [doubtful("network-undeclared", { line: importLine(text, module), message, fix })];
}

/** Looks at a tool's file. */
export function inspectSource({ name, bytes, mode }: ToolSource): SourceReport {
  const text = new TextDecoder().decode(bytes).replace(/\r\n?/g, "\n");
  const modules = importsOf(text);
  const known = { metadata: parseMetadata(text), imports: modules };
  const findings = [
    ...checkBytes(bytes),
    ...checkHead(text, mode),
    ...known.metadata.problems.map(({ line, message }) => {
      const [problem = "", ...fix] = message.split("; ");
      return broken("metadata", { line, message: problem, fix: fix.join("; ") || "correct that line" });
    }),
    ...checkName(name, text, known),
    ...checkNetwork(text, known),
  ];
  return {
    metadata: known.metadata,
    text,
    isText: bytes.indexOf(0) < 0 && invalidUtf8At(bytes) < 0,
    imports: [...new Set(modules.map((module) => module.split(".")[0] ?? ""))].filter(Boolean),
    findings,
  };
}
