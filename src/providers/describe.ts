// What a run would ask, told without asking: the server, the model, whether there is a key. It never fails and never
// shows a key.
import type { Config } from "../config.ts";
import { AshError } from "../errors.ts";
import { MODEL_ALIASES, presetNamed } from "./presets.ts";
import { chooseConnection } from "./select.ts";

/** A model server as far as it can be told; `problem` says why a run could not ask it. */
export type ConnectionFacts = {
  readonly provider: string;
  readonly baseUrl: string | null;
  readonly model: string | null;
  /** Where the key comes from; null when there is none that would be sent. */
  readonly keyOrigin: string | null;
  readonly keyRequired: boolean;
  readonly problem: AshError | null;
};

/** Describes the connection of a configuration. */
export function describeConnection(config: Config): ConnectionFacts {
  const { provider, baseUrl, model } = config.settings;
  const preset = presetNamed(provider);
  const wanted = model ?? preset?.model ?? null;
  const known = {
    provider,
    baseUrl: baseUrl ?? preset?.baseUrl ?? null,
    model: wanted !== null && provider === "anthropic" ? (MODEL_ALIASES[wanted] ?? wanted) : wanted,
    keyOrigin: null,
    keyRequired: preset?.keyRequired ?? false,
    problem: null,
  };
  try {
    const connection = chooseConnection(config);
    return { ...known, model: connection.model, keyOrigin: connection.credential?.origin ?? null };
  } catch (thrown) {
    if (!(thrown instanceof AshError)) throw thrown;
    return { ...known, problem: thrown };
  }
}
