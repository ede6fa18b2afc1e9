// Version specifiers of Python (`>=3.9,<3.13`) and the form of a requirement, as far as scripts use them. Pure; it
// resolves nothing and asks no index.
import type { Parsed } from "../limits.ts";

/** One clause, such as `>=3.9`. */
export type Specifier = {
  readonly operator: string;
  readonly release: readonly number[];
  /** Written with `.*` at the end. */
  readonly prefix: boolean;
  /** -1 before the release (alpha, beta, candidate, dev), 1 after it (post), else 0. */
  readonly phase: -1 | 0 | 1;
  readonly text: string;
};

/** A version of the interpreter: major, minor, micro. */
export type PythonVersion = readonly [number, number, number];

const CLAUSE = /^(~=|===|==|!=|<=|>=|<|>)\s*([^\s]+)$/;
const VERSION =
  /^v?(\d{1,9}(?:\.\d{1,9}){0,5})([-_.]?(?:alpha|a|beta|b|preview|pre|c|rc)[-_.]?\d*)?([-_.]?post[-_.]?\d*)?([-_.]?dev[-_.]?\d*)?(\.\*)?$/i;

function parseClause(text: string): Specifier | string {
  const [, operator, written = ""] = CLAUSE.exec(text) ?? [];
  if (operator === undefined) return `'${text}' has no operator`;
  const version = VERSION.exec(written);
  if (version?.[1] === undefined) return `'${written}' is not a version`;
  const [, digits, before, after, development, star] = version;
  const release = digits.split(".").map(Number);
  const phase = before !== undefined ? -1 : after !== undefined ? 1 : development !== undefined ? -1 : 0;
  const prefix = star !== undefined;
  if (prefix && ((operator !== "==" && operator !== "!=") || phase !== 0))
    return `'${text}': .* goes with == and != only`;
  if (operator === "~=" && release.length < 2) return `'${text}' needs two numbers, as in ~=3.9`;
  return { operator, release, prefix, phase, text: written };
}

/** Reads a set of specifiers separated by commas. */
export function parseSpecifiers(text: string): Parsed<readonly Specifier[]> {
  const parts = text.split(",").map((part) => part.trim());
  const read = parts.map(parseClause);
  const problem = read.find((item) => typeof item === "string");
  if (problem !== undefined) return { ok: false, problem: `${problem}; write it like >=3.9 or >=3.9,<3.14` };
  return { ok: true, value: read.filter((item) => typeof item !== "string") };
}

function compareRelease(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

const startsWith = (version: PythonVersion, release: readonly number[]): boolean =>
  release.every((number, i) => (version[i] ?? 0) === number);

function admits({ operator, release, prefix, phase, text }: Specifier, version: PythonVersion): boolean {
  // The version is a final release, so that of two equal ones the phase of the other decides.
  const order = compareRelease(version, release) || -phase;
  const equal = prefix ? startsWith(version, release) : order === 0;
  switch (operator) {
    case "==":
      return equal;
    case "!=":
      return !equal;
    case ">=":
      return order >= 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case "<":
      return order < 0;
    case "~=":
      return order >= 0 && startsWith(version, release.slice(0, -1));
    default:
      return text === version.join(".");
  }
}

/** True when a final release satisfies every specifier. */
export function admitsAll(specifiers: readonly Specifier[], version: PythonVersion): boolean {
  return specifiers.every((specifier) => admits(specifier, version));
}

const NAME = "[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?";
const PIN = "(?:~=|===|==|!=|<=|>=|<|>)\\s*[A-Za-z0-9._*+!-]+";
const PINS = `${PIN}(?:\\s*,\\s*${PIN})*`;
const REQUIREMENT = new RegExp(
  `^${NAME}\\s*(?:\\[\\s*${NAME}(?:\\s*,\\s*${NAME})*\\s*\\])?\\s*(?:@\\s*[^\\s;]+|\\(\\s*${PINS}\\s*\\)|${PINS})?(?:\\s*;.+)?$`,
);
const LONGEST = 300;

/** True when the text has the form of one requirement: it starts with a name, so that it is never an option or a path. */
export function isRequirement(text: string): boolean {
  return text.length <= LONGEST && !/[\u0000-\u001f\u007f]/.test(text) && REQUIREMENT.test(text);
}
