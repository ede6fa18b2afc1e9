// What holds for a run with the given settings: every value with its origin, what tools may do, whom ash would ask. It
// reads only, and holds no layout.
import { join } from "node:path";
import type { Config } from "./config.ts";
import { AshError } from "./errors.ts";
import { chooseMode, probeSandbox } from "./exec/sandbox.ts";
import { wasInstalled } from "./home.ts";
import { assetBytes, assetNames } from "./host/assets.ts";
import { fileFacts } from "./host/files.ts";
import { writeBytes, writeDuration } from "./limits.ts";
import { loadPolicy } from "./permissions.ts";
import type { Policy } from "./policy/policy.ts";
import { describeConnection } from "./providers/describe.ts";
import { metadataOf } from "./python/environments.ts";
import { parseMetadata } from "./python/metadata.ts";
import type { SettingsReport } from "./schema/reports.ts";
import type { Sandbox } from "./schema.ts";
import { Secret } from "./secret.ts";
import { SETTINGS, type Setting, type SettingName } from "./settings.ts";
import { snakeCase } from "./settingviews.ts";
import type { ValueKind } from "./values.ts";

type Row = SettingsReport["settings"][number];

const UNITS: Readonly<Partial<Record<ValueKind, NonNullable<Row["unit"]>>>> = {
  duration: "ms",
  size: "bytes",
  dollars: "usd",
};

/** A value as one would write it. */
function shownValue(value: unknown, { kind, shown, secret }: Setting<unknown>): string {
  if (secret || value instanceof Secret) return value === null ? "not set" : "set";
  if (value === null) return shown;
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.join(", ");
  if (typeof value === "number" && kind === "duration") return writeDuration(value);
  if (typeof value === "number" && kind === "size") return writeBytes(value);
  return String(value);
}

function settingRow(name: SettingName, { settings, origins }: Config): Row {
  const setting: Setting<unknown> = SETTINGS[name];
  const value: unknown = settings[name];
  const shown = shownValue(value, setting);
  const isSecret = setting.secret || value instanceof Secret;
  return {
    name: snakeCase(name),
    value: isSecret ? shown : value,
    unit: UNITS[setting.kind] ?? null,
    shown,
    origin: origins[name],
    default: isSecret ? "not set" : setting.shown || "–",
    flag: setting.flag,
    env: [...setting.env],
    toml: setting.toml,
    help: setting.help,
  };
}

/** The policy a run would have now. Nothing is installed for it: what would be counts as there. */
export function currentPolicy(config: Config): ReturnType<typeof loadPolicy> {
  return loadPolicy(config, wasInstalled(config.home, ".ash_tools"));
}

/** True when a Python tool declares the network: the installed one, else the one a run would install. */
function declaresNetwork(name: string, config: Config): boolean {
  const path = join(config.home.tools, name);
  if (fileFacts(path) !== null) return metadataOf(path).network;
  return assetNames("tools").includes(name) && parseMetadata(assetBytes(`tools/${name}`)).network;
}

function permissionsOf(
  config: Config,
  policy: Policy,
  sandbox: Sandbox | null,
): SettingsReport["permissions"] {
  const entries = [...policy.entries.values()].filter(({ name }) => !policy.denied.has(name));
  const named = (keep: (entry: (typeof entries)[number]) => boolean): string[] =>
    entries.filter(keep).map(({ name }) => name);
  const origin = config.origins.toolAllowlist;
  const file = fileFacts(config.home.allowlist) === null ? "the built-in allowlist" : config.home.allowlist;
  return {
    source: origin === "default" ? file : origin,
    allow: named(() => true),
    deny: [...policy.denied],
    unrestricted: named(({ unrestricted }) => unrestricted),
    ask: named(({ ask }) => ask),
    network: named(({ name, network }) => network || (name.endsWith(".py") && declaresNetwork(name, config))),
    level: policy.level,
    strict_arguments: policy.strictArguments,
    sandbox,
  };
}

/** The sandbox a run would have, or why it would have none. */
export function sandboxOf({ settings }: Config): Sandbox | AshError {
  try {
    return chooseMode(probeSandbox(), settings.sandbox, settings.requireSandbox);
  } catch (thrown) {
    if (thrown instanceof AshError) return thrown;
    throw thrown;
  }
}

function modelOf(config: Config, replay: string | undefined): SettingsReport["model"] {
  if (replay !== undefined)
    return {
      provider: `script (${replay})`,
      base_url: null,
      model: null,
      key: "not set",
      key_origin: null,
      problem: null,
    };
  const { provider, baseUrl, model, keyOrigin, problem } = describeConnection(config);
  return {
    provider,
    base_url: baseUrl,
    model,
    key: keyOrigin === null ? "not set" : "set",
    key_origin: keyOrigin,
    problem: problem === null ? null : [problem.message, problem.details.hint].filter(Boolean).join("; "),
  };
}

/** Everything `ash config` reports. `replay` is the recording a run would play. Throws what a run would throw. */
export function effectiveSettings(config: Config, replay: string | undefined): SettingsReport {
  const { policy, warnings } = currentPolicy(config);
  const sandbox = sandboxOf(config);
  const refused = sandbox instanceof AshError ? [sandbox.message] : [];
  return {
    schema: "ash.settings/1",
    status: "ok",
    exit_code: 0,
    home: config.home.root,
    settings: (Object.keys(SETTINGS) as readonly SettingName[]).map((name) => settingRow(name, config)),
    permissions: permissionsOf(config, policy, sandbox instanceof AshError ? null : sandbox),
    model: modelOf(config, replay),
    warnings: [...config.warnings, ...warnings, ...refused],
  };
}
