// The JSON Schemas ash publishes, made from the definitions the program itself is checked against. The only importer
// of the converter.
import { toJsonSchema } from "@valibot/to-json-schema";
import { BatchRecordSchema, configFileSchema, EventSchema, ResultSchema } from "./schema.ts";
import { fileSettings } from "./settingviews.ts";

/** What can be asked for. */
export const SCHEMA_NAMES = ["result", "event", "batch", "config"] as const;

/** A published schema's name. */
export type SchemaName = (typeof SCHEMA_NAMES)[number];

type Json = Readonly<Record<string, unknown>>;

const DIALECT = "http://json-schema.org/draft-07/schema#";

/** Every event line also has its number and its time. */
function withLineFields(schema: Json): Json {
  const variants = (schema.oneOf ?? schema.anyOf ?? []) as readonly Json[];
  return {
    oneOf: variants.map((variant) => ({
      ...variant,
      properties: {
        ...(variant.properties as Json),
        seq: { type: "integer", minimum: 1 },
        ts: { type: "string", format: "date-time" },
      },
      required: [...((variant.required ?? []) as readonly string[]), "seq", "ts"],
    })),
  };
}

/** The JSON Schema (draft-07) of a thing ash prints or reads. */
export function publishedSchema(name: SchemaName): Json {
  const convert = (schema: Parameters<typeof toJsonSchema>[0]): Json => {
    const { $schema: _, ...rest } = toJsonSchema(schema, { typeMode: "input", errorMode: "ignore" });
    return rest;
  };
  const titled = (title: string, schema: Json): Json => ({ $schema: DIALECT, title, ...schema });
  switch (name) {
    case "result":
      return titled("the object of ash --json", convert(ResultSchema));
    case "event":
      return titled("one line of ash --jsonl", withLineFields(convert(EventSchema)));
    case "batch":
      return titled("one line of the results of ash batch", convert(BatchRecordSchema));
    case "config":
      return titled("~/.ash/config.toml", convert(configFileSchema(fileSettings())));
  }
}
