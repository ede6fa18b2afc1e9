// `ash tools new NAME` and `ash tools add PATH`: a new script in the tools folder, from a skeleton or from a file.
import { basename, join } from "node:path";
import type { Config } from "../config.ts";
import { AshError, configError, EXIT, systemCode, usageError, writeFix } from "../errors.ts";
import { createFile, fileFacts, makeFolder, readBytes, setMode } from "../host/files.ts";
import { hasError } from "../python/finding.ts";
import { KNOWN_LIBRARIES, STANDARD_MODULES } from "../python/modulenames.ts";
import { type NewOption, type NewTool, parseOption, testText, toolText } from "../python/skeleton.ts";
import { sanitize } from "../sanitize.ts";
import { checkTools, reportText, reportValue } from "./tools-check.ts";
import { onlyWord, print, refuseWhenStopped, shortPath, type ToolsContext } from "./tools-folder.ts";
import { allowlistText, offerLine } from "./tools-offer.ts";

const TOOL_NAME = /^[a-z][a-z0-9_]{0,40}$/;
const LONGEST_DESCRIPTION = 200;
const LARGEST_SCRIPT = 1024 * 1024;

/** Throws a usage error when a tool must not have this name, .py left out. */
function refuseName(stem: string, hint: string): void {
  if (!TOOL_NAME.test(stem)) {
    throw usageError(
      `'${stem}' is no name for a tool: up to 41 lower-case letters, digits and _, a letter first`,
      hint,
    );
  }
  if (STANDARD_MODULES.has(stem)) {
    throw usageError(
      `${stem} is a module of Python: a script of that name hides it from the scripts beside it`,
      hint,
    );
  }
}

function warnOfLibrary({ log }: ToolsContext, stem: string): void {
  if (!KNOWN_LIBRARIES.has(stem)) return;
  log.warn(
    `${stem} is also a well-known library: run by hand, ${stem}.py hides it from itself and the scripts beside it`,
  );
}

/** Writes a file there is none of yet; false when there is one. */
function write(path: string, data: string | Uint8Array, mode: number): boolean {
  try {
    return createFile(path, data, mode);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    throw configError(`${path} cannot be written (${code})`, `${writeFix(code)}, or set ASH_HOME`);
  }
}

function makeFolders(paths: readonly string[]): void {
  try {
    for (const path of paths) makeFolder(path);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    throw configError(`${paths.at(-1)} cannot be made (${code})`, `${writeFix(code)}, or set ASH_HOME`);
  }
}

function readOptions(texts: readonly string[]): readonly NewOption[] {
  const options = texts.map((text) => {
    const parsed = parseOption(text);
    if (!parsed.ok) throw usageError(`--option: '${text}' ${parsed.problem}`);
    return parsed.value;
  });
  const twice = options.find(({ name }, i) => options.findIndex((other) => other.name === name) !== i);
  if (twice !== undefined) throw usageError(`--option: ${twice.name} is given twice`);
  return options;
}

function readDescription(text: string | undefined, name: string): string {
  if (text === undefined) return `Say here in one line what ${name}.py does.`;
  const line = text.trim();
  const isClean = line !== "" && !/[\n\t]/.test(line) && sanitize(line).text === line;
  if (!isClean) throw usageError("--description must be one line of visible text");
  if (line.length > LONGEST_DESCRIPTION)
    throw usageError(`--description is longer than ${LONGEST_DESCRIPTION} characters`);
  return line;
}

/** What the flags of `ash tools new` say. */
export type NewFlags = { readonly options: readonly string[]; readonly description: string | undefined };

function refuseExisting(config: Config, paths: readonly string[]): void {
  const there = paths.find((path) => fileFacts(path) !== null);
  if (there === undefined) return;
  throw usageError(`${shortPath(config, there)} is there already`, "choose another name, or move it away");
}

