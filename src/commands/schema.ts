// `ash schema [NAME]`: prints the JSON Schema of a thing ash prints or reads. It needs neither a home nor settings.
import { type Invocation, type OutputMode, operands } from "../argv.ts";
import { EXIT, usageError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { terminalWidth } from "../host/terminal.ts";
import { publishedSchema, SCHEMA_NAMES, type SchemaName, schemaId, schemaTitle } from "../jsonschema.ts";
import { definitions, USUAL_WIDTH } from "../layout.ts";
import { closest } from "../suggest.ts";

function nameOf(word: string): SchemaName {
  const found = SCHEMA_NAMES.find((name) => name === word);
  if (found !== undefined) return found;
  const near = closest(word, SCHEMA_NAMES);
  throw usageError(
    `there is no schema ${word}`,
    near === undefined ? `there are: ${SCHEMA_NAMES.join(", ")}` : `did you mean ${near}?`,
  );
}

function list(mode: OutputMode): string {
  if (mode === "text") {
    const rows = SCHEMA_NAMES.map((name) => [name, schemaTitle(name)] as const);
    return definitions(rows, terminalWidth(1) ?? USUAL_WIDTH);
  }
  const schemas = SCHEMA_NAMES.map((name) => ({ name, id: schemaId(name), title: schemaTitle(name) }));
  return JSON.stringify({ schema: "ash.schemas/1", schemas });
}

/** Prints a schema, or the list of them. Resolves to 0; throws a usage error for an unknown name. */
export async function schema(invocation: Invocation, host: Host, mode: OutputMode): Promise<number> {
  const [word, ...more] = operands(invocation);
  if (more.length > 0) throw usageError(`ash schema takes one name, not ${more.length + 1}`);
  const text =
    word === undefined
      ? list(mode)
      : JSON.stringify(publishedSchema(nameOf(word)), null, mode === "text" ? 2 : undefined);
  await host.stdout.write(`${text}\n`);
  return EXIT.ok;
}
