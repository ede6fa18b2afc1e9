// The machine side of a run: what programs there are, the engine that runs them under the configured locks, and the
// Python environments tools need.
import { type Config, userVariable } from "./config.ts";
import { AshError, configError } from "./errors.ts";
import { type Engine, startEngine } from "./exec/engine.ts";
import { chooseMode, homeFolders, probeSandbox } from "./exec/sandbox.ts";
import { selfCommand } from "./host/system.ts";
import type { Limits } from "./limits.ts";
import type { Action, Permit, World } from "./policy/policy.ts";
import {
  type Environment,
  ensureEnvironment,
  environmentFor,
  metadataOf,
  type ProvisionContext,
} from "./python/environments.ts";
import type { Metadata } from "./python/metadata.ts";
import { readScope } from "./reading.ts";
import type { Sandbox } from "./schema.ts";
import { limitsOf } from "./settingviews.ts";
import { openWorld } from "./world.ts";

/** What a run has of the machine. */
export type Machine = {
  readonly world: World;
  readonly engine: Engine;
  /** Where the locks of this machine do not hold what the permissions of the run say. */
  readonly weaknesses: readonly string[];
  /** The limits of a call: what its tools declare holds where the user said nothing. */
  limitsFor(permits: readonly Permit[]): Limits;
  /** Makes the environments an allowed action's Python tools need; what fails is told and the tools run without. */
  prepareTools(action: Action, signal: AbortSignal, tell: (message: string) => void): Promise<void>;
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

const isJailed = (mode: Sandbox): boolean => mode === "jail" || mode === "bwrap";

/** What the permissions of this run mean where no jail holds them. */
function findWeaknesses({ settings }: Config, mode: Sandbox): readonly string[] {
  const { allowRead, denyRead, denyNet } = settings;
  if (isJailed(mode) || (allowRead.length === 0 && denyRead.length === 0 && !denyNet)) return [];
  return [
    `the sandbox here is ${mode}: permissions hold for the arguments of a call, not for what a program does`,
  ];
}

function openEngine(config: Config, world: World): Engine {
  const { settings, surroundings, home } = config;
  const probe = probeSandbox();
  const mode = chooseMode(probe, settings.sandbox, settings.requireSandbox);
  if (settings.level === "auto" && !isJailed(mode))
    throw configError(
      `the level auto needs a jail, and the sandbox here is ${mode}`,
      "use the level read or ask",
    );
  const { userHome, userName, language, timeZone } = surroundings;
  const { homes, folder, onlyRead, neverRead } = world.paths;
  return startEngine({
    facts: { home: userHome, user: userName, language, timeZone },
    mode,
    probe,
    self: selfCommand(),
    scope: { homes, ashHome: home.root, folder, onlyRead, neverRead },
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

function scriptsOf(action: Action, world: World): readonly (readonly [string, string])[] {
  return action.stages.flatMap(({ command }) => {
    if (!command.endsWith(".py")) return [];
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

  return async (action, signal, tell) => {
    if (config.settings.python !== null) return;
    for (const [command, path] of scriptsOf(action, world)) {
      const metadata = metadataOf(path);
      const needed = environmentFor(metadata, config.home);
      if (needed === null) continue;
      const made = making.get(needed.digest) ?? make(command, metadata, needed, { signal, tell });
      making.set(needed.digest, made);
      await made;
    }
  };
}

/** Looks at the machine as the policy sees it, for calls that run in `folder`. Starts nothing. */
export function openMachineWorld(config: Config, folder: string): World {
  const { settings, surroundings } = config;
  const { userHome, accountHome } = surroundings;
  return openWorld({
    folder,
    reading: readScope(settings.allowRead, settings.denyRead, { folder, userHome }),
    homes: homeFolders([userHome, ...(accountHome === null ? [] : [accountHome])]),
    provisioning: provisionContext(config),
    toolPath: settings.toolPath,
    variable: userVariable,
  });
}

/**
 * Opens the machine for calls that run in `folder`. Throws a configuration error when the sandbox that is asked for
 * or required is not to be had.
 */
export function openMachine(config: Config, folder: string): Machine {
  const world = openMachineWorld(config, folder);
  const engine = openEngine(config, world);
  return {
    world,
    engine,
    weaknesses: findWeaknesses(config, engine.sandbox),
    limitsFor: limitsChooser(config),
    prepareTools: toolPreparer(config, world, engine),
  };
}
