// `ash tools …`: hands over to one subcommand.
import { flagValue, hasFlag, type Invocation, type OutputMode, operands } from "../argv.ts";
import type { Config } from "../config.ts";
import { EXIT, usageError } from "../errors.ts";
import { ensureHome } from "../home.ts";
import type { Host } from "../host/host.ts";
import { openLog } from "../log.ts";
import { loadPolicy } from "../permissions.ts";
import type { Policy } from "../policy/policy.ts";
import { refuseForeignFlags, subcommandOf } from "../subcommand.ts";
import { toolsCheck } from "./tools-check.ts";
import { toolsDocs } from "./tools-docs.ts";
import type { ToolsContext } from "./tools-folder.ts";
import { toolsList } from "./tools-list.ts";
import { toolsAdd, toolsNew } from "./tools-new.ts";
import { toolsSync } from "./tools-sync.ts";

const SUBCOMMANDS = ["list", "docs", "new", "check", "add", "sync"] as const;
type Subcommand = (typeof SUBCOMMANDS)[number];

function openContext(config: Config, host: Host, mode: OutputMode): ToolsContext {
  const log = openLog(host.stderr);
  const home = ensureHome(config.home);
  if (home.state === "unavailable") log.warn(`ash runs without its home: ${home.reason}`);
  let policy: Policy | null = null;
  return {
    config,
    host,
    mode,
    log,
    policy() {
      if (policy !== null) return policy;
      const loaded = loadPolicy(config, home.state !== "unavailable");
      for (const message of loaded.warnings) log.warn(message);
      policy = loaded.policy;
      return policy;
    },
  };
}

/** Which subcommand each flag belongs to. */
const OWN_FLAGS: Readonly<Record<string, Subcommand>> = {
  option: "new",
  description: "new",
  offline: "sync",
};

function perform(context: ToolsContext, subcommand: Subcommand, invocation: Invocation): Promise<number> {
  const words = operands(invocation).slice(1);
  switch (subcommand) {
    case "list":
      if (words.length > 0)
        throw usageError("ash tools list takes no name", `try: ash tools check ${words.join(" ")}`);
      return toolsList(context);
    case "docs":
      return toolsDocs(context, words);
    case "new": {
      const options = invocation.flags.get("option") ?? [];
      return toolsNew(context, words, { options, description: flagValue(invocation, "description") });
    }
    case "check":
      return toolsCheck(context, words);
    case "add":
      return toolsAdd(context, words);
    case "sync":
      return toolsSync(context, words, hasFlag(invocation, "offline"));
  }
}

/** Runs a subcommand of `ash tools`. Resolves to its exit code; throws what went wrong. */
export async function tools(
  invocation: Invocation,
  config: Config,
  host: Host,
  mode: OutputMode,
): Promise<number> {
  const subcommand = subcommandOf("tools", SUBCOMMANDS, operands(invocation)[0]);
  refuseForeignFlags(invocation, "tools", subcommand, OWN_FLAGS);
  const context = openContext(config, host, mode);
  const exitCode = await perform(context, subcommand, invocation);
  host.stop.surrender();
  await host.stdout.flush();
  return host.stdout.closed() ? EXIT.brokenPipe : exitCode;
}
