// A short text on stdout for those who end at once: it loads nothing that a stream needs.

/** Writes a text to stdout. False when it could not be written whole. */
export async function writeAtOnce(text: string): Promise<boolean> {
  try {
    return (await Bun.write(Bun.stdout, text)) === Buffer.byteLength(text);
  } catch {
    return false;
  }
}

/** The major number of /dev/null and its like on Linux. */
const MEMORY_DEVICES = 1;

/** False when stdout is a file, a pipe or /dev/null, which is known without asking for a terminal. */
export async function mayHaveWidth(): Promise<boolean> {
  try {
    const facts = await Bun.stdout.stat();
    return facts.isCharacterDevice() && Number(facts.rdev) >> 8 !== MEMORY_DEVICES;
  } catch {
    return true;
  }
}
