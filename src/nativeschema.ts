// A JSON Schema in the part of the language the Messages API holds answers to. What that part cannot say is left to
// the check afterwards; a schema it would change the sense of is not converted at all. Pure.
import type { Json } from "./answerschema.ts";

/** Keywords taken over as they are. */
const PLAIN: ReadonlySet<string> = new Set(["title", "description", "default"]);
/** Keywords that only narrow values: the model is told of them in words. */
const TOLD: ReadonlySet<string> = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "format",
  "examples",
]);
/** Keywords that say nothing about values. */
const SILENT: ReadonlySet<string> = new Set(["$schema", "$id", "$comment", "$defs"]);
const SCALARS: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "null"]);

/** Thrown inside this file when a schema cannot be converted. */
class Inconvertible extends Error {}

const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null;

function convertAll(map: unknown): Json {
  if (!isJson(map)) throw new Inconvertible();
  return Object.fromEntries(Object.entries(map).map(([name, node]) => [name, convert(node)]));
}

function convertObject(node: Json): Json {
  const { properties, required, additionalProperties } = node;
  if (additionalProperties !== undefined && typeof additionalProperties !== "boolean")
    throw new Inconvertible();
  const converted = convertAll(properties ?? {});
  const names = Array.isArray(required) ? required.map(String) : [];
  // Without declared properties any object would do, and with the closed form none but the empty one.
  if (Object.keys(converted).length === 0 || names.some((name) => !Object.hasOwn(converted, name)))
    throw new Inconvertible();
  return {
    type: "object",
    properties: converted,
    ...(required === undefined ? {} : { required: names }),
    additionalProperties: false,
  };
}

function convertTyped(node: Json): Json {
  const { type } = node;
  if (Array.isArray(type)) return { anyOf: type.map((one) => convertTyped({ ...node, type: one })) };
  if (type === "object") return convertObject(node);
  if (type === "array") {
    if (!isJson(node.items)) throw new Inconvertible();
    return { type, items: convert(node.items) };
  }
  if (typeof type === "string" && SCALARS.has(type)) return { type };
  throw new Inconvertible();
}

function convertLiterals(node: Json): Json {
  const values = Array.isArray(node.enum) ? node.enum : [node.const];
  if (!values.every(isScalar)) throw new Inconvertible();
  return node.enum === undefined ? { const: node.const } : { enum: values };
}

const KNOWN: ReadonlySet<string> = new Set([
  ...PLAIN,
  ...TOLD,
  ...SILENT,
  ...["type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref"],
]);

function coreOf(node: Json): Json {
  if (node.enum !== undefined || node.const !== undefined) return convertLiterals(node);
  if (Array.isArray(node.anyOf)) {
    if (node.type !== undefined || node.properties !== undefined) throw new Inconvertible();
    return { anyOf: node.anyOf.map(convert) };
  }
  return convertTyped(node);
}

function convert(node: unknown): Json {
  if (!isJson(node) || Object.keys(node).some((key) => !KNOWN.has(key))) throw new Inconvertible();
  if (node.$ref !== undefined) {
    if (!/^#\/\$defs\/[^/]+$/.test(String(node.$ref))) throw new Inconvertible();
    return { $ref: node.$ref };
  }
  const entries = Object.entries(node);
  const plain = Object.fromEntries(entries.filter(([key]) => PLAIN.has(key)));
  const told = entries
    .filter(([key]) => TOLD.has(key))
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const description = [plain.description, told.join(", ")].filter(Boolean).join("\n");
  return { ...coreOf(node), ...plain, ...(description === "" ? {} : { description }) };
}

/** Definitions that reach themselves again cannot be compiled by the server. */
function isRecursive(definitions: Json): boolean {
  const targets = (node: unknown): readonly string[] =>
    [...JSON.stringify(node).matchAll(/"\$ref":"#\/\$defs\/([^"/]+)"/g)].map(([, name]) => name ?? "");
  const reaches = (from: string, to: string, seen: ReadonlySet<string>): boolean =>
    targets(definitions[from] ?? null).some(
      (next) => next === to || (!seen.has(next) && reaches(next, to, new Set([...seen, next]))),
    );
  return Object.keys(definitions).some((name) => reaches(name, name, new Set([name])));
}

/** The schema as the server takes it, or null when it cannot be said that way. */
export function nativeSchema(schema: Json): Json | null {
  if (schema.type !== "object") return null;
  try {
    const definitions = schema.$defs === undefined ? null : convertAll(schema.$defs);
    if (definitions !== null && isRecursive(definitions)) return null;
    return { ...convert(schema), ...(definitions === null ? {} : { $defs: definitions }) };
  } catch (thrown) {
    if (thrown instanceof Inconvertible) return null;
    throw thrown;
  }
}
