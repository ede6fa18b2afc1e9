// The JSON Schema of an answer: read strictly, and answers held against it. The only importer of the validator, which
// interprets schemas: a program without code generation can use it.

import {
  dereference,
  type OutputUnit,
  type Schema,
  type SchemaDraft,
  Validator,
} from "@cfworker/json-schema";
import type { AnswerCheck, CheckedAnswer } from "./answer.ts";
import { type AshError, usageError } from "./errors.ts";
import { jsonIn, plainJson } from "./jsontext.ts";
import { shorten } from "./layout.ts";
import { META_SCHEMA } from "./metaschema.ts";

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** A schema that was read, and the check of answers it stands for. */
export type AnswerSchema = { readonly schema: Json; readonly check: AnswerCheck };

/** A schema goes along with every request; a longer one is a mistake. */
export const SCHEMA_BYTES = 256 * 1024;
const DEEPEST = 64;

const DRAFTS: readonly (readonly [address: RegExp, draft: SchemaDraft])[] = [
  [/^https?:\/\/json-schema\.org\/draft-04\/schema#?$/, "4"],
  [/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/, "7"],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, "2019-09"],
  [/^https?:\/\/json-schema\.org\/(draft\/2020-12\/)?schema#?$/, "2020-12"],
];

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [mark] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (mark === "[" || mark === "{") depth += 1;
    else if (mark === "]" || mark === "}") depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function draftOf(schema: Json, bad: (problem: string) => AshError): SchemaDraft {
  const { $schema } = schema;
  if ($schema === undefined) return "2020-12";
  const found = DRAFTS.find(([address]) => address.test(String($schema)));
  if (found === undefined) throw bad(`its $schema is not one ash knows (draft 4, 6, 7, 2019-09, 2020-12)`);
  return found[1];
}

/** Errors that only say that another one follows. */
const WRAPPERS: ReadonlySet<string> = new Set([
  "$ref",
  "$recursiveRef",
  "allOf",
  "false",
  "if",
  "items",
  "patternProperties",
  "prefixItems",
  "properties",
]);
const MOST_ERRORS = 5;
const LONGEST_ERROR = 160;

function describe(errors: readonly OutputUnit[]): string {
  const telling = errors.filter(({ keyword }) => !WRAPPERS.has(keyword));
  const shown = (telling.length > 0 ? telling : errors).slice(0, MOST_ERRORS);
  return shown
    .map(({ instanceLocation, error }) => {
      const where = decodeURIComponent(instanceLocation.slice(1)) || "the whole";
      const what = error.replace(/\.$/, "");
      return `${where}: ${shorten(what, LONGEST_ERROR)}`;
    })
    .join("; ");
}

/** Subschemas by address, as the validator will look them up. */
function subschemas(schema: Json, bad: (problem: string) => AshError): ReadonlyMap<string, Schema | boolean> {
  try {
    return new Map(Object.entries(dereference(schema as Schema)));
  } catch (thrown) {
    throw bad(`not a usable JSON Schema (${thrown instanceof Error ? thrown.message : String(thrown)})`);
  }
}

function checkReferences(schema: Json, bad: (problem: string) => AshError): void {
  const known = subschemas(schema, bad);
  for (const subschema of known.values()) {
    if (typeof subschema === "boolean" || subschema.$ref === undefined) continue;
    if (known.has(subschema.__absolute_ref__ ?? "")) continue;
    const { $ref } = subschema;
    throw bad(
      $ref.startsWith("#")
        ? `${$ref} is not in it`
        : `it refers to ${$ref}, and ash reads nothing but the file`,
    );
  }
}

function checkPatterns(schema: Json, bad: (problem: string) => AshError): void {
  for (const subschema of subschemas(schema, bad).values()) {
    if (typeof subschema === "boolean") continue;
    const { pattern, patternProperties } = subschema;
    for (const text of [
      ...(pattern === undefined ? [] : [pattern]),
      ...Object.keys(patternProperties ?? {}),
    ]) {
      try {
        new RegExp(text, "u");
      } catch {
        throw bad(`the pattern ${JSON.stringify(text)} is not a regular expression`);
      }
    }
  }
}

function readSchema(text: string, bad: (problem: string) => AshError): Json {
  if (Buffer.byteLength(text) > SCHEMA_BYTES) throw bad(`it is longer than ${SCHEMA_BYTES / 1024} KiB`);
  if (depthOf(text) > DEEPEST) throw bad(`it is nested more than ${DEEPEST} levels deep`);
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch {
    throw bad("it is not JSON");
  }
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    throw bad("it is not a JSON Schema: an object is expected");
  const { valid, errors } = new Validator(META_SCHEMA as Schema, "2020-12", false).validate(schema);
  if (!valid) throw bad(`it is not a JSON Schema: ${describe(errors)}`);
  return schema as Json;
}

/** Reads a schema. Throws a usage error that names the file when it is not one that can be checked. */
export function parseAnswerSchema(text: string, name: string): AnswerSchema {
  const bad = (problem: string): AshError => usageError(`--schema ${name}: ${problem}`);
  const schema = readSchema(text, bad);
  const draft = draftOf(schema, bad);
  checkReferences(schema, bad);
  checkPatterns(schema, bad);
  const validator = new Validator(schema as Schema, draft, false);
  const misfit = (problem: string): CheckedAnswer => ({
    ok: false,
    problem,
    request:
      `Your answer does not match the JSON Schema: ${problem}. Answer again with the corrected JSON value and ` +
      `nothing else, without calling a tool. The JSON Schema is:\n${JSON.stringify(schema)}`,
  });
  return {
    schema,
    check(answer) {
      const found = jsonIn(answer);
      if (found === null) return misfit("it is not one JSON value");
      try {
        const { valid, errors } = validator.validate(found.value);
        if (!valid) return misfit(describe(errors));
      } catch (thrown) {
        if (!(thrown instanceof RangeError)) throw thrown;
        return misfit("it is nested too deeply");
      }
      return { ok: true, text: plainJson(found.text), value: found.value };
    },
  };
}
