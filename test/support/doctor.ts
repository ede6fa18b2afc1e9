// Runs `ash doctor` and checks what holds for every report.
import { expect } from "bun:test";
import { join } from "node:path";
import type { Check, DoctorReport } from "../../src/schema/reports.ts";
import { type Finished, type Place, runAsh } from "./ash.ts";
import { KEY, type TestPlace, usePlace } from "./asking.ts";
import { schemaProblems } from "./schemas.ts";

/** The report of a place; without an environment the key of the model server is there and not what is wrong. */
async function examine(
  place: Place,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = KEY,
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

/** A place for each test of the file, and ash doctor there. */
export type Doctored = {
  readonly place: TestPlace;
  readonly doctor: (
    args?: readonly string[],
    env?: Readonly<Record<string, string>>,
  ) => Promise<DoctorReport>;
  /** Makes the home, without an environment for Python. */
  readonly setUp: () => Promise<Finished>;
  /** The path of a file in the home of ash. */
  readonly inHome: (path: string) => string;
};

/** Makes a place before each test and removes it afterwards. */
export function useDoctor(): Doctored {
  const place = usePlace();
  return {
    place,
    doctor: (args, env) => examine(place, args, env),
    setUp: () => runAsh(place, ["init", "--no-python"]),
    inHome: (path) => join(place.ashHome, path),
  };
}
