// What can be looked up: exit codes, settings and variables as tables. `ash help` and the documentation are made from
// them; it holds no layout.
import { AshError, ERROR_TYPES, type ErrorType, EXIT, EXIT_MEANINGS } from "./errors.ts";
import { PRESETS } from "./providers/presets.ts";
import { errorResult } from "./result.ts";
import type { Result } from "./schema.ts";
import { SETTINGS, type Setting, type SettingName } from "./settings.ts";
import { snakeCase } from "./settingviews.ts";

/** One exit code: what it means, and the `status` and `error.type` values it comes with. */
export type ExitRow = {
  readonly code: number;
  readonly meaning: string;
  readonly statuses: readonly Result["status"][];
  readonly types: readonly ErrorType[];
};

/** Every exit code. */
export function exitRows(): readonly ExitRow[] {
  const errors = ERROR_TYPES.map((type) => new AshError(type, ""));
  return EXIT_MEANINGS.map(([code, meaning]) => {
    const own = errors.filter((error) => error.exitCode === code);
    const statuses = own.map((error) => errorResult(error).status);
    return {
      code,
      meaning,
      statuses: code === EXIT.ok ? ["ok"] : [...new Set(statuses)],
      types: own.map(({ type }) => type),
    };
  });
}

/** One setting with all its names. */
export type SettingRow = Pick<
  Setting<unknown>,
  "help" | "env" | "toml" | "flag" | "kind" | "shown" | "secret"
> & {
  readonly name: string;
};

/** Every setting, in the order of the table. */
export function settingRows(): readonly SettingRow[] {
  const names = Object.keys(SETTINGS) as readonly SettingName[];
  return names.map((name) => {
    const { help, env, toml, flag, kind, shown, secret }: Setting<unknown> = SETTINGS[name];
    return { name: snakeCase(name), help, env, toml, flag, kind, shown: shown || "–", secret };
  });
}

/** The limits of one call and the budgets of one run, among the settings. */
export function limitRows(): readonly SettingRow[] {
  return settingRows().filter(({ name }) =>
    /^(?:tool_.*_(?:max|timeout)|tool_timeout|max_.*|deadline)$/.test(name),
  );
}

/** Variables that are no settings, and what ash does with them. */
export const OTHER_VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  ["ASH_HOME", "where ash keeps its files; an absolute path (default ~/.ash)"],
  ["HOME", "the home folder, when ASH_HOME is not set"],
  ["NO_COLOR", "no colour, when it is set to anything; so does TERM=dumb"],
  ["LC_ALL, LANG, TZ", "language and time zone, handed on to tools"],
  ["PATH", "where python3 and uv are looked for after the system's folders; never tools"],
  ["HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "how model servers and package indexes are reached"],
  ["SSL_CERT_FILE, NODE_EXTRA_CA_CERTS", "certificates of your company, for https"],
  ["PIP_INDEX_URL, UV_INDEX_URL …", "the package index, for Python environments"],
];

/** Variables that hold the key of one server and of no other, besides those among the settings. */
export function keyVariables(): readonly (readonly [name: string, meaning: string])[] {
  const taken = settingRows().flatMap(({ env }) => env);
  return PRESETS.flatMap(({ name, keyEnv }) =>
    keyEnv
      .filter((variable) => !taken.includes(variable))
      .map((variable) => [variable, `key of ${name}`] as const),
  );
}
