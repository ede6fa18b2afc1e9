// Which provider a run uses, where it connects and with which key. A key goes only to a host it was given for.
import type { Config } from "../config.ts";
import { AshError, configError, usageError } from "../errors.ts";
import type { Secret } from "../secret.ts";
import { snakeCase } from "../settingviews.ts";
import { closest } from "../suggest.ts";
import type { Connection, Credential } from "./connection.ts";
import { MODEL_ALIASES, PRESETS, type Preset, presetNamed } from "./presets.ts";

function choosePreset(name: string): Preset {
  const preset = presetNamed(name);
  if (preset !== undefined) return preset;
  const names = PRESETS.map((known) => known.name);
  if (name === "script") throw usageError("the provider script plays a recording", "give --replay FILE");
  const near = closest(name, names);
  throw configError(
    `unknown provider ${name}`,
    near === undefined ? `known: ${names.join(", ")}, script` : `did you mean ${near}?`,
  );
}

function chooseModel(config: Config, preset: Preset): string {
  const asked = config.settings.model;
  if (asked !== null) return preset.name === "anthropic" ? (MODEL_ALIASES[asked] ?? asked) : asked;
  if (preset.model !== null) return preset.model;
  throw configError(`the provider ${preset.name} has no default model`, "give --model ID");
}

/** Where a value came from, as far as keys care. */
type Source = "flag" | "env" | "file" | "preset";

function sourceOf(origin: string): Source {
  if (origin.startsWith("flag")) return "flag";
  if (origin.startsWith("env")) return "env";
  return origin === "default" ? "preset" : "file";
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || host.endsWith(".localhost") || /^127(\.\d+){3}$/.test(host);

/**
 * True when a key from `key` was given for a server named by `url`: the command line names both at once, and
 * otherwise both must stand in the same place, or the server be the preset's own.
 */
function wasGivenFor(key: Source, url: Source, baseUrl: string, preset: Preset): boolean {
  if (url === "flag" || url === "preset" || url === key) return true;
  return new URL(baseUrl).host === new URL(preset.baseUrl).host;
}

type Candidate = {
  readonly value: Secret;
  readonly form: Credential["form"];
  readonly name: string;
  readonly source: Source;
};

function candidates(config: Config, preset: Preset): readonly Candidate[] {
  const { settings, origins } = config;
  const found: Candidate[] = [];
  for (const name of preset.name === "anthropic" ? [] : preset.keyEnv) {
    const value = config.presetKeys.get(name);
    if (value !== undefined) found.push({ value, form: preset.auth, name, source: "env" });
  }
  const isPresetFromFile = preset.name === "anthropic" || sourceOf(origins.provider) === "file";
  const general = [
    { key: "apiKey", form: preset.auth, name: "ANTHROPIC_API_KEY" },
    { key: "authToken", form: "bearer", name: "ANTHROPIC_AUTH_TOKEN" },
  ] as const;
  for (const { key, form, name } of general) {
    const value = settings[key];
    const source = sourceOf(origins[key]);
    if (value === null) continue;
    // The general names belong to the anthropic server; another server gets them only with an address beside them.
    const fits =
      source === "file"
        ? isPresetFromFile
        : preset.name === "anthropic" || sourceOf(origins.baseUrl) !== "preset";
    if (fits)
      found.push({ value, form, name: source === "file" ? `config.toml ${snakeCase(key)}` : name, source });
  }
  return found;
}

function chooseCredential(config: Config, preset: Preset, baseUrl: string): Credential | null {
  const urlSource = sourceOf(config.origins.baseUrl);
  const all = candidates(config, preset);
  const usable = all.find(({ source }) => wasGivenFor(source, urlSource, baseUrl, preset));
  if (usable !== undefined) {
    const { form, value, name, source } = usable;
    return { form, value, origin: source === "env" ? `env ${name}` : name };
  }
  const [foreign] = all;
  if (foreign !== undefined && preset.keyRequired) {
    throw configError(
      `${foreign.name} was not given for ${baseUrl}, so it is not sent there`,
      "set the address and the key in the same place, or give --base-url",
    );
  }
  if (!preset.keyRequired) return null;
  throw new AshError("auth", `there is no key for ${preset.name}`, {
    hint: `set ${preset.keyEnv[0]}; to see ash work without one: ash --replay demo 'hello'`,
  });
}

/** Decides where to connect. Throws a configuration or credentials error that names the fix. */
export function chooseConnection(config: Config): Connection {
  const preset = choosePreset(config.settings.provider);
  const baseUrl = config.settings.baseUrl ?? preset.baseUrl;
  const credential = chooseCredential(config, preset, baseUrl);
  const { protocol, hostname } = new URL(baseUrl);
  if (credential !== null && protocol === "http:" && !isLoopback(hostname)) {
    throw configError(`${baseUrl} is not encrypted, so the key is not sent there`, "use https://");
  }
  return { preset, baseUrl, model: chooseModel(config, preset), credential };
}
