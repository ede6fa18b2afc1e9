// `ash policy …`: questions to the policy. It judges with the very function a run judges with, and starts nothing.
import { hasFlag, type Invocation, type OutputMode, operands } from "../argv.ts";
import type { Config } from "../config.ts";
import { ensureHome } from "../home.ts";
import { workingFolder } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import { openLog } from "../log.ts";
import { openMachineWorld } from "../machine.ts";
import { loadPolicy } from "../permissions.ts";
import { refuseForeignFlags, subcommandOf } from "../subcommand.ts";
import type { PolicyContext } from "./policy-context.ts";

const SUBCOMMANDS = ["check", "list", "test", "why", "suggest"] as const;
function openContext(config: Config, host: Host, mode: OutputMode): PolicyContext {
  const log = openLog(host.stderr);
  const home = ensureHome(config.home);
  const { policy, warnings } = loadPolicy(config, home.state !== "unavailable");
  for (const message of warnings) log.warn(message);
  const folder = workingFolder();
  return { config, host, mode, policy, world: openMachineWorld(config, folder), folder };
}

/** Answers one question to the policy. Resolves to 0, or to 7 when the answer is no. */
export async function policyCommand(
  invocation: Invocation,
  config: Config,
  host: Host,
  mode: OutputMode,
): Promise<number> {
  const [word, ...words] = operands(invocation);
  const subcommand = subcommandOf("policy", SUBCOMMANDS, invocation.words.length > 0 ? word : undefined);
  refuseForeignFlags(invocation, "policy", subcommand, { pipe: "check" });
  const context = openContext(config, host, mode);
  switch (subcommand) {
    case "check":
      return (await import("./policy-check.ts")).policyCheck(context, words, hasFlag(invocation, "pipe"));
    case "list":
      return (await import("./policy-list.ts")).policyList(context, words);
    case "test":
      return (await import("./policy-test.ts")).policyTest(context, words);
    case "why":
      return (await import("./policy-history.ts")).policyWhy(context, words);
    case "suggest":
      return (await import("./policy-history.ts")).policySuggest(context, words);
  }
}
