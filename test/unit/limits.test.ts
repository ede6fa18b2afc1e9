// Durations, sizes, counts and addresses, as people write them.
import { describe, expect, test } from "bun:test";
import {
  formatDuration,
  parseBytes,
  parseCount,
  parseDollars,
  parseDuration,
  parseSwitch,
} from "../../src/limits.ts";
import { parseBaseUrl } from "../../src/values.ts";

const value = (parsed: { ok: boolean; value?: unknown }): unknown => (parsed.ok ? parsed.value : "refused");

describe("a duration", () => {
  test.each([
    ["15s", 15_000],
    ["2m", 120_000],
    ["500ms", 500],
    ["90", 90_000],
    ["1.5s", 1500],
    ["24h", 86_400_000],
  ])("%s is read", (text, ms) => expect(value(parseDuration(text))).toBe(ms));
  test.each(["", "0", "0s", "-1", "1x", "s", "1 s", " 1", "1e3", "٣s", "25h", "0.4ms", "Infinity", "NaN"])(
    "%j is refused",
    (text) => expect(value(parseDuration(text))).toBe("refused"),
  );
});

describe("a size", () => {
  test.each([
    ["8192", 8192],
    ["64KiB", 65_536],
    ["1GiB", 2 ** 30],
    ["1GB", 1e9],
    ["16mib", 2 ** 24],
    ["5 MB", 5e6],
    ["1b", 1],
  ])("%s is read", (text, bytes) => expect(value(parseBytes(text))).toBe(bytes));
  test.each(["", "0", "-1", "1.5GiB", "1TiB", "999999999999999GiB", "x", "1e9"])("%j is refused", (text) =>
    expect(value(parseBytes(text))).toBe("refused"),
  );
});

describe("a count, an amount and a switch", () => {
  test("are read strictly", () => {
    expect(value(parseCount("16"))).toBe(16);
    for (const text of ["0", "-1", "1.0", "1e2", "", "12x", "9999999999"])
      expect(value(parseCount(text))).toBe("refused");
    expect(value(parseDollars("0.50"))).toBe(0.5);
    expect(value(parseDollars("$2"))).toBe(2);
    for (const text of ["0", "-1", "1,5", "abc"]) expect(value(parseDollars(text))).toBe("refused");
    expect(value(parseSwitch("Yes"))).toBe(true);
    expect(value(parseSwitch("off"))).toBe(false);
    expect(value(parseSwitch("maybe"))).toBe("refused");
  });
});

describe("a base address", () => {
  test.each([
    ["http://localhost:11434", "http://localhost:11434"],
    ["https://api.example.com/v1", "https://api.example.com"],
    ["https://api.example.com/anthropic/v1/messages/", "https://api.example.com/anthropic"],
    ["https://api.example.com/anthropic/", "https://api.example.com/anthropic"],
  ])("%s loses what clients add themselves", (text, url) => expect(value(parseBaseUrl(text))).toBe(url));
  test.each([
    "localhost:11434",
    "ftp://x",
    "http://u:p@x",
    "http://x?y",
    "http://x#y",
    "nonsense",
    "http://x\ny",
    " http://x",
  ])("%s is refused", (text) => expect(value(parseBaseUrl(text))).toBe("refused"));
});

test("durations are written the way people read them", () => {
  expect([3.4, 340, 2100, 200_000].map(formatDuration)).toEqual(["3 ms", "340 ms", "2.1 s", "3m 20s"]);
  expect([59_940, 59_970, 179_600].map(formatDuration)).toEqual(["59.9 s", "1m 0s", "3m 0s"]);
});
