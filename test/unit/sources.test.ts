// The settings of a company about packages, as pip and uv understand them.
import { describe, expect, test } from "bun:test";
import { refuseRelativePlaces, translateSettings } from "../../src/python/sources.ts";

describe("the settings of a company", () => {
  test("for pip mean the same to uv", () => {
    expect(
      translateSettings({
        PIP_INDEX_URL: "https://index/simple",
        PIP_EXTRA_INDEX_URL: "https://a  https://b",
        PIP_FIND_LINKS: "/wheels https://c",
        PIP_TRUSTED_HOST: "index other",
        PIP_CERT: "/ca.pem",
      }),
    ).toMatchObject({
      UV_DEFAULT_INDEX: "https://index/simple",
      UV_INDEX: "https://a https://b",
      UV_FIND_LINKS: "/wheels,https://c",
      UV_INSECURE_HOST: "index other",
      SSL_CERT_FILE: "/ca.pem",
    });
  });

  test("for uv mean the same to pip, which knows no names of indexes", () => {
    const translated = translateSettings({
      UV_INDEX_URL: "https://index/simple",
      UV_INDEX: "own=https://a https://b",
      UV_EXTRA_INDEX_URL: "https://c",
      UV_FIND_LINKS: "/wheels,https://d",
      UV_INSECURE_HOST: "index",
      SSL_CERT_FILE: "/ca.pem",
    });
    expect(translated).toMatchObject({
      PIP_INDEX_URL: "https://index/simple",
      PIP_EXTRA_INDEX_URL: "https://a https://b https://c",
      PIP_FIND_LINKS: "/wheels https://d",
      PIP_TRUSTED_HOST: "index",
      PIP_CERT: "/ca.pem",
      UV_DEFAULT_INDEX: "https://index/simple",
      UV_INDEX: "own=https://a https://b https://c",
      UV_INDEX_URL: "https://index/simple",
      UV_EXTRA_INDEX_URL: "https://a https://b https://c",
    });
  });

  test("under a program's own name win for that program", () => {
    const both = translateSettings({ PIP_INDEX_URL: "https://pip", UV_DEFAULT_INDEX: "https://uv" });
    expect(both).toEqual({
      PIP_INDEX_URL: "https://pip",
      UV_DEFAULT_INDEX: "https://uv",
      UV_INDEX_URL: "https://uv",
    });
  });

  test("that are not made stay unmade", () => {
    expect(translateSettings({})).toEqual({});
    expect(translateSettings({ HTTPS_PROXY: "http://proxy" })).toEqual({ HTTPS_PROXY: "http://proxy" });
  });

  test("may name absolute paths and addresses only", () => {
    expect(() =>
      refuseRelativePlaces({ PIP_FIND_LINKS: "/a https://b file:///c", PIP_CERT: "/d" }),
    ).not.toThrow();
    expect(() => refuseRelativePlaces({ PIP_FIND_LINKS: "/a b" })).toThrow("PIP_FIND_LINKS names 'b'");
    expect(() => refuseRelativePlaces({ REQUESTS_CA_BUNDLE: "../ca.pem" })).toThrow(
      "REQUESTS_CA_BUNDLE names",
    );
  });
});
