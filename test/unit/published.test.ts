// The published schemas, read by a validator that is not ours.
import { describe, expect, test } from "bun:test";
import Ajv2020 from "ajv/dist/2020";
import { type Json, publishedSchema, SCHEMA_NAMES } from "../../src/jsonschema.ts";
import { EVENT, RESULT } from "../../src/schema/descriptions.ts";
import { DOCTOR, INIT, SESSION, SESSIONS, SETTINGS } from "../../src/schema/reportdescriptions.ts";

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Every key of a schema at every depth: its path, and its description if it has one. */
function keysOf(schema: unknown, path = ""): readonly (readonly [path: string, description: unknown])[] {
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === "properties" && isObject(value)) {
      return Object.entries(value).flatMap(([name, part]) => {
        const at = path === "" || path.endsWith(":") ? `${path}${name}` : `${path}.${name}`;
        return [[at, isObject(part) ? part.description : undefined] as const, ...keysOf(part, at)];
      });
    }
    if (key === "items") return keysOf(value, `${path}[]`);
    if (Array.isArray(value)) return value.flatMap((part) => keysOf(part, path));
    return [];
  });
}

describe("the published schemas", () => {
  test.each([...SCHEMA_NAMES])(
    "%s has a title, a name of its own and a description for every key",
    (name) => {
      const schema = publishedSchema(name);
      expect(schema).toMatchObject({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $id: `urn:ash:schema:${name}:1`,
        title: expect.any(String),
      });
      const keys = keysOf(schema);
      expect(keys.length).toBeGreaterThan(5);
      expect(keys.filter(([, description]) => typeof description !== "string").map(([path]) => path)).toEqual(
        [],
      );
    },
  );

  test.each([...SCHEMA_NAMES])("%s is a valid schema to a validator that is not ours", (name) => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false });
    expect(() => ajv.compile(publishedSchema(name))).not.toThrow();
  });

  test("have no description of a key that is not there", () => {
    const left = Object.entries({
      result: RESULT,
      doctor: DOCTOR,
      settings: SETTINGS,
      sessions: SESSIONS,
      session: SESSION,
      init: INIT,
    }).flatMap(([name, texts]) => {
      const paths = new Set(keysOf(publishedSchema(name as "result")).map(([path]) => path));
      return Object.keys(texts)
        .filter((path) => !paths.has(path))
        .map((path) => `${name}: ${path}`);
    });
    expect(left).toEqual([]);
    const lines = publishedSchema("event").oneOf as readonly Json[];
    const kinds = lines.map((line) => ((line.properties as Json).type as Json).const as string);
    const inLines = new Set(lines.flatMap((line, i) => keysOf(line, `${kinds[i]}:`).map(([path]) => path)));
    const starred = new Set([...inLines].map((path) => path.replace(/^[^:]*/, "*")));
    expect(
      Object.keys(EVENT).filter((path) => !inLines.has(path) && !starred.has(path) && !kinds.includes(path)),
    ).toEqual([]);
  });

  test("refuse an unknown key, a missing one and a wrong kind of line", () => {
    const ajv = new Ajv2020({ validateFormats: false });
    const isLine = ajv.compile(publishedSchema("event"));
    const line = { type: "turn.start", seq: 1, ts: "2026-01-02T03:04:05.000Z", turn: 1 };
    expect(isLine(line)).toBe(true);
    expect(isLine({ ...line, more: 1 })).toBe(false);
    expect(isLine({ ...line, seq: undefined })).toBe(false);
    expect(isLine({ ...line, type: "turn.begin" })).toBe(false);
    expect(isLine({ ...line, seq: 0 })).toBe(false);
  });
});
