// Bytes that must be text. Pure.

/** Offset of the first byte that is not valid UTF-8, or -1. */
export function invalidUtf8At(bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; ) {
    const lead = bytes[i] ?? 0;
    const length =
      lead < 0x80
        ? 1
        : lead >= 0xc2 && lead < 0xe0
          ? 2
          : lead >= 0xe0 && lead < 0xf0
            ? 3
            : lead >= 0xf0 && lead < 0xf5
              ? 4
              : 0;
    if (length === 0) return i;
    for (let k = 1; k < length; k += 1) {
      const next = bytes[i + k];
      if (next === undefined || (next & 0xc0) !== 0x80) return i;
      if (k === 1 && !secondByteOk(lead, next)) return i;
    }
    i += length;
  }
  return -1;
}

// Overlong forms, surrogates and code points past U+10FFFF show in the second byte.
function secondByteOk(lead: number, next: number): boolean {
  if (lead === 0xe0) return next >= 0xa0;
  if (lead === 0xed) return next < 0xa0;
  if (lead === 0xf0) return next >= 0x90;
  return lead !== 0xf4 || next < 0x90;
}

/** The text, or why the bytes are none: binary (a NUL byte) or invalid UTF-8, with the offset. */
export function decodeText(
  bytes: Uint8Array,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string } {
  const nul = bytes.indexOf(0);
  if (nul >= 0) return { ok: false, problem: `is binary: a NUL byte at offset ${nul}` };
  const wrong = invalidUtf8At(bytes);
  if (wrong >= 0) return { ok: false, problem: `is not valid UTF-8 at byte offset ${wrong}` };
  return { ok: true, text: new TextDecoder("utf-8", { ignoreBOM: false }).decode(bytes) };
}
