// What a call may do once its arguments are accepted: the program that is started, the network, writing, and whether
// a person must say yes first.

import { SUBCOMMAND } from "./allowlist.ts";
import type { CommandRule } from "./arguments.ts";
import { type Refusal, refuse } from "./everycall.ts";
import {
  type AllowEntry,
  type Permit,
  type Policy,
  PYTHON_FLAGS,
  type StageCall,
  type World,
} from "./policy.ts";
import { LOCAL_CLIENTS, TALKERS, WRITERS } from "./programs.ts";

/** What stands behind a name: the call, its line of the allowlist, and the rule that reads its arguments. */
export type Subject = {
  readonly stage: StageCall;
  readonly entry: AllowEntry;
  readonly command: CommandRule | undefined;
};

/** True when the program is of no use without the network. */
const isTalker = ({ stage, entry, command }: Subject): boolean =>
  entry.network || command?.network === true || TALKERS.has(stage.command);

function hasNetwork(declared: boolean, subject: Subject, policy: Policy): boolean {
  switch (policy.network) {
    case "none":
      return false;
    case "declared":
      return declared || isTalker(subject);
    case "all":
      return declared || isTalker(subject) || subject.command === undefined;
  }
}

function refuseNetwork(declared: boolean, subject: Subject, policy: Policy): Refusal | null {
  if (policy.network !== "none" || !(declared || isTalker(subject))) return null;
  const { stage, entry } = subject;
  return refuse(
    "network",
    `${stage.command} needs the network, which is switched off for this run (--deny-net)`,
    entry.source,
  );
}

function permitTool(
  subject: Subject,
  args: readonly string[],
  policy: Policy,
  world: World,
): Permit | Refusal {
  const { stage, entry } = subject;
  const found = world.findTool(stage.command);
  if (!found.ok) return refuse(found.rule, found.reason, entry.source);
  const script = found.located;
  const python = world.findPython(script.path);
  if (!python.ok) return refuse(python.rule, python.reason, entry.source);
  const facts = world.toolFacts(script.path);
  const refused = refuseNetwork(facts.network, subject, policy);
  if (refused !== null) return refused;
  return {
    ...facts,
    executable: python.located,
    script,
    argv: [python.located.path, ...PYTHON_FLAGS, script.path, ...args],
    network: hasNetwork(facts.network, subject, policy),
    unrestricted: entry.unrestricted,
    writes: entry.unrestricted,
    helpers: false,
    kernelSockets: false,
    localSockets: false,
    listsHomes: false,
  };
}

function permitProgram(
  subject: Subject,
  args: readonly string[],
  policy: Policy,
  world: World,
): Permit | Refusal {
  const { stage, entry, command } = subject;
  const found = world.findExecutable(stage.command);
  if (!found.ok) return refuse(found.rule, found.reason, entry.source);
  const refused = refuseNetwork(false, subject, policy);
  if (refused !== null) return refused;
  return {
    environment: {},
    timeoutMs: null,
    outputMax: null,
    executable: found.located,
    script: null,
    argv: [stage.command, ...args],
    network: hasNetwork(false, subject, policy),
    unrestricted: entry.unrestricted,
    writes: entry.unrestricted || WRITERS.has(stage.command),
    helpers: command?.helpers === true,
    kernelSockets: command?.kernelSockets === true,
    localSockets: LOCAL_CLIENTS.has(stage.command) && (entry.unrestricted || entry.subcommands !== null),
    listsHomes: true,
  };
}

/** The permit of a call whose arguments are accepted, or why its program cannot be started. */
export function permitFor(
  subject: Subject,
  args: readonly string[],
  policy: Policy,
  world: World,
): Permit | Refusal {
  const isTool = subject.stage.command.endsWith(".py");
  return (isTool ? permitTool : permitProgram)(subject, args, policy, world);
}

/** Why a person must say yes before the call runs, or null. */
export function yesNeeded(subject: Subject, policy: Policy): string | null {
  const { stage, entry, command } = subject;
  if (entry.ask) return `the allowlist says that ${stage.command} needs a yes`;
  if (policy.level === "auto") return null;
  if (policy.level === "ask") return "at the level ask every call needs a yes";
  if (entry.unrestricted || entry.subcommands !== null) return null;
  if (isTalker(subject)) {
    if (entry.network || policy.network === "all") return null;
    return `${stage.command} talks to other machines (a line "${stage.command}: network" lets it do so unasked)`;
  }
  if (WRITERS.has(stage.command)) return `${stage.command} changes files or the machine`;
  if (command?.level !== "ask") return null;
  const [first = ""] = stage.args;
  const line = SUBCOMMAND.test(first) ? `${stage.command} ${first}` : `${stage.command} SUBCOMMAND`;
  return `${stage.command} runs unasked only by a line that names what it may do, such as "${line}"`;
}
