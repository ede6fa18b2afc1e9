// The machine side of a run: what programs there are, and the engine that runs them under the configured locks.
import type { Config } from "./config.ts";
import { type Engine, startEngine } from "./exec/engine.ts";
import { chooseMode, homeFolders, probeSandbox } from "./exec/sandbox.ts";
import { selfCommand } from "./host/system.ts";
import type { World } from "./policy/policy.ts";
import { openWorld } from "./world.ts";

/** What a run has of the machine. */
export type Machine = { readonly world: World; readonly engine: Engine };

/**
 * Opens the machine for calls that run in `folder`. Throws a configuration error when the sandbox that is asked for
 * or required is not to be had.
 */
export function openMachine(config: Config, folder: string): Machine {
  const { settings, surroundings, home } = config;
  const world = openWorld(home.tools, { chosen: settings.python, path: surroundings.path });
  const probe = probeSandbox();
  const { userHome, userName, language, timeZone, accountHome } = surroundings;
  const engine = startEngine({
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
  return { world, engine };
}
