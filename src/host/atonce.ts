// A short text on stdout for those who end at once: it loads nothing that a stream needs.

/** Writes a text to stdout. False when it could not be written whole. */
export async function writeAtOnce(text: string): Promise<boolean> {
  try {
    return (await Bun.write(Bun.stdout, text)) === Buffer.byteLength(text);
  } catch {
    return false;
  }
}

/** False when stdout is a file or a pipe, which is known without asking for a terminal. */
export async function mayHaveWidth(): Promise<boolean> {
  try {
    return (await Bun.stdout.stat()).isCharacterDevice();
  } catch {
    return true;
  }
}
