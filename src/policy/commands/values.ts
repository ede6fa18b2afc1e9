// Judges single values: an operand, or the value of an option, by its kind. It knows no command.
import { judgePath, type PathFacts } from "../paths.ts";
import type { Problem, Shape, ValueKind } from "./rule.ts";

const COUNT = /^[-+]?\d{1,18}(?:[bcwkKMGTPEZY](?:i?B)?)?$/;
const SMALL = /^[-+]?\d{1,4}$/;
const WORD = /^[A-Za-z0-9_.,:+%@=-]*$/;

/** The widest field and the highest precision a format may ask for. */
const WIDEST = 9999;

/** Why a printf-like format is refused, or null: a huge field width would fill the memory. */
export function formatProblem(format: string): string | null {
  for (const found of format.matchAll(/%(?:%|(?:\d+\$)?[-+ #0'_^I]*(\*|\d*)(?:\.(\*|\d*))?)/g)) {
    const widths = [found[1], found[2]];
    if (widths.includes("*")) return "a field width is a number in the format, not *";
    if (widths.some((width) => Number(width ?? 0) > WIDEST)) return `field widths go up to ${WIDEST}`;
  }
  return null;
}

function shapeProblem(shape: Shape, value: string): Problem | null {
  // A pattern that is not anchored would let the rest of the value through.
  const match = shape.pattern.exec(value);
  return match !== null && match[0] === value
    ? null
    : { rule: "operand", reason: `${JSON.stringify(value)} is not allowed here; ${shape.says}` };
}

const pattern = (test: RegExp, says: string): Shape => ({ pattern: test, says });
const SHAPES = {
  count: pattern(COUNT, "a number is"),
  small: pattern(SMALL, "a number up to 9999 is"),
  word: pattern(WORD, "letters, digits and _ . , : + % @ = - are"),
};

/** Why a value of this kind is refused, or null. */
export function valueProblem(kind: ValueKind, value: string, facts: PathFacts): Problem | null {
  if (typeof kind !== "string") return shapeProblem(kind, value);
  switch (kind) {
    case "text":
      return null;
    case "path": {
      const reason = judgePath(value, facts);
      return reason === null ? null : { rule: "path", reason };
    }
    case "format": {
      const reason = formatProblem(value);
      return reason === null ? null : { rule: "program-text", reason };
    }
    case "count":
    case "small":
    case "word":
      return shapeProblem(SHAPES[kind], value);
  }
}
