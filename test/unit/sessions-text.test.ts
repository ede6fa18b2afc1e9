// Ages as people say them.
import { expect, test } from "bun:test";
import { ago } from "../../src/commands/sessions-text.ts";
import { parseAge } from "../../src/limits.ts";

test("how long ago is rounded down to what people say", () => {
  const now = Date.parse("2026-05-20T12:00:00Z");
  const minutes = (count: number): string => ago(now - count * 60_000, now);
  expect([0, 0.9, 1, 59.9, 60, 23 * 60 + 59, 24 * 60, 48 * 60, 14.5 * 24 * 60].map(minutes)).toEqual([
    "now",
    "now",
    "1 min ago",
    "59 min ago",
    "1 h ago",
    "23 h ago",
    "1 day ago",
    "2 days ago",
    "14 days ago",
  ]);
  expect(minutes(20 * 24 * 60)).toBe("2026-04-30");
  // A clock that was set back must not show nonsense.
  expect(ago(now + 5000, now)).toBe("now");
});

test("an age needs its unit", () => {
  expect(["90m", "12h", "30d", "2w"].map((text) => parseAge(text))).toEqual(
    [5_400_000, 43_200_000, 2_592_000_000, 1_209_600_000].map((value) => ({ ok: true, value }) as const),
  );
  for (const text of ["30", "", "d", "-1d", "1.5d", "1y", "30 d", "999999d"])
    expect(parseAge(text).ok).toBe(false);
});
