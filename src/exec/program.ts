// What kind of program a file is, and which other files the kernel opens to start it.
import { readStart } from "../host/files.ts";

/** A program file, inspected. */
export type ProgramFile =
  | {
      readonly ok: true;
      /** Files that must be executable for it to start: itself, its loader, its interpreter. */
      readonly needs: readonly string[];
      /** The kernel starts it in one step; false when an `env` line looks its interpreter up first. */
      readonly direct: boolean;
    }
  | { readonly ok: false };

const HEAD_BYTES = 4096;
const PT_INTERP = 3;

const textAt = (bytes: Uint8Array, from: number, to: number): string =>
  new TextDecoder("latin1").decode(bytes.subarray(from, to)).replace(/\0.*$/s, "");

/** The dynamic loader a 64-bit little-endian ELF file names, or null when it is linked statically. */
function elfLoader(head: Uint8Array): string | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const table = Number(view.getBigUint64(32, true));
  const size = view.getUint16(54, true);
  const count = view.getUint16(56, true);
  for (let i = 0; i < count; i += 1) {
    const at = table + i * size;
    if (at + 48 > head.length) return null;
    if (view.getUint32(at, true) !== PT_INTERP) continue;
    const from = Number(view.getBigUint64(at + 8, true));
    return textAt(head, from, from + Number(view.getBigUint64(at + 32, true)));
  }
  return null;
}

const isElf = (head: Uint8Array): boolean =>
  head.length >= 64 &&
  head[0] === 0x7f &&
  head[1] === 0x45 &&
  head[2] === 0x4c &&
  head[3] === 0x46 &&
  head[4] === 2;

/** Looks at a program file. `lookUp` finds a bare name on the PATH, for `#!/usr/bin/env NAME`. */
export function inspectProgram(
  path: string,
  lookUp: (name: string) => string | null,
  depth = 0,
): ProgramFile {
  const head = readStart(path, HEAD_BYTES);
  if (head === null) return { ok: false };
  if (isElf(head)) {
    const loader = elfLoader(head);
    return { ok: true, needs: loader === null ? [path] : [path, loader], direct: true };
  }
  if (head[0] !== 0x23 || head[1] !== 0x21 || depth > 3) return { ok: false };
  const [line = ""] = textAt(head, 2, head.length).split("\n");
  const [interpreter = "", ...words] = line.trim().split(/\s+/);
  const first = inspectProgram(interpreter, lookUp, depth + 1);
  // An interpreter that is not there is for the caller to notice: it is named among the needs.
  if (!first.ok) return { ok: true, needs: [path, interpreter], direct: true };
  if (!interpreter.endsWith("/env")) return { ok: true, needs: [path, ...first.needs], direct: first.direct };
  const name = words.find((word) => !word.startsWith("-"));
  const target = name === undefined ? null : lookUp(name);
  const second = target === null ? null : inspectProgram(target, lookUp, depth + 1);
  return { ok: true, needs: [path, ...first.needs, ...(second?.ok ? second.needs : [])], direct: false };
}
