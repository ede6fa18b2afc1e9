// The door to the argument rules: which rule a command has, and what it says about the arguments of a call. It judges
// only; it spawns nothing and reads nothing but the facts it is given.
import { AWK_RULES } from "./commands/awk.ts";
import { BYTE_RULES } from "./commands/bytes.ts";
import { DATA_RULES } from "./commands/data.ts";
import { FILE_RULES } from "./commands/files.ts";
import { FIND_RULE } from "./commands/find.ts";
import { fromSubcommand, GIT_RULE, isGitSubcommand } from "./commands/git.ts";
import { HARDWARE_RULES } from "./commands/hardware.ts";
import { judgeByOptions } from "./commands/judge.ts";
import { LINE_RULES } from "./commands/lines.ts";
import { NETWORK_RULES } from "./commands/network.ts";
import { PROCESS_RULES } from "./commands/processes.ts";
import { PS_RULE } from "./commands/ps.ts";
import { REMOTE_RULES } from "./commands/remote.ts";
import { asksAboutItself, type CommandRule, type Judged } from "./commands/rule.ts";
import { SEARCH_RULES } from "./commands/search.ts";
import { SED_RULE } from "./commands/sed.ts";
import { SYSTEM_RULES } from "./commands/system.ts";
import { TEXT_RULES } from "./commands/text.ts";
import { WORD_RULES } from "./commands/words.ts";
import { judgePath, type PathFacts } from "./paths.ts";

export type { ArgumentRule, CommandRule, Judged } from "./commands/rule.ts";
export type { PathFacts } from "./paths.ts";

/** Every rule; aliases of a command share one. */
export const COMMAND_RULES: readonly CommandRule[] = [
  ...FILE_RULES,
  ...TEXT_RULES,
  ...LINE_RULES,
  ...SEARCH_RULES,
  ...BYTE_RULES,
  ...WORD_RULES,
  FIND_RULE,
  SED_RULE,
  ...AWK_RULES,
  ...DATA_RULES,
  ...SYSTEM_RULES,
  ...HARDWARE_RULES,
  PS_RULE,
  ...PROCESS_RULES,
  ...NETWORK_RULES,
  ...REMOTE_RULES,
  GIT_RULE,
];

/** Rules by command name. */
export type RuleTable = ReadonlyMap<string, CommandRule>;

/** Puts rules into a table, each under all its names. */
export function ruleTable(rules: readonly CommandRule[]): RuleTable {
  return new Map(rules.flatMap((rule) => rule.names.map((name) => [name, rule])));
}

const RULES = ruleTable(COMMAND_RULES);

/** The rule of a command, or undefined when ash has none for it. */
export function commandRule(command: string): CommandRule | undefined {
  return RULES.get(command);
}

/** The subcommand a call names, or undefined: git takes harmless words before it. */
export function subcommandOf(command: string, args: readonly string[]): string | undefined {
  return (command === "git" ? fromSubcommand(args) : args)[0];
}

/** True when a line that names the subcommand could allow calls of it: no rule of ash's own refuses them all. */
export function mayNameSubcommand(command: string, word: string): boolean {
  return command !== "git" || isGitSubcommand(word);
}

/** Judges the arguments of a call; null when there is no rule for the command. `table` replaces the rules in tests. */
export function judgeArguments(
  command: string,
  args: readonly string[],
  facts: PathFacts,
  table: RuleTable = RULES,
): Judged | null {
  const rule = table.get(command);
  if (rule === undefined) return null;
  switch (rule.kind) {
    case "options":
      return asksAboutItself(args) ? { ok: true, args } : judgeByOptions(rule, args, facts, command);
    case "parser":
      return rule.judge(args, facts, command);
  }
}

/** The text without percent signs, as programs read it that take addresses. */
function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text);
    return plain.includes("\0") ? text : plain;
  } catch {
    return text;
  }
}

/**
 * The parts of an argument that could be a path: all of it, what follows `=`, `@` or `:`, what follows a letter or a
 * cluster of them, and the path of a file: URL.
 */
function possiblePaths(argument: string): readonly string[] {
  const parts = [argument, ...argument.split(/[=@:,]/).slice(1)];
  const attached = /^-[A-Za-z]./.test(argument) ? [argument.slice(2)] : [];
  const clustered = /^-[A-Za-z]+(?<path>~?\/.*)$/s.exec(argument)?.groups?.path ?? [];
  const local = /file:\/\/[^/]*(?<path>\/.*)$/is.exec(argument)?.groups?.path ?? [];
  const all = [...parts, ...attached, ...[clustered].flat(), ...[local].flat()];
  return [...new Set(all.flatMap((part) => [part, decoded(part)]))];
}

/** A word that names nothing on the disk is text, not a path outside the trees of this run. */
const isText = (part: string, facts: PathFacts): boolean =>
  facts.onlyRead !== null && !/^[/~]/.test(part) && facts.kind(`${facts.folder}/${part}`) === "missing";

/** Judges the arguments of a command without a rule: every part that could be a path goes through the path rule. */
export function judgeUnknown(command: string, args: readonly string[], facts: PathFacts): Judged {
  const reason = args
    .flatMap(possiblePaths)
    .map((part) => judgePath(part, isText(part, facts) ? { ...facts, onlyRead: null } : facts))
    .find((item) => item !== null);
  if (reason === undefined || reason === null) return { ok: true, args };
  return { ok: false, rule: "path", reason: `${command}: ${reason}` };
}
