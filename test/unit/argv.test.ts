// The command line: which command, which flags, which words.
import { describe, expect, test } from "bun:test";
import { flagValue, hasFlag, outputFile, outputMode, parseArgv } from "../../src/argv.ts";
import { AshError } from "../../src/errors.ts";
import { COMMAND_NAMES, commandSpec } from "../../src/spec.ts";

function refusal(argv: readonly string[]): string {
  try {
    parseArgv(argv);
  } catch (thrown) {
    if (thrown instanceof AshError && thrown.type === "usage")
      return `${thrown.message} | ${thrown.details.hint ?? ""}`;
    throw thrown;
  }
  throw new Error(`${JSON.stringify(argv)} was accepted`);
}

describe("the router", () => {
  test("takes exactly a reserved first word as a command, anything else as a prompt", () => {
    expect(parseArgv(["init"])).toMatchObject({ command: "init", named: true, words: [] });
    expect(parseArgv(["--json", "doctor"])).toMatchObject({ command: "doctor", named: true });
    for (const words of [
      ["init a project"],
      ["Init", "now"],
      ["please", "init"],
      ["__proto__"],
      ["toString"],
      ["hasOwnProperty"],
    ]) {
      expect(parseArgv(words)).toMatchObject({ command: "ask", named: false, words });
    }
  });

  test("takes everything after -- as it is", () => {
    expect(parseArgv(["--", "init", "--json", "--", "-5"])).toMatchObject({
      command: "ask",
      words: [],
      rest: ["init", "--json", "--", "-5"],
    });
    expect(parseArgv(["ask", "--json", "--", "--help"])).toMatchObject({
      command: "ask",
      named: true,
      rest: ["--help"],
    });
    expect(hasFlag(parseArgv(["ask", "--", "--help"]), "help")).toBe(false);
  });

  test("reads values in both forms and never takes a flag for a value", () => {
    expect(flagValue(parseArgv(["--model=x=y", "hi"]), "model")).toBe("x=y");
    expect(flagValue(parseArgv(["-m", "x", "hi"]), "model")).toBe("x");
    expect(flagValue(parseArgv(["hi", "--model", "x"]), "model")).toBe("x");
    expect(refusal(["--model", "--json", "hi"])).toContain("--model needs a value");
    expect(refusal(["hi", "--model"])).toContain("--model needs a value");
    expect(refusal(["--model=", "hi"])).toContain("--model needs a value");
  });

  const refused = [
    [["--jsn", "hi"], "unknown flag --jsn | did you mean --json?"],
    [["--json=yes", "hi"], "--json takes no value"],
    [["-5"], "goes after --"],
    [["-5 + 3"], "goes after --"],
    [["--model", "a", "--model", "b", "hi"], "--model is given twice"],
    [["init", "--model", "x"], "ash init has no flag --model"],
    [["inti"], "did you mean: ash init?"],
    [["tool"], "did you mean: ash tools?"],
    [["-mx", "hi"], "unknown flag -mx"],
    [
      ["run", "ls", "-la"],
      "unknown flag -la | a tool and its arguments go after --, as in: ash run -- ls -la",
    ],
    [["policy", "check", "ls", "-la"], "unknown flag -la | a tool and its arguments go after --"],
    [["---", "hi"], "unknown flag ---"],
    [["-mx", "hi"], "a value stands apart: -m x"],
    [["init", "-x"], "see: ash init --help"],
    [["--json", "--jsonl", "hi"], "--json and --jsonl exclude each other"],
    [["--deltas", "hi"], "--deltas needs --jsonl"],
    [["--json", "--include-output", "hi"], "--include-output needs --jsonl"],
  ] as const;

  test.each(refused)("refuses %j by name", (argv, message) => {
    expect(refusal(argv)).toContain(message);
  });

  test("does not take a short greeting for a mistyped command", () => {
    for (const word of ["hello", "hi", "who", "why", "time"]) expect(parseArgv([word]).command).toBe("ask");
  });
});

describe("the output mode", () => {
  test("is found even when argv is refused, but never after --", () => {
    expect(outputMode(["--jsn", "--json"])).toBe("json");
    expect(outputMode(["--jsonl", "--json"])).toBe("jsonl");
    expect(outputMode(["--", "--json"])).toBe("text");
  });
});

describe("the file for the answer", () => {
  test("is found even when argv is refused, but never after -- or for another command", () => {
    for (const argv of [["-o", "f"], ["--output=f"], ["--jsn", "--output", "f", "hi"], ["ask", "-o=f"]])
      expect(outputFile(argv)).toBe("f");
    for (const argv of [
      [],
      ["-o"],
      ["--output="],
      ["--", "-o", "f"],
      ["init", "-o", "f"],
      ["--output-max", "f"],
    ])
      expect(outputFile(argv)).toBeUndefined();
  });

  test("is not one that may hold the results of a batch, or that another flag reads", () => {
    for (const argv of [
      ["-o", "f", "batch", "--jsn"],
      ["--output=f", "--model", "m", "batch"],
      ["--jsn", "5", "batch", "-o", "f"],
      ["-o", "f", "--jsn", "-f", "f"],
      ["--output=f", "--jsn", "--file=f"],
    ])
      expect(outputFile(argv)).toBeUndefined();
  });
});

describe("the specification", () => {
  test("gives a flag name and a short name one meaning everywhere", () => {
    const flags = COMMAND_NAMES.flatMap((name) => commandSpec(name).flags);
    for (const flag of flags) {
      for (const other of flags) {
        if (other.name === flag.name) expect(other.value === undefined).toBe(flag.value === undefined);
        if (flag.short !== undefined && other.short === flag.short) expect(other.name).toBe(flag.name);
      }
    }
  });
});
