// A short text on stdout for those who end at once: it loads nothing that a stream needs.
import { writeSync } from "node:fs";
import { systemCode } from "../errors.ts";

/** Writes a text to stdout. False when it could not be written whole. */
export function writeAtOnce(text: string): boolean {
  let bytes: Uint8Array = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (thrown) {
      if (systemCode(thrown) !== "EAGAIN") return false;
      Bun.sleepSync(5);
    }
  }
  return true;
}
