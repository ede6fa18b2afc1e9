// What the subcommands of `ash tools` share: the tools there are, how one is named, and how results are printed.
import { join } from "node:path";
import type { OutputMode } from "../argv.ts";
import type { Config } from "../config.ts";
import { AshError, usageError } from "../errors.ts";
import { fileFacts, listFolder } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import type { Log } from "../log.ts";
import type { AllowEntry, Policy, World } from "../policy/policy.ts";
import { environmentFor } from "../python/environments.ts";
import type { Metadata } from "../python/metadata.ts";
import { redactAll } from "../redact.ts";
import { closest } from "../suggest.ts";

/** What a subcommand works with. */
export type ToolsContext = {
  readonly config: Config;
  readonly host: Host;
  readonly mode: OutputMode;
  readonly log: Log;
  /** The policy of this run, read when it is asked for. */
  readonly policy: () => Policy;
};

/** Prints a result: the text for people, or the object for programs. Neither holds a secret. */
export async function print(
  { config, host, mode }: ToolsContext,
  text: string,
  value: object,
): Promise<void> {
  const { redact } = config;
  await host.stdout.write(mode === "text" ? redact(text) : `${JSON.stringify(redactAll(redact, value))}\n`);
}

/** A path the way people write it. */
export function shortPath({ surroundings }: Config, path: string): string {
  const home = surroundings.userHome;
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** File names of all tools, sorted. */
export function toolNames({ home }: Config): readonly string[] {
  return (listFolder(home.tools) ?? []).filter(
    (name) =>
      name.endsWith(".py") && !name.startsWith(".") && fileFacts(join(home.tools, name))?.kind === "file",
  );
}

/** The file name a word means, with or without .py. Throws a usage error when there is no such tool. */
export function resolveTool(config: Config, word: string): string {
  const name = word.endsWith(".py") ? word : `${word}.py`;
  const names = toolNames(config);
  if (names.includes(name)) return name;
  const near = closest(name, names);
  throw usageError(
    `there is no tool ${name} in ${shortPath(config, config.home.tools)}`,
    near === undefined ? "see: ash tools list" : `did you mean ${near}?`,
  );
}

/** The one word a subcommand takes. Throws a usage error that shows how to write it. */
export function onlyWord(words: readonly string[], usage: string): string {
  const [word, ...more] = words;
  if (word === undefined || more.length > 0) {
    throw usageError(
      word === undefined ? "a name is missing" : `one name is enough: ${more[0]} is too much`,
      `write: ${usage}`,
    );
  }
  return word;
}

/** Throws `interrupted` when the run was stopped: what follows would only be half of it. */
export function refuseWhenStopped({ host }: ToolsContext): void {
  if (host.stop.cause() !== null) throw new AshError("interrupted", "stopped");
}

/** A policy that allows one tool as the allowlist would, whatever the list says: it is the user who asks. */
export function policyFor(name: string, policy: Policy): Policy {
  const listed = policy.entries.get(name);
  const entry: AllowEntry = {
    name,
    unrestricted: false,
    ask: false,
    network: listed?.network ?? false,
    subcommands: null,
    source: listed?.source ?? "ash tools",
  };
  return {
    ...policy,
    entries: new Map([[name, entry]]),
    denied: new Set(),
    strictArguments: false,
    level: "auto",
  };
}

/** Throws tool_runtime when there is no interpreter for a script. */
export function refuseWithoutPython(world: World, script: string): void {
  const found = world.findPython(script);
  if (!found.ok) throw new AshError("tool_runtime", found.reason, { hint: "see: ash doctor" });
}

/** The command that installs what a tool depends on. */
export function installCommand({ home }: Config, metadata: Metadata, name: string): string {
  const isShared = environmentFor(metadata, home)?.folder === home.venv;
  return isShared ? "ash init" : `ash tools sync ${name.replace(/\.py$/, "")}`;
}
