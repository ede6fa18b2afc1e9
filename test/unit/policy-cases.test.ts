// The case file, both ways: rows that must be allowed are accepted by the argument rules, rows that must be denied
// because of their arguments are refused. Rows about names, sizes, control characters and levels belong to decide.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { commandRule, judgeArguments } from "../../src/policy/arguments.ts";
import { fakeFacts, type Tree } from "../support/policyfacts.ts";

const FOLDER = "/srv/cases";
const HOME = "/home/u";
const TREE: Tree = {
  [`${FOLDER}/a.txt`]: "file",
  [`${FOLDER}/.env`]: "file",
  [`${FOLDER}/sub`]: "directory",
  [`${FOLDER}/fifo`]: "other",
  [`${FOLDER}/link-to-key`]: { link: `${HOME}/.ssh/id_rsa` },
  [`${HOME}/.ssh/id_rsa`]: "file",
  [`${HOME}/.ash/config.json`]: "file",
  "/dev/zero": "other",
  "/dev/urandom": "other",
  "/usr/include/stdio.h": "file",
};
const facts = fakeFacts(TREE, { folder: FOLDER });

type Row = {
  readonly id: string;
  readonly expected: string;
  readonly why: string;
  readonly isPipeline: boolean;
  readonly calls: readonly (readonly string[])[];
};

const filledIn = (text: string): string =>
  text.replaceAll("{CWD}", FOLDER).replaceAll("{HOME}", HOME).replaceAll("{ASH}", `${HOME}/.ash`);

function readRow(line: string): Row {
  const [id = "", , command = "", argv = "[]", expected = "", why = ""] = line.split("\t");
  const parsed: unknown = JSON.parse(argv);
  const items = Array.isArray(parsed) ? parsed : [];
  const isPipeline = command === "run_unix_pipeline";
  const stages = isPipeline ? items : [[command, ...items]];
  const calls = stages.map((stage) =>
    Array.isArray(stage) ? stage.map((item) => filledIn(String(item))) : [],
  );
  return { id, expected, why, isPipeline, calls };
}

const rows = readFileSync(new URL("../fixtures/policy-cases.tsv", import.meta.url), "utf8")
  .split("\n")
  .slice(1)
  .filter((line) => line !== "")
  .map(readRow);

const isOrdinary = (argument: string): boolean =>
  argument.length <= 32_768 && !/[\u0000-\u0008\u000b-\u001f\u007f]/.test(argument);

const allowed = rows.filter(
  ({ expected, calls }) => expected !== "deny" && !calls[0]?.[0]?.startsWith("tool:"),
);
const refused = rows.filter(
  ({ expected, isPipeline, calls }) =>
    expected === "deny" &&
    !isPipeline &&
    calls.every((call) => commandRule(call[0] ?? "") !== undefined && call.every(isOrdinary)),
);

describe("the case file", () => {
  test("has rows of both kinds", () => {
    expect(allowed.length).toBeGreaterThan(30);
    expect(refused.length).toBeGreaterThan(80);
  });

  test.each(allowed)("$id is accepted: $why", ({ calls }) => {
    for (const [command = "", ...args] of calls) {
      expect(judgeArguments(command, args, facts)).toMatchObject({ ok: true });
    }
  });

  test.each(refused)("$id is refused, or needs a yes: $why", ({ calls }) => {
    for (const [command = "", ...args] of calls) {
      const asks = commandRule(command)?.network === true;
      const judged = judgeArguments(command, args, facts);
      expect(judged?.ok === false || asks).toBe(true);
    }
  });
});
