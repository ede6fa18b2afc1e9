// Answers that must match a schema: found in text, checked, and the schema as servers take it.
import { describe, expect, test } from "bun:test";
import Ajv from "ajv";
import { strictError } from "../../src/answer.ts";
import { type Json, parseAnswerSchema } from "../../src/answerschema.ts";
import { jsonIn, plainJson } from "../../src/jsontext.ts";
import { nativeSchema } from "../../src/nativeschema.ts";
import type { Denial, ToolRecord } from "../../src/schema.ts";

describe("the JSON in an answer", () => {
  const found = [
    ['{"a": 1}', { a: 1 }],
    [" \n[1, 2]\r\n", [1, 2]],
    ['```json\n{"a": "```"}\n```', { a: "```" }],
    ['```JSON\r\n{"a": 1}\r\n```', { a: 1 }],
    ["Sure:\n```\n7\n```\nDone.", 7],
    ['  ```json\n  {"a": 1}\n  ```', { a: 1 }],
  ] as const;
  test.each(found)("of %j is found", (answer, value) =>
    expect(jsonIn(answer)?.value).toEqual(value as never),
  );

  test.each(["", "hello", "```json\n1\n```\n```json\n2\n```", "{'a': 1}", '{"a": 1} {"a": 2}', "```json\n{"])(
    "of %j is not made up",
    (answer) => expect(jsonIn(answer)).toBeNull(),
  );

  test("is written so that nothing of it is lost on a terminal", () => {
    expect(plainJson('{"a": "plain"}')).toBe('{"a": "plain"}');
    const text = JSON.stringify({ a: "\u202e\u{1f600}\u007f" });
    expect(JSON.parse(plainJson(text))).toEqual(JSON.parse(text));
    expect(plainJson(text)).toMatch(/^[ -~]+$/);
  });
});

const object = (properties: Json, more: Json = {}): Json => ({ type: "object", properties, ...more });

describe("a schema as the server takes it", () => {
  test("is closed at every level and says in words what it cannot say otherwise", () => {
    const schema = object(
      {
        a: { type: ["string", "null"], format: "date", description: "when" },
        b: object({ c: { type: "number", multipleOf: 2 } }),
      },
      { $schema: "x", title: "T", required: ["a"] },
    );
    expect(nativeSchema(schema)).toEqual({
      type: "object",
      title: "T",
      properties: {
        a: { anyOf: [{ type: "string" }, { type: "null" }], description: 'when\nformat: "date"' },
        b: {
          type: "object",
          properties: { c: { type: "number", description: "multipleOf: 2" } },
          additionalProperties: false,
        },
      },
      required: ["a"],
      additionalProperties: false,
    });
  });

  test("keeps definitions and references to them", () => {
    const schema = object({ a: { $ref: "#/$defs/n" } }, { $defs: { n: { type: "integer" } } });
    expect(nativeSchema(schema)).toEqual({ ...schema, additionalProperties: false });
  });

  const impossible: readonly (readonly [string, Json])[] = [
    ["that is no object", { type: "array", items: { type: "string" } }],
    ["of any object", { type: "object" }],
    ["of a map", object({ a: { type: "object", additionalProperties: { type: "string" } } })],
    ["that requires what it does not describe", object({ a: { type: "string" } }, { required: ["b"] })],
    ["with exactly one of", object({ a: { oneOf: [{ type: "string" }] } })],
    ["with conditions", object({ a: { type: "string" } }, { if: {}, else: {} })],
    ["with an item of any kind", object({ a: { type: "array" } })],
    ["with tuples", object({ a: { type: "array", items: { type: "string" }, prefixItems: [{}] } })],
    ["with a value of any type", object({ a: {} })],
    ["with objects among its words", object({ a: { enum: [{}] } })],
    ["with draft-07 definitions", object({ a: { $ref: "#/definitions/n" } })],
    ["with names by pattern", object({ a: { type: "string" } }, { patternProperties: {} })],
    [
      "that contains itself",
      object(
        { a: { $ref: "#/$defs/t" } },
        { $defs: { t: object({ next: { anyOf: [{ $ref: "#/$defs/t" }, { type: "null" }] } }) } },
      ),
    ],
    ["with a choice beside a type", object({ a: { type: "string", anyOf: [{ type: "string" }] } })],
  ];
  test.each(impossible)("%s is not converted", (_, schema) => expect(nativeSchema(schema)).toBeNull());
});

