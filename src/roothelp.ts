// The text of `ash --help`. Kept free of every library: it must be there at once.

import type { FlagSpec } from "./flags.ts";
import { definitions, USUAL_WIDTH } from "./layout.ts";
import { COMMAND_NAMES, commandSpec } from "./spec.ts";

const USAGES = [
  ["ash [flags] PROMPT…", "ask; everything after -- is prompt, byte for byte"],
  ["ash COMMAND [flags] …", "the first word alone decides"],
  ["ash [flags]", "on a terminal: talk, one question after another"],
  ["… | ash [flags] PROMPT…", "what is piped in is context; without a prompt it is the prompt"],
] as const;

const term = ({ name, short, value }: FlagSpec): string =>
  `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;

/** What `ash --help` prints, folded for a terminal of `width` columns. */
export function rootHelp(width = USUAL_WIDTH): string {
  const commands = COMMAND_NAMES.map((name) => [name, commandSpec(name).summary] as const);
  const flags = commandSpec("ask").flags.map((flag) => [term(flag), flag.help] as const);
  return [
    "ash: ask a language model that has a few local tools, hard limits and no shell",
    "",
    "usage:",
    definitions(USAGES, width),
    "",
    "commands:",
    definitions(commands, width),
    "",
    "flags:",
    definitions(flags, width),
    "",
    "see also: ash help COMMAND, ash help env|config|limits|exit-codes",
  ].join("\n");
}
