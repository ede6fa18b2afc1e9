// The rules that hold for every call whatever it runs: the name, sizes, control characters, shell characters.
import { NAME } from "./allowlist.ts";
import { commandRule } from "./arguments.ts";
import type { Policy, RuleName, StageCall } from "./policy.ts";

const ARGUMENT_BYTES = 32 * 1024;
const TOTAL_BYTES = 128 * 1024;
const ARGUMENT_COUNT = 256;

/** C0 except tab and newline, DEL, C1 and lone surrogates. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ud800-\udfff]/u;
const SHELL = /[;|&`<>\n]|\$\(/;

/** Why a call is refused: the rule, one or two sentences, and the line of the allowlist. */
export type Refusal = { readonly rule: RuleName; readonly reason: string; readonly source: string | null };
/** Makes a refusal. */
export const refuse = (rule: RuleName, reason: string, source: string | null = null): Refusal => ({
  rule,
  reason,
  source,
});

/** Judges a name byte for byte. Null when nothing is wrong. */
export function judgeName(command: string): Refusal | null {
  if (NAME.test(command)) return null;
  const [first = ""] = command.trim().split(/\s+/);
  if (/\s/.test(command.trim()) && NAME.test(first)) {
    return refuse("name", `put only "${first}" in command, and each argument as its own item of args`);
  }
  return refuse("name", "command must be a bare executable name: letters, digits and . _ + - only, no path");
}

/** Judges how long and how many the arguments are. Null when nothing is wrong. */
export function judgeSizes(args: readonly string[]): Refusal | null {
  if (args.length > ARGUMENT_COUNT) {
    return refuse("too-long", `${args.length} arguments; at most ${ARGUMENT_COUNT} are allowed`);
  }
  const sizes = args.map((argument) => Buffer.byteLength(argument));
  if (sizes.some((size) => size > ARGUMENT_BYTES)) {
    return refuse("too-long", "an argument is longer than 32 KiB");
  }
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return total > TOTAL_BYTES ? refuse("too-long", "the arguments are longer than 128 KiB in all") : null;
}

/** Judges control characters and broken Unicode. Null when nothing is wrong. */
export function judgeCharacters(args: readonly string[]): Refusal | null {
  const wrong = args.findIndex((argument) => CONTROL.test(argument));
  if (wrong < 0) return null;
  return refuse(
    "control-character",
    `argument ${wrong + 1} holds a control character or broken Unicode; tab and newline are the only ones allowed`,
  );
}

/** Judges shell characters in the arguments of a command that does not read text of its own. Null when nothing is wrong. */
export function judgeShellCharacters(stage: StageCall, policy: Policy): Refusal | null {
  const readsText = stage.command.endsWith(".py") || commandRule(stage.command) !== undefined;
  if (readsText && !policy.strictArguments) return null;
  const wrong = stage.args.find((argument) => SHELL.test(argument));
  if (wrong === undefined) return null;
  const found = SHELL.exec(wrong)?.[0] ?? "";
  return refuse(
    "shell-character",
    `an argument of ${stage.command} holds ${JSON.stringify(found)}, but there is no shell: ` +
      "give each program its own call, or use run_unix_pipeline for a pipe",
  );
}
