// Secrets taken out of text: the known ones, and what looks like one.
import { describe, expect, test } from "bun:test";
import { createRedactor, redactAll, redactStream } from "../../src/redact.ts";
import { Secret } from "../../src/secret.ts";

const KEY = "canary/Key+with=odd%chars~42";
const redact = createRedactor([
  { name: "MY_KEY", value: new Secret(KEY) },
  { name: "LONGER", value: new Secret(`${KEY}-and-more`) },
  { name: "SHORT", value: new Secret("abc") },
]);

const forms: readonly (readonly [string, string])[] = [
  ["plain", KEY],
  ["base64", Buffer.from(KEY).toString("base64")],
  ["base64url", Buffer.from(KEY).toString("base64url")],
  ["hex", Buffer.from(KEY).toString("hex")],
  ["upper-case hex", Buffer.from(KEY).toString("hex").toUpperCase()],
  ["percent", encodeURIComponent(KEY)],
  ["every byte percent", Buffer.from(KEY).toString("hex").replace(/../g, "%$&")],
  ["reversed", [...KEY].reverse().join("")],
];

describe("a known secret", () => {
  test.each(forms)("is found in its %s form", (_, form) => {
    const text = redact(`before ${form} after`);
    expect(text).toContain("[redacted:MY_KEY]");
    expect(text).not.toContain(form.slice(2, -3));
    expect(text.startsWith("before ")).toBe(true);
    expect(text.endsWith(" after")).toBe(true);
  });

  test.each([0, 1, 2, 3, 4, 5])("is found inside longer base64 after %i bytes", (shift) => {
    const encoded = Buffer.from(`${"x".repeat(shift)}${KEY} and the rest of a file`).toString("base64");
    expect(redact(encoded)).toContain("[redacted:MY_KEY]");
  });

  test("that begins another does not leave its end behind", () => {
    expect(redact(`${KEY}-and-more`)).toBe("[redacted:LONGER]");
  });

  test("that is too short to be told from text is left alone", () => {
    expect(redact("abcdef")).toBe("abcdef");
  });
});

const shapes = [
  ["sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789", "api-key"],
  ["sk-proj-abcdefghijklmnopqrstuvwxyz", "api-key"],
  [`ghp_${"a1".repeat(18)}`, "github-token"],
  [`github_pat_${"A1_".repeat(12)}`, "github-token"],
  ["glpat-abcdefghij0123456789", "gitlab-token"],
  ["xoxb-123456789012-abcdef", "slack-token"],
  ["AKIAIOSFODNN7EXAMPLE", "aws-key"],
  [`AIza${"B".repeat(35)}`, "google-key"],
  [`hf_${"c".repeat(34)}`, "hugging-face-token"],
  [`npm_${"d".repeat(36)}`, "npm-token"],
  ["sk_live_abcdefghijklmnopqrst", "stripe-key"],
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4", "jwt"],
  ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----", "private-key"],
  ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz", "private-key"],
] as const;

describe("a token nobody told ash about", () => {
  test.each(shapes)("%j is known by its shape", (token, name) => {
    expect(redact(`x ${token}`)).toBe(`x [redacted:${name}]`);
  });

  test("in an address or a header goes and leaves the rest", () => {
    expect(redact("postgres://me:hunter2@db/x")).toBe("postgres://me:[redacted]@db/x");
    expect(redact("Authorization: Bearer abcdef123456")).toBe("Authorization: Bearer [redacted]");
  });

  test.each([
    "a sketch of sk-learn",
    "http://host:8080/path",
    "token",
    "password",
    "AKIA",
    "eyJ",
    "the ghp_ prefix",
    "user@host: hello",
    "-----BEGIN CERTIFICATE-----\nabc",
  ])("is not seen in %j", (text) => expect(redact(text)).toBe(text));
});

test("a stream is redacted wherever it is cut", () => {
  const text = `say ${KEY} and sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789\nend`;
  for (let at = 0; at <= text.length; at += 1) {
    const stream = redactStream(redact);
    expect(stream.push(text.slice(0, at)) + stream.push(text.slice(at)) + stream.end()).toBe(
      "say [redacted:MY_KEY] and [redacted:api-key]\nend",
    );
  }
});

test("every string of a value is redacted, and nothing else changes", () => {
  expect(redactAll(redact, { a: [KEY, 1, null], b: { c: `x${KEY}` }, d: true })).toEqual({
    a: ["[redacted:MY_KEY]", 1, null],
    b: { c: "x[redacted:MY_KEY]" },
    d: true,
  });
});

test("a megabyte of near misses costs little", () => {
  const text = "sk-aaaa ".repeat(120_000) + "-----BEGIN PRIVATE KEY-----".repeat(100);
  expect(redact(text).length).toBeGreaterThan(0);
});
