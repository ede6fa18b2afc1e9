// Which key goes to which server.
import { describe, expect, test } from "bun:test";
import { AshError } from "../../src/errors.ts";
import { PRESETS } from "../../src/providers/presets.ts";
import { chooseServer } from "../../src/providers/select.ts";
import { configOf, preset, type Situation } from "../support/connections.ts";

/** The key a situation sends, `none` for a request without one, or the type of the error. */
function sentKey(situation: Situation): string {
  try {
    const { credential } = chooseServer(configOf(situation));
    return credential === null ? "none" : `${credential.form} ${credential.value.reveal()}`;
  } catch (thrown) {
    if (!(thrown instanceof AshError)) throw thrown;
    return thrown.type;
  }
}

const ELSEWHERE = "https://gateway.example";
const KEY = { apiKey: { env: "anthropic-key" } };

const rules: readonly (readonly [rule: string, situation: Situation, sent: string])[] = [
  ["a key of the environment goes to the anthropic server", { settings: KEY }, "x-api-key anthropic-key"],
  [
    "a token of the environment goes there as a bearer",
    { settings: { authToken: { env: "token" } } },
    "bearer token",
  ],
  [
    "the key wins over the token",
    { settings: { ...KEY, authToken: { env: "token" } } },
    "x-api-key anthropic-key",
  ],
  [
    "a key of the environment goes to an address of the environment",
    { settings: { ...KEY, baseUrl: { env: ELSEWHERE } } },
    "x-api-key anthropic-key",
  ],
  [
    "a key of the environment goes to an address of the command line",
    { settings: { ...KEY, baseUrl: { flag: ELSEWHERE } } },
    "x-api-key anthropic-key",
  ],
  [
    "a key of the environment does not go to an address of the file",
    { settings: { ...KEY, baseUrl: { file: ELSEWHERE } } },
    "config",
  ],
  [
    "the anthropic server named in the file is still its own host",
    { settings: { ...KEY, baseUrl: { file: "https://api.anthropic.com/v1" } } },
    "x-api-key anthropic-key",
  ],
  [
    "a key of the environment does not go to another preset",
    { settings: { ...KEY, provider: { flag: "openrouter" } } },
    "config",
  ],
  [
    "nor to a local server, which is asked without it",
    { settings: { ...KEY, provider: { flag: "ollama" } } },
    "none",
  ],
  [
    "nor to another preset at an address of the command line",
    { settings: { ...KEY, provider: { flag: "vllm" }, baseUrl: { flag: ELSEWHERE } } },
    "none",
  ],
  [
    "the ANTHROPIC_ pair goes together, whatever the preset",
    { settings: { ...KEY, provider: { flag: "litellm" }, baseUrl: { env: ELSEWHERE } } },
    "bearer anthropic-key",
  ],
  [
    "a preset's own key goes to the preset",
    { settings: { provider: { flag: "openrouter" } }, keys: { OPENROUTER_API_KEY: "or" } },
    "bearer or",
  ],
  [
    "a preset's own key wins over the general one",
    {
      settings: { ...KEY, provider: { env: "openrouter" }, baseUrl: { env: ELSEWHERE } },
      keys: { OPENROUTER_API_KEY: "or" },
    },
    "bearer or",
  ],
  [
    "a preset's key does not go to another preset",
    { settings: { provider: { flag: "deepseek" } }, keys: { OPENROUTER_API_KEY: "or" } },
    "auth",
  ],
  [
    "a hosted preset's key does not go where ANTHROPIC_BASE_URL happens to point",
    {
      settings: { provider: { flag: "openrouter" }, baseUrl: { env: ELSEWHERE } },
      keys: { OPENROUTER_API_KEY: "or" },
    },
    "config",
  ],
  [
    "but does when the environment names the preset too",
    {
      settings: { provider: { env: "moonshot" }, baseUrl: { env: "https://api.moonshot.cn/anthropic" } },
      keys: { MOONSHOT_API_KEY: "ms" },
    },
    "bearer ms",
  ],
  [
    "a local server's key goes to an address of the environment: it has no host of its own",
    {
      settings: { provider: { flag: "vllm" }, baseUrl: { env: ELSEWHERE } },
      keys: { VLLM_API_KEY: "local" },
    },
    "bearer local",
  ],
  [
    "a preset's key does not go to an address of the file",
    {
      settings: { provider: { env: "openrouter" }, baseUrl: { file: ELSEWHERE } },
      keys: { OPENROUTER_API_KEY: "or" },
    },
    "config",
  ],
  [
    "nor does a local server's, which is asked without it",
    {
      settings: { provider: { env: "vllm" }, baseUrl: { file: ELSEWHERE } },
      keys: { VLLM_API_KEY: "local" },
    },
    "none",
  ],
  [
    "a preset's key goes to an address of the command line",
    {
      settings: { provider: { flag: "deepseek" }, baseUrl: { flag: ELSEWHERE } },
      keys: { DEEPSEEK_API_KEY: "ds" },
    },
    "x-api-key ds",
  ],
  [
    "a key of the file goes to the address beside it",
    { settings: { apiKey: { file: "file-key" }, baseUrl: { file: ELSEWHERE } } },
    "x-api-key file-key",
  ],
  [
    "a key of the file goes to the preset beside it",
    { settings: { apiKey: { file: "file-key" }, provider: { file: "zai" } } },
    "bearer file-key",
  ],
  [
    "a key of the file does not go to an address of the environment",
    { settings: { apiKey: { file: "file-key" }, baseUrl: { env: ELSEWHERE } } },
    "config",
  ],
  [
    "a key of the file is for the anthropic server when the file names no other",
    { settings: { apiKey: { file: "file-key" }, provider: { flag: "zai" } } },
    "config",
  ],
];

