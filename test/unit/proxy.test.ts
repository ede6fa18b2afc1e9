// Which proxy a request takes.
import { describe, expect, test } from "bun:test";
import { AshError } from "../../src/errors.ts";
import { proxyFor } from "../../src/providers/proxy.ts";

const HTTPS = "https://api.anthropic.com";
const shown = (address: string, variables: Record<string, string>): string | null => {
  const proxy = proxyFor(address, variables);
  return proxy === null ? null : `${proxy.shown} ${proxy.variable}`;
};

describe("a proxy", () => {
  const chosen = [
    [HTTPS, { HTTPS_PROXY: "http://p:3128" }, "p:3128 HTTPS_PROXY"],
    [HTTPS, { https_proxy: "http://q:1", HTTPS_PROXY: "http://p:3128" }, "q:1 https_proxy"],
    [HTTPS, { HTTP_PROXY: "http://p:3128" }, null],
    [HTTPS, { ALL_PROXY: "p:3128" }, "p:3128 ALL_PROXY"],
    [HTTPS, { ALL_PROXY: "p:1", HTTPS_PROXY: "https://s:8443" }, "s:8443 HTTPS_PROXY"],
    [HTTPS, { HTTPS_PROXY: "  " }, null],
    ["http://box:8080", { HTTP_PROXY: "http://p:3128", HTTPS_PROXY: "http://s:1" }, "p:3128 HTTP_PROXY"],
    [HTTPS, {}, null],
  ] as const;

  test.each(chosen)("for %s with %j is %s", (address, variables, expected) => {
    expect(shown(address, variables)).toBe(expected);
  });

  test.each([
    "http://localhost:8080",
    "http://127.0.0.1:1",
    "http://127.9.9.9",
    "http://[::1]:5",
    "http://a.localhost",
  ])("is never used for %s, which is this machine", (address) => {
    expect(shown(address, { HTTP_PROXY: "http://p:1", ALL_PROXY: "http://p:1" })).toBeNull();
  });

  const exempt = [
    ["*", true],
    ["api.anthropic.com", true],
    ["API.Anthropic.com", true],
    ["anthropic.com", true],
    [".anthropic.com", true],
    ["*.anthropic.com", true],
    ["other.example, anthropic.com", true],
    ["other.example anthropic.com", true],
    ["anthropic.com:443", true],
    ["anthropic.com:8443", false],
    ["thropic.com", false],
    ["anthropic.com.evil.example", false],
    ["", false],
  ] as const;

  test.each(exempt)("is left out by NO_PROXY=%s: %s", (list, isDirect) => {
    for (const name of ["NO_PROXY", "no_proxy"])
      expect(shown(HTTPS, { HTTPS_PROXY: "http://p:1", [name]: list }) === null).toBe(isDirect);
  });

  const networks = [
    ["10.0.0.0/8", "http://10.1.2.3:80", true],
    ["10.0.0.0/8", "http://11.1.2.3", false],
    ["192.168.1.0/24", "http://192.168.1.77", true],
    ["192.168.1.0/24", "http://192.168.2.1", false],
    ["0.0.0.0/0", "http://8.8.8.8", true],
    ["10.0.0.0/33", "http://10.0.0.1", false],
    ["10.0.0.0/8", "http://ten.example", false],
    ["10.1.2.3", "http://10.1.2.3", true],
  ] as const;

  test.each(networks)("is left out by NO_PROXY=%s for %s: %s", (list, address, isDirect) => {
    expect(shown(address, { HTTP_PROXY: "http://p:1", NO_PROXY: list }) === null).toBe(isDirect);
  });

  test("keeps its password to itself", () => {
    const proxy = proxyFor(HTTPS, { HTTPS_PROXY: "http://me:hunter22@p:3128" });
    expect(JSON.stringify(proxy)).not.toContain("hunter22");
    expect(proxy?.url.reveal()).toBe("http://me:hunter22@p:3128/");
  });

  test.each(["socks5://p:1080", "ftp://p", "http://"])(
    "that ash cannot use (%s) is refused with its variable",
    (value) => {
      try {
        proxyFor(HTTPS, { HTTPS_PROXY: value });
        throw new Error("accepted");
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(AshError);
        expect(thrown).toMatchObject({ type: "config", message: expect.stringContaining("HTTPS_PROXY") });
      }
    },
  );
});
