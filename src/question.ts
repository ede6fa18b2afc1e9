// The prompt of a run: words of the command line, a file, or stdin; and files and stdin as context beside it.
import { hasFlag, type Invocation } from "./argv.ts";
import { usageError } from "./errors.ts";
import { readNamedFile } from "./host/filein.ts";
import { INPUT_MAX, inputKind, readInput, tooLong } from "./host/input.ts";
import type { ContextFile } from "./prompt.ts";
import { decodeText } from "./text.ts";

/** What is asked, and what was piped in and named with it. */
export type Question = {
  readonly prompt: string;
  readonly context: string | null;
  readonly files: readonly ContextFile[];
};

/** How long an open pipe may stay silent before its first byte, in milliseconds. */
const SILENCE_MS = 10_000;

/** How `-f` spells stdin. */
const isStdin = (path: string): boolean => path === "-" || path === "/dev/stdin";

const emptyPrompt = () => usageError("the prompt is empty", "write: ash 'a question', or pipe one in");

function toText(name: string, bytes: Uint8Array): string {
  const decoded = decodeText(bytes);
  if (decoded.ok) return decoded.text;
  throw usageError(`${name} ${decoded.problem}`, "give ash UTF-8 text");
}

const readStdin = async (signal: AbortSignal): Promise<string> =>
  toText("stdin", await readInput(SILENCE_MS, signal));

/** Reads a file the command line names, as text. Throws a usage error that names it. */
export async function readTextFile(path: string, name: string, signal: AbortSignal): Promise<string> {
  return toText(name, await readNamedFile(path, name, { silenceMs: SILENCE_MS, signal }));
}

/** Where the parts of a question come from. Without words the first file is the prompt. */
type Plan = {
  readonly words: string | null;
  readonly files: readonly string[];
  /** stdin has something, whether a file stands for it or not. */
  readonly hasStdin: boolean;
};

function planOf(invocation: Invocation): Plan | null {
  const all = [...invocation.words, ...(invocation.rest ?? [])];
  const files = invocation.flags.get("file") ?? [];
  const isDash = all.length === 1 && all[0] === "-" && invocation.rest === null;
  const mentions = files.filter(isStdin).length + (isDash ? 1 : 0);
  if (mentions > 1) throw usageError("stdin can be read only once", "give - only once");
  const forbidden = hasFlag(invocation, "no-stdin");
  if (forbidden && files.some(isStdin)) throw usageError("-f - reads stdin, and --no-stdin forbids it");
  const kind = forbidden ? "none" : inputKind();
  const isBare = all.length === 0 && files.length === 0;
  if (isBare && kind === "terminal" && invocation.rest === null) return null;
  if ((isBare || mentions > 0) && kind !== "data") {
    if (isBare || isDash) throw emptyPrompt();
    throw usageError(`-f -: stdin is ${kind === "terminal" ? "the terminal" : "empty"}`, "pipe something in");
  }
  return {
    words: isDash || all.length === 0 ? null : all.join(" "),
    // The lone dash, and stdin when nothing else is given, are the first file.
    files: isDash || isBare ? ["-", ...files] : files,
    hasStdin: kind === "data",
  };
}

/** True when nothing is asked on the command line and a person sits at stdin. */
export function isLeftToAsk(invocation: Invocation): boolean {
  if (invocation.named || invocation.words.length > 0 || invocation.rest !== null) return false;
  if (hasFlag(invocation, "no-stdin") || invocation.flags.has("file")) return false;
  return inputKind() === "terminal";
}

/**
 * Reads the question. Null when there is nothing to ask but a person at a terminal to talk to. Throws a usage error
 * for an empty prompt, a silent pipe, bytes that are not text, or more than `INPUT_MAX`.
 */
export async function readQuestion(invocation: Invocation, signal: AbortSignal): Promise<Question | null> {
  const plan = planOf(invocation);
  if (plan === null) return null;
  if (plan.words !== null && plan.words.trim() === "") throw emptyPrompt();
  if (plan.words?.isWellFormed() === false) throw usageError("the prompt is not valid Unicode");
  const read: ContextFile[] = [];
  for (const path of plan.files) {
    const text = isStdin(path) ? await readStdin(signal) : await readTextFile(path, `-f ${path}`, signal);
    read.push({ path, text });
  }
  if (plan.hasStdin && !plan.files.some(isStdin)) read.push({ path: "-", text: await readStdin(signal) });
  if (read.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) > INPUT_MAX)
    throw tooLong("what was given in all");
  const taken = plan.words === null ? 1 : 0;
  const prompt = plan.words ?? read[0]?.text.trim() ?? "";
  if (prompt === "") throw emptyPrompt();
  const others = read.slice(taken).filter(({ text }) => text.trim() !== "");
  return {
    prompt,
    context: others.find(({ path }) => isStdin(path))?.text ?? null,
    files: others.filter(({ path }) => !isStdin(path)),
  };
}
