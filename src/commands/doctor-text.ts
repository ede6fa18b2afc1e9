// How the findings of `ash doctor` look: one line each, folded on a terminal. Pure.
import { fold, pad } from "../layout.ts";
import { sanitize } from "../sanitize.ts";
import type { Check, DoctorReport } from "../schema/reports.ts";

/** How to show them. */
export type DoctorTextOptions = {
  /** Columns of the terminal; null when there is none: then every finding is exactly one line. */
  readonly width: number | null;
  readonly colour: boolean;
  /** Shows the facts behind each finding too. */
  readonly facts: boolean;
};

const MARKS = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;
const COLOURS = { ok: "\x1b[32m", warn: "\x1b[33m", fail: "\x1b[31m" } as const;
const OFF = "\x1b[0m";

const oneLine = (text: string): string => sanitize(text).text.replace(/\s+/g, " ").trim();

/** A fact as one or more short texts: a list of objects is a table. */
function factLines(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.some((item) => typeof item === "object" && item !== null))
    return value.map((item: unknown) =>
      oneLine(
        Object.values(item as object)
          .map(String)
          .join("  "),
      ),
    );
  return [oneLine(typeof value === "string" ? value : JSON.stringify(value))];
}

function factsText({ facts }: Check, indent: string): string {
  const lines = Object.entries(facts).flatMap(([name, value]) => {
    const [first = "", ...more] = factLines(value);
    return more.length === 0
      ? [`${name}: ${first}`]
      : [`${name}:`, ...[first, ...more].map((line) => `  ${line}`)];
  });
  return lines.map((line) => `${indent}${line}\n`).join("");
}

const NARROW = 50;

function checkText(check: Check, names: number, { width, colour, facts }: DoctorTextOptions): string {
  const { id, status, message, fix } = check;
  const mark = colour ? `${COLOURS[status]}${MARKS[status]}${OFF}` : MARKS[status];
  const head = `${mark}  ${pad(id, names)}  `;
  const indent = width !== null && width < NARROW ? 4 : names + 8;
  const behind = facts ? factsText(check, " ".repeat(indent)) : "";
  if (width === null)
    return `${head}${oneLine(message)}${fix === null ? "" : `; fix: ${oneLine(fix)}`}\n${behind}`;
  const blanks = `\n${" ".repeat(indent)}`;
  const said = fold(oneLine(message), width - indent).replaceAll("\n", blanks);
  const told =
    fix === null ? "" : `${blanks}${fold(`→ ${oneLine(fix)}`, width - indent, 2).replaceAll("\n", blanks)}`;
  // On a narrow terminal the finding begins below its name.
  const beginning = width < NARROW ? `${mark}  ${id}${blanks}` : head;
  return `${beginning}${said}${told}\n${behind}`;
}

/** All findings, then how many there are of each kind. */
export function doctorText(report: DoctorReport, options: DoctorTextOptions): string {
  const names = Math.max(...report.checks.map(({ id }) => id.length));
  const { ok, warn, fail } = report.counts;
  const sum = `${ok} ok, ${warn} ${warn === 1 ? "warning" : "warnings"}, ${fail} failed`;
  return `${report.checks.map((check) => checkText(check, names, options)).join("")}\n${sum}\n`;
}
