// Runs `ash doctor` and checks what holds for every report.
import { expect } from "bun:test";
import type { Check, DoctorReport } from "../../src/schema/reports.ts";
import { type Place, runAsh } from "./ash.ts";
import { schemaProblems } from "./schemas.ts";

/** A key for the model server, so that it is not what is wrong. */
export const KEY = { ANTHROPIC_API_KEY: "test-key" };

/** The report of a place. */
export async function examine(
  place: Place,
  args: readonly string[] = [],
  env: Record<string, string> = KEY,
): Promise<DoctorReport> {
  const run = await runAsh(place, ["doctor", "--json", ...args], { env });
  expect(run.stderr).toBe("");
  const report = run.json() as unknown as DoctorReport;
  expect(schemaProblems("doctor", report)).toEqual([]);
  expect(run.code).toBe(report.exit_code);
  expect(report.exit_code).toBe(report.counts.fail > 0 ? 3 : 0);
  const ids = report.checks.map(({ id }) => id);
  expect(ids.filter((id, i) => ids.indexOf(id) !== i && id !== "config")).toEqual([]);
  return report;
}

/** The finding about one thing. */
export function checkOf({ checks }: DoctorReport, id: string): Check {
  const found = checks.find((check) => check.id === id);
  if (found === undefined)
    throw new Error(`there is no check ${id}: ${checks.map((check) => check.id).join(" ")}`);
  return found;
}

/** What failed, one text each. */
export const failedIn = ({ checks }: DoctorReport): readonly string[] =>
  checks.filter(({ status }) => status === "fail").map(({ id, message }) => `${id}: ${message}`);
