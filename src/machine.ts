// The machine side of a run: what programs there are, the engine that runs them under the configured locks, and the
// Python environments tools need.
import { type Config, userVariable } from "./config.ts";
import { AshError } from "./errors.ts";
import { type Engine, startEngine } from "./exec/engine.ts";
import { chooseMode, homeFolders, probeSandbox } from "./exec/sandbox.ts";
import { selfCommand } from "./host/system.ts";
import type { Limits } from "./limits.ts";
import type { Action, Permit, Policy, World } from "./policy/policy.ts";
import {
  type Environment,
  ensureEnvironment,
  environmentFor,
  metadataOf,
  type ProvisionContext,
} from "./python/environments.ts";
import type { Metadata } from "./python/metadata.ts";
import { limitsOf } from "./settings.ts";
import { openWorld } from "./world.ts";

/** What a run has of the machine. */
export type Machine = {
  readonly world: World;
  readonly engine: Engine;
  /** The limits of a call: what its tools declare holds where the user said nothing. */
  limitsFor(permits: readonly Permit[]): Limits;
  /** Makes the environments an action's Python tools need; what fails is told and the tools run without. */
  prepareTools(
    action: Action,
    policy: Policy,
    signal: AbortSignal,
    tell: (message: string) => void,
  ): Promise<void>;
};

/** What making environments needs, from the configuration. */
export function provisionContext({ home, settings, surroundings }: Config): ProvisionContext {
  return {
    home,
    search: { chosen: settings.python, path: surroundings.path },
    packageSettings: surroundings.packageSettings,
    userHome: surroundings.userHome,
  };
}

function openEngine(config: Config, world: World, folder: string): Engine {
  const { settings, surroundings, home } = config;
  const probe = probeSandbox();
  const { userHome, userName, language, timeZone, accountHome } = surroundings;
  return startEngine({
    facts: { home: userHome, user: userName, language, timeZone },
    mode: chooseMode(probe, settings.sandbox, settings.requireSandbox),
    probe,
    self: selfCommand(),
    scope: {
      homes: homeFolders([userHome, ...(accountHome === null ? [] : [accountHome])]),
      ashHome: home.root,
      folder,
      onlyRead: null,
      neverRead: [],
    },
    find(name) {
      const found = world.findExecutable(name);
      return found.ok ? found.located.path : null;
    },
  });
}

function limitsChooser({ settings, origins }: Config): Machine["limitsFor"] {
  const limits = limitsOf(settings);
  const largest = (values: readonly (number | null)[], otherwise: number): number =>
    values.some((value) => value !== null)
      ? Math.max(...values.map((value) => value ?? otherwise))
      : otherwise;
  return (permits) => ({
    ...limits,
    timeoutMs:
      origins.toolTimeout === "default"
        ? largest(
            permits.map((permit) => permit.timeoutMs),
            limits.timeoutMs,
          )
        : limits.timeoutMs,
    outputMax:
      origins.toolOutputMax === "default"
        ? largest(
            permits.map((permit) => permit.outputMax),
            limits.outputMax,
          )
        : limits.outputMax,
  });
}

type Make = (
  command: string,
  metadata: Metadata,
  environment: Environment,
  how: { readonly signal: AbortSignal; readonly tell: (message: string) => void },
) => Promise<void>;

/** The scripts an action would run, as far as they are allowed to. */
function scriptsOf(action: Action, policy: Policy, world: World): readonly (readonly [string, string])[] {
  return action.stages.flatMap(({ command }) => {
    if (!command.endsWith(".py") || !policy.entries.has(command) || policy.denied.has(command)) return [];
    const script = world.findTool(command);
    return script.ok ? [[command, script.located.path] as const] : [];
  });
}

/** Calls of one turn run side by side: who needs what another call is already making waits for it. */
function toolPreparer(config: Config, world: World, engine: Engine): Machine["prepareTools"] {
  const context = provisionContext(config);
  const making = new Map<string, Promise<void>>();

  const make: Make = async (command, metadata, environment, { signal, tell }) => {
    let told = false;
    const progress = (line: string): void => {
      if (!told) tell(`${command} needs packages, which are being installed once (${line})`);
      told = true;
    };
    const options = { offline: false, signal, progress, onStart: engine.protect };
    try {
      await ensureEnvironment(environment, context, metadata.requiresPython, options);
    } catch (thrown) {
      if (!(thrown instanceof AshError)) throw thrown;
      const hint = thrown.details.hint === undefined ? "" : ` (${thrown.details.hint})`;
      tell(`what ${command} needs is not there: ${thrown.message}${hint}`);
    }
  };

  return async (action, policy, signal, tell) => {
    if (config.settings.python !== null) return;
    for (const [command, path] of scriptsOf(action, policy, world)) {
      const metadata = metadataOf(path);
      const needed = environmentFor(metadata, config.home);
      if (needed === null) continue;
      const made = making.get(needed.digest) ?? make(command, metadata, needed, { signal, tell });
      making.set(needed.digest, made);
      await made;
    }
  };
}

/**
 * Opens the machine for calls that run in `folder`. Throws a configuration error when the sandbox that is asked for
 * or required is not to be had.
 */
export function openMachine(config: Config, folder: string): Machine {
  const world = openWorld({
    provisioning: provisionContext(config),
    toolPath: config.settings.toolPath,
    variable: userVariable,
  });
  const engine = openEngine(config, world, folder);
  return {
    world,
    engine,
    limitsFor: limitsChooser(config),
    prepareTools: toolPreparer(config, world, engine),
  };
}
