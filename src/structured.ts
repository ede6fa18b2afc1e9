// Answers that follow a JSON Schema: the server is asked to hold them to it where it can, and the model is told
// otherwise. The check afterwards is the same either way.
import type { AnswerCheck } from "./answer.ts";
import { type Json, parseAnswerSchema } from "./answerschema.ts";
import { nativeSchema } from "./nativeschema.ts";
import { type Provider, ProviderError } from "./provider.ts";
import { presetNamed } from "./providers/presets.ts";
import { readTextFile } from "./question.ts";

/** What a run with a schema needs. */
export type Structured = {
  readonly check: AnswerCheck;
  /** The text of the schema. */
  readonly asked: string;
  /** The provider that asks for such an answer; `warn` hears when the server does not take the schema. */
  ask(provider: Provider, warn: (type: string, message: string) => void): Provider;
};

const instruction = (schema: Json): string =>
  "\n\nYour final answer must be exactly one JSON value that matches the JSON Schema below: no other text before " +
  `or after it, no code fence. Call tools first as you need them.\n\n${JSON.stringify(schema)}`;

function askFor(schema: Json, inner: Provider, warn: (type: string, message: string) => void): Provider {
  const native = presetNamed(inner.name)?.answerFormat === true ? nativeSchema(schema) : null;
  let isNative = native !== null;
  const told = instruction(schema);
  return {
    name: inner.name,
    model: inner.model,
    async complete(request, hooks) {
      const asked = { ...request, system: request.system + told };
      if (native === null || !isNative) return inner.complete(asked, hooks);
      try {
        return await inner.complete({ ...request, format: { schema: native } }, hooks);
      } catch (thrown) {
        if (!(thrown instanceof ProviderError) || thrown.type !== "invalid_request") throw thrown;
        const reply = await inner.complete(asked, hooks);
        // Only now is it known that the schema was what the server refused.
        isNative = false;
        warn(
          "schema_not_native",
          `the server does not take the schema, so the model is told: ${thrown.message}`,
        );
        return reply;
      }
    },
    finish: () => inner.finish(),
  };
}

/** Reads the schema a run's answer must follow. Throws a usage error when the file is not one. */
export async function openStructured(path: string, signal: AbortSignal): Promise<Structured> {
  const asked = await readTextFile(path, `--schema ${path}`, signal);
  const { schema, check } = parseAnswerSchema(asked, path);
  return { asked, check, ask: (provider, warn) => askFor(schema, provider, warn) };
}
