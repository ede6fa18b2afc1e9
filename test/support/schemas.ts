// Checks what ash prints against the schemas ash prints, with a validator that is not ours.
import Ajv2020 from "ajv/dist/2020";
import { ASH } from "./ash.ts";

const known = new Map<string, (value: unknown) => readonly string[]>();

function compiled(name: string): (value: unknown) => readonly string[] {
  const printed = Bun.spawnSync([ASH, "schema", name], { env: {} });
  if (printed.exitCode !== 0) throw new Error(printed.stderr.toString());
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, validateFormats: false });
  const validate = ajv.compile(JSON.parse(printed.stdout.toString()) as object);
  return (value) => {
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => `${error.instancePath || "/"} ${error.message ?? ""}`);
  };
}

/** Everything wrong with a value by the schema `ash schema NAME` prints; empty when it fits. */
export function schemaProblems(name: string, value: unknown): readonly string[] {
  let check = known.get(name);
  if (check === undefined) {
    check = compiled(name);
    known.set(name, check);
  }
  return check(value);
}
