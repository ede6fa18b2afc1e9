// The tally of a batch: how many got no answer in a row, and the line that sums it up.
import { describe, expect, test } from "bun:test";
import {
  type BatchEnd,
  batchExit,
  endOfExit,
  openTally,
  progressLine,
  summaryLine,
} from "../../src/batchtally.ts";
import { usageError } from "../../src/errors.ts";

const counted = (...ends: readonly BatchEnd[]) => {
  const tally = openTally();
  for (const end of ends) tally.add(end);
  return tally;
};

describe("the tally of a batch", () => {
  test.each([
    [0, "answered"],
    [5, "again"],
    [1, "failed"],
    [2, "failed"],
    [4, "failed"],
    [6, "failed"],
    [8, "failed"],
  ] as const)("counts exit code %i as %s", (code, end) => {
    expect(endOfExit(code)).toBe(end);
  });

  test.each([
    [0, []],
    [0, ["answered"]],
    [8, ["answered", "failed"]],
    [5, ["answered", "again"]],
    [5, ["failed", "again"]],
  ] as const)("ends with %i for %j", (code, ends) => {
    expect(batchExit(counted(...ends).counts())).toBe(code);
  });

  test("counts how many in a row had to be left for later; an answer or a failure ends the row", () => {
    const tally = counted("again", "again");
    expect(tally.inARow()).toBe(2);
    tally.add("failed", true);
    expect(tally.inARow()).toBe(2);
    tally.add("failed");
    expect(tally.inARow()).toBe(0);
    tally.add("again");
    tally.add("answered");
    expect(tally.inARow()).toBe(0);
  });

  test("is written as one line that leaves out what did not happen", () => {
    const tally = counted("answered");
    expect(summaryLine(tally.counts(), 1500, null)).toBe("ash: 1 prompt: 1 answered in 1.5 s");
    tally.add("failed");
    tally.add("again");
    tally.add("answered", true);
    expect(summaryLine(tally.counts(), 20, usageError("it rains", "wait"))).toBe(
      "ash: 4 prompts: 2 answered, 1 failed, 1 to try again, 1 done before in 20 ms; stopped: it rains (wait)",
    );
    expect(progressLine(tally.counts(), 3, 0.999)).toEndWith(", 3 running, 99% read");
    expect(progressLine(tally.counts(), 3, null)).toEndWith(", 3 running");
  });
});
