import { describe, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASH, environmentOf, runAsh } from "../support/ash.ts";
import { resultOf, usePlace, useServer } from "../support/asking.ts";
import { calls, fails, says, systemIn } from "../support/modelserver.ts";
import { onTerminal } from "../support/terminal.ts";

const place = usePlace();
const server = useServer();

const KEY = { ANTHROPIC_API_KEY: "test-key", OPENROUTER_API_KEY: "test-key" };
const DISK = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    used: { type: "integer", minimum: 0, maximum: 100 },
    tags: { type: "array", items: { enum: ["full", "slow"] } },
  },
  required: ["name", "used"],
};
const GOOD = '{"name": "sda", "used": 93}';

function schemaFile(schema: unknown = DISK): string {
  const path = join(place.folder, "schema.json");
  writeFileSync(path, typeof schema === "string" ? schema : JSON.stringify(schema));
  return path;
}

const ask = (args: readonly string[], schema: unknown = DISK) =>
  runAsh(place, ["--base-url", server.url, "--schema", schemaFile(schema), ...args], { env: KEY });

const format = (at = 0) => (server.requests[at]?.output_config as { format?: unknown } | undefined)?.format;
const PLAIN = ["--provider", "openrouter", "--model", "m"] as const;

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

describe("an answer that does not match", () => {
  const wrong = [
    ["prose", "The disk is full.", "it is not one JSON value"],
    [
      "a field of the wrong type",
      '{"name": "sda", "used": "93"}',
      '/used: Instance type "string" is invalid',
    ],
    ["a missing field", '{"name": "sda"}', 'the whole: Instance does not have required property "used"'],
    ["a value out of range", '{"name": "sda", "used": 120}', "/used: 120 is greater than 100"],
    [
      "a word that is not listed",
      '{"name": "a", "used": 1, "tags": ["full", "big"]}',
      "/tags/1: Instance does not match any",
    ],
    ["cut JSON", '{"name": "sda", "used": 9', "it is not one JSON value"],
    ["two values", `${GOOD}\n${GOOD}`, "it is not one JSON value"],
    ["another type altogether", "[]", 'the whole: Instance type "array" is invalid'],
  ] as const;

  test.each(wrong)("(%s) is given back once, with what is wrong", async (_, text, problem) => {
    server.start([says(text), says(GOOD)]);
    const run = await ask(["--json", ...PLAIN, "go"]);
    expect(run.json()).toMatchObject({ status: "ok", turns: 2, structured: { used: 93 } });
    const told = JSON.stringify(server.requests[1]?.messages.at(-1));
    expect(told).toContain(JSON.stringify(problem).slice(1, -1));
    // A server that was given the schema may have passed over it: the model must see it now at the latest.
    expect(JSON.parse(told).content[0].text).toContain(JSON.stringify(DISK));
    expect(server.requests[1]?.tool_choice).toEqual({ type: "none" });
  });

  test.each(["--json", "--jsonl"])(
    "twice ends the run with its own error and the text, with %s",
    async (mode) => {
      server.start([says("No."), says("Still no.")]);
      const run = await ask([mode, "go"]);
      expect(run.code).toBe(8);
      expect(resultOf(run.stdout)).toMatchObject({
        status: "incomplete",
        exit_code: 8,
        result: "Still no.",
        structured: null,
        error: { type: "schema_mismatch", message: expect.stringContaining("it is not one JSON value") },
        turns: 2,
      });
      expect(server.requests).toHaveLength(2);
    },
  );

  test("leaves stdout empty in text mode", async () => {
    server.start([says("No.")]);
    const run = await ask(["go"]);
    expect(run).toMatchObject({ code: 8, stdout: "" });
    expect(run.stderr).toMatch(/^ash: the answer does not match the schema: [^\n]+\n$/);
  });

  test("and calls a tool instead of correcting itself is not run any further", async () => {
    server.start([says("No."), calls("uname"), says("never")]);
    const run = await ask(["--json", ...PLAIN, "go"]);
    expect(run.json()).toMatchObject({
      exit_code: 8,
      turns: 2,
      tools: [],
      error: { type: "schema_mismatch" },
    });
  });

  test("gets no second turn when the run has none left", async () => {
    server.start([says("No."), says(GOOD)]);
    const run = await ask(["--json", "--max-turns", "1", "go"]);
    expect(run.json()).toMatchObject({ exit_code: 8, turns: 1, error: { type: "schema_mismatch" } });
  });

  test("is a refusal or an empty answer when it is one", async () => {
    server.start([{ content: [{ type: "text", text: "No." }], stop_reason: "refusal" }]);
    expect((await ask(["--json", "go"])).json().error?.type).toBe("refusal");
    await server.stop();
    server.start([says(" ")]);
    expect((await ask(["--json", "go"])).json().error?.type).toBe("empty_answer");
  });
});

