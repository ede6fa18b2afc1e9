// The policy of one run, from the allowlist file or what replaces it, and from the permissions on the command line.
import { bootstrapText } from "./assets.ts";
import type { Config } from "./config.ts";
import { configError, usageError } from "./errors.ts";
import { SYSTEM_PATH } from "./exec/environment.ts";
import { readOwnFile } from "./home.ts";
import { findProgram } from "./host/executables.ts";
import { type Allowlist, NAME, parseAllowlist } from "./policy/allowlist.ts";
import type { NetworkChoice, Policy } from "./policy/policy.ts";
import { closest } from "./suggest.ts";

function readList(config: Config, homeIsThere: boolean): Allowlist {
  const { toolAllowlist } = config.settings;
  if (toolAllowlist !== null) {
    return parseAllowlist(toolAllowlist, config.origins.toolAllowlist.replace(/^(flag|env) /, ""));
  }
  const text = readOwnFile(config.home.allowlist);
  if (text !== null) return parseAllowlist(text, config.home.allowlist);
  // Without a home the list ash would have installed holds; a list the user removed allows nothing.
  return parseAllowlist(homeIsThere ? "" : bootstrapText(".ash_tools"), "the built-in allowlist");
}

function networkChoice({ settings: { allowNet, denyNet }, origins }: Config): NetworkChoice {
  const isFlag = origins.denyNet.startsWith("flag");
  if (allowNet && denyNet && isFlag) throw usageError("--allow-net and --deny-net exclude each other");
  if (allowNet) return "all";
  return denyNet ? "none" : "declared";
}

/** What is said of names to deny that deny nothing: they are on no list and no program, but close to a listed one. */
function mistypedDenials({ settings }: Config, { entries }: Allowlist): readonly string[] {
  const folders = [...SYSTEM_PATH, ...settings.toolPath];
  return settings.denyRun.flatMap((name) => {
    const near = closest(name, entries.keys());
    if (entries.has(name) || near === undefined || findProgram(name, folders).ok) return [];
    return [`--deny-run: ${name} is not on the allowlist; did you mean ${near}?`];
  });
}

/** The policy of a run, and what should be said about the list. Throws when the list cannot be read whole. */
export function loadPolicy(
  config: Config,
  homeIsThere: boolean,
): { readonly policy: Policy; readonly warnings: readonly string[] } {
  const { settings, origins } = config;
  const list = readList(config, homeIsThere);
  const fatal = list.problems.find((problem) => problem.fatal);
  if (fatal !== undefined) {
    const message = `${fatal.source}: ${fatal.message}`;
    throw origins.toolAllowlist.startsWith("flag")
      ? usageError(message)
      : configError(message, "correct that line");
  }
  const lifted = [...list.entries.values()].find(({ unrestricted }) => unrestricted);
  if (lifted !== undefined && origins.toolAllowlist.startsWith("flag"))
    throw usageError(
      `--allow-run: no flag lifts the argument rules of ${lifted.name}`,
      `put the line '${lifted.name}: unrestricted' into ${config.home.allowlist}`,
    );
  const wrong = settings.denyRun.find((name) => !NAME.test(name));
  if (wrong !== undefined) throw usageError(`--deny-run: '${wrong}' is not a bare executable name`);
  const policy: Policy = {
    entries: list.entries,
    denied: new Set(settings.denyRun),
    strictArguments: settings.strictArguments,
    level: settings.level,
    network: networkChoice(config),
  };
  const problems = list.problems.map(({ source, message }) => `${source}: ${message}`);
  return { policy, warnings: [...problems, ...mistypedDenials(config, list)] };
}
