// Reads the allowlist: `.ash_tools`, or a comma-separated list that replaces it for one run.
//
//   line      = [ entry { "," entry } ] [ "#" comment ]
//   entry     = name [ " " word { "|" word } ] [ ":" modifier { " " modifier } ]
//   modifier  = "unrestricted" | "ask" | "network"
import type { AllowEntry } from "./policy.ts";

/** A bare executable name, byte for byte. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
/** A first argument a line may name. */
export const SUBCOMMAND = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const MODIFIERS = ["unrestricted", "ask", "network"] as const;

/** Something to say about a line. An error makes the whole list unusable. */
export type ListProblem = { readonly source: string; readonly message: string; readonly fatal: boolean };

/** What a list says. */
export type Allowlist = {
  readonly entries: ReadonlyMap<string, AllowEntry>;
  readonly problems: readonly ListProblem[];
};

type EntryOrProblem = AllowEntry | string;

function parseSubcommands(name: string, text: string): readonly string[] | string | null {
  if (text === "") return null;
  const words = text.split("|").map((word) => word.trim());
  // Without its colon it would be a subcommand, and allow nothing that was meant.
  const modifier = MODIFIERS.find((known) => text.split(/\s+/).includes(known));
  if (modifier !== undefined) return `'${modifier}' stands after a colon (write: ${name}: ${text})`;
  const wrong = words.find((word) => !SUBCOMMAND.test(word));
  return wrong === undefined ? words : `'${wrong}' is not a subcommand (write: git log|status|diff)`;
}

function parseEntry(text: string, source: string): EntryOrProblem {
  const colon = text.indexOf(":");
  const head = (colon < 0 ? text : text.slice(0, colon)).trim();
  const modifiers =
    colon < 0
      ? []
      : text
          .slice(colon + 1)
          .trim()
          .split(/\s+/);
  const space = head.search(/\s/);
  const name = space < 0 ? head : head.slice(0, space);
  if (!NAME.test(name)) return `'${name}' is not a bare executable name`;
  const subcommands = parseSubcommands(name, space < 0 ? "" : head.slice(space).trim());
  if (typeof subcommands === "string") return subcommands;
  const wrong = modifiers.find((word) => !MODIFIERS.some((known) => known === word));
  if (wrong !== undefined) return `'${wrong}' is unknown after the colon (known: ${MODIFIERS.join(", ")})`;
  return {
    name,
    unrestricted: modifiers.includes("unrestricted"),
    ask: modifiers.includes("ask"),
    network: modifiers.includes("network"),
    subcommands,
    source,
  };
}

const withoutComment = (line: string): string => {
  const hash = line.search(/(^|\s)#/);
  return hash < 0 ? line : line.slice(0, hash);
};

/** Reads the text of a list. `label` names it in messages: a file name, a variable or a flag. */
export function parseAllowlist(text: string, label: string): Allowlist {
  const entries = new Map<string, AllowEntry>();
  const problems: ListProblem[] = [];
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  lines.forEach((line, index) => {
    const source = lines.length === 1 ? label : `${label}:${index + 1}`;
    for (const item of withoutComment(line).split(",")) {
      if (item.trim() === "") continue;
      const entry = parseEntry(item.trim(), source);
      if (typeof entry === "string") problems.push({ source, message: entry, fatal: true });
      else if (entries.has(entry.name)) {
        const first = entries.get(entry.name)?.source;
        problems.push({ source, message: `${entry.name} is listed twice (first in ${first})`, fatal: false });
      } else entries.set(entry.name, entry);
    }
  });
  return { entries, problems };
}
