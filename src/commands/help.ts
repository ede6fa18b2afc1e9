// `ash help [TOPIC]` and `ash COMMAND --help`. The only importer of the command-line library: it renders flags,
// the router does the parsing.
import { type ArgsDef, type CommandDef, renderUsage } from "citty";
import { version } from "../../package.json";
import { EXIT_MEANINGS, usageError } from "../errors.ts";
import type { FlagSpec } from "../flags.ts";
import { definitions, fold, USUAL_WIDTH } from "../layout.ts";
import { keyVariables, limitRows, OTHER_VARIABLES, type SettingRow, settingRows } from "../reference.ts";
import { rootHelp } from "../roothelp.ts";
import { COMMAND_NAMES, type CommandName, commandSpec, HELP_TOPICS, isCommandName } from "../spec.ts";
import { closest } from "../suggest.ts";

type Rows = readonly (readonly [string, string])[];

function argsOf(flags: readonly FlagSpec[]): ArgsDef {
  return Object.fromEntries(
    flags.map((flag) => [
      flag.name,
      {
        type: flag.value === undefined ? "boolean" : "string",
        description: flag.help,
        ...(flag.short === undefined ? {} : { alias: flag.short }),
        ...(flag.value === undefined ? {} : { valueHint: flag.value }),
      },
    ]),
  ) as ArgsDef;
}

/** The library's two columns, set anew for the width there is. */
async function flagsHelp(name: CommandName, width: number): Promise<string> {
  const definition: CommandDef = { meta: { name, version }, args: argsOf(commandSpec(name).flags) };
  const rendered = Bun.stripANSI(await renderUsage(definition));
  const lines = rendered.slice(rendered.indexOf("\nOPTIONS")).split("\n").slice(2);
  const rows = lines.flatMap((line): Rows => {
    const [left = "", right = ""] = line.trim().split(/\s{4}(.*)/s);
    return left === "" ? [] : [[left, right.trim()]];
  });
  return definitions(rows, width);
}

async function commandHelp(name: CommandName, width: number): Promise<string> {
  const { summary, usage, forms, notes } = commandSpec(name);
  return [
    fold(`usage: ash ${name} ${usage}`, width, 2),
    fold(summary, width),
    ...(forms === undefined ? [] : [definitions(forms, width)]),
    `flags:\n${await flagsHelp(name, width)}`,
    ...(notes === undefined ? [] : [notes.map((line) => fold(line, width, 2)).join("\n")]),
  ].join("\n\n");
}

const section = (title: string, rows: Rows, width: number): string =>
  `${fold(title, width)}\n${definitions(rows, width)}`;

/** What a setting means, its default, and the flag when the row is not named by it. */
function meaning({ help, shown, secret, flag }: SettingRow, withFlag = true): string {
  const notes = [
    ...(secret || shown === "–" ? [] : [`default ${shown}`]),
    ...(flag === null || !withFlag ? [] : [`flag --${flag}`]),
  ];
  return notes.length === 0 ? help : `${help} (${notes.join("; ")})`;
}

function environmentHelp(width: number): string {
  const rows = settingRows().filter(({ env }) => env.length > 0);
  return [
    section(
      "Variables. A flag wins over them, and they win over config.toml; an empty one counts as not set:",
      rows.map((row) => [row.env.join(", "), meaning(row)] as const),
      width,
    ),
    section("Keys of single servers; each goes to its own server only:", keyVariables(), width),
    section("Other variables:", OTHER_VARIABLES, width),
  ].join("\n\n");
}

function configHelp(width: number): string {
  const rows = settingRows().flatMap((row) => (row.toml === null ? [] : [[row.toml, meaning(row)] as const]));
  return [
    section("Settings of ~/.ash/config.toml; a flag and a variable win over them:", rows, width),
    fold(
      'Durations are written 15s, 2m or 500ms, sizes 8192, 64KiB or 1GiB, lists as ["a", "b"]. What holds now, and where it comes from: ash config. The schema of the file: ash schema config.',
      width,
    ),
  ].join("\n\n");
}

function limitsHelp(width: number): string {
  const names = ({ flag, env, toml }: SettingRow): string =>
    [
      ...(flag === null ? [] : [`--${flag}`]),
      ...env.slice(0, 1),
      ...(env.length > 0 || toml === null ? [] : [toml]),
    ].join(", ");
  const rows = limitRows().map((row) => [names(row), meaning(row, false)] as const);
  const isCall = ([left]: readonly [string, string]): boolean => /TOOL_(?!CALLS)/.test(left);
  return [
    section("Limits of one tool call; a pipeline is one call:", rows.filter(isCall), width),
    section(
      "Budgets of one run; at a limit ash exits with 6:",
      rows.filter((row) => !isCall(row)),
      width,
    ),
  ].join("\n\n");
}

const exitCodesHelp = (width: number): string =>
  section(
    "Exit codes, the same in every output mode:",
    EXIT_MEANINGS.map(([code, text]) => [String(code), text] as const),
    width,
  );

function topicHelp(topic: (typeof HELP_TOPICS)[number], width: number): string {
  switch (topic) {
    case "env":
      return environmentHelp(width);
    case "config":
      return configHelp(width);
    case "limits":
      return limitsHelp(width);
    case "exit-codes":
      return exitCodesHelp(width);
  }
}

/** The text of `ash help TOPIC` for `width` columns. Throws a usage error for an unknown topic. */
export async function helpText(topics: readonly string[], width = USUAL_WIDTH): Promise<string> {
  const [topic, ...more] = topics;
  if (topic === undefined) return rootHelp(width);
  if (more.length > 0) throw usageError(`ash help takes one topic, not ${topics.length}`);
  // `config` is a command and a file: its topic shows both.
  if (topic === "config") return `${await commandHelp("config", width)}\n\n${configHelp(width)}`;
  const known = HELP_TOPICS.find((name) => name === topic);
  if (known !== undefined) return topicHelp(known, width);
  if (isCommandName(topic)) return commandHelp(topic, width);
  const all = new Set<string>([...COMMAND_NAMES, ...HELP_TOPICS]);
  const near = closest(topic, all);
  throw usageError(
    `there is no help about ${topic}`,
    near === undefined ? `topics: ${[...all].join(", ")}` : `did you mean ${near}?`,
  );
}
