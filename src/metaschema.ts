// What a JSON Schema must look like for the validator to take it at its word: the types of the keywords, no more.
// Data only.

const SUBSCHEMA = { $ref: "#" };
const MAP = { type: "object", additionalProperties: SUBSCHEMA };
const LIST = { type: "array", minItems: 1, items: SUBSCHEMA };
const COUNT = { type: "integer", minimum: 0 };
const NUMBER = { type: "number" };
const TEXT = { type: "string" };
const NAMES = { type: "array", items: TEXT };
const TYPE = { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] };

/** The schema of schemas; `#` stands for itself. */
export const META_SCHEMA = {
  type: ["object", "boolean"],
  properties: {
    $id: TEXT,
    $ref: TEXT,
    $anchor: TEXT,
    $schema: TEXT,
    $recursiveRef: { const: "#" },
    // The validator would pass over it in silence.
    $dynamicRef: false,
    $defs: MAP,
    definitions: MAP,
    type: { anyOf: [TYPE, { type: "array", minItems: 1, items: TYPE }] },
    enum: { type: "array", minItems: 1 },
    required: { anyOf: [NAMES, { type: "boolean" }] },
    properties: MAP,
    patternProperties: MAP,
    additionalProperties: SUBSCHEMA,
    unevaluatedProperties: SUBSCHEMA,
    propertyNames: SUBSCHEMA,
    dependentSchemas: MAP,
    dependentRequired: { type: "object", additionalProperties: NAMES },
    items: { anyOf: [SUBSCHEMA, { type: "array", items: SUBSCHEMA }] },
    prefixItems: LIST,
    additionalItems: SUBSCHEMA,
    unevaluatedItems: SUBSCHEMA,
    contains: SUBSCHEMA,
    allOf: LIST,
    anyOf: LIST,
    oneOf: LIST,
    not: SUBSCHEMA,
    if: SUBSCHEMA,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: SUBSCHEMA,
    else: SUBSCHEMA,
    minimum: NUMBER,
    maximum: NUMBER,
    exclusiveMinimum: { type: ["number", "boolean"] },
    exclusiveMaximum: { type: ["number", "boolean"] },
    multipleOf: { type: "number", exclusiveMinimum: 0 },
    minLength: COUNT,
    maxLength: COUNT,
    minItems: COUNT,
    maxItems: COUNT,
    minContains: COUNT,
    maxContains: COUNT,
    minProperties: COUNT,
    maxProperties: COUNT,
    uniqueItems: { type: "boolean" },
    pattern: TEXT,
    format: TEXT,
  },
};