/** Runs `ash tools new`. Resolves to 0. */
export async function toolsNew(
  context: ToolsContext,
  words: readonly string[],
  flags: NewFlags,
): Promise<number> {
  const { config } = context;
  const stem = onlyWord(words, "ash tools new NAME [--option NAME:TYPE]").replace(/\.py$/, "");
  refuseName(stem, "choose another name, such as weather");
  const description = readDescription(flags.description, stem);
  const tool: NewTool = { name: stem, description, options: readOptions(flags.options) };
  warnOfLibrary(context, stem);
  const name = `${stem}.py`;
  const tests = join(config.home.tools, "tests");
  const [script, test] = [join(config.home.tools, name), join(tests, `test_${name}`)];
  refuseExisting(config, [script, test]);
  makeFolders([config.home.tools, tests]);
  if (!write(script, toolText(tool), 0o700) || !write(test, testText(tool), 0o600))
    refuseExisting(config, [script, test]);
  const allowlist = await offerLine(context, name);
  refuseWhenStopped(context);
  const shown = [script, test].map((path) => `wrote ${shortPath(config, path)}\n`).join("");
  const next = `edit it, then run: ash tools check ${stem}\n`;
  await print(context, shown + next + allowlistText(context, allowlist), {
    schema: "ash.tools.new/1",
    name,
    path: script,
    test,
    allowlist,
  });
  return EXIT.ok;
}

function readScript(path: string): Uint8Array {
  const facts = fileFacts(path);
  if (facts === null) throw usageError(`there is no file ${path}`);
  if (facts.kind !== "file") throw usageError(`${path} is not a regular file`);
  if (facts.size > LARGEST_SCRIPT)
    throw usageError(`${path} has ${facts.size} bytes: a script has at most 1 MiB`);
  try {
    return readBytes(path);
  } catch (thrown) {
    throw new AshError("usage", `${path} cannot be read (${systemCode(thrown) ?? "unknown error"})`);
  }
}

/** Copies a script into the tools folder; a copy that is there already may stay. */
function install(config: Config, path: string, bytes: Uint8Array): string {
  const target = join(config.home.tools, basename(path));
  makeFolders([config.home.tools]);
  if (!write(target, bytes, 0o700)) {
    if (fileFacts(target)?.kind !== "file" || !Buffer.from(bytes).equals(readBytes(target))) {
      throw usageError(
        `${shortPath(config, target)} is there already, and it is another file`,
        `to replace it, run: cp '${path}' '${target}'`,
      );
    }
    setMode(target, 0o700);
  }
  return target;
}

/** Runs `ash tools add`. Resolves to 0, or to 9 when the script breaks the contract; it is copied all the same. */
export async function toolsAdd(context: ToolsContext, words: readonly string[]): Promise<number> {
  const { config } = context;
  const path = onlyWord(words, "ash tools add PATH");
  const name = basename(path);
  if (!name.endsWith(".py")) throw usageError(`${name} does not end in .py`, "rename it first");
  const stem = name.replace(/\.py$/, "");
  refuseName(stem, "rename the file first");
  const target = install(config, path, readScript(path));
  warnOfLibrary(context, stem);
  const reports = await checkTools(context, [name]);
  refuseWhenStopped(context);
  const exitCode = reports.some(({ findings }) => hasError(findings)) ? EXIT.tool : EXIT.ok;
  const findings = reports.map(reportText).join("");
  if (context.mode === "text") await print(context, `wrote ${shortPath(config, target)}\n${findings}`, {});
  const allowlist = await offerLine(context, name);
  refuseWhenStopped(context);
  const [report] = reports;
  await print(context, allowlistText(context, allowlist), {
    schema: "ash.tools.add/1",
    status: exitCode === EXIT.ok ? "ok" : "error",
    exit_code: exitCode,
    name,
    path: target,
    check: report === undefined ? null : reportValue(report),
    allowlist,
  });
  return exitCode;
}
