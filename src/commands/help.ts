// `ash help [TOPIC]` and `ash COMMAND --help`. The only importer of the command-line library: it renders usage,
// the router does the parsing.
import { type ArgsDef, type CommandDef, renderUsage } from "citty";
import { version } from "../../package.json";
import { EXIT_MEANINGS, usageError } from "../errors.ts";
import { rootHelp } from "../roothelp.ts";
import { SETTINGS, type Setting } from "../settings.ts";
import { COMMAND_NAMES, type CommandName, commandSpec, type FlagSpec, isCommandName } from "../spec.ts";

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

async function commandHelp(name: CommandName): Promise<string> {
  const spec = commandSpec(name);
  const notes = spec.notes === undefined ? "" : `\n\n${spec.notes.join("\n")}`;
  const definition: CommandDef = {
    meta: { name: `ash ${name}`, version, description: spec.summary },
    args: argsOf(spec.flags),
  };
  const usage = Bun.stripANSI(await renderUsage(definition));
  const state = spec.built ? "" : "\n\nThis command is not built yet.";
  return `usage: ash ${name} ${spec.usage}\n\n${usage}${notes}${state}`;
}

const columns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
};

const exitCodes = (): string =>
  `Exit codes, the same in every output mode:\n${columns(EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]))}`;

function settingsHelp(): string {
  const rows = Object.values(SETTINGS).map((setting: Setting<unknown>): readonly [string, string] => {
    const names = [...setting.env, ...(setting.toml === null ? [] : [`${setting.toml} (config.toml)`])];
    const flag = setting.flag === null ? [] : [`--${setting.flag}`];
    return [[...flag, ...names].join(", "), `${setting.help} (default ${setting.shown})`];
  });
  return `Settings; a flag wins over the environment, and that over config.toml:\n${columns(rows)}`;
}

/** The text of `ash help TOPIC`. Throws a usage error for an unknown topic. */
export async function helpText(topics: readonly string[]): Promise<string> {
  const [topic, ...more] = topics;
  if (topic === undefined) return rootHelp();
  if (more.length > 0) throw usageError(`ash help takes one topic, not ${topics.length}`);
  if (topic === "exit-codes") return exitCodes();
  if (topic === "env" || topic === "config") return settingsHelp();
  if (isCommandName(topic)) return commandHelp(topic);
  throw usageError(`there is no help about ${topic}`, `topics: ${COMMAND_NAMES.join(", ")}, env, exit-codes`);
}
