// Configurations and connections for tests of the model side, without files and without an environment.
import type { Config } from "../../src/config.ts";
import type { Connection } from "../../src/providers/connection.ts";
import { type Preset, presetNamed } from "../../src/providers/presets.ts";
import { Secret } from "../../src/secret.ts";
import { SETTINGS, type SettingName } from "../../src/settings.ts";

/** Where a setting of a test comes from: the command line, the environment or the file. */
export type Given = { readonly flag?: string; readonly env?: string; readonly file?: string };

/** What a test says about a run: settings by name, and variables of single servers. */
export type Situation = {
  readonly settings?: Readonly<Partial<Record<SettingName, Given>>>;
  readonly keys?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
};

const origin = (given: Given): string => {
  if (given.flag !== undefined) return "flag --x";
  return given.env === undefined ? "/home/u/.ash/config.toml" : "env X";
};

/** The part of a configuration that decides about servers, read the way ash reads it. */
export function configOf({ settings = {}, keys = {}, variables = {} }: Situation): Config {
  const values: Record<string, unknown> = {};
  const origins: Record<string, string> = {};
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const given = settings[name as SettingName];
    const text = given?.flag ?? given?.env ?? given?.file;
    const parsed = text === undefined ? null : setting.parse(text);
    if (parsed !== null && !parsed.ok) throw new Error(`${name}: ${parsed.problem}`);
    values[name] = parsed === null ? setting.fallback : parsed.value;
    origins[name] = given === undefined ? "default" : origin(given);
  }
  return {
    settings: values,
    origins,
    fileProvider: settings.provider?.file ?? "anthropic",
    presetKeys: new Map(Object.entries(keys).map(([name, value]) => [name, new Secret(value)])),
    surroundings: { packageSettings: variables },
  } as unknown as Config;
}

/** A preset that exists. */
export function preset(name: string): Preset {
  const found = presetNamed(name);
  if (found === undefined) throw new Error(`there is no preset ${name}`);
  return found;
}

/** A connection to a server of a preset at its own address, without a key. */
export function connectionTo(name: string, changes: Partial<Connection> = {}): Connection {
  const own = preset(name);
  return {
    preset: own,
    baseUrl: own.baseUrl,
    credential: null,
    headers: [],
    proxy: null,
    idleMs: own.idleMs,
    model: "m",
    ...changes,
  };
}
