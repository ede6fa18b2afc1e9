// The machine as the policy sees it: which programs and tools exist, asked once and remembered for the run.
import { join } from "node:path";
import { SYSTEM_PATH } from "./exec/environment.ts";
import { findProgram, identityOf } from "./host/executables.ts";
import { fileFacts, linkFacts, realPath } from "./host/files.ts";
import { exposureOf } from "./host/trust.ts";
import type { PathFacts } from "./policy/paths.ts";
import type { Lookup, ToolFacts, World } from "./policy/policy.ts";
import { interpreterFor, metadataOf, type ProvisionContext } from "./python/environments.ts";
import type { ReadScope } from "./reading.ts";

/** Finds a Python tool in a folder; others must not be able to change it. */
export function findTool(folder: string, name: string): Lookup {
  const path = join(folder, name);
  const facts = fileFacts(path);
  if (facts?.kind !== "file") {
    return { ok: false, rule: "not-installed", reason: `there is no tool ${name} in ${folder}` };
  }
  const real = realPath(path) ?? path;
  const parts = [
    [folder, linkFacts(folder)] as const,
    [path, linkFacts(path)] as const,
    [real, facts] as const,
  ];
  for (const [at, seen] of parts) {
    const exposure = seen === null ? null : exposureOf(at, seen);
    if (exposure !== null)
      return { ok: false, rule: "not-trusted", reason: `${exposure.problem}; ${exposure.fix}` };
  }
  return { ok: true, located: { path: real, identity: identityOf(facts) } };
}

const remembered = (look: (name: string) => Lookup): ((name: string) => Lookup) => {
  const known = new Map<string, Lookup>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const found = look(name);
    known.set(name, found);
    return found;
  };
};

function pathFacts({ provisioning, folder, homes, reading }: WorldParts): PathFacts {
  return {
    home: provisioning.userHome,
    homes,
    ashHome: provisioning.home.root,
    folder,
    platform: process.platform === "linux" ? "gnu" : "bsd",
    caseInsensitive: process.platform === "darwin",
    realPath,
    kind: (path) => fileFacts(path)?.kind ?? "missing",
    ...reading,
  };
}

/** What a world looks at besides the system. */
export type WorldParts = {
  /** The current directory. */
  readonly folder: string;
  /** Every folder that is somebody's home. */
  readonly homes: readonly string[];
  readonly reading: ReadScope;
  readonly provisioning: ProvisionContext;
  /** Folders beyond the fixed PATH, by the user's configuration. */
  readonly toolPath: readonly string[];
  /** The value of a variable of the user, for a tool that declared it. */
  readonly variable: (name: string) => string | undefined;
};

/** Opens the world of a run. */
export function openWorld(parts: WorldParts): World {
  const { provisioning, toolPath, variable } = parts;
  const folders = [...SYSTEM_PATH, ...toolPath];
  return {
    paths: pathFacts(parts),
    findExecutable: remembered((name) => findProgram(name, folders)),
    findTool: (name) => findTool(provisioning.home.tools, name),
    findPython: (script) => interpreterFor(script, provisioning),
    toolFacts(script): ToolFacts {
      const { network, env, timeoutMs, outputMax } = metadataOf(script);
      const given = env.flatMap((name) => {
        const value = variable(name);
        return value === undefined ? [] : [[name, value] as const];
      });
      return { network, environment: Object.fromEntries(given), timeoutMs, outputMax };
    },
  };
}