describe("a check", () => {
  const table: readonly (readonly [Json, readonly unknown[]])[] = [
    [
      object({ a: { type: "integer" } }, { required: ["a"], additionalProperties: false }),
      [{ a: 1 }, { a: 1.5 }, {}, { a: 1, b: 2 }, [], null],
    ],
    [
      { type: "array", items: { enum: ["x", 1, null] }, minItems: 1, uniqueItems: true },
      [["x"], [], ["x", "x"], [1, null], ["y"]],
    ],
    [
      {
        oneOf: [
          { type: "number", multipleOf: 3 },
          { type: "number", multipleOf: 5 },
        ],
      },
      [3, 5, 15, 7, "3"],
    ],
    [{ type: "string", pattern: "^[a-z]+$", maxLength: 3 }, ["abc", "abcd", "A", "", 1]],
    [{ anyOf: [{ const: 1 }, { not: { type: "number" } }] }, [1, 2, "x", null]],
    [object({ a: { type: "string", format: "date" } }), [{ a: "2026-11-30" }, { a: "30.11.2026" }, {}]],
    [
      {
        $defs: { t: object({ n: { anyOf: [{ $ref: "#/$defs/t" }, { type: "null" }] } }) },
        $ref: "#/$defs/t",
      },
      [{ n: { n: null } }, { n: { n: 1 } }],
    ],
    [
      {
        type: "object",
        minProperties: 1,
        propertyNames: { pattern: "^a" },
        patternProperties: { "^ab": { type: "null" } },
      },
      [{ a: 1 }, { b: 1 }, { ab: 1 }, { ab: null }, {}],
    ],
    [
      JSON.parse('{"if": {"type": "number"}, "then": {"minimum": 3}, "else": {"type": "string"}}'),
      [3, 2, "x", null],
    ],
  ];
  const ajv = new Ajv({ strict: false, formats: { date: /^\d{4}-\d\d-\d\d$/ } });

  test.each(table)("against %j agrees with another validator", (schema, values) => {
    const { check } = parseAnswerSchema(JSON.stringify(schema), "s");
    for (const value of values)
      expect([value, check(JSON.stringify(value)).ok]).toEqual([value, ajv.validate(schema, value)]);
  });

  test("names a few of many mistakes, where they are, and no more", () => {
    const { check } = parseAnswerSchema('{"items": {"type": "integer"}}', "s");
    const checked = check(JSON.stringify(Array(50).fill("x")));
    expect(checked.ok).toBe(false);
    if (!checked.ok) expect(checked.problem.split("; ")).toHaveLength(5);
  });

  test("of an answer nested without end is a mismatch, not a crash", () => {
    const { check } = parseAnswerSchema('{"items": {"$ref": "#"}}', "s");
    expect(check(`${"[".repeat(20_000)}${"]".repeat(20_000)}`).ok).toBe(false);
  });
});

describe("what a caller does not accept", () => {
  const denial: Denial = {
    id: "1",
    name: "run_unix_command",
    argv: ["rm", "x"],
    rule: "not-listed",
    reason: "no",
  };
  const failure = {
    name: "run_unix_command",
    argv: ["ls", "x"],
    stages: null,
    exit_code: 2,
    signal: null,
    timed_out: false,
  } as ToolRecord;
  const both = { denials: [denial, denial], failures: [failure] };

  test("is nothing unless it was asked for", () => {
    expect(strictError({ onDenied: false, onToolError: false }, both)).toBeNull();
    expect(strictError({ onDenied: true, onToolError: true }, { denials: [], failures: [] })).toBeNull();
  });

  test("is a denial before a failed tool", () => {
    expect(strictError({ onDenied: true, onToolError: true }, both)).toMatchObject({
      type: "denied",
      exitCode: 7,
      message: "a call was denied: rm: no (and 1 more)",
    });
    expect(strictError({ onDenied: false, onToolError: true }, both)).toMatchObject({
      type: "tool_failed",
      exitCode: 9,
    });
  });

  test.each([
    [{}, "a tool failed: ls exited with 2"],
    [{ timed_out: true, signal: "SIGTERM" }, "a tool failed: ls timed out"],
    [{ exit_code: null, signal: "SIGKILL" }, "a tool failed: ls was ended by SIGKILL"],
    [{ argv: null, stages: [{ argv: ["a"] }, { argv: ["b"] }] }, "a tool failed: a | b exited with 2"],
  ])("names the tool and how it ended (%j)", (change, message) => {
    const error = strictError(
      { onDenied: false, onToolError: true },
      { denials: [], failures: [{ ...failure, ...change } as ToolRecord] },
    );
    expect(error?.message).toBe(message);
  });
});
