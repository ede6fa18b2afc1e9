// The presets of model servers, as documented.
import { describe, expect, test } from "bun:test";
import { PRESETS } from "../../src/providers/presets.ts";

const MINUTE = 60_000;

/** name, address, header of the key, needs a key, variable, minutes of silence, takes tool_choice, keeps. */
const table = [
  ["anthropic", "https://api.anthropic.com", "x-api-key", true, "ANTHROPIC_API_KEY", 2, true, "all"],
  ["ollama", "http://localhost:11434", "bearer", false, "OLLAMA_API_KEY", 15, false, "none"],
  ["llamacpp", "http://localhost:8080", "bearer", false, "LLAMACPP_API_KEY", 15, true, "none"],
  ["lmstudio", "http://localhost:1234", "bearer", false, "LMSTUDIO_API_KEY", 15, false, "none"],
  ["vllm", "http://localhost:8000", "bearer", false, "VLLM_API_KEY", 15, true, "none"],
  ["litellm", "http://localhost:4000", "bearer", false, "LITELLM_API_KEY", 15, true, "none"],
  ["openrouter", "https://openrouter.ai/api", "bearer", true, "OPENROUTER_API_KEY", 2, true, "thinking"],
  [
    "deepseek",
    "https://api.deepseek.com/anthropic",
    "x-api-key",
    true,
    "DEEPSEEK_API_KEY",
    2,
    false,
    "thinking",
  ],
  ["moonshot", "https://api.moonshot.ai/anthropic", "bearer", true, "MOONSHOT_API_KEY", 2, false, "thinking"],
  ["zai", "https://api.z.ai/api/anthropic", "bearer", true, "ZAI_API_KEY", 15, false, "thinking"],
  ["minimax", "https://api.minimax.io/anthropic", "bearer", true, "MINIMAX_API_KEY", 2, false, "thinking"],
  ["vercel", "https://ai-gateway.vercel.sh", "bearer", true, "AI_GATEWAY_API_KEY", 2, true, "thinking"],
] as const;

describe("the presets", () => {
  test("are exactly these", () => {
    expect(PRESETS.map(({ name }) => name)).toEqual(table.map(([name]) => name));
  });

  test.each(table)("have %s as documented", (...row) => {
    const [name, baseUrl, auth, keyRequired, variable, minutes, toolChoice, keeps] = row;
    const preset = PRESETS.find((one) => one.name === name);
    expect(preset).toMatchObject({ baseUrl, auth, keyRequired, toolChoice, keeps, idleMs: minutes * MINUTE });
    expect(preset?.keyEnv[0]).toBe(variable);
    const isFirst = name === "anthropic";
    expect(preset).toMatchObject({
      apiVersion: isFirst ? "2026-10-21" : "2023-06-01",
      cache: isFirst,
      effort: isFirst,
      model: isFirst ? "claude-sonnet-5-5" : null,
    });
  });

  test("share no key variable, and none ends in the path ash adds", () => {
    const variables = PRESETS.flatMap(({ keyEnv }) => keyEnv);
    expect(new Set(variables).size).toBe(variables.length);
    for (const { baseUrl } of PRESETS) expect(baseUrl).not.toMatch(/\/v1(\/messages)?$|\/$/);
  });
});
