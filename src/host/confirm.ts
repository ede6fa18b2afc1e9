// Asks a person a question that is answered by yes or no. It asks nobody else: without a terminal nothing is asked.
import { inputKind } from "./input.ts";
import { discardTyped } from "./native.ts";
import type { Output } from "./output.ts";

/** True when there is a person to ask: stdin and stderr are terminals. */
export function canAsk(stderr: Output): boolean {
  return stderr.isTerminal && inputKind() === "terminal";
}

const LONGEST = 1000;

/** The next line of stdin; null at its end or when the signal aborts. */
async function readLine(signal: AbortSignal): Promise<string | null> {
  const reader = Bun.file(0).stream().getReader();
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener("abort", () => resolve(null), { once: true });
    if (signal.aborted) resolve(null);
  });
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (!text.includes("\n") && text.length < LONGEST) {
      const got = await Promise.race([reader.read(), aborted]);
      if (got === null || got.done) return null;
      text += decoder.decode(got.value, { stream: true });
    }
    return text.split("\n", 1)[0] ?? "";
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** Asks on stderr; true for y or yes. Anything else, the end of stdin and an interrupt mean no. */
export async function confirm(question: string, stderr: Output, signal: AbortSignal): Promise<boolean> {
  if (!canAsk(stderr)) return false;
  // What was typed before the question, such as the rest of a paste, is no answer to it.
  discardTyped(0);
  await stderr.write(`${question} [y/N] `);
  const line = await readLine(signal);
  // Nobody pressed Return: what is printed next must not stand behind the question.
  if (line === null) await stderr.write("\n");
  return /^\s*y(es)?\s*$/i.test(line ?? "");
}
