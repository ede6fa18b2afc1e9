// Text made safe for terminals and models.
import { describe, expect, test } from "bun:test";
import { createSanitizer, sanitize, visible } from "../../src/sanitize.ts";

const cases = [
  ["plain text, tabs and newlines stay", "a\tb\nç 漢字 😀", "a\tb\nç 漢字 😀", 0],
  ["CSI colour", "\x1b[1;31mred\x1b[0m", "red", 2],
  ["CSI in its C1 form", "\x9b31mred", "red", 1],
  ["CSI with private and intermediate bytes", "a\x1b[?25l\x1b[>4;1mb\x1b[0 qc", "abc", 3],
  ["OSC 52 ended by BEL", "a\x1b]52;c;aGk=\x07b", "ab", 1],
  ["OSC 8 ended by ST", "\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link", 2],
  ["OSC in its C1 form", "a\x9d0;title\x9cb", "ab", 1],
  ["DCS, APC, PM and SOS", "a\x1bPq\x1b\\b\x1b_x\x1b\\c\x1b^y\x1b\\d\x1bXz\x1b\\e", "abcde", 4],
  ["an OSC that is never closed ends with its line", "a\x1b]0;hidden\nnext", "a\nnext", 1],
  ["a reset", "a\x1bcb", "ab", 1],
  ["a charset switch", "a\x1b(0b", "ab", 1],
  ["a lone ESC at the end", "a\x1b", "a", 1],
  ["BEL, BS, NUL and DEL become visible", "a\x07\x08\x00\x7fb", "a\ufffd\ufffd\ufffd\ufffdb", 0],
  ["a C1 control", "a\x85b", "a\ufffdb", 0],
  ["CR LF becomes LF, a lone CR a line of its own", "a\r\nb\rc\r", "a\nb\nc\n", 0],
  ["bidi overrides", "a\u202e\u2066b\u202c", "ab", 3],
  ["zero-width characters and BOM", "a\u200b\u2060\ufeffb", "ab", 3],
  ["tag characters", "a\u{e0041}\u{e007f}b", "ab", 2],
  ["variation selectors that smuggle bytes", "a\u{e0100}\ufe01b", "ab", 2],
  ["soft hyphen and fillers", "a\u00ad\u3164\u115fb", "ab", 3],
  ["emoji sequences stay whole", "👨‍👩‍👧 ❤️ 🏳️‍🌈 👍🏽", "👨‍👩‍👧 ❤️ 🏳️‍🌈 👍🏽", 0],
  ["a joiner between letters of Latin hides text", "pass\u200dword\u200cx", "passwordx", 2],
  ["a joiner that is spelling stays", "می‌خواهم क्‍ष", "می‌خواهم क्‍ष", 0],
  ["lone surrogates become visible", "a\ud800b\udc00", "a\ufffdb\ufffd", 0],
] as const;

describe("the sanitizer", () => {
  test.each(cases)("%s", (_, text, clean, removed) => {
    expect(sanitize(text)).toEqual({ text: clean, removed });
  });

  test.each(cases)("is not fooled by a cut anywhere: %s", (_, text, clean, removed) => {
    for (let at = 0; at <= text.length; at += 1) {
      const sanitizer = createSanitizer();
      expect(sanitizer.push(text.slice(0, at)) + sanitizer.push(text.slice(at)) + sanitizer.end()).toBe(
        clean,
      );
      expect(sanitizer.removed()).toBe(removed);
    }
  });
});

test("text for a prompt shows what cannot be seen", () => {
  expect(visible("rm\u202e \x1b[2K\u200bх\n")).toBe("rm\\u{202e} \\u{1b}[2K\\u{200b}х\\u{a}");
});
