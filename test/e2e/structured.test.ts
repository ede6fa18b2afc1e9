// Answers that match a schema, and what the server is told of it.
import { describe, expect, test } from "bun:test";
import { resultOf } from "../support/asking.ts";
import { calls, fails, says, systemIn } from "../support/modelserver.ts";
import { DISK, GOOD, KEY, PLAIN, useSchema } from "../support/structured.ts";
import { onTerminal } from "../support/terminal.ts";

const { place, server, schemaFile, ask } = useSchema();
const format = (at = 0) => (server.requests[at]?.output_config as { format?: unknown } | undefined)?.format;

describe("an answer that matches the schema", () => {
  test("is exactly the JSON in text mode", async () => {
    server.start([says(`  ${GOOD}\n`)]);
    expect(await ask(["go"])).toMatchObject({ code: 0, stdout: `${GOOD}\n`, stderr: "" });
  });

  test.each(["--json", "--jsonl"])("is parsed in structured and text in result, with %s", async (mode) => {
    server.start([says(GOOD)]);
    const run = await ask([mode, "go"]);
    expect(resultOf(run.stdout)).toMatchObject({
      status: "ok",
      exit_code: 0,
      result: GOOD,
      structured: { name: "sda", used: 93 },
    });
  });

  const wrapped = [
    ["in a fence", `\`\`\`json\n${GOOD}\n\`\`\``],
    ["in a fence without a name", `\`\`\`\n${GOOD}\n\`\`\`\n`],
    ["in a fence with prose around it", `Here it is:\n\n\`\`\`json\n${GOOD}\n\`\`\`\nAnything else?`],
    ["after a byte order mark", `\ufeff${GOOD}`],
  ] as const;

  test.each(wrapped)("%s is taken out of it", async (_, text) => {
    server.start([says(text)]);
    expect(await ask(["go"])).toMatchObject({ code: 0, stdout: `${GOOD}\n` });
    expect(server.requests).toHaveLength(1);
  });

  test("is printed once on a terminal, and nothing of an answer before it", async () => {
    server.start([says("Let me see."), says(GOOD)]);
    const args = ["--base-url", server.url, "--schema", schemaFile(), "go"];
    const run = await onTerminal(place, args, { env: KEY });
    expect(run).toMatchObject({ code: 0, screen: `${GOOD}\n` });
  });

  test("that is null, false or zero is still an answer", async () => {
    for (const value of ["null", "false", "0", '""']) {
      server.start([says(value)]);
      expect(await ask(["go"], { type: ["null", "boolean", "number", "string"] })).toMatchObject({
        code: 0,
        stdout: `${value}\n`,
      });
      await server.stop();
    }
    server.start([says("0")]);
    expect((await ask(["--json", "go"], { type: "number" })).json().structured).toBe(0);
  });

  test("keeps in text mode what a terminal would not get: as escapes", async () => {
    const value = { name: "a\u202eb\u200dc \u{1f600}", used: 1 };
    server.start([says(JSON.stringify(value))]);
    const { stdout } = await ask(["go"]);
    expect(JSON.parse(stdout)).toEqual(value);
    expect(stdout).not.toContain("\u202e");
  });

  test("stays JSON when a secret had to be taken out of it", async () => {
    const secret = "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
    server.start([says(`{"name": "${secret}", "used": 5}`)]);
    const { stdout } = await ask(["go"]);
    expect(JSON.parse(stdout)).toMatchObject({ name: "[redacted:private-key]", used: 5 });
  });

  test("comes after the tools, which run as always", async () => {
    server.start([calls("uname", ["-s"]), says('{"name": "Linux", "used": 1}')]);
    const run = await ask(["--json", "go"]);
    expect(run.json()).toMatchObject({ status: "ok", turns: 2, structured: { name: "Linux" } });
    expect(run.json().tools[0]).toMatchObject({ argv: ["uname", "-s"], exit_code: 0 });
    expect(server.requests[1]?.tools).toHaveLength(2);
  });
});

describe("the server", () => {
  test("that can hold an answer to a schema is given it, closed and without what it does not take", async () => {
    server.start([says(GOOD)]);
    await ask(["go"]);
    expect(format()).toEqual({
      type: "json_schema",
      schema: {
        type: "object",
        properties: {
          name: { type: "string", description: "minLength: 1" },
          used: { type: "integer", description: "minimum: 0, maximum: 100" },
          tags: { type: "array", items: { enum: ["full", "slow"] } },
        },
        required: ["name", "used"],
        additionalProperties: false,
      },
    });
    expect(server.requests[0]?.output_config).toMatchObject({ effort: "medium" });
    expect(systemIn(server.requests[0])).not.toContain("JSON Schema");
  });

  test("that cannot is spared the field, and the model is told instead", async () => {
    server.start([says(GOOD)]);
    expect((await ask([...PLAIN, "go"])).code).toBe(0);
    expect(server.requests[0]?.output_config).toBeUndefined();
    expect(systemIn(server.requests[0])).toContain(JSON.stringify(DISK));
  });

  test("is not given a schema it could not take without changing its sense", async () => {
    server.start([says('{"a": 1}')]);
    await ask(["go"], { type: "object", additionalProperties: { type: "number" } });
    expect(format()).toBeUndefined();
    expect(systemIn(server.requests[0])).toContain('"additionalProperties":{"type":"number"}');
  });

  test("that refuses the schema is asked again without it, once, and the run says so", async () => {
    server.start([fails(400, "invalid_request_error"), calls("uname"), says(GOOD)]);
    const run = await ask(["--json", "go"]);
    expect(run.json()).toMatchObject({ status: "ok", turns: 2, structured: { name: "sda" } });
    expect(run.json().warnings.map(({ type }) => type)).toEqual(["schema_not_native"]);
    expect([format(0), format(1), format(2)]).toEqual([expect.anything(), undefined, undefined]);
  });

  test("that refuses the request for another reason is believed", async () => {
    server.start([fails(400, "invalid_request_error")]);
    const run = await ask(["--json", "go"]);
    expect(run.json()).toMatchObject({ exit_code: 4, warnings: [], error: { type: "invalid_request" } });
  });
});
