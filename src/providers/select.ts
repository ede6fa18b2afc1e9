// Which provider a run uses, where it connects and with which key. A key goes only to a host it was given for.
import type { Config } from "../config.ts";
import { AshError, configError, usageError } from "../errors.ts";
import { Secret } from "../secret.ts";
import { closest } from "../suggest.ts";
import type { Connection, Credential, CustomHeader, Server } from "./connection.ts";
import { CUSTOM_HEADERS, MODEL_ALIASES, PRESETS, type Preset, presetNamed } from "./presets.ts";
import { isLoopback, proxyFor } from "./proxy.ts";

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

/** The model that is asked for by id or short name, or null when none is. */
export function askedModel(config: Config, preset: Preset): string | null {
  const asked = config.settings.model;
  if (asked === null || preset.name !== "anthropic") return asked;
  return MODEL_ALIASES[asked] ?? asked;
}

function chooseModel(config: Config, preset: Preset): string {
  const model = askedModel(config, preset) ?? preset.model;
  if (model !== null) return model;
  throw configError(`the provider ${preset.name} has no default model`, "give --model ID");
}

/** Where a value came from, as far as keys care. */
type Source = "flag" | "env" | "file" | "preset";

function sourceOf(origin: string): Source {
  if (origin.startsWith("flag")) return "flag";
  if (origin.startsWith("env")) return "env";
  return origin === "default" ? "preset" : "file";
}

/** A key that is set, and whether it was given for the server at hand. */
type Candidate = {
  readonly value: Secret;
  readonly form: Credential["form"];
  readonly name: string;
  readonly origin: string;
  readonly given: boolean;
};

/** What decides about keys: the server's preset, its address and who named each of them. */
type Place = {
  readonly preset: Preset;
  readonly baseUrl: string;
  readonly url: Source;
  readonly provider: Source;
};

const isOwnHost = ({ preset, baseUrl }: Place): boolean =>
  new URL(baseUrl).host === new URL(preset.baseUrl).host;

/** The variable of a preset is for the preset's host, for --base-url, and for an address that stands beside it. */
function isForPreset(place: Place): boolean {
  const { preset, url, provider } = place;
  if (isOwnHost(place) || url === "flag") return true;
  // A hosted service has a host of its own: ANTHROPIC_BASE_URL is about another one unless ASH_PROVIDER says so.
  return url === "env" && (provider === "env" || !preset.keyRequired);
}

/** The ANTHROPIC_ variables are for the anthropic preset, and for the address ANTHROPIC_BASE_URL names. */
function isForAnthropic(place: Place): boolean {
  if (place.url === "env") return true;
  return place.preset.name === "anthropic" && (isOwnHost(place) || place.url === "flag");
}

/** A key in config.toml is for the provider that stands there, at its own address, the file's or --base-url. */
function isForFile(place: Place, fileProvider: string): boolean {
  if (place.preset.name !== fileProvider) return false;
  return isOwnHost(place) || place.url === "file" || place.url === "flag";
}

function candidates(config: Config, place: Place): readonly Candidate[] {
  const { settings, origins, presetKeys, fileProvider } = config;
  const { preset } = place;
  const own = preset.name === "anthropic" ? [] : preset.keyEnv;
  const found: Candidate[] = own.flatMap((name) => {
    const value = presetKeys.get(name);
    return value === undefined
      ? []
      : [{ value, form: preset.auth, name, origin: `env ${name}`, given: isForPreset(place) }];
  });
  const general = [
    { key: "apiKey", form: preset.auth, name: "ANTHROPIC_API_KEY", toml: "api_key" },
    { key: "authToken", form: "bearer", name: "ANTHROPIC_AUTH_TOKEN", toml: "auth_token" },
  ] as const;
  for (const { key, form, name, toml } of general) {
    const value = settings[key];
    if (value === null) continue;
    if (sourceOf(origins[key]) === "file") {
      const name = `${toml} in config.toml`;
      found.push({ value, form, name, origin: name, given: isForFile(place, fileProvider) });
    } else found.push({ value, form, name, origin: `env ${name}`, given: isForAnthropic(place) });
  }
  return found;
}

function chooseCredential(config: Config, place: Place): Credential | null {
  const all = candidates(config, place);
  const usable = all.find(({ given }) => given);
  if (usable !== undefined) return { form: usable.form, value: usable.value, origin: usable.origin };
  const { preset, baseUrl } = place;
  if (!preset.keyRequired) return null;
  const [foreign] = all;
  if (foreign === undefined) {
    throw new AshError("auth", `there is no key for ${preset.name}`, {
      hint: `set ${preset.keyEnv[0]}; to see ash work without one: ash --replay demo 'hello'`,
    });
  }
  throw configError(
    `${foreign.name} was not given for ${baseUrl}, so it is not sent there`,
    isOwnHost(place)
      ? `set ${preset.keyEnv[0]}`
      : "set the address and the key in the same place, or give --base-url",
  );
}

const HEADER = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\u0020-\u007e]+)$/;

/** The lines of ANTHROPIC_CUSTOM_HEADERS, when they were given for this server. Throws a configuration error. */
function chooseHeaders(config: Config, place: Place): readonly CustomHeader[] {
  const given = config.presetKeys.get(CUSTOM_HEADERS);
  if (given === undefined || !isForAnthropic(place)) return [];
  const lines = given
    .reveal()
    .split("\n")
    .map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const [, name, value] = HEADER.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw configError(`${CUSTOM_HEADERS} is not a list of headers`, "write one 'Name: value' a line");
      return { name: name.toLowerCase(), value: new Secret(value) };
    });
}

/** Decides which server to talk to. Throws a configuration or credentials error that names the fix. */
export function chooseServer(config: Config): Server {
  const { settings, origins } = config;
  const preset = choosePreset(settings.provider);
  const baseUrl = settings.baseUrl ?? preset.baseUrl;
  const place: Place = {
    preset,
    baseUrl,
    url: sourceOf(origins.baseUrl),
    provider: sourceOf(origins.provider),
  };
  const credential = chooseCredential(config, place);
  const headers = chooseHeaders(config, place);
  const { protocol, hostname } = new URL(baseUrl);
  if ((credential !== null || headers.length > 0) && protocol === "http:" && !isLoopback(hostname)) {
    throw configError(`${baseUrl} is not encrypted, so the key is not sent there`, "use https://");
  }
  return {
    preset,
    baseUrl,
    credential,
    headers,
    proxy: proxyFor(baseUrl, config.surroundings.packageSettings),
    idleMs: settings.idleTimeout ?? preset.idleMs,
  };
}

/** Decides where to connect and which model to ask. Throws a configuration or credentials error that names the fix. */
export function chooseConnection(config: Config): Connection {
  const server = chooseServer(config);
  return { ...server, model: chooseModel(config, server.preset) };
}
