// Every setting ash has: its names in the environment, in config.toml and on the command line, how it is read,
// and what it is when nobody says. Data only; config.ts does the reading.
import type { Parsed } from "./limits.ts";
import {
  address,
  count,
  dollars,
  duration,
  kept,
  list,
  nullable,
  oneOf,
  processes,
  secret,
  size,
  type Type,
  toggle,
  type ValueKind,
  word,
} from "./values.ts";

/** One setting of type T. */
export type Setting<T> = {
  readonly help: string;
  /** Environment names, the first one set wins; an empty value counts as not set. */
  readonly env: readonly string[];
  /** Key in config.toml, or null when it cannot be set there. */
  readonly toml: string | null;
  readonly flag: string | null;
  readonly kind: ValueKind;
  readonly words?: readonly string[];
  readonly parse: (text: string) => Parsed<T>;
  readonly fallback: T;
  /** How `ash config` and the documentation write the default. */
  readonly shown: string;
  /** Its value never appears in a message. */
  readonly secret: boolean;
};

type Names = { env?: readonly string[]; toml?: string; flag?: string; shown?: string; secret?: true };

function setting<T>(help: string, type: Type<T>, fallback: T, names: Names): Setting<T> {
  return {
    ...type,
    help,
    env: names.env ?? [],
    toml: names.toml ?? null,
    flag: names.flag ?? null,
    fallback,
    shown: names.shown ?? (fallback === null ? "–" : String(fallback)),
    secret: names.secret ?? false,
  };
}

/** The table. The key is the setting's name inside ash. */
export const SETTINGS = {
  provider: setting("preset of the model server, or script", word, "anthropic", {
    env: ["ASH_PROVIDER"],
    toml: "provider",
    flag: "provider",
  }),
  model: setting("model id, or sonnet, opus, haiku", nullable(word), null, {
    env: ["ASH_MODEL", "ANTHROPIC_MODEL"],
    toml: "model",
    flag: "model",
    shown: "the preset's",
  }),
  baseUrl: setting("address of the model server", address, null, {
    env: ["ANTHROPIC_BASE_URL"],
    toml: "base_url",
    flag: "base-url",
    shown: "the preset's",
  }),
  apiKey: setting("key of the model server", secret, null, {
    env: ["ANTHROPIC_API_KEY"],
    toml: "api_key",
    secret: true,
  }),
  authToken: setting("bearer token of the model server", secret, null, {
    env: ["ANTHROPIC_AUTH_TOKEN"],
    toml: "auth_token",
    secret: true,
  }),
  idleTimeout: setting("silence of the model server that ends a request", nullable(duration), null, {
    env: ["ASH_IDLE_TIMEOUT"],
    toml: "idle_timeout",
    shown: "the preset's",
  }),
  toolAllowlist: setting("replaces ~/.ash/.ash_tools for one run", nullable(word), null, {
    env: ["ASH_TOOL_ALLOWLIST"],
    flag: "allow-run",
    shown: "the file",
  }),
  denyRun: setting("names taken away from the allowlist", list, [], {
    toml: "deny_run",
    flag: "deny-run",
  }),
  allowNet: setting("gives the network to every tool that can use it", toggle, false, { flag: "allow-net" }),
  denyNet: setting("takes the network from every tool", toggle, false, {
    toml: "deny_net",
    flag: "deny-net",
  }),
  allowRead: setting("the only trees tools may read", list, [], { flag: "allow-read", shown: "all" }),
  denyRead: setting("trees tools may not read", list, [], {
    toml: "deny_read",
    flag: "deny-read",
    shown: "–",
  }),
  strictArguments: setting("refuses shell characters for every command", toggle, false, {
    toml: "strict_arguments",
  }),
  level: setting(
    "read: reading runs unasked and the rest asks; ask: every call asks; auto: none does",
    oneOf("read", "ask", "auto"),
    "read",
    { toml: "level", flag: "level" },
  ),
  toolTimeout: setting("wall time of one tool call", duration, 15_000, {
    env: ["ASH_TOOL_TIMEOUT"],
    flag: "timeout",
    toml: "tool_timeout",
    shown: "15s",
  }),
  toolOutputMax: setting("bytes kept of each of stdout and stderr", kept, 8192, {
    env: ["ASH_TOOL_OUTPUT_MAX"],
    flag: "output-max",
    toml: "tool_output_max",
  }),
  toolMemoryMax: setting("memory of one tool call", size, 1024 ** 3, {
    env: ["ASH_TOOL_MEMORY_MAX"],
    flag: "memory-max",
    toml: "tool_memory_max",
    shown: "1GiB",
  }),
  toolCpuMax: setting("CPU time of one tool call", duration, 10_000, {
    env: ["ASH_TOOL_CPU_MAX"],
    flag: "cpu-max",
    toml: "tool_cpu_max",
    shown: "10s",
  }),
  toolFileMax: setting("size of a file a tool may write", size, 16 * 1024 ** 2, {
    env: ["ASH_TOOL_FILE_MAX"],
    flag: "file-max",
    toml: "tool_file_max",
    shown: "16MiB",
  }),
  toolProcessMax: setting("processes of one tool call", processes, 64, {
    env: ["ASH_TOOL_PROCESS_MAX"],
    flag: "process-max",
    toml: "tool_process_max",
  }),
  maxTurns: setting("requests to the model in one run", count, 16, {
    env: ["ASH_MAX_TURNS"],
    toml: "max_turns",
    flag: "max-turns",
  }),
  maxToolCalls: setting("tool calls in one run", count, 64, {
    env: ["ASH_MAX_TOOL_CALLS"],
    toml: "max_tool_calls",
    flag: "max-tool-calls",
  }),
  deadline: setting("wall time of one run", duration, 600_000, {
    env: ["ASH_DEADLINE"],
    toml: "deadline",
    flag: "deadline",
    shown: "10m",
  }),
  maxTokens: setting("tokens of one run, input and output", nullable(count), null, {
    env: ["ASH_MAX_TOKENS"],
    toml: "max_tokens",
    flag: "max-tokens",
  }),
  maxCost: setting("US dollars of one run", nullable(dollars), null, {
    env: ["ASH_MAX_COST"],
    toml: "max_cost",
    flag: "max-cost",
  }),
  maxCostPerDay: setting("US dollars of all runs of a day together", nullable(dollars), null, {
    env: ["ASH_MAX_COST_PER_DAY"],
    toml: "max_cost_per_day",
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
  requireSandbox: setting("refuses to run without jail or bwrap", toggle, false, {
    toml: "require_sandbox",
  }),
  toolPath: setting("folders of programs beyond the fixed PATH", list, [], { toml: "tool_path", shown: "–" }),
  preloadDocs: setting("puts the --ai-docs of the tools into the prompt", toggle, false, {
    toml: "preload_docs",
  }),
  python: setting("interpreter of Python tools; wins over the venv", nullable(word), null, {
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
