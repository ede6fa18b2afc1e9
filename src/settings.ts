// Every setting ash has: its names in the environment, in config.toml and on the command line, how it is read,
// and what it is when nobody says. Data only; config.ts does the reading.
import {
  type Budgets,
  type Limits,
  type Parsed,
  parseBytes,
  parseCount,
  parseDollars,
  parseDuration,
  parseList,
  parseSwitch,
} from "./limits.ts";
import { Secret } from "./secret.ts";

/** One setting of type T. */
export type Setting<T> = {
  readonly help: string;
  /** Environment names, the first one set wins; an empty value counts as not set. */
  readonly env: readonly string[];
  /** Key in config.toml, or null when it cannot be set there. */
  readonly toml: string | null;
  readonly flag: string | null;
  readonly parse: (text: string) => Parsed<T>;
  readonly fallback: T;
  /** How `ash config` and the documentation write the default. */
  readonly shown: string;
  /** Its value never appears in a message. */
  readonly secret: boolean;
};

type Names = { env?: readonly string[]; toml?: string; flag?: string; shown?: string; secret?: true };

function setting<T>(help: string, parse: (text: string) => Parsed<T>, fallback: T, names: Names): Setting<T> {
  return {
    help,
    env: names.env ?? [],
    toml: names.toml ?? null,
    flag: names.flag ?? null,
    parse,
    fallback,
    shown: names.shown ?? (fallback === null ? "–" : String(fallback)),
    secret: names.secret ?? false,
  };
}

const ok = <T>(value: T): Parsed<T> => ({ ok: true, value });
const bad = (problem: string): Parsed<never> => ({ ok: false, problem });

const nullable =
  <T>(parse: (text: string) => Parsed<T>) =>
  (text: string): Parsed<T | null> =>
    parse(text);

const parseWord = (text: string): Parsed<string> =>
  /[\u0000-\u001f\u007f]/.test(text) ? bad("holds a control character") : ok(text);

const parseSecret = (text: string): Parsed<Secret | null> =>
  /^[\u0021-\u007e]+$/.test(text)
    ? ok(new Secret(text))
    : bad("is not a key: it holds blanks or special characters");

/** Reads an address and takes the parts off that clients add themselves. */
export function parseBaseUrl(text: string): Parsed<string | null> {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return bad("is not a URL (write http://localhost:11434)");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return bad("must start with http:// or https://");
  if (url.username !== "" || url.password !== "") return bad("must not hold a user name or password");
  if (url.search !== "" || url.hash !== "") return bad("must not hold a query or a fragment");
  return ok(`${url.origin}${url.pathname.replace(/\/+$/, "").replace(/\/v1(\/messages)?$/, "")}`);
}

const oneOf =
  <const W extends string>(...words: readonly W[]) =>
  (text: string): Parsed<W> => {
    const found = words.find((word) => word === text);
    return found === undefined ? bad(`must be one of ${words.join(", ")}`) : ok(found);
  };

