// flag > environment > config.toml > default. The only file that reads the environment; nothing is ever read
// from the current directory, and nothing falls back silently.
import { isAbsolute, join } from "node:path";
import { type AshError, configError, usageError } from "./errors.ts";
import { checkHome, type Home, homeAt, readOwnFile } from "./home.ts";
import { accountHome, accountName, homeFolder } from "./host/files.ts";
import { CUSTOM_HEADERS, PRESETS } from "./providers/presets.ts";
import { PACKAGE_SETTINGS } from "./python/sources.ts";
import { createRedactor, type NamedSecret, type Redactor } from "./redact.ts";
import { check, configFileSchema } from "./schema.ts";
import { Secret } from "./secret.ts";
import { SETTINGS, type Setting, type SettingName, type Settings } from "./settings.ts";
import { fileSettings } from "./settingviews.ts";
import { closest } from "./suggest.ts";
import { parseToml } from "./toml.ts";

/** What ash knows from its surroundings besides settings. */
export type Surroundings = {
  /** The user's home folder. */
  readonly userHome: string;
  /** The home folder of the password database, whatever HOME says. */
  readonly accountHome: string | null;
  readonly userName: string;
  readonly language: string | undefined;
  readonly timeZone: string | undefined;
  /** Folders of PATH, absolute ones only. */
  readonly path: readonly string[];
  readonly colour: boolean;
  /** Where packages come from and how they are reached, as companies set it for pip, uv and every program. */
  readonly packageSettings: Readonly<Record<string, string>>;
};

/** The effective settings, each with where it came from. */
export type Config = {
  readonly settings: Settings;
  readonly origins: Readonly<Record<SettingName, string>>;
  readonly home: Home;
  readonly surroundings: Surroundings;
  /** The preset config.toml is about: its keys are for that one alone. */
  readonly fileProvider: string;
  /** Keys of single servers, and the headers for a gateway, by environment name. */
  readonly presetKeys: ReadonlyMap<string, Secret>;
  /** Every secret ash knows of, to be kept out of everything it writes. */
  readonly secrets: readonly NamedSecret[];
  /** Takes those secrets, and what looks like one, out of a text. */
  readonly redact: Redactor;
  readonly warnings: readonly string[];
};

const NAMES = Object.keys(SETTINGS) as readonly SettingName[];

const environment = (name: string): string | undefined => {
  const value = process.env[name];
  return value === undefined || value === "" ? undefined : value;
};

/** A variable of the user's own, for a tool that declared it; undefined when it is not set. */
export const userVariable = (name: string): string | undefined => environment(name);

/** Where ASH_HOME is. Throws a configuration error when it is not an absolute path. */
export function locateHome(): Home {
  const chosen = environment("ASH_HOME");
  if (chosen !== undefined && !isAbsolute(chosen)) {
    throw configError(`ASH_HOME is '${chosen}'`, "give an absolute path");
  }
  return homeAt(chosen ?? join(userHome(), ".ash"));
}

function userHome(): string {
  const home = homeFolder();
  if (home !== null && isAbsolute(home)) return home;
  const account = accountHome();
  if (account !== null) return account;
  throw configError("there is no home folder: HOME is not set to an absolute path", "set HOME or ASH_HOME");
}