describe("at a limit", () => {
  test("the last words are parsed when they match, and not printed when they do not", async () => {
    const looking = calls("echo", ["x"]);
    server.start([looking, says(GOOD)]);
    const kept = await ask(["--json", "--max-turns", "1", "go"]);
    expect(kept.json()).toMatchObject({ exit_code: 6, limit: "turns", structured: { used: 93 } });
    await server.stop();
    server.start([looking, says("Not yet.")]);
    expect(await ask(["--max-turns", "1", "go"])).toMatchObject({ code: 6, stdout: "" });
  });
});

describe("a schema file", () => {
  const deep = `${'{"not":'.repeat(100)}{}${"}".repeat(100)}`;
  const bad = [
    ["that is not JSON", "{type: object}", "it is not JSON"],
    ["that is empty", "", "it is not JSON"],
    ["that is a list", "[]", "an object is expected"],
    ["with an unknown type", { type: "strnig" }, "it is not a JSON Schema: /type"],
    ["with a requirement that is no list", { properties: { a: 1 } }, "/properties/a"],
    ["with a pattern that is none", { pattern: "(" }, 'the pattern "(" is not a regular expression'],
    ["that refers to another file", { $ref: "other.json" }, "it refers to other.json"],
    [
      "that refers to the net",
      { properties: { a: { $ref: "https://example.com/s.json" } } },
      "ash reads nothing but the file",
    ],
    ["that refers to what is not there", { $ref: "#/$defs/x" }, "#/$defs/x is not in it"],
    ["with references that cannot be followed", { $dynamicRef: "#x" }, "$dynamicRef"],
    ["of an unknown dialect", { $schema: "https://example.com/dialect" }, "its $schema is not one ash knows"],
    ["nested without end", deep, "nested more than 64 levels deep"],
    ["that is too big", { description: "x".repeat(300_000) }, "it is longer than 256 KiB"],
  ] as const;

  test.each(bad)("%s is a usage error before anything is asked", async (_, schema, message) => {
    server.start([says("never")]);
    const run = await ask(["--json", "go"], schema);
    expect(run.code).toBe(2);
    expect(run.json().error).toMatchObject({ type: "usage", message: expect.stringContaining(message) });
    expect(run.json().error?.message).toContain("--schema");
    expect(run.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(server.requests).toHaveLength(0);
  });

  const missing = [
    ["missing", "nowhere.json", "there is no such file"],
    ["a folder", ".", "it is a folder"],
    ["a link in a circle", "loop", "its links lead in a circle"],
    ["a device", "/dev/zero", "it is a device"],
    ["binary", "binary", "a NUL byte at offset 1"],
  ] as const;

  test.each(missing)("that is %s is a usage error", async (_, path, message) => {
    server.start([says("never")]);
    symlinkSync("loop", join(place.folder, "loop"));
    writeFileSync(join(place.folder, "binary"), "{\0}");
    const run = await runAsh(place, ["--json", "--base-url", server.url, "--schema", path, "go"], {
      env: KEY,
    });
    expect(run.code).toBe(2);
    expect(run.json().error?.message).toContain(message);
  });

  test("may come from a process substitution", async () => {
    server.start([says("7")]);
    const process = Bun.spawn(
      ["bash", "-c", `"$ASH" --base-url "$URL" --schema <(echo '{"type": "integer"}') go`],
      { cwd: place.folder, env: environmentOf(place, { ...KEY, ASH, URL: server.url }), stdout: "pipe" },
    );
    expect(await process.stdout.text()).toBe("7\n");
  });

  test.each([
    ["http://json-schema.org/draft-07/schema#", "definitions"],
    ["https://json-schema.org/draft/2020-12/schema", "$defs"],
  ])("of %s with references inside is followed", async ($schema, place) => {
    const schema = {
      $schema,
      [place]: { n: { type: "integer", exclusiveMinimum: 1 } },
      $ref: `#/${place}/n`,
    };
    server.start([says("1"), says("2")]);
    expect(await ask(["go"], schema)).toMatchObject({ code: 0, stdout: "2\n" });
    expect(server.requests).toHaveLength(2);
  });
});
