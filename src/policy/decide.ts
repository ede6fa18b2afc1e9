// Judges an action: a pure function of the action, the policy and the facts it asks the world for.
// The strictest rule wins, and a whole pipeline is judged before any of it may start.

import { posix } from "node:path";
import { closest } from "../suggest.ts";
import { commandRule, judgeArguments, judgeUnknown, subcommandOf } from "./arguments.ts";
import {
  judgeCharacters,
  judgeName,
  judgeShellCharacters,
  judgeSizes,
  type Refusal,
  refuse,
} from "./everycall.ts";
import { judgePath } from "./paths.ts";
import { permitFor, type Subject, yesNeeded } from "./permit.ts";
import type { Action, AllowEntry, Decision, Permit, Policy, StageCall, World } from "./policy.ts";
import { alwaysRunsPrograms, FOLDER_READERS, runsPrograms, SUBCOMMAND_RUNNERS } from "./programs.ts";

function judgeListed(command: string, policy: Policy, world: World): AllowEntry | Refusal {
  if (policy.denied.has(command)) {
    return refuse("denied-for-this-run", `${command} is taken away for this run (--deny-run)`, "--deny-run");
  }
  const entry = policy.entries.get(command);
  if (entry !== undefined) return entry;
  if (command.endsWith(".py") && world.findTool(command).ok) {
    return refuse(
      "not-listed",
      `${command} is not on the allowlist; the user can allow it with this line in .ash_tools: ${command}`,
    );
  }
  const near = closest(command, policy.entries.keys());
  const other =
    near === undefined
      ? "use a listed tool (ash policy list), or let the user add it to .ash_tools"
      : `did you mean ${near}?`;
  return refuse("not-listed", `${command} is not on the allowlist; ${other}`);
}

function judgeKind(stage: StageCall, entry: AllowEntry): Refusal | null {
  const mayBeAlone = !alwaysRunsPrograms(stage.command);
  if (runsPrograms(stage.command) && !(mayBeAlone && stage.args.length === 0)) {
    return refuse(
      "runs-programs",
      `${stage.command} ${mayBeAlone ? "with arguments " : ""}starts other programs; only a line "${stage.command}: unrestricted" in the allowlist allows it`,
      entry.source,
    );
  }
  if (SUBCOMMAND_RUNNERS.has(stage.command) && entry.subcommands === null) {
    return refuse(
      "runs-programs",
      `${stage.command} can start other programs; name what it may do in the allowlist: "${stage.command} SUBCOMMAND|SUBCOMMAND"`,
      entry.source,
    );
  }
  const first = subcommandOf(stage.command, stage.args);
  if (entry.subcommands !== null && (first === undefined || !entry.subcommands.includes(first))) {
    return refuse(
      "subcommand",
      `${stage.command} is allowed only with ${entry.subcommands.join(", ")}`,
      entry.source,
    );
  }
  return null;
}

/** A folder that is closed for this run is not read by a program that takes it when none is named. */
function judgeFolder({ command, args }: StageCall, entry: AllowEntry, { paths }: World): Refusal | null {
  if (!FOLDER_READERS.has(command)) return null;
  const namesOne = args.some(
    (word) => !word.startsWith("-") && paths.kind(posix.resolve(paths.folder, word)) !== "missing",
  );
  const reason = namesOne && command !== "git" ? null : judgePath(".", paths);
  return reason === null ? null : refuse("path", `${command}: ${reason}`, entry.source);
}

/** Names that are another program with a flag: what is judged is that program. */
const STAND_INS: ReadonlyMap<string, StageCall> = new Map([
  ["egrep", { command: "grep", args: ["-E"] }],
  ["fgrep", { command: "grep", args: ["-F"] }],
]);

/** The arguments that will be given, forced flags included, or why they are refused. */
function judgeArgumentsOf({ stage, entry }: Subject, world: World): readonly string[] | Refusal {
  const { command, args } = stage;
  const judged = judgeArguments(command, args, world.paths) ?? judgeUnknown(command, args, world.paths);
  return judged.ok ? judged.args : refuse(judged.rule, judged.reason, entry.source);
}

const isRefusal = <T extends object>(value: T | Refusal): value is Refusal => "rule" in value;

type Judgement = { readonly permit: Permit; readonly source: string; readonly yes: string | null };

function judgeStage(asked: StageCall, policy: Policy, world: World): Judgement | Refusal {
  const first = judgeName(asked.command) ?? judgeSizes(asked.args) ?? judgeCharacters(asked.args);
  if (first !== null) return first;
  const entry = judgeListed(asked.command, policy, world);
  if (isRefusal(entry)) return entry;
  const instead = STAND_INS.get(asked.command);
  const stage =
    instead === undefined ? asked : { command: instead.command, args: [...instead.args, ...asked.args] };
  const subject = { stage, entry, command: commandRule(stage.command) };
  let args = stage.args;
  if (!entry.unrestricted) {
    const second =
      judgeShellCharacters(stage, policy) ?? judgeKind(stage, entry) ?? judgeFolder(stage, entry, world);
    if (second !== null) return second;
    const judged = judgeArgumentsOf(subject, world);
    if ("rule" in judged) return judged;
    args = judged;
  }
  const allowed = permitFor(subject, args, policy, world);
  if (isRefusal(allowed)) return allowed;
  return { permit: allowed, source: entry.source, yes: yesNeeded(subject, policy) };
}

/** Judges an action. An action that is not allowed in every part is denied. */
export function decide(action: Action, policy: Policy, world: World): Decision {
  const judgements: Judgement[] = [];
  for (const [index, stage] of action.stages.entries()) {
    const judged = judgeStage(stage, policy, world);
    if (isRefusal(judged)) return { verdict: "deny", stage: index, ...judged };
    judgements.push(judged);
  }
  const permits = judgements.map(({ permit }) => permit);
  const source = judgements[0]?.source ?? "";
  const reasons = [...new Set(judgements.flatMap(({ yes }) => yes ?? []))];
  if (reasons.length === 0) return { verdict: "allow", rule: "listed", permits, source };
  return { verdict: "ask", rule: "needs-a-yes", permits, reason: reasons.join("; "), source };
}
