// `ash policy list`: every allowed name, what it may do in words, and the permissions of this run.
import { EXIT } from "../errors.ts";
import { commandRule } from "../policy/arguments.ts";
import { yesNeeded } from "../policy/permit.ts";
import type { AllowEntry, Lookup, NetworkChoice } from "../policy/policy.ts";
import { alwaysRunsPrograms, SUBCOMMAND_RUNNERS, TALKERS } from "../policy/programs.ts";
import { type PolicyContext, printAnswer, refuseWords, shortPath } from "./policy-context.ts";

/** Whether calls of a name run: unasked, after a yes, or never. */
type Runs = "unasked" | "asks" | "never";

/** One name as `ash policy list --json` prints it. */
type ListedName = {
  readonly name: string;
  readonly runs: Runs;
  /** What reads its arguments: an accept-list, a parser, the common rules, or nothing. */
  readonly rule: "accept-list" | "parser" | "common" | "unrestricted";
  readonly does: string;
  readonly network: boolean;
  readonly resolved_path: string | null;
  readonly source: string;
};

/** What `ash policy list --json` prints. */
type ListReport = {
  readonly schema: "ash.policy-list/1";
  readonly names: readonly ListedName[];
  readonly permissions: {
    readonly level: string;
    readonly network: NetworkChoice;
    readonly deny_run: readonly string[];
    /** Trees tools may read; null means all. */
    readonly allow_read: readonly string[] | null;
    readonly deny_read: readonly string[];
    readonly strict_arguments: boolean;
  };
  readonly exit_code: number;
};

const isTool = (name: string): boolean => name.endsWith(".py");

const lookUp = ({ name }: AllowEntry, { world }: PolicyContext): Lookup =>
  isTool(name) ? world.findTool(name) : world.findExecutable(name);

/** Why no call of the name runs, or null. */
function whyNever(entry: AllowEntry, found: Lookup, { policy }: PolicyContext): string | null {
  const { name } = entry;
  if (policy.denied.has(name)) return "taken away for this run";
  if (!found.ok) return found.reason;
  if (entry.unrestricted) return null;
  if (alwaysRunsPrograms(name)) return `starts other programs; only "${name}: unrestricted" allows it`;
  return SUBCOMMAND_RUNNERS.has(name) && entry.subcommands === null
    ? `can start other programs; name its subcommands: "${name} SUBCOMMAND|SUBCOMMAND"`
    : null;
}

function words(entry: AllowEntry): string {
  const { name, subcommands } = entry;
  const only = subcommands === null ? "" : ` Only: ${subcommands.join(", ")}.`;
  if (entry.unrestricted) return "Anything: the argument rules are lifted.";
  if (isTool(name)) return "A Python tool; see: ash tools docs.";
  const rule = commandRule(name);
  if (rule !== undefined) return `${rule.does}${only}`;
  return `No rule of its own: all arguments but shell characters and places for credentials.${only}`;
}

function describe(entry: AllowEntry, context: PolicyContext): ListedName {
  const { name } = entry;
  const found = lookUp(entry, context);
  const never = whyNever(entry, found, context);
  const rule = commandRule(name);
  const subject = { stage: { command: name, args: [] }, entry, command: rule };
  const facts = isTool(name) && found.ok ? context.world.toolFacts(found.located.path) : null;
  const canTalk = entry.network || rule?.network === true || TALKERS.has(name) || facts?.network === true;
  return {
    name,
    runs: never !== null ? "never" : yesNeeded(subject, context.policy) === null ? "unasked" : "asks",
    rule: entry.unrestricted
      ? "unrestricted"
      : rule === undefined
        ? "common"
        : rule.kind === "parser"
          ? "parser"
          : "accept-list",
    does: never === null ? words(entry) : never,
    network: canTalk && context.policy.network !== "none",
    resolved_path: found.ok ? found.located.path : null,
    source: entry.source,
  };
}

function permissionLines({ permissions }: ListReport): readonly string[] {
  const { level, network, allow_read: only, deny_read: never, deny_run: denied } = permissions;
  const networks = { declared: "tools that declare it", all: "every tool", none: "no tool" };
  return [
    `level ${level} · network: ${networks[network]} · readable: ${only === null ? "all but credentials" : only.join(", ")}`,
    ...(never.length === 0 ? [] : [`not readable: ${never.join(", ")}`]),
    ...(denied.length === 0 ? [] : [`taken away: ${denied.join(", ")}`]),
  ];
}

function asText(report: ListReport, context: PolicyContext): string {
  const width = Math.max(4, ...report.names.map(({ name }) => name.length));
  const rows = report.names.map(({ name, runs, does, network }) => {
    const net = network ? " (network)" : "";
    return `${name.padEnd(width)}  ${runs.padEnd(7)}  ${does}${net}`;
  });
  const sources = [...new Set(report.names.map(({ source }) => source.replace(/:\d+$/, "")))];
  const from = sources.map((source) => shortPath(context, source)).join(", ") || "an empty list";
  return `${[...rows, "", `${report.names.length} names from ${from}`, ...permissionLines(report)].join("\n")}\n`;
}

/** Lists every allowed name. Resolves to 0. */
export async function policyList(context: PolicyContext, extra: readonly string[]): Promise<number> {
  refuseWords("list", extra, 0);
  const { policy, world } = context;
  const report: ListReport = {
    schema: "ash.policy-list/1",
    names: [...policy.entries.values()].map((entry) => describe(entry, context)),
    permissions: {
      level: policy.level,
      network: policy.network,
      deny_run: [...policy.denied],
      allow_read: world.paths.onlyRead,
      deny_read: world.paths.neverRead,
      strict_arguments: policy.strictArguments,
    },
    exit_code: EXIT.ok,
  };
  await printAnswer(context, report, asText(report, context));
  return report.exit_code;
}
