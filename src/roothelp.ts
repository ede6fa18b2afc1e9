// The text of `ash --help`. Kept free of every library: it must be there at once.
import { COMMAND_NAMES, commandSpec } from "./spec.ts";

/** What `ash --help` prints. */
export function rootHelp(): string {
  const width = Math.max(...COMMAND_NAMES.map((name) => name.length));
  const commands = COMMAND_NAMES.map((name) => {
    const spec = commandSpec(name);
    return `  ${name.padEnd(width)}  ${spec.summary}${spec.built ? "" : " (not built yet)"}`;
  });
  const flags = commandSpec("ask").flags.map(({ name, short, value, help }) => {
    const form = `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
    return `  ${form.padEnd(24)}  ${help}`;
  });
  return [
    "ash: ask a language model that has a few local tools, hard limits and no shell",
    "",
    "usage: ash [flags] PROMPT…        everything after -- is prompt, byte for byte",
    "       ash COMMAND [flags] …      the first word alone decides",
    "       … | ash [flags] PROMPT…    what is piped in is context; without a prompt it is the prompt",
    "",
    "commands:",
    ...commands,
    "",
    "flags:",
    ...flags,
    "",
    "see also: ash help COMMAND, ash help env, ash help exit-codes",
  ].join("\n");
}
