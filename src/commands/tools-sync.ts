// `ash tools sync [NAME…]`: makes the environments that scripts with dependencies need, and without a name removes
// those that no script needs any more.
import { basename, join } from "node:path";
import { AshError, EXIT, toAshError } from "../errors.ts";
import { listFolder, removeTree } from "../host/files.ts";
import { waitForLock } from "../host/lock.ts";
import { formatDuration } from "../limits.ts";
import { provisionContext } from "../machine.ts";
import { type Environment, ensureEnvironment, environmentFor, metadataOf } from "../python/environments.ts";
import {
  print,
  refuseWhenStopped,
  resolveTool,
  shortPath,
  type ToolsContext,
  toolNames,
} from "./tools-folder.ts";

/** One environment as `ash tools sync --json` prints it. */
type SyncRow = {
  readonly folder: string;
  readonly tools: readonly string[];
  readonly state: "ready" | "made" | "failed" | "removed";
  readonly error: { readonly message: string; readonly hint: string | null } | null;
};

type Needed = {
  readonly environment: Environment;
  readonly requiresPython: string | null;
  readonly tools: readonly string[];
};

/** The environments a number of tools need, each once. */
function neededBy(names: readonly string[], { config }: ToolsContext): readonly Needed[] {
  const found = new Map<string, Needed>();
  for (const name of names) {
    const metadata = metadataOf(join(config.home.tools, name));
    const environment = environmentFor(metadata, config.home);
    if (environment === null) continue;
    const before = found.get(environment.folder);
    found.set(environment.folder, {
      environment,
      requiresPython: metadata.requiresPython,
      tools: [...(before?.tools ?? []), name],
    });
  }
  return [...found.values()];
}

async function make(
  { environment, requiresPython, tools }: Needed,
  context: ToolsContext,
  offline: boolean,
): Promise<SyncRow> {
  const { config, host, mode } = context;
  const began = host.elapsed();
  const progress = (line: string): void => {
    const at = formatDuration(host.elapsed() - began).padStart(7);
    if (mode === "text") void host.stderr.write(`[${at}] ${tools.join(", ")}: ${line}\n`);
  };
  const { folder } = environment;
  try {
    const state = await ensureEnvironment(environment, provisionContext(config), requiresPython, {
      ...{ offline, signal: host.stop.signal, progress },
      mustBeWhole: true,
    });
    return { folder, tools, state, error: null };
  } catch (thrown) {
    refuseWhenStopped(context);
    const { message, details } = toAshError(thrown);
    return { folder, tools, state: "failed", error: { message, hint: details.hint ?? null } };
  }
}

/** Removes the environments no tool needs. */
async function removeOthers(
  needed: readonly Needed[],
  { config, host }: ToolsContext,
): Promise<readonly SyncRow[]> {
  const { venvs, lock: path } = config.home;
  const wanted = new Set(needed.map(({ environment }) => basename(environment.folder)));
  const others = (listFolder(venvs) ?? []).filter((name) => !wanted.has(name));
  if (others.length === 0) return [];
  const lock = await waitForLock(path, host.stop.signal, () => undefined);
  if (lock === null) throw new AshError("interrupted", "stopped while waiting for another ash");
  try {
    return others.map((name) => {
      const folder = join(venvs, name);
      removeTree(folder);
      return { folder, tools: [], state: "removed", error: null };
    });
  } finally {
    lock.release();
  }
}

const STATES: Readonly<Record<SyncRow["state"], string>> = {
  ready: "ready",
  made: "installed",
  failed: "failed",
  removed: "removed: no tool needs it",
};

function rowText({ folder, tools, state, error }: SyncRow, { config }: ToolsContext): string {
  const hint = error?.hint == null ? "" : ` (${error.hint})`;
  const said = error === null ? "" : `: ${error.message}${hint}`;
  return `${tools.length === 0 ? shortPath(config, folder) : tools.join(", ")}: ${STATES[state]}${said}\n`;
}

/** Runs `ash tools sync`. Resolves to 0, or to 9 when an environment could not be made. */
export async function toolsSync(
  context: ToolsContext,
  words: readonly string[],
  offline: boolean,
): Promise<number> {
  const { config } = context;
  const names = words.length === 0 ? toolNames(config) : words.map((word) => resolveTool(config, word));
  const needed = neededBy(names, context);
  const rows: SyncRow[] = [];
  // One after another: they share the lock, pip and the network.
  for (const one of needed) rows.push(await make(one, context, offline));
  if (words.length === 0) rows.push(...(await removeOthers(needed, context)));
  const exitCode = rows.some(({ state }) => state === "failed") ? EXIT.tool : EXIT.ok;
  const text =
    rows.length === 0 ? "no tool needs packages\n" : rows.map((row) => rowText(row, context)).join("");
  await print(context, text, { schema: "ash.tools.sync/1", environments: rows, exit_code: exitCode });
  return exitCode;
}
