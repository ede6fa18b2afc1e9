// `ash doctor` about Python: the interpreter, the environment of the bundled tools, and those of tools with packages of
// their own. It starts an interpreter to ask its version and makes nothing.
import { join } from "node:path";
import type { Config } from "../config.ts";
import { AshError } from "../errors.ts";
import { listFolder } from "../host/files.ts";
import { provisionContext } from "../machine.ts";
import { basePython, environmentFor, metadataOf, sharedEnvironment } from "../python/environments.ts";
import type { Metadata } from "../python/metadata.ts";
import { versionText } from "../python/probe.ts";
import { readMark, type VenvState, venvState } from "../python/venv.ts";
import { damageIn } from "../python/wholeness.ts";
import type { Check } from "../schema/reports.ts";
import { counted, failure, guarded, ok, warn } from "./check.ts";

async function interpreterCheck(config: Config, signal: AbortSignal): Promise<Check> {
  try {
    const { path, version, venv, ensurepip, pip } = await basePython(provisionContext(config), signal);
    const facts = { path, version: versionText(version), venv, ensurepip, pip };
    const chosen = config.settings.python === null ? "" : ` (${config.origins.python})`;
    return ok("python", `${facts.version}, ${path}${chosen}`, facts);
  } catch (thrown) {
    if (thrown instanceof AshError && thrown.type === "tool_runtime") {
      // Everything but Python tools works without it.
      return warn("python", `${thrown.message}: Python tools cannot run`, thrown.details.hint ?? null);
    }
    return failure("python", thrown);
  }
}

const STATES: Readonly<Record<Exclude<VenvState, "ready">, string>> = {
  missing: "is not made yet: bundled tools with packages answer that they need it",
  stale: "was made by another ash, with other packages",
  broken: "does not work any more: its Python was changed or removed",
};

function environmentCheck(config: Config): Check {
  const { folder, digest } = sharedEnvironment(config.home);
  const state = venvState(folder, digest);
  const version = readMark(folder)?.version ?? null;
  const facts = { folder, state, version };
  if (config.settings.python !== null)
    return ok("venv", `not used: ${config.origins.python} wins over it`, facts);
  const damaged = state === "ready" ? damageIn(folder) : null;
  if (damaged !== null)
    return warn("venv", `${folder}: files of ${damaged} are missing or changed`, "run: ash init", facts);
  if (state === "ready") return ok("venv", `${folder}, Python ${version ?? "?"}`, facts);
  return warn("venv", `${folder} ${STATES[state]}`, "run: ash init", facts);
}

type Tool = { readonly name: string; readonly metadata: Metadata };

function toolsIn(config: Config): readonly Tool[] {
  const names = (listFolder(config.home.tools) ?? []).filter((name) => name.endsWith(".py"));
  return names.map((name) => ({ name, metadata: metadataOf(join(config.home.tools, name)) }));
}

function scriptsCheck(tools: readonly Tool[], config: Config): Check {
  const problems = tools.flatMap(({ name, metadata }) =>
    metadata.problems.map(({ line, message }) => `${name}:${line}: ${message}`),
  );
  const network = tools.filter(({ metadata }) => metadata.network).map(({ name }) => name);
  const facts = { folder: config.home.tools, tools: tools.map(({ name }) => name), network, problems };
  const message = `${counted(tools.length, "Python tool")}${network.length === 0 ? "" : `; network: ${network.join(", ")}`}`;
  if (problems.length === 0) return ok("python-tools", message, facts);
  return warn("python-tools", `${message}; ${problems.join("; ")}`, "correct these lines", facts);
}

function ownEnvironmentsCheck(tools: readonly Tool[], config: Config): readonly Check[] {
  const shared = sharedEnvironment(config.home).folder;
  const wanted = tools.flatMap(({ name, metadata }) => {
    const needed = environmentFor(metadata, config.home);
    if (needed === null || needed.folder === shared) return [];
    return [{ tool: name, folder: needed.folder, state: venvState(needed.folder, needed.digest) }];
  });
  const there = (listFolder(config.home.venvs) ?? []).map((name) => join(config.home.venvs, name));
  const unused = there.filter((folder) => !wanted.some((environment) => environment.folder === folder));
  if (wanted.length === 0 && unused.length === 0) return [];
  const facts = { environments: wanted, unused };
  const notReady = wanted.filter(({ state }) => state !== "ready");
  const message = [
    `${wanted.length - notReady.length} of ${counted(wanted.length, "environment")} ready`,
    ...notReady.map(({ tool, state }) => `${tool}: ${state}`),
    ...(unused.length === 0 ? [] : [`no tool needs ${unused.join(", ")}`]),
  ].join("; ");
  if (notReady.length === 0) return [ok("venvs", message, facts)];
  return [warn("venvs", message, "they are made when the tool is first called", facts)];
}

/** Everything about Python. */
export async function pythonChecks(config: Config, signal: AbortSignal): Promise<readonly Check[]> {
  const tools = toolsIn(config);
  return [
    await interpreterCheck(config, signal),
    ...guarded("venv", () => [environmentCheck(config)]),
    ...guarded("python-tools", () => [scriptsCheck(tools, config), ...ownEnvironmentsCheck(tools, config)]),
  ];
}
