// The prompt of a run: words of the command line, or stdin; and stdin as context when both are there.
import { hasFlag, type Invocation } from "./argv.ts";
import { usageError } from "./errors.ts";
import { inputKind, readInput } from "./host/input.ts";
import { decodeText } from "./text.ts";

/** What is asked, and what was piped in with it. */
export type Question = { readonly prompt: string; readonly context: string | null };

/** How long an open pipe may stay silent before its first byte, in milliseconds. */
const SILENCE_MS = 10_000;

async function readText(signal: AbortSignal): Promise<string> {
  const decoded = decodeText(await readInput(SILENCE_MS, signal));
  if (decoded.ok) return decoded.text;
  throw usageError(`stdin ${decoded.problem}`, "give ash UTF-8 text");
}

const emptyPrompt = () => usageError("the prompt is empty", "write: ash 'a question', or pipe one in");

/**
 * Reads the question. Null when there is nothing to ask but a person at a terminal to talk to. Throws a usage
 * error for an empty prompt, a silent pipe or bytes that are not text.
 */
export async function readQuestion(invocation: Invocation, signal: AbortSignal): Promise<Question | null> {
  const words = [...invocation.words, ...(invocation.rest ?? [])];
  const wantsInput =
    words.length === 0 || (words.length === 1 && words[0] === "-" && invocation.rest === null);
  const kind = hasFlag(invocation, "no-stdin") ? "none" : inputKind();
  if (wantsInput) {
    if (kind === "terminal" && words.length === 0 && invocation.rest === null) return null;
    if (kind !== "data") throw emptyPrompt();
    const prompt = await readText(signal);
    if (prompt.trim() === "") throw emptyPrompt();
    return { prompt: prompt.trim(), context: null };
  }
  const prompt = words.join(" ");
  if (prompt.trim() === "") throw emptyPrompt();
  if (!prompt.isWellFormed()) throw usageError("the prompt is not valid Unicode");
  const context = kind === "data" ? await readText(signal) : null;
  return { prompt, context: context?.trim() === "" ? null : context };
}
