// Reads what a person types, a line at a time, with the keys a terminal user knows. Lines pasted together stay together.
import { createInterface } from "node:readline";

/** What a person did at the prompt. */
export type Typed =
  | { readonly kind: "text"; readonly text: string }
  /** Ctrl-C: what stood on the line is given up. */
  | { readonly kind: "dropped" }
  /** Ctrl-D, a terminal that is gone, or a signal that ends ash. */
  | { readonly kind: "end" };

/** A prompt that remembers what was typed at it. */
export type LineEditor = { read(signal: AbortSignal): Promise<Typed> };

/** Lines the arrow keys go back to. */
const REMEMBERED = 500;

/** Opens a prompt on the terminal of stdin, shown on stderr. Nothing is read between two calls of `read`. */
export function openLineEditor(prompt: string): LineEditor {
  let history: readonly string[] = [];

  async function read(signal: AbortSignal): Promise<Typed> {
    if (signal.aborted) return { kind: "end" };
    const editor = createInterface({
      ...{ input: process.stdin, output: process.stderr, terminal: true, prompt },
      ...{ history: [...history], historySize: REMEMBERED, removeHistoryDuplicates: true },
    });
    const typed = Promise.withResolvers<Typed>();
    const lines: string[] = [];
    const end = (): void => typed.resolve({ kind: "end" });
    // All lines of one paste come in one go; what it leaves on the line is still being written.
    const deliver = (): void => {
      if (editor.line === "" && lines.length > 0) typed.resolve({ kind: "text", text: lines.join("\n") });
    };
    editor.on("line", (line) => {
      lines.push(line);
      if (lines.length === 1 || editor.line === "") setImmediate(deliver);
    });
    editor.on("history", (known) => {
      history = known;
    });
    editor.on("SIGINT", () => typed.resolve({ kind: "dropped" }));
    // Back from Ctrl-Z the library has stopped reading, and the runtime would wait for nothing at full speed.
    editor.on("SIGCONT", () => editor.prompt(true));
    editor.on("close", end);
    signal.addEventListener("abort", end, { once: true });
    editor.prompt();
    try {
      return await typed.promise;
    } finally {
      signal.removeEventListener("abort", end);
      editor.close();
    }
  }
  return { read };
}
