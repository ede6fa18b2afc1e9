// Waiting for what sends no event: a process, a file, a text. It waits for that and never for a time; a test whose
// condition never holds ends at the time limit of tests.

const LOOK_AGAIN_MS = 5;

/** Resolves when something holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
}
