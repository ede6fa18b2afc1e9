// The case file over the compiled binary, as calls of a model: every row that must be denied is denied, every other
// row really runs, and nothing on the disk is different afterwards.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMAND_RULES } from "../../src/policy/arguments.ts";
import { RUNNERS, SUBCOMMAND_RUNNERS } from "../../src/policy/programs.ts";
import type { ToolRecord } from "../../src/schema.ts";
import { type Finished, makePlace, type Place, runAsh } from "../support/ash.ts";
import { CANARY, type Case, furnish, placed, readCases, snapshot, stagesIn } from "../support/cases.ts";
import { isInstalled } from "../support/required.ts";

/** What a user could write as plain names: everything ash has a rule for, and what starts other programs. */
const ALLOWLIST = [
  ...new Set([...COMMAND_RULES.flatMap(({ names }) => names), ...RUNNERS, ...SUBCOMMAND_RUNNERS]),
].join(",");

const TOOL = `#!/usr/bin/env python3
import json, sys
print(json.dumps({"status": "ok", "argv": sys.argv[1:]}))
`;

const rows = readCases();
const NOWHERE = { folder: "/", home: "/", ashHome: "/" };
let place: Place;
let run: Finished;
let before: ReadonlyMap<string, string>;
let after: ReadonlyMap<string, string>;
let saved: readonly SavedAnswer[];

function callOf(row: Case): Record<string, unknown> {
  const texts = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(texts) : typeof value === "string" ? placed(value, place) : value;
  const id = idOf(row);
  if (row.command === "run_unix_pipeline") {
    const stages = row.input.map((stage) => {
      const [command, ...args] = Array.isArray(stage) ? (texts(stage) as unknown[]) : [stage];
      return { command, args };
    });
    return { type: "tool_use", id, name: "run_unix_pipeline", input: { stages } };
  }
  const command = row.command.replace(/^tool:(.*)$/, "$1.py");
  return { type: "tool_use", id, name: "run_unix_command", input: { command, args: texts(row.input) } };
}

/** Every program of the row is installed; where all are required, a missing one is a failure of its row. */
const isRunnable = (row: Case): boolean =>
  process.env.ASH_TEST_ALL !== undefined ||
  stagesIn(row, NOWHERE).every(([name = ""]) => name.startsWith("tool:") || isInstalled(name));

const idOf = (row: Case): string => `toolu_${row.id.replaceAll("-", "_")}`;

/** Everything on the disk but the session the run itself writes. */
function disk(): ReadonlyMap<string, string> {
  const all = snapshot([place.home, place.folder]);
  return new Map([...all].filter(([path]) => !path.startsWith(join(place.ashHome, "sessions/"))));
}

type SavedAnswer = { readonly id: string; readonly content: string };

/** The answers the model got, as the session keeps them. */
function savedAnswers(): readonly SavedAnswer[] {
  const folder = join(place.ashHome, "sessions");
  const lines = readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), "utf8").trim().split("\n"),
  );
  return lines.flatMap((line) => {
    const { message } = JSON.parse(line) as { message?: { content: (SavedAnswer & { type: string })[] } };
    return (message?.content ?? []).filter(({ type }) => type === "tool_result");
  });
}

const recordOf = (row: Case): ToolRecord => {
  const id = idOf(row);
  const found = run.json().tools.find((record) => record.id === id);
  if (found === undefined) throw new Error(`no record of ${row.id}`);
  return found;
};

beforeAll(async () => {
  place = makePlace();
  furnish(place);
  mkdirSync(join(place.ashHome, "tools"), { recursive: true, mode: 0o700 });
  writeFileSync(join(place.ashHome, "tools/calc.py"), TOOL, { mode: 0o700 });
  await runAsh(place, ["init", "--no-python"]);
  const script = join(place.home, "calls.jsonl");
  const reply = {
    type: "reply",
    answers: [],
    content: rows.map(callOf),
    stop_reason: "tool_use",
  };
  const end = {
    type: "reply",
    answers: rows.map(idOf),
    content: [{ type: "text", text: "done" }],
    stop_reason: "end_turn",
  };
  const header = { type: "recording", schema: "ash.recording/1", model: "cases" };
  writeFileSync(script, `${[header, reply, end].map((line) => JSON.stringify(line)).join("\n")}\n`);
  before = disk();
  run = await runAsh(place, ["--json", "--replay", script, "run the cases"], {
    env: {
      ASH_TOOL_ALLOWLIST: `${ALLOWLIST},calc.py`,
      ASH_MAX_TOOL_CALLS: "1000",
      ASH_TOOL_TIMEOUT: "3s",
    },
  });
  after = disk();
  saved = savedAnswers();
}, 120_000);

afterAll(() => place.remove());

describe("the case file", () => {
  test("is answered whole, and the run answers", () => {
    expect(run.stderr).toBe("");
    expect(run.code).toBe(0);
    expect(run.json()).toMatchObject({ status: "ok", result: "done" });
    expect(run.json().tools).toHaveLength(rows.length);
  });

  test.each(rows.filter(({ expected }) => expected === "deny"))("$id does not run: $why", (row) => {
    const record = recordOf(row);
    expect(record.decision).not.toBe("allow");
    expect(record).toMatchObject({ exit_code: null, stdout_bytes: 0 });
  });

  test.each(rows.filter((row) => row.expected === "allow" && isRunnable(row)))("$id runs: $why", (row) => {
    const record = recordOf(row);
    expect(record).toMatchObject({ decision: "allow", timed_out: false });
    expect(record.exit_code).not.toBeNull();
  });

  const bounded = rows.filter((row) => row.expected === "bounded" && isRunnable(row));
  const isCleaned = ({ kind }: Case): boolean => kind === "inject";

  test.each(bounded.filter((row) => !isCleaned(row)))("$id ends at a limit: $why", (row) => {
    const { decision, timed_out, truncated, signal } = recordOf(row);
    expect(decision).toBe("allow");
    expect(timed_out || truncated || signal !== null).toBe(true);
  });

  test.each(bounded.filter(isCleaned))("$id reaches the model clean: $why", (row) => {
    expect(recordOf(row)).toMatchObject({ decision: "allow", exit_code: 0 });
    const answer = saved.find(({ id }) => id === idOf(row))?.content ?? "";
    expect(answer).toContain("stdout");
    expect(answer).not.toMatch(/\\u00[01][0-9a-f]|\\u202[a-e]|[\u007f-\u009f\u202a-\u202e\u200b]/);
  });

  test("leaves the disk as it was and shows no secret", () => {
    expect(after).toEqual(before);
    expect(run.stdout + run.stderr).not.toContain(CANARY);
  });

  test("names a rule and a reason for every denial", () => {
    const { denials } = run.json();
    expect(denials.length).toBeGreaterThan(100);
    for (const denial of denials) expect(denial.reason.length, denial.id).toBeGreaterThan(20);
  });
});

describe("a row of the case file by hand", () => {
  const printable = rows.filter(
    ({ command, expected }) => expected === "deny" && command !== "run_unix_pipeline" && command !== "",
  );
  test("gets the same answer from ash policy check", async () => {
    for (const row of printable.filter((_, i) => i % 12 === 0)) {
      const [argv = []] = stagesIn(row, place);
      if (argv.some((word) => word.includes("\0"))) continue;
      const checked = await runAsh(place, ["policy", "check", "--json", "--", ...argv], {
        env: { ASH_TOOL_ALLOWLIST: ALLOWLIST },
      });
      expect(checked.code, row.id).toBe(7);
    }
  });
});
