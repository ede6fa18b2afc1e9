// Reads the declarations of a script block: TOML in, values out, and every mistake with its line. Pure; where the
// block stands in a file is for others to find.
import { parseBytes, parseDuration } from "../limits.ts";
import { closest } from "../suggest.ts";
import { parseToml } from "../toml.ts";
import { cleanLine } from "./docstring.ts";
import type { LineProblem, ScriptBlock } from "./scriptblock.ts";
import { isRequirement, parseSpecifiers } from "./specifier.ts";

/** What a block declares. */
export type Declarations = {
  readonly dependencies: readonly string[];
  readonly requiresPython: string | null;
  readonly network: boolean;
  readonly env: readonly string[];
  /** Milliseconds. */
  readonly timeoutMs: number | null;
  /** Bytes. */
  readonly outputMax: number | null;
  readonly description: string | null;
};

/** What a script without a block declares. */
export const NOTHING_DECLARED: Declarations = {
  dependencies: [],
  requiresPython: null,
  network: false,
  env: [],
  timeoutMs: null,
  outputMax: null,
  description: null,
};

type Table = Readonly<Record<string, unknown>>;
type Report = (key: string, message: string) => void;

const LONGEST_TIMEOUT_MS = 10 * 60_000;
const LARGEST_OUTPUT = 1024 * 1024;
const TOP_KEYS = ["dependencies", "requires-python", "tool"];
const ASH_KEYS = ["network", "env", "timeout", "output_max", "description"];

const ENVIRONMENT_NAME = /^[A-Z][A-Z0-9_]{0,99}$/;
/** Names ash sets itself, and names that decide what a program loads or whom ash talks to. */
const FORBIDDEN_NAMES =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TERM|TMPDIR|(?:MAN)?PAGER|IFS|(?:BASH_)?ENV|NO_COLOR|RUBY(?:OPT|LIB)|LESS(?:OPEN|CLOSE|SECURE)?)$/;
const FORBIDDEN_FAMILIES =
  /^(?:PYTHON|PERL5|(?:ANTHROPIC|ASH|BUN|LD|DYLD|NODE|NPM|GIT|LC|GCONV|GLIBC|MALLOC)_)/;

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Why a variable is not handed to a tool, or null when it may be. */
export function refusedVariable(name: string): string | null {
  if (!ENVIRONMENT_NAME.test(name)) return `'${name}' is not a name like WEATHER_API_KEY`;
  const reserved = FORBIDDEN_NAMES.test(name) || FORBIDDEN_FAMILIES.test(name);
  return reserved ? `${name} is never handed to a tool` : null;
}

function readDependencies(value: unknown, report: Report): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report("dependencies", 'dependencies must be a list, as in dependencies = ["requests>=2"]');
    return [];
  }
  return value.flatMap((item: unknown): readonly string[] => {
    if (typeof item === "string" && isRequirement(item.trim())) return [item.trim()];
    report(
      "dependencies",
      `${JSON.stringify(item)} is not a requirement; write a name, name>=1.2 or name==1.2.3`,
    );
    return [];
  });
}

function readRequiresPython(value: unknown, report: Report): string | null {
  if (value === undefined) return null;
  if (typeof value !== "string") {
    report("requires-python", 'requires-python must be a text, as in requires-python = ">=3.9"');
    return null;
  }
  const parsed = parseSpecifiers(value);
  if (parsed.ok) return value;
  report("requires-python", `requires-python: ${parsed.problem}`);
  return null;
}

function readEnv(value: unknown, report: Report): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report("env", 'env must be a list of names, as in env = ["WEATHER_API_KEY"]');
    return [];
  }
  const names = value.filter((item: unknown): item is string => {
    const problem =
      typeof item === "string" ? refusedVariable(item) : `${JSON.stringify(item)} is not a name`;
    if (problem !== null) report("env", `env: ${problem}`);
    return problem === null;
  });
  return [...new Set(names)];
}

