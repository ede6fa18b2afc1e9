// Questions whose answer must match a schema, asked of a loopback server.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Finished, type Place, runAsh } from "./ash.ts";
import { type TestServer, usePlace, useServer } from "./asking.ts";

/** A key for servers that are told the schema, and one for those that are not. */
export const KEY = { ANTHROPIC_API_KEY: "test-key", OPENROUTER_API_KEY: "test-key" };

/** A schema with a bound, a length and a list of words. */
export const DISK = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    used: { type: "integer", minimum: 0, maximum: 100 },
    tags: { type: "array", items: { enum: ["full", "slow"] } },
  },
  required: ["name", "used"],
};

/** An answer that matches it. */
export const GOOD = '{"name": "sda", "used": 93}';

/** Flags for a server that is not told the schema. */
export const PLAIN = ["--provider", "openrouter", "--model", "m"] as const;

/** A place, its servers, and questions with a schema. */
export type Structured = {
  readonly place: Place;
  readonly server: TestServer;
  /** Writes a schema into the place, a text as it stands; returns its path. */
  readonly schemaFile: (schema?: unknown) => string;
  /** Asks the newest server with a schema. */
  readonly ask: (args: readonly string[], schema?: unknown) => Promise<Finished>;
};

/** Makes a place before each test and removes it afterwards, with what its servers saw checked. */
export function useSchema(): Structured {
  const place = usePlace();
  const server = useServer();
  const schemaFile = (schema: unknown = DISK): string => {
    const path = join(place.folder, "schema.json");
    writeFileSync(path, typeof schema === "string" ? schema : JSON.stringify(schema));
    return path;
  };
  return {
    place,
    server,
    schemaFile,
    ask: (args, schema) =>
      runAsh(place, ["--base-url", server.url, "--schema", schemaFile(schema), ...args], { env: KEY }),
  };
}