function readPackageSettings(): Readonly<Record<string, string>> {
  const set = PACKAGE_SETTINGS.flatMap((name) => {
    const value = environment(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(set);
}

/** Reads what ash needs to know about its surroundings. */
export function readSurroundings(): Surroundings {
  const noColour = environment("NO_COLOR") !== undefined || environment("TERM") === "dumb";
  return {
    userHome: userHome(),
    accountHome: accountHome(),
    userName: accountName() ?? environment("USER") ?? "user",
    language: environment("LC_ALL") ?? environment("LANG"),
    timeZone: environment("TZ"),
    path: (environment("PATH") ?? "").split(":").filter(isAbsolute),
    colour: !noColour,
    packageSettings: readPackageSettings(),
  };
}

type FileValues = ReadonlyMap<string, string>;

/** The text a value of the file stands for: one reader serves files, variables and flags. */
const plainValue = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value));

function readConfigFile(home: Home): FileValues {
  const text = readOwnFile(home.config);
  if (text === null) return new Map();
  const document = parseToml(text);
  if (!document.ok) throw configError(`${home.config}:${document.line}: ${document.problem}`);
  const known = fileSettings();
  for (const key of Object.keys(document.data)) {
    if (known.some((setting) => setting.key === key)) continue;
    const near = closest(
      key,
      known.map((setting) => setting.key),
    );
    throw configError(
      `${home.config}: unknown setting ${key}`,
      near === undefined ? "see: ash help config" : `did you mean ${near}?`,
    );
  }
  const checked = check(configFileSchema(known), document.data);
  if (!checked.ok) throw configError(`${home.config}: ${checked.problem}`);
  return new Map(Object.entries(document.data).map(([key, value]) => [key, plainValue(value)]));
}

type Found = { readonly text: string; readonly origin: string; readonly fail: (problem: string) => AshError };

function findText(setting: Setting<unknown>, flags: Flags, file: FileValues, path: string): Found | null {
  const { flag, env, toml } = setting;
  const given = flag === null ? undefined : flags(flag);
  if (given !== undefined) {
    return {
      text: given,
      origin: `flag --${flag}`,
      fail: (why) => usageError(`--${flag}: '${given}' ${why}`),
    };
  }
  for (const name of env) {
    const value = environment(name);
    if (value === undefined) continue;
    const shown = setting.secret ? "the value" : `'${value}'`;
    return { text: value, origin: `env ${name}`, fail: (why) => configError(`${name}: ${shown} ${why}`) };
  }
  const value = toml === null ? undefined : file.get(toml);
  if (value === undefined) return null;
  return { text: value, origin: path, fail: (why) => configError(`${path}: ${toml} ${why}`) };
}

const SECRET_NAME = /(?:^|_)(?:API_?KEY|ACCESS_KEY|SECRET|TOKEN|PASSWORD|PASSWD|PRIVATE_KEY)(?:_|$)/i;
const SECRET_LENGTH = 12;

/** A key in the file stays a secret when the environment has another one. */
function fileSecrets(file: FileValues): Record<string, Secret> {
  const found = NAMES.flatMap((name) => {
    const { secret, toml } = SETTINGS[name];
    const value = toml === null ? undefined : file.get(toml);
    return secret && value !== undefined ? [[`file ${name}`, new Secret(value)] as const] : [];
  });
  return Object.fromEntries(found);
}

/** Secrets of the settings, and what the environment holds under names that say so. */
function collectSecrets(settings: Record<string, unknown>): readonly NamedSecret[] {
  const configured = Object.entries(settings).flatMap(([name, value]): NamedSecret[] =>
    value instanceof Secret ? [{ name: name.replace(/^file /, ""), value }] : [],
  );
  const around = Object.entries(process.env).flatMap(([name, value]): NamedSecret[] =>
    SECRET_NAME.test(name) && value !== undefined && value.length >= SECRET_LENGTH
      ? [{ name, value: new Secret(value) }]
      : [],
  );
  // A header for a gateway holds a secret somewhere in its value.
  const headers = (environment(CUSTOM_HEADERS) ?? "")
    .split(/\s+/)
    .filter((word) => word.length >= SECRET_LENGTH && !word.endsWith(":"))
    .map((word) => ({ name: CUSTOM_HEADERS, value: new Secret(word) }));
  return [...configured, ...headers, ...around];
}

function mistypedNames(): readonly string[] {
  const known = ["ASH_HOME", "ASH_CALL", ...NAMES.flatMap((name) => SETTINGS[name].env)];
  return Object.keys(process.env)
    .filter((name) => name.startsWith("ASH_") && !known.includes(name))
    .flatMap((name) => {
      const near = closest(name, known);
      return near === undefined ? [] : [`${name} is not a setting of ash; did you mean ${near}?`];
    });
}

function readPresetKeys(): ReadonlyMap<string, Secret> {
  const names = [...PRESETS.flatMap((preset) => preset.keyEnv), CUSTOM_HEADERS];
  const found = names.flatMap((name) => {
    const value = environment(name);
    return value === undefined ? [] : [[name, new Secret(value)] as const];
  });
  return new Map(found);
}

/** The value of a flag by name, or undefined. */
export type Flags = (name: string) => string | undefined;

/** Which sources besides the flags are read: what is wrong with one must not hide the others. */
export type Sources = { readonly file: boolean; readonly variables: boolean };

/** Reads the configuration. Throws a usage or configuration error that names the setting and the fix. */
export function loadConfig(flags: Flags, sources: Sources = { file: true, variables: true }): Config {
  const home = locateHome();
  if (sources.file) checkHome(home);
  const file: FileValues = sources.file ? readConfigFile(home) : new Map();
  const settings: Record<string, unknown> = {};
  const origins: Record<string, string> = {};
  for (const name of NAMES) {
    const setting: Setting<unknown> = sources.variables ? SETTINGS[name] : { ...SETTINGS[name], env: [] };
    const found = findText(setting, flags, file, home.config);
    const read = found === null ? null : setting.parse(found.text);
    if (found !== null && read !== null && !read.ok) throw found.fail(read.problem);
    settings[name] = read?.ok ? read.value : setting.fallback;
    origins[name] = found?.origin ?? "default";
  }
  const secrets = collectSecrets({ ...settings, ...fileSecrets(file) });
  return {
    settings: settings as Settings,
    origins: origins as Config["origins"],
    home,
    surroundings: readSurroundings(),
    fileProvider: file.get("provider") ?? SETTINGS.provider.fallback,
    presetKeys: readPresetKeys(),
    secrets,
    redact: createRedactor(secrets),
    warnings: mistypedNames(),
  };
}
