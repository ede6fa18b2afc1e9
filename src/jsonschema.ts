// The JSON Schemas ash publishes, made from the definitions the program itself is checked against. The only importer
// of the converter.
import { toJsonSchema } from "@valibot/to-json-schema";
import { BATCH, type Descriptions, EVENT, RESULT } from "./schema/descriptions.ts";
import {
  BATCH_REPORT,
  DOCTOR,
  INIT,
  MODELS,
  SESSION,
  SESSIONS,
  SETTINGS,
} from "./schema/reportdescriptions.ts";
import {
  BatchReportSchema,
  DoctorSchema,
  InitSchema,
  ModelsSchema,
  SessionSchema,
  SessionsSchema,
  SettingsSchema,
} from "./schema/reports.ts";
import { BatchRecordSchema, configFileSchema, EventSchema, ResultSchema } from "./schema.ts";
import { fileSettings } from "./settingviews.ts";

/** A JSON Schema, or a part of one. */
export type Json = Readonly<Record<string, unknown>>;

type Shape = Parameters<typeof toJsonSchema>[0];
type Published = {
  readonly title: string;
  readonly version: number;
  readonly shape: () => Shape;
  readonly texts: Descriptions;
};

const PUBLISHED = {
  result: { title: "what ash --json prints", version: 1, shape: () => ResultSchema, texts: RESULT },
  event: { title: "one line of ash --jsonl", version: 1, shape: () => EventSchema, texts: EVENT },
  batch: {
    title: "one line of the results of ash batch",
    version: 1,
    shape: () => BatchRecordSchema,
    texts: BATCH,
  },
  "batch-report": {
    title: "what ash batch --json prints",
    version: 1,
    shape: () => BatchReportSchema,
    texts: BATCH_REPORT,
  },
  config: {
    title: "the file config.toml",
    version: 1,
    shape: () => configFileSchema(fileSettings()),
    texts: {},
  },
  doctor: { title: "what ash doctor --json prints", version: 1, shape: () => DoctorSchema, texts: DOCTOR },
  settings: {
    title: "what ash config --json prints",
    version: 1,
    shape: () => SettingsSchema,
    texts: SETTINGS,
  },
  sessions: {
    title: "what ash sessions list|rm|path --json prints",
    version: 1,
    shape: () => SessionsSchema,
    texts: SESSIONS,
  },
  session: {
    title: "what ash sessions show --json prints",
    version: 1,
    shape: () => SessionSchema,
    texts: SESSION,
  },
  init: { title: "what ash init --json prints", version: 1, shape: () => InitSchema, texts: INIT },
  models: { title: "what ash models --json prints", version: 1, shape: () => ModelsSchema, texts: MODELS },
} as const satisfies Readonly<Record<string, Published>>;

/** A published schema's name. */
export type SchemaName = keyof typeof PUBLISHED;

/** What can be asked for. */
export const SCHEMA_NAMES = Object.keys(PUBLISHED) as readonly SchemaName[];

/** What the schema describes, in a few words. */
export const schemaTitle = (name: SchemaName): string => PUBLISHED[name].title;

/** The name a schema is known by wherever it is copied to. */
export const schemaId = (name: SchemaName): string => `urn:ash:schema:${name}:${PUBLISHED[name].version}`;

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

const isSchema = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Puts a description to every key; `find` knows it by the key's path. */
function described(schema: Json, find: (path: string) => string | undefined, path: string): Json {
  const at = (key: string): string =>
    path === "" || path.endsWith(":") ? `${path}${key}` : `${path}.${key}`;
  const inside = (part: unknown, where: string): unknown =>
    isSchema(part) ? described(part, find, where) : part;
  const parts = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === "properties" && isSchema(value)) {
      const entries = Object.entries(value).map(([name, part]) => {
        const description = find(at(name));
        return [
          name,
          { ...(description === undefined ? {} : { description }), ...(inside(part, at(name)) as Json) },
        ];
      });
      return [key, Object.fromEntries(entries)];
    }
    if (key === "items") return [key, inside(value, `${path}[]`)];
    if ((key === "anyOf" || key === "oneOf") && Array.isArray(value))
      return [key, value.map((part) => inside(part, path))];
    return [key, value];
  });
  return Object.fromEntries(parts);
}

function convert(shape: Shape): Json {
  const { $schema: _, ...rest } = toJsonSchema(shape, {
    typeMode: "input",
    errorMode: "ignore",
    target: "draft-2020-12",
  });
  return rest as Json;
}

const partsOf = (schema: Json): readonly Json[] => (schema.oneOf ?? schema.anyOf ?? []) as readonly Json[];
const kindOf = (variant: Json): string => String(((variant.properties as Json).type as Json).const);

/** Every event line also has its number and its time; the last one holds a whole result. */
function eventLines(schema: Json): Json {
  const lines = partsOf(schema).map((variant): Json => {
    const kind = kindOf(variant);
    const find = (path: string): string | undefined => EVENT[path] ?? EVENT[path.replace(/^[^:]*/, "*")];
    const { type, ...own } = variant.properties as Json;
    const properties: Json = {
      type,
      seq: { type: "integer", minimum: 1 },
      ts: { type: "string", format: "date-time" },
      ...own,
      ...(kind === "run.end" ? { result: { $ref: "#/$defs/result" } } : {}),
    };
    const required = [
      "type",
      "seq",
      "ts",
      ...(variant.required as readonly string[]).filter((key) => key !== "type"),
    ];
    return { description: EVENT[kind], ...described({ ...variant, properties, required }, find, `${kind}:`) };
  });
  return { oneOf: lines, $defs: { result: described(convert(ResultSchema), (path) => RESULT[path], "") } };
}

/** The JSON Schema (2020-12) of a thing ash prints or reads. */
export function publishedSchema(name: SchemaName): Json {
  const { title, shape, texts }: Published = PUBLISHED[name];
  const plain = convert(shape());
  const body = name === "event" ? eventLines(plain) : described(plain, (path) => texts[path], "");
  return { $schema: DIALECT, $id: schemaId(name), title, ...body };
}
