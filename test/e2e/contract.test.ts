// The machine contract, situation by situation, in all three output modes: exit code, status, error type, what is on
// stdout and what on stderr; and everything printed validates against the published schemas with a foreign validator.
import { describe, expect, test } from "bun:test";
import Ajv2020 from "ajv/dist/2020";
import { publishedSchema } from "../../src/jsonschema.ts";
import type { Result } from "../../src/schema.ts";
import { type Finished, runAsh } from "../support/ash.ts";
import { usePlace, useServer } from "../support/asking.ts";
import type { Situation } from "../support/situations/situation.ts";
import { SITUATIONS } from "../support/situations.ts";

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
const isResult = ajv.compile(publishedSchema("result"));
const isEvent = ajv.compile(publishedSchema("event"));
const place = usePlace();
const server = useServer();

function run({ args, answers, env, stdin, prepare }: Situation, mode: readonly string[]): Promise<Finished> {
  prepare?.(place);
  const where = answers === undefined ? [] : [`--base-url=${server.start(answers).url}`];
  const flags = [...mode, ...where];
  const all = args[0] === "ask" ? ["ask", ...flags, ...args.slice(1)] : [...flags, ...args];
  return runAsh(place, all, {
    ...(env === undefined ? {} : { env }),
    ...(stdin === undefined ? {} : { stdin }),
  });
}

function expectErrors(stderr: string, { type }: Situation): void {
  const lines = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("ash: warning: "));
  if (type === null) expect(lines).toEqual([]);
  else {
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^ash: \S.*[^.]$/);
  }
}

function expectResult(result: Result, situation: Situation): void {
  const { code, status, type } = situation;
  expect({ code: result.exit_code, status: result.status, type: result.error?.type ?? null }).toEqual({
    code,
    status,
    type,
  });
  expect(result.error?.retryable ?? false).toBe(code === 5);
  if (situation.result !== undefined) expect(result.result).toBe(situation.result);
  if (type !== null) expect(result.error?.message).toMatch(/\S/);
  expect(isResult(result), ajv.errorsText(isResult.errors)).toBe(true);
}

test("there are enough situations, each of its own", () => {
  expect(SITUATIONS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(SITUATIONS.map(({ claim }) => claim)).size).toBe(SITUATIONS.length);
});

describe.each(SITUATIONS)("$claim", (situation) => {
  test("prints exactly one object with --json", async () => {
    const ran = await run(situation, ["--json"]);
    expect(ran.code).toBe(situation.code);
    expectResult(ran.json(), situation);
    expectErrors(ran.stderr, situation);
  });

  test("prints events from run.start to run.end with --jsonl", async () => {
    const ran = await run(situation, ["--jsonl"]);
    expect(ran.code).toBe(situation.code);
    expect(ran.stdout.endsWith("\n")).toBe(true);
    const lines = ran.stdout.slice(0, -1).split("\n");
    const events = lines.map((line) => JSON.parse(line));
    for (const event of events) expect(isEvent(event), ajv.errorsText(isEvent.errors)).toBe(true);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(events[0].type).toBe("run.start");
    expect(events.filter(({ type }) => type === "run.end")).toHaveLength(1);
    expectResult(events.at(-1).result, situation);
    expectErrors(ran.stderr, situation);
  });

  test("prints the answer alone in text mode", async () => {
    const ran = await run(situation, []);
    expect(ran.code).toBe(situation.code);
    if (situation.result !== undefined)
      expect(ran.stdout).toBe(situation.result === null ? "" : `${situation.result}\n`);
    else if (situation.type !== null) expect(ran.stdout).toBe("");
    expectErrors(ran.stderr, situation);
  });
});
