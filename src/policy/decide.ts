// Judges an action: a pure function of the action, the policy and the facts it asks the world for.
// The strictest rule wins, and a whole pipeline is judged before any of it may start.

import { closest } from "../suggest.ts";
import { NAME } from "./allowlist.ts";
import type {
  Action,
  AllowEntry,
  Decision,
  Lookup,
  Permit,
  Policy,
  RuleName,
  StageCall,
  World,
} from "./policy.ts";
import { PYTHON_FLAGS } from "./policy.ts";
import { runsPrograms, SUBCOMMAND_RUNNERS, TEXT_ARGUMENTS } from "./programs.ts";

const ARGUMENT_BYTES = 32 * 1024;
const TOTAL_BYTES = 128 * 1024;
const ARGUMENT_COUNT = 256;

/** C0 except tab and newline, DEL, C1 and lone surrogates. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ud800-\udfff]/u;
const SHELL = /[;|&`<>\n]|\$\(/;

type Refusal = { readonly rule: RuleName; readonly reason: string; readonly source: string | null };
const refuse = (rule: RuleName, reason: string, source: string | null = null): Refusal => ({
  rule,
  reason,
  source,
});

function judgeName(command: string): Refusal | null {
  if (NAME.test(command)) return null;
  const [first = ""] = command.trim().split(/\s+/);
  if (/\s/.test(command.trim()) && NAME.test(first)) {
    return refuse("name", `put only "${first}" in command, and each argument as its own item of args`);
  }
  return refuse("name", "command must be a bare executable name: letters, digits and . _ + - only, no path");
}

function judgeSizes(args: readonly string[]): Refusal | null {
  if (args.length > ARGUMENT_COUNT) {
    return refuse("too-long", `${args.length} arguments; at most ${ARGUMENT_COUNT} are allowed`);
  }
  const sizes = args.map((argument) => Buffer.byteLength(argument));
  if (sizes.some((size) => size > ARGUMENT_BYTES)) {
    return refuse("too-long", "an argument is longer than 32 KiB");
  }
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return total > TOTAL_BYTES ? refuse("too-long", "the arguments are longer than 128 KiB in all") : null;
}

function judgeCharacters(args: readonly string[]): Refusal | null {
  const wrong = args.findIndex((argument) => CONTROL.test(argument));
  if (wrong < 0) return null;
  return refuse(
    "control-character",
    `argument ${wrong + 1} holds a control character or broken Unicode; tab and newline are the only ones allowed`,
  );
}

function judgeShellCharacters(stage: StageCall, policy: Policy): Refusal | null {
  const readsText = stage.command.endsWith(".py") || TEXT_ARGUMENTS.has(stage.command);
  if (readsText && !policy.strictArguments) return null;
  const wrong = stage.args.find((argument) => SHELL.test(argument));
  if (wrong === undefined) return null;
  const found = SHELL.exec(wrong)?.[0] ?? "";
  return refuse(
    "shell-character",
    `an argument of ${stage.command} holds ${JSON.stringify(found)}, but there is no shell: ` +
      "give each program its own call, or use run_unix_pipeline for a pipe",
  );
}

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
  const other = near === undefined ? "use one of the listed tools" : `did you mean ${near}?`;
  return refuse("not-listed", `${command} is not on the allowlist; ${other}`);
}

function judgeKind(stage: StageCall, entry: AllowEntry): Refusal | null {
  if (runsPrograms(stage.command)) {
    return refuse(
      "runs-programs",
      `${stage.command} starts other programs; only a line "${stage.command}: unrestricted" in the allowlist allows it`,
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
  const [first] = stage.args;
  if (entry.subcommands !== null && (first === undefined || !entry.subcommands.includes(first))) {
    return refuse(
      "subcommand",
      `${stage.command} is allowed only with ${entry.subcommands.join(", ")}`,
      entry.source,
    );
  }
  return null;
}

const UNDECLARED = { network: false, environment: {}, timeoutMs: null, outputMax: null } as const;

function permit(stage: StageCall, entry: AllowEntry, world: World): Permit | Refusal {
  const isTool = stage.command.endsWith(".py");
  const found: Lookup = isTool ? world.findTool(stage.command) : world.findExecutable(stage.command);
  if (!found.ok) return refuse(found.rule, found.reason, entry.source);
  const { unrestricted } = entry;
  if (!isTool) {
    const argv = [stage.command, ...stage.args];
    const shared = { ...UNDECLARED, network: entry.network, unrestricted, helpers: false, listsHomes: true };
    return { executable: found.located, script: null, argv, ...shared };
  }
  const script = found.located;
  const python = world.findPython(script.path);
  if (!python.ok) return refuse(python.rule, python.reason, entry.source);
  const argv = [python.located.path, ...PYTHON_FLAGS, script.path, ...stage.args];
  const facts = world.toolFacts(script.path);
  const shared = {
    ...facts,
    network: facts.network || entry.network,
    unrestricted,
    helpers: false,
    listsHomes: false,
  };
  return { executable: python.located, script, argv, ...shared };
}

const isRefusal = (value: Permit | AllowEntry | Refusal): value is Refusal => "rule" in value;

function judgeStage(
  stage: StageCall,
  policy: Policy,
  world: World,
): { permit: Permit; source: string } | Refusal {
  const first = judgeName(stage.command) ?? judgeSizes(stage.args) ?? judgeCharacters(stage.args);
  if (first !== null) return first;
  const entry = judgeListed(stage.command, policy, world);
  if (isRefusal(entry)) return entry;
  if (!entry.unrestricted) {
    const second = judgeShellCharacters(stage, policy) ?? judgeKind(stage, entry);
    if (second !== null) return second;
  }
  const allowed = permit(stage, entry, world);
  return isRefusal(allowed) ? allowed : { permit: allowed, source: entry.source };
}

/** Judges an action. An action that is not allowed in every part is denied. */
export function decide(action: Action, policy: Policy, world: World): Decision {
  const permits: Permit[] = [];
  const sources: string[] = [];
  for (const [index, stage] of action.stages.entries()) {
    const judged = judgeStage(stage, policy, world);
    if ("rule" in judged) return { verdict: "deny", stage: index, ...judged };
    permits.push(judged.permit);
    sources.push(judged.source);
  }
  return { verdict: "allow", rule: "listed", permits, source: sources[0] ?? "" };
}