describe("a key", () => {
  test.each(rules)("%s", (_, situation, sent) => {
    expect(sentKey(situation)).toBe(sent);
  });

  test("in the file for one preset does not go to another that the command line names", () => {
    const settings = { apiKey: { file: "or-key" }, provider: { file: "openrouter", flag: "anthropic" } };
    expect(sentKey({ settings })).toBe("config");
    expect(sentKey({ settings: { ...settings, provider: { file: "openrouter", flag: "ollama" } } })).toBe(
      "none",
    );
    expect(sentKey({ settings: { ...settings, provider: { file: "openrouter", flag: "openrouter" } } })).toBe(
      "bearer or-key",
    );
  });

  test.each(PRESETS.map(({ name }) => name))("of %s reaches no other preset", (name) => {
    const [variable = ""] = preset(name).keyEnv;
    const own = name === "anthropic" ? { apiKey: { env: "canary" } } : {};
    const keys = name === "anthropic" ? {} : { [variable]: "canary" };
    for (const other of PRESETS.filter((one) => one.name !== name)) {
      const sent = sentKey({ settings: { ...own, provider: { flag: other.name } }, keys });
      expect(`${other.name}: ${sent}`).not.toContain("canary");
    }
  });

  test("that was not given for the address is named with the fix, and never shown", () => {
    const settings = { ...KEY, baseUrl: { file: ELSEWHERE } };
    expect(() => chooseServer(configOf({ settings }))).toThrow(
      "ANTHROPIC_API_KEY was not given for https://gateway.example, so it is not sent there",
    );
  });

  test.each(["http://gateway.example", "http://192.168.1.7:8080", "http://127.0.0.1.evil.example"])(
    "does not go unencrypted to %s",
    (url) => {
      expect(sentKey({ settings: { ...KEY, baseUrl: { flag: url } } })).toBe("config");
    },
  );

  test.each(["http://localhost:1234", "http://127.0.0.1", "http://[::1]:80", "http://model.localhost"])(
    "goes unencrypted to %s, which is this machine",
    (url) => {
      expect(sentKey({ settings: { ...KEY, baseUrl: { flag: url } } })).toBe("x-api-key anthropic-key");
    },
  );
});
