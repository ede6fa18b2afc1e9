// `ash tools list`: every Python tool there is or should be, what it does, and whether the model may run it.
import { join } from "node:path";
import type { Config } from "../config.ts";
import { EXIT } from "../errors.ts";
import { SYSTEM_PATH } from "../exec/environment.ts";
import { currentFolder, readBytes } from "../host/files.ts";
import { openMachineWorld } from "../machine.ts";
import { NAME } from "../policy/allowlist.ts";
import type { Policy, World } from "../policy/policy.ts";
import { dependencyState } from "../python/environments.ts";
import { type Metadata, parseMetadata, satisfies } from "../python/metadata.ts";
import { probePython, versionText } from "../python/probe.ts";
import {
  installCommand,
  print,
  refuseWhenStopped,
  shortPath,
  type ToolsContext,
  toolNames,
} from "./tools-folder.ts";
import { listText, type ToolRow } from "./tools-table.ts";

function standing(
  config: Config,
  policy: Policy,
  name: string,
): Pick<ToolRow, "allowlisted" | "source" | "reason"> {
  const source = policy.entries.get(name)?.source ?? null;
  if (policy.denied.has(name)) {
    return { allowlisted: false, source, reason: `taken away by ${config.origins.denyRun}` };
  }
  if (source !== null) return { allowlisted: true, source, reason: null };
  if (!NAME.test(name)) return { allowlisted: false, source, reason: "its name cannot be called; rename it" };
  const { toolAllowlist } = config.settings;
  const reason =
    toolAllowlist === null
      ? `not in ${shortPath(config, config.home.allowlist)}: add the line ${name}`
      : `not in ${config.origins.toolAllowlist.replace(/^\w+ /, "")}, which replaces the allowlist for this run`;
  return { allowlisted: false, source: null, reason };
}

type Versions = (interpreter: string) => Promise<string | null>;

function versionFinder(signal: AbortSignal): Versions {
  const known = new Map<string, Promise<string | null>>();
  const environment = { PATH: SYSTEM_PATH.join(":"), LANG: "C.UTF-8" };
  return (interpreter) => {
    const before = known.get(interpreter);
    if (before !== undefined) return before;
    const asked = probePython(interpreter, environment, signal).then((facts) =>
      facts === null ? null : versionText(facts.version),
    );
    known.set(interpreter, asked);
    return asked;
  };
}

function readMetadata(path: string): { readonly metadata: Metadata; readonly problem: string | null } {
  try {
    return { metadata: parseMetadata(readBytes(path)), problem: null };
  } catch {
    return { metadata: parseMetadata(""), problem: `it cannot be read; run: chmod u+r '${path}'` };
  }
}

function versionProblem({ requiresPython }: Metadata, python: string | null): string | null {
  const [major = 0, minor = 0, micro = 0] = (python ?? "").split(".").map(Number);
  if (python === null || satisfies(requiresPython, [major, minor, micro])) return null;
  return `it requires Python ${requiresPython} and would run with ${python}`;
}

const asProblem = (message: string | null): ToolRow["problems"] =>
  message === null ? [] : [{ line: null, message }];

type ListParts = {
  readonly config: Config;
  readonly policy: Policy;
  readonly world: World;
  readonly versions: Versions;
};

async function describeTool({ config, policy, world, versions }: ListParts, name: string): Promise<ToolRow> {
  const path = join(config.home.tools, name);
  const { metadata, problem } = readMetadata(path);
  const found = world.findTool(name);
  const interpreter = world.findPython(path);
  const python = interpreter.ok ? await versions(interpreter.located.path) : null;
  const hasOwnPython = config.settings.python !== null && metadata.dependencies.length > 0;
  const dependencies = hasOwnPython ? "ready" : dependencyState(metadata, config.home);
  return {
    name,
    path,
    capability: metadata.capability,
    ...standing(config, policy, name),
    interpreter: interpreter.ok ? interpreter.located.path : null,
    python,
    requires_python: metadata.requiresPython,
    network: metadata.network,
    env: metadata.env,
    requires: metadata.dependencies,
    dependencies,
    install: dependencies === "missing" ? installCommand(config, metadata, name) : null,
    problems: [
      ...asProblem(problem),
      ...asProblem(found.ok ? null : found.reason),
      ...asProblem(interpreter.ok ? null : interpreter.reason),
      ...asProblem(versionProblem(metadata, python)),
      ...metadata.problems,
    ],
  };
}

const describeMissing = (config: Config, policy: Policy, name: string): ToolRow => ({
  name,
  path: null,
  capability: null,
  ...standing(config, policy, name),
  interpreter: null,
  python: null,
  requires_python: null,
  network: false,
  env: [],
  requires: [],
  dependencies: "none",
  install: null,
  problems: asProblem(
    `on the allowlist, but there is no such file in ${shortPath(config, config.home.tools)}`,
  ),
});

/** Runs `ash tools list`. Resolves to 0. */
export async function toolsList(context: ToolsContext): Promise<number> {
  const { config, host, log } = context;
  const policy = context.policy();
  const world = openMachineWorld(config, currentFolder() ?? config.home.root);
  const names = toolNames(config);
  const absent = [...policy.entries.keys()].filter((name) => name.endsWith(".py") && !names.includes(name));
  const parts: ListParts = { config, policy, world, versions: versionFinder(host.stop.signal) };
  const rows = [
    ...(await Promise.all(names.map((name) => describeTool(parts, name)))),
    ...absent.sort().map((name) => describeMissing(config, policy, name)),
  ];
  refuseWhenStopped(context);
  if (rows.length === 0) log.warn(`there are no tools in ${shortPath(config, config.home.tools)}`);
  await print(context, rows.length === 0 ? "" : listText(rows), { schema: "ash.tools/1", tools: rows });
  return EXIT.ok;
}
