// Calls with the answer somebody expects of the policy: `# ok:` and `# no:` lines of an allowlist, rows of a table,
// and the examples every rule carries. Reads text; judges nothing.
//
//   line = "#" ("ok" | "no") ":" word { word }      one call; an unquoted | separates the stages of a pipeline
//   word = { character | "'" … "'" | '"' … '"' | "\" character }

import { COMMAND_RULES } from "./arguments.ts";
import { exampleArguments } from "./commands/rule.ts";
import type { PathFacts } from "./paths.ts";
import type { Action } from "./policy.ts";

/** A call and the expected answer. */
export type PolicyExample = {
  /** Where it stands, as `file:line`. */
  readonly source: string;
  readonly action: Action;
  readonly expected: "allow" | "deny";
};

/** Examples, and the lines that are none. */
export type PolicyExamples = {
  readonly examples: readonly PolicyExample[];
  readonly problems: readonly { readonly source: string; readonly message: string }[];
};

type Word = { readonly text: string; readonly quoted: boolean };

/** Splits a line at blanks outside quotes; null when a quote is open at its end. */
function splitWords(line: string): readonly Word[] | null {
  const words: Word[] = [];
  let text = "";
  let quoted = false;
  let started = false;
  let quote = "";
  for (let i = 0; i < line.length; i += 1) {
    const char = line[i] ?? "";
    if (quote !== "") {
      if (char === quote) quote = "";
      else if (char === "\\" && quote === '"' && /["\\]/.test(line[i + 1] ?? "")) text += line[++i];
      else text += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      quoted = started = true;
    } else if (char === "\\" && i + 1 < line.length) {
      text += line[++i];
      quoted = started = true;
    } else if (/\s/.test(char)) {
      if (started) words.push({ text, quoted });
      text = "";
      quoted = started = false;
    } else {
      text += char;
      started = true;
    }
  }
  if (quote !== "") return null;
  return started ? [...words, { text, quoted }] : words;
}

function toAction(words: readonly Word[]): Action | null {
  const stages: string[][] = [[]];
  for (const { text, quoted } of words) {
    if (text === "|" && !quoted) stages.push([]);
    else stages.at(-1)?.push(text);
  }
  const calls = stages.map(([command, ...args]) => ({ command, args }));
  return calls.every((call): call is { command: string; args: string[] } => call.command !== undefined)
    ? { stages: calls }
    : null;
}

/** Reads the examples in the comments of an allowlist. */
export function examplesInList(text: string, label: string): PolicyExamples {
  const examples: PolicyExample[] = [];
  const problems: { source: string; message: string }[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const found = /(?:^|\s)#\s*(ok|no):(.*)$/.exec(line);
    if (found === null) continue;
    const source = `${label}:${index + 1}`;
    const words = splitWords(found[2] ?? "");
    const action = words === null ? null : toAction(words);
    if (action === null) problems.push({ source, message: "not a call: write # ok: grep -E 'a|b' FILE" });
    else examples.push({ source, action, expected: found[1] === "ok" ? "allow" : "deny" });
  }
  return { examples, problems };
}

/** What stands for `{CWD}`, `{HOME}` and `{ASH}` in a table. */
export type Places = Readonly<Record<"CWD" | "HOME" | "ASH", string>>;

const filled = (text: string, places: Places): string =>
  text.replace(/\{(CWD|HOME|ASH)\}/g, (_, name: keyof Places) => places[name]);

function cellAction(command: string, argv: string, places: Places): Action | null {
  let list: unknown;
  let name = command;
  try {
    list = JSON.parse(argv);
    if (command.startsWith('"')) name = String(JSON.parse(command));
  } catch {
    return null;
  }
  if (!Array.isArray(list)) return null;
  const strings = (items: readonly unknown[]): readonly string[] | null =>
    items.every((item): item is string => typeof item === "string")
      ? items.map((item) => filled(item, places))
      : null;
  const argvs = name === "run_unix_pipeline" ? list : [[name, ...list]];
  const stages = argvs.map((stage: unknown) => (Array.isArray(stage) ? strings(stage) : null));
  const calls = stages.flatMap((stage) =>
    stage === null ? [] : [{ command: stage[0] ?? "", args: stage.slice(1) }],
  );
  return calls.length === stages.length ? { stages: calls } : null;
}

const ANSWERS: Readonly<Record<string, PolicyExample["expected"]>> = {
  allow: "allow",
  bounded: "allow",
  ok: "allow",
  deny: "deny",
  ask: "deny",
  no: "deny",
};

/**
 * Reads a table with tabs whose first line names its columns: `command`, `argv` (a JSON list; for the command
 * run_unix_pipeline a list of stages) and `expected` (allow, deny); others are ignored.
 */
export function examplesInTable(text: string, label: string, places: Places): PolicyExamples {
  const [head = "", ...rows] = text.split(/\r?\n/);
  const names = head.split("\t");
  const [command, argv, expected] = ["command", "argv", "expected"].map((name) => names.indexOf(name));
  if (
    command === undefined ||
    argv === undefined ||
    expected === undefined ||
    Math.min(command, argv, expected) < 0
  ) {
    return {
      examples: [],
      problems: [
        { source: `${label}:1`, message: "the first line must name the columns command, argv and expected" },
      ],
    };
  }
  const examples: PolicyExample[] = [];
  const problems: { source: string; message: string }[] = [];
  for (const [index, row] of rows.entries()) {
    if (row.trim() === "") continue;
    const source = `${label}:${index + 2}`;
    const cells = row.split("\t");
    const answer = ANSWERS[cells[expected] ?? ""];
    const action = cellAction(cells[command] ?? "", cells[argv] ?? "", places);
    if (answer === undefined) problems.push({ source, message: "expected must be allow or deny" });
    else if (action === null) problems.push({ source, message: "argv must be a JSON list of texts" });
    else examples.push({ source, action, expected: answer });
  }
  return { examples, problems };
}

/** A machine without files: what the examples of the rules are judged on. */
export const NO_FILES: PathFacts = {
  home: "/home/u",
  homes: ["/home/u", "/root"],
  ashHome: "/home/u/.ash",
  folder: "/home/u/project",
  platform: "gnu",
  caseInsensitive: false,
  onlyRead: null,
  neverRead: [],
  realPath: () => null,
  kind: () => "missing",
};

/** The examples of the rules: name, arguments, and whether the rule accepts them. */
export function ruleExamples(): readonly {
  readonly name: string;
  readonly args: readonly string[];
  readonly accepted: boolean;
}[] {
  return COMMAND_RULES.flatMap(({ names, match, notMatch }) =>
    names.flatMap((name) => [
      ...match.map((example) => ({ name, args: exampleArguments(example), accepted: true })),
      ...notMatch.map((example) => ({ name, args: exampleArguments(example), accepted: false })),
    ]),
  );
}