/** The table. The key is the setting's name inside ash. */
export const SETTINGS = {
  provider: setting("preset of the model server, or script", parseWord, "anthropic", {
    env: ["ASH_PROVIDER"],
    toml: "provider",
    flag: "provider",
  }),
  model: setting("model id, or sonnet, opus, haiku", nullable(parseWord), null, {
    env: ["ASH_MODEL", "ANTHROPIC_MODEL"],
    toml: "model",
    flag: "model",
    shown: "the preset's",
  }),
  baseUrl: setting("address of the model server", parseBaseUrl, null, {
    env: ["ANTHROPIC_BASE_URL"],
    toml: "base_url",
    flag: "base-url",
    shown: "the preset's",
  }),
  apiKey: setting("key of the model server", parseSecret, null, {
    env: ["ANTHROPIC_API_KEY"],
    toml: "api_key",
  }),
  authToken: setting("bearer token of the model server", parseSecret, null, {
    env: ["ANTHROPIC_AUTH_TOKEN"],
    toml: "auth_token",
    secret: true,
  }),
  toolAllowlist: setting("replaces ~/.ash/.ash_tools for one run", nullable(parseWord), null, {
    env: ["ASH_TOOL_ALLOWLIST"],
    flag: "allow-run",
    shown: "the file",
  }),
  denyRun: setting("names taken away from the allowlist", parseList, [], {
    toml: "deny_run",
    flag: "deny-run",
  }),
  strictArguments: setting("refuses shell characters for every command", parseSwitch, false, {
    toml: "strict_arguments",
  }),
  level: setting("what runs unasked: read, ask or auto", oneOf("read", "ask", "auto"), "read", {
    toml: "level",
  }),
  toolTimeout: setting("wall time of one tool call", parseDuration, 15_000, {
    env: ["ASH_TOOL_TIMEOUT"],
    flag: "timeout",
    toml: "tool_timeout",
    shown: "15s",
  }),
  toolOutputMax: setting("bytes kept of each of stdout and stderr", parseBytes, 8192, {
    env: ["ASH_TOOL_OUTPUT_MAX"],
    flag: "output-max",
    toml: "tool_output_max",
  }),
  toolMemoryMax: setting("memory of one tool call", parseBytes, 1024 ** 3, {
    env: ["ASH_TOOL_MEMORY_MAX"],
    flag: "memory-max",
    toml: "tool_memory_max",
    shown: "1GiB",
  }),
  toolCpuMax: setting("CPU time of one tool call", parseDuration, 10_000, {
    env: ["ASH_TOOL_CPU_MAX"],
    flag: "cpu-max",
    toml: "tool_cpu_max",
    shown: "10s",
  }),
  toolFileMax: setting("size of a file a tool may write", parseBytes, 16 * 1024 ** 2, {
    env: ["ASH_TOOL_FILE_MAX"],
    flag: "file-max",
    toml: "tool_file_max",
    shown: "16MiB",
  }),
  toolProcessMax: setting("processes of one tool call", parseCount, 64, {
    env: ["ASH_TOOL_PROCESS_MAX"],
    flag: "process-max",
    toml: "tool_process_max",
  }),
  maxTurns: setting("requests to the model in one run", parseCount, 16, {
    env: ["ASH_MAX_TURNS"],
    toml: "max_turns",
    flag: "max-turns",
  }),
  maxToolCalls: setting("tool calls in one run", parseCount, 64, {
    env: ["ASH_MAX_TOOL_CALLS"],
    toml: "max_tool_calls",
  }),
  deadline: setting("wall time of one run", parseDuration, 600_000, {
    env: ["ASH_DEADLINE"],
    toml: "deadline",
    flag: "deadline",
    shown: "10m",
  }),
  maxTokens: setting("tokens of one run, input and output", nullable(parseCount), null, {
    env: ["ASH_MAX_TOKENS"],
    toml: "max_tokens",
  }),
  maxCost: setting("US dollars of one run", nullable(parseDollars), null, {
    env: ["ASH_MAX_COST"],
    toml: "max_cost",
  }),
  sandbox: setting(
    "locks around tools: auto, jail, bwrap, rlimits or none",
    oneOf("auto", "jail", "bwrap", "rlimits", "none"),
    "auto",
    {
      env: ["ASH_SANDBOX"],
      toml: "sandbox",
    },
  ),
  requireSandbox: setting("refuses to run without jail or bwrap", parseSwitch, false, {
    toml: "require_sandbox",
  }),
  python: setting("interpreter of Python tools; wins over the venv", nullable(parseWord), null, {
    env: ["ASH_PYTHON"],
    toml: "python",
  }),
} as const;

/** The name of a setting. */
export type SettingName = keyof typeof SETTINGS;

/** The values of all settings. */
export type Settings = {
  readonly [K in SettingName]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never;
};

/** The limits of one tool call. */
export function limitsOf(settings: Settings): Limits {
  return {
    timeoutMs: settings.toolTimeout,
    outputMax: settings.toolOutputMax,
    memoryMax: settings.toolMemoryMax,
    cpuMs: settings.toolCpuMax,
    fileMax: settings.toolFileMax,
    processMax: settings.toolProcessMax,
  };
}

/** The budgets of one run. */
export function budgetsOf(settings: Settings): Budgets {
  return {
    maxTurns: settings.maxTurns,
    maxToolCalls: settings.maxToolCalls,
    deadlineMs: settings.deadline,
    maxTokens: settings.maxTokens,
    maxCostUsd: settings.maxCost,
  };
}