type Measure = { readonly parse: typeof parseBytes; readonly most: number; readonly shown: string };
const TIMEOUT: Measure = { parse: parseDuration, most: LONGEST_TIMEOUT_MS, shown: "10m" };
const OUTPUT: Measure = { parse: parseBytes, most: LARGEST_OUTPUT, shown: "1MiB" };

function readMeasure(table: Table, key: string, measure: Measure, report: Report): number | null {
  const value = table[key];
  if (value === undefined) return null;
  if (typeof value !== "string" && typeof value !== "number") {
    report(key, `${key} must be a text or a number`);
    return null;
  }
  const parsed = measure.parse(String(value));
  const problem = !parsed.ok
    ? parsed.problem
    : parsed.value > measure.most
      ? `must be at most ${measure.shown}`
      : null;
  if (problem !== null) report(key, `${key}: '${value}' ${problem}`);
  return parsed.ok && problem === null ? parsed.value : null;
}

function readNetwork(value: unknown, report: Report): boolean {
  if (value === undefined || typeof value === "boolean") return value ?? false;
  report("network", "network must be true or false, without quotes");
  return false;
}

function readDescription(value: unknown, report: Report): string | null {
  if (value === undefined) return null;
  if (typeof value === "string" && !value.trim().includes("\n")) return cleanLine(value);
  report("description", "description must be one line of text");
  return null;
}

function refuseUnknown(table: Table, known: readonly string[], where: string, report: Report): void {
  for (const key of Object.keys(table)) {
    if (known.includes(key)) continue;
    const near = closest(key.replaceAll("_", "-"), known) ?? closest(key.replaceAll("-", "_"), known);
    report(
      key,
      `unknown key ${key}${where}; ${near === undefined ? `known: ${known.join(", ")}` : `did you mean ${near}?`}`,
    );
  }
}

const isKeyLine = (line: string, key: string): boolean => {
  const text = line.trim().replace(/^["']/, "");
  return text.startsWith(key) && /^["']?\s*[=.\]]/.test(text.slice(key.length));
};

/** The line a key of the block stands in, else the block's first line. */
function lineOf({ line, content }: ScriptBlock, key: string, after: RegExp | null): number {
  const from = after === null ? 0 : content.findIndex((text) => after.test(text));
  const found = content.findIndex((text, i) => i >= from && isKeyLine(text, key));
  return found < 0 ? line : line + 1 + found;
}

/** Reads a block; adds what is wrong to `problems`. What cannot be read counts as not declared. */
export function readBlock(block: ScriptBlock, problems: LineProblem[]): Declarations {
  const document = parseToml(block.content.join("\n"));
  if (!document.ok) {
    problems.push({
      line: block.line + document.line,
      message: `the block is not TOML: ${document.problem}`,
    });
    return NOTHING_DECLARED;
  }
  const { data } = document;
  const inTop: Report = (key, message) => problems.push({ line: lineOf(block, key, null), message });
  const inAsh: Report = (key, message) =>
    problems.push({ line: lineOf(block, key, /^\s*\[\s*tool\s*\.\s*ash\s*\]/), message });
  refuseUnknown(data, TOP_KEYS, "", inTop);
  const tool = isTable(data.tool) ? data.tool : {};
  const ash = tool.ash ?? {};
  if (!isTable(ash)) inTop("tool", "[tool.ash] must be a table");
  const table = isTable(ash) ? ash : {};
  refuseUnknown(table, ASH_KEYS, " in [tool.ash]", inAsh);
  return {
    dependencies: readDependencies(data.dependencies, inTop),
    requiresPython: readRequiresPython(data["requires-python"], inTop),
    network: readNetwork(table.network, inAsh),
    env: readEnv(table.env, inAsh),
    timeoutMs: readMeasure(table, "timeout", TIMEOUT, inAsh),
    outputMax: readMeasure(table, "output_max", OUTPUT, inAsh),
    description: readDescription(table.description, inAsh),
  };
}
