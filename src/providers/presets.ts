// The model servers ash knows: where they are, how they want the key, and which optional fields they take. Data only.

/** The variable with headers for a gateway, one `Name: value` a line; other clients of the Messages API read it too. */
export const CUSTOM_HEADERS = "ANTHROPIC_CUSTOM_HEADERS";

/** Which blocks of the server's own go back to it: all of them, the model's thinking alone, or none. */
export type Keeps = "all" | "thinking" | "none";

/** One server. */
export type Preset = {
  readonly name: string;
  readonly baseUrl: string;
  /** The header a key of this server goes into. */
  readonly auth: "bearer" | "x-api-key";
  /** False for a server that also takes requests without a key. */
  readonly keyRequired: boolean;
  /** Environment names that hold the key of this server and of no other. */
  readonly keyEnv: readonly string[];
  readonly apiVersion: string;
  /** Takes `cache_control`. */
  readonly cache: boolean;
  /** Takes `tool_choice`. */
  readonly toolChoice: boolean;
  /** Takes `output_config.effort`. */
  readonly effort: boolean;
  /** Holds an answer to a JSON Schema: takes `output_config.format`. */
  readonly answerFormat: boolean;
  readonly keeps: Keeps;
  readonly model: string | null;
  readonly maxOutputTokens: number;
  /** Silence on the connection that counts as a dead server, in milliseconds. */
  readonly idleMs: number;
};

/** The smallest request: what every server takes. */
const SMALLEST = {
  auth: "bearer",
  keyRequired: true,
  apiVersion: "2023-06-01",
  cache: false,
  toolChoice: false,
  effort: false,
  answerFormat: false,
  keeps: "none",
  model: null,
  maxOutputTokens: 8192,
  idleMs: 120_000,
} as const;

// A machine of one's own may read a long prompt for minutes before its first word.
const LOCAL = { ...SMALLEST, keyRequired: false, idleMs: 900_000 } as const;

// Models that think in the open lose their thread, or refuse the next request, when their thinking does not come back.
const HOSTED = { ...SMALLEST, keeps: "thinking" } as const;

/** Every preset. All but `anthropic` get the smallest request that works. */
export const PRESETS: readonly Preset[] = [
  {
    ...SMALLEST,
    name: "anthropic",
    baseUrl: "https://api.anthropic.com",
    auth: "x-api-key",
    keyEnv: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    apiVersion: "2026-10-21",
    cache: true,
    toolChoice: true,
    effort: true,
    answerFormat: true,
    keeps: "all",
    model: "claude-sonnet-5-5",
    maxOutputTokens: 32_000,
  },
  { ...LOCAL, name: "ollama", baseUrl: "http://localhost:11434", keyEnv: ["OLLAMA_API_KEY"] },
  {
    ...LOCAL,
    name: "llamacpp",
    baseUrl: "http://localhost:8080",
    keyEnv: ["LLAMACPP_API_KEY"],
    toolChoice: true,
  },
  { ...LOCAL, name: "lmstudio", baseUrl: "http://localhost:1234", keyEnv: ["LMSTUDIO_API_KEY"] },
  { ...LOCAL, name: "vllm", baseUrl: "http://localhost:8000", keyEnv: ["VLLM_API_KEY"], toolChoice: true },
  {
    ...LOCAL,
    name: "litellm",
    baseUrl: "http://localhost:4000",
    keyEnv: ["LITELLM_API_KEY"],
    toolChoice: true,
  },
  {
    ...HOSTED,
    name: "openrouter",
    baseUrl: "https://openrouter.ai/api",
    keyEnv: ["OPENROUTER_API_KEY"],
    toolChoice: true,
  },
  {
    ...HOSTED,
    name: "deepseek",
    baseUrl: "https://api.deepseek.com/anthropic",
    auth: "x-api-key",
    keyEnv: ["DEEPSEEK_API_KEY"],
  },
  {
    ...HOSTED,
    name: "moonshot",
    baseUrl: "https://api.moonshot.ai/anthropic",
    keyEnv: ["MOONSHOT_API_KEY"],
  },
  {
    ...HOSTED,
    name: "zai",
    baseUrl: "https://api.z.ai/api/anthropic",
    keyEnv: ["ZAI_API_KEY"],
    idleMs: 900_000,
  },
  { ...HOSTED, name: "minimax", baseUrl: "https://api.minimax.io/anthropic", keyEnv: ["MINIMAX_API_KEY"] },
  {
    ...HOSTED,
    name: "vercel",
    baseUrl: "https://ai-gateway.vercel.sh",
    keyEnv: ["AI_GATEWAY_API_KEY"],
    toolChoice: true,
  },
];

/** Short names of models, for the `anthropic` preset. */
export const MODEL_ALIASES: Readonly<Record<string, string>> = {
  sonnet: "claude-sonnet-5-5",
  opus: "claude-opus-5-5",
  haiku: "claude-haiku-5-5",
};

/** Finds a preset by name. */
export function presetNamed(name: string): Preset | undefined {
  return PRESETS.find((preset) => preset.name === name);
}
