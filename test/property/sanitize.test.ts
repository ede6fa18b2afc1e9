// Cleaning of random text.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { createSanitizer, isInvisible, sanitize } from "../../src/sanitize.ts";

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      "\x1b",
      "[",
      "]",
      "P",
      "\\",
      "\x07",
      "\x9b",
      "\x9c",
      "m",
      ";",
      "\r",
      "\n",
      "\u200d",
      "\u200c",
      "\u202e",
      "\ud800",
      "\udc00",
      "😀",
    ),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  ),
  maxLength: 60,
});

test("clean text has no control character but tab and newline, no bidi and nothing invisible but spelling joiners", () => {
  fc.assert(
    fc.property(nasty, (text) => {
      for (const char of sanitize(text).text) {
        const code = char.codePointAt(0) ?? 0;
        expect(code >= 0x20 || code === 0x09 || code === 0x0a).toBe(true);
        expect(code >= 0x7f && code <= 0x9f).toBe(false);
        expect(isInvisible(code) && ![0x200c, 0x200d, 0xfe0f].includes(code)).toBe(false);
      }
      expect(sanitize(text).text.isWellFormed()).toBe(true);
    }),
  );
});

test("cleaning is the same whole and in pieces, and cleaning twice changes nothing more", () => {
  fc.assert(
    fc.property(fc.array(nasty, { maxLength: 5 }), (parts) => {
      const sanitizer = createSanitizer();
      const inPieces = parts.map((part) => sanitizer.push(part)).join("") + sanitizer.end();
      const whole = sanitize(parts.join(""));
      expect(inPieces).toBe(whole.text);
      expect(sanitizer.removed()).toBe(whole.removed);
      expect(sanitize(whole.text).text).toBe(whole.text);
    }),
  );
});

test("text without anything suspicious is not changed", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(..."abc äöü €漢\t\n<>{}[]\"'\\"), maxLength: 80 }),
      (text) => {
        expect(sanitize(text)).toEqual({ text, removed: 0 });
      },
    ),
  );
});
