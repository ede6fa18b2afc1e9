// Headers of the user, and what a connection is made of.
import { describe, expect, test } from "bun:test";
import { chooseConnection, chooseServer } from "../../src/providers/select.ts";
import { configOf, type Situation } from "../support/connections.ts";

const ELSEWHERE = "https://gateway.example";
const KEY = { apiKey: { env: "anthropic-key" } };

describe("headers of the user", () => {
  const keys = { ANTHROPIC_CUSTOM_HEADERS: "X-Gateway: one\n\n cf-aig-authorization: Bearer two " };
  const names = (situation: Situation): readonly string[] =>
    chooseServer(configOf(situation)).headers.map(({ name, value }) => `${name}=${value.reveal()}`);

  test("go where an ANTHROPIC_ key would go", () => {
    const both = ["x-gateway=one", "cf-aig-authorization=Bearer two"];
    expect(names({ settings: KEY, keys })).toEqual(both);
    expect(names({ settings: { ...KEY, baseUrl: { env: ELSEWHERE } }, keys })).toEqual(both);
    expect(names({ settings: { provider: { flag: "ollama" } }, keys })).toEqual([]);
    const zai = { settings: { provider: { flag: "zai" } }, keys: { ...keys, ZAI_API_KEY: "z" } };
    expect(names(zai)).toEqual([]);
  });

  test.each(["no colon", "Bad Name: x", "X-A: caf\u00e9", "X-A:"])(
    "that are none (%s) are refused unseen",
    (text) => {
      const wrong = { settings: KEY, keys: { ANTHROPIC_CUSTOM_HEADERS: text } };
      expect(() => chooseServer(configOf(wrong))).toThrow(
        "ANTHROPIC_CUSTOM_HEADERS is not a list of headers",
      );
    },
  );

  test("do not go unencrypted to another machine", () => {
    const settings = { provider: { flag: "vllm" }, baseUrl: { env: "http://box:8000" } };
    expect(() => chooseServer(configOf({ settings, keys }))).toThrow("not encrypted");
  });
});

describe("a connection", () => {
  test("asks for the model that is named, and short names are for the anthropic server", () => {
    const model = (provider: string, name: string): string =>
      chooseConnection(
        configOf({ settings: { ...KEY, provider: { flag: provider }, model: { flag: name } } }),
      ).model;
    expect(model("anthropic", "haiku")).toBe("claude-haiku-5-5");
    expect(model("anthropic", "claude-x")).toBe("claude-x");
    expect(model("ollama", "haiku")).toBe("haiku");
    expect(() => chooseConnection(configOf({ settings: { provider: { flag: "ollama" } } }))).toThrow(
      "the provider ollama has no default model",
    );
  });

  test("waits as long as the preset says, or as long as the user says", () => {
    expect(chooseServer(configOf({ settings: KEY })).idleMs).toBe(120_000);
    expect(chooseServer(configOf({ settings: { provider: { flag: "ollama" } } })).idleMs).toBe(900_000);
    expect(chooseServer(configOf({ settings: { ...KEY, idleTimeout: { env: "5s" } } })).idleMs).toBe(5000);
  });
});
