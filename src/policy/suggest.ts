// What it would take to allow what was denied: the smallest line of the allowlist, and what that line would open.
// It suggests; it changes nothing.
import { SUBCOMMAND } from "./allowlist.ts";
import { commandRule, mayNameSubcommand, subcommandOf } from "./arguments.ts";
import type { Policy, RuleName } from "./policy.ts";
import { runsPrograms, SUBCOMMAND_RUNNERS } from "./programs.ts";

/** A line, or why none would help. */
export type Suggestion = {
  readonly name: string;
  /** The line to add or to put in the place of the one there is; null when no line would help. */
  readonly line: string | null;
  /** The line it would replace, as `file:line`, or null. */
  readonly replaces: string | null;
  /** What the line would open, or why there is none. */
  readonly opens: string;
  /** Ids of the denied calls it would allow. */
  readonly calls: readonly string[];
};

/** One denied call: the stage that was refused. */
export type DeniedCall = {
  readonly id: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly rule: RuleName;
};

const NO_LINE: Partial<Record<RuleName, string>> = {
  name: "the name is no bare executable name; no line allows it",
  "too-long": "the arguments are too long for any program",
  "control-character": "control characters are refused for every program",
  path: "it is a place for credentials or system state; no line opens it",
  "not-installed": "the program is not on this machine",
  "not-trusted": "others could have changed the program; correct its owner or mode",
  "no-interpreter": "there is no Python to run it with; see: ash doctor",
  declined: "the user said no",
  "denied-for-this-run": "it was taken away by --deny-run or deny_run",
  network: "the network was switched off by --deny-net or deny_net",
};

function newLine({ command, args }: DeniedCall): readonly [line: string, opens: string] {
  const [first = ""] = args;
  if (command.endsWith(".py")) return [command, `the Python tool ${command}, with whatever it declares`];
  if (SUBCOMMAND_RUNNERS.has(command)) {
    if (SUBCOMMAND.test(first))
      return [`${command} ${first}`, `${command} ${first} with any further arguments`];
    return [`${command}: unrestricted`, `everything ${command} can do, and what it starts`];
  }
  if (runsPrograms(command)) return [`${command}: unrestricted`, `every program ${command} is told to start`];
  const rule = commandRule(command);
  if (rule !== undefined) return [command, `${command} within its rule: ${rule.does}`];
  return [command, `${command} with any arguments but shell characters and places for credentials`];
}

function lineFor(call: DeniedCall, policy: Policy): readonly [line: string | null, opens: string] {
  const { command, rule, args } = call;
  const first = subcommandOf(command, args) ?? "";
  const entry = policy.entries.get(command);
  const known = commandRule(command);
  switch (rule) {
    case "not-listed":
      return newLine(call);
    case "runs-programs":
      return newLine(call);
    case "subcommand":
      if (SUBCOMMAND.test(first) && !mayNameSubcommand(command, first))
        return [`${command}: unrestricted`, `everything ${command} can do, and what it starts`];
      return SUBCOMMAND.test(first)
        ? [`${command} ${[...(entry?.subcommands ?? []), first].join("|")}`, `${command} ${first} too`]
        : [null, "its first argument is no subcommand"];
    case "needs-a-yes":
      if (known?.level === "ask" && known.network !== true && entry?.ask !== true && SUBCOMMAND.test(first))
        return [
          `${command} ${first}`,
          `${command} ${first} without a question, and nothing else of ${command}`,
        ];
      return known?.network === true
        ? [`${command}: network`, `${command} talks to other machines without a question`]
        : [`${command}: unrestricted`, `everything ${command} can do, without a question`];
    case "shell-character":
    case "option":
    case "operand":
    case "program-text":
      return [
        `${command}: unrestricted`,
        `all argument rules of ${command} are lifted, also those that protect files`,
      ];
    default:
      return [null, NO_LINE[rule] ?? "no line of the allowlist would help"];
  }
}

/** The smallest lines that would allow the denied calls, each once. */
export function suggestLines(calls: readonly DeniedCall[], policy: Policy): readonly Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const call of calls) {
    const [line, opens] = lineFor(call, policy);
    const key = `${call.command} ${line ?? opens}`;
    const before = found.get(key);
    found.set(key, {
      name: call.command,
      line,
      replaces: policy.entries.get(call.command)?.source ?? null,
      opens,
      calls: [...(before?.calls ?? []), call.id],
    });
  }
  return [...found.values()];
}
