// The printed schemas, and that everything printed fits them.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publishedSchema, SCHEMA_NAMES } from "../../src/jsonschema.ts";
import { runAsh } from "../support/ash.ts";
import { KEY, usePlace, useServer } from "../support/asking.ts";
import { calls, says } from "../support/modelserver.ts";
import { schemaProblems } from "../support/schemas.ts";

// Each test starts ash several times, and the machine may be busy.
setDefaultTimeout(30_000);

const place = usePlace();
const server = useServer();

describe("ash schema", () => {
  test.each([...SCHEMA_NAMES])("prints %s, the same on one line with --json", async (name) => {
    const run = await runAsh(place, ["schema", name]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(run.stdout)).toEqual(publishedSchema(name));
    expect((await runAsh(place, ["schema", name, "--json"])).json() as unknown).toEqual(
      publishedSchema(name),
    );
  });

  test("lists the names when none is given", async () => {
    const run = await runAsh(place, ["schema"]);
    for (const name of SCHEMA_NAMES) expect(run.stdout).toContain(`  ${name} `);
    const listed = (await runAsh(place, ["schema", "--json"])).json() as unknown as {
      schemas: { name: string }[];
    };
    expect(listed.schemas.map(({ name }) => name)).toEqual([...SCHEMA_NAMES]);
  });

  test("needs no home, no settings and no good configuration, and makes nothing", async () => {
    mkdirSync(join(place.home, ".ash"), { mode: 0o777 });
    writeFileSync(join(place.home, ".ash/config.toml"), "broken = ");
    const env = { HOME: "", ASH_HOME: "relative", ASH_TOOL_TIMEOUT: "soon" };
    expect(await runAsh(place, ["schema", "result"], { env })).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(join(place.home, ".ash/sessions"))).toBe(false);
  });

  const refused = [
    [["schema", "resul"], "there is no schema resul", "did you mean result?"],
    [["schema", "toString"], "there is no schema toString", "there are: result"],
    [["schema", "result", "event"], "takes one name", null],
    [["schema", "--model", "x"], "ash schema has no flag --model", null],
  ] as const;

  test.each(refused)("%j is a usage error by name", async (args, message, hint) => {
    const run = await runAsh(place, [...args, "--json"]);
    expect(run.code).toBe(2);
    expect(run.json().error?.message).toContain(message);
    if (hint !== null) expect(run.json().error?.hint).toContain(hint);
  });
});

describe("what ash prints", () => {
  const paths: readonly (readonly [string, readonly string[], Record<string, string>])[] = [
    ["an answer", ["hello"], KEY],
    ["a usage error", ["--jsn"], KEY],
    ["a missing key", ["hello"], {}],
    ["a wrong setting", ["hello"], { ...KEY, ASH_MAX_TURNS: "many" }],
    ["a budget", ["--max-turns", "1", "hello"], KEY],
  ];

  test.each(paths)("fits the printed schemas: %s", async (_, args, env) => {
    server.start([calls("uname", ["-s"]), calls("rm", ["x"]), says("done")]);
    const base = ["--provider", "anthropic", "--base-url", server.url];
    const run = await runAsh(place, ["--json", ...base, ...args], { env });
    expect(schemaProblems("result", run.json())).toEqual([]);
    const lines = (
      await runAsh(place, ["--jsonl", "--deltas", "--include-output", ...base, ...args], { env })
    ).stdout;
    const events = lines
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    expect(events.length).toBeGreaterThan(1);
    for (const event of events) expect(schemaProblems("event", event)).toEqual([]);
  });

  test("fits the printed schemas: ash run and ash init", async () => {
    for (const args of [
      ["--", "echo", "x"],
      ["--pipe", "--", "echo", "x", "|", "wc"],
      ["--", "rm", "x"],
    ])
      expect(schemaProblems("result", (await runAsh(place, ["run", "--json", ...args])).json())).toEqual([]);
    expect(schemaProblems("init", (await runAsh(place, ["init", "--no-python", "--json"])).json())).toEqual(
      [],
    );
  });

  test("does not fit when it is not what it says", () => {
    expect(schemaProblems("result", { schema: "ash.result/1" })).not.toEqual([]);
    expect(schemaProblems("event", { type: "run.end" })).not.toEqual([]);
  });
});
