// What the rules know of BSD and macOS, where the same letter means something else.
import { describe, expect, test } from "bun:test";
import { judgeArguments } from "../../src/policy/arguments.ts";
import { fakeFacts } from "../support/policyfacts.ts";

const bsd = fakeFacts({}, { platform: "bsd" });

describe("BSD and macOS", () => {
  test("an option after an operand must be harmless as an operand too", () => {
    expect(judgeArguments("uniq", ["a.txt", "-c"], bsd)).toMatchObject({ ok: false, rule: "operand" });
    expect(judgeArguments("uniq", ["-c", "a.txt"], bsd)).toMatchObject({ ok: true });
    expect(judgeArguments("grep", ["x", "a.txt", "-n"], bsd)).toMatchObject({ ok: true });
  });

  test.each([
    ["date", ["-j", "-f", "%Y", "2026", "+%s"], true],
    ["date", ["-f", "%Y", "2026"], false],
    ["date", ["0101000026"], false],
    ["date", ["-r", "1700000000", "+%F"], true],
    ["date", ["-u"], true],
    ["base64", ["-i", "a.txt"], false],
    ["base64", ["-o", "out"], false],
    ["base64", ["-D", "a.txt"], true],
    ["stat", ["-f", "%z", "a.txt"], true],
    ["top", ["-l", "1", "-n", "10"], true],
    ["top", ["-l", "0"], false],
    ["top", ["-b", "-n", "1"], false],
    ["ps", ["aux"], true],
    ["ps", ["-E"], false],
    ["ps", ["-ef"], true],
    ["netstat", ["-an"], true],
    ["netstat", ["-w", "1"], false],
    ["route", ["-n", "get", "default"], true],
    ["route", ["-n", "flush"], false],
    ["route", ["get", "name.example"], false],
    ["sed", ["-n", "p", "a.txt"], true],
    ["sed", ["-i", "", "p", "a.txt"], false],
    ["find", [".", "-name", "x", "-print"], true],
    ["find", ["-f", "x", "-print"], false],
    ["tail", ["-r", "a.txt"], true],
  ])("%s %p: %p", (command, args, ok) => {
    expect(judgeArguments(command, args, bsd)).toMatchObject({ ok });
  });

  test("awk runs in its own safe mode, and sed without the flag it does not know", () => {
    expect(judgeArguments("awk", ["{print}"], bsd)).toEqual({ ok: true, args: ["-safe", "{print}"] });
    expect(judgeArguments("sed", ["p"], bsd)).toEqual({ ok: true, args: ["p"] });
  });
});
