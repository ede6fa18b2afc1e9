// `ash tools check [NAME…]`: the contract of Python tools, verified offline, and what is wrong with line and fix.
import { join } from "node:path";
import type { Config } from "../config.ts";
import { AshError, EXIT, systemCode } from "../errors.ts";
import { fileFacts, readBytes } from "../host/files.ts";
import { type Machine, openMachine } from "../machine.ts";
import { inParallel } from "../parallel.ts";
import { decide } from "../policy/decide.ts";
import type { Permit, Policy } from "../policy/policy.ts";
import { type CheckedTool, checkTool } from "../python/contract.ts";
import { dependencyState } from "../python/environments.ts";
import { broken, type Finding, hasError } from "../python/finding.ts";
import { inspectSource, type SourceReport } from "../python/source.ts";
import { makeSurroundings, type Surroundings } from "../python/surroundings.ts";
import {
  installCommand,
  policyFor,
  print,
  refuseWhenStopped,
  refuseWithoutPython,
  resolveTool,
  shortPath,
  type ToolsContext,
  toolNames,
} from "./tools-folder.ts";

/** What the check found about one tool. */
export type ToolReport = {
  readonly name: string;
  readonly path: string;
  readonly findings: readonly Finding[];
};

type Inspected = { readonly name: string; readonly path: string; readonly source: SourceReport };

/** Tools checked at the same time; each runs up to two calls at once. */
const AT_ONCE = 2;

function inspect({ home }: Config, name: string): Inspected {
  const path = join(home.tools, name);
  try {
    const source = inspectSource({ name, bytes: readBytes(path), mode: fileFacts(path)?.mode ?? 0 });
    return { name, path, source };
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    throw new AshError("tool_runtime", `${path} cannot be read (${code})`, {
      hint: `run: chmod u+r '${path}'`,
    });
  }
}

function missingPackages(config: Config, { name, source }: Inspected): CheckedTool["missing"] {
  const { metadata } = source;
  if (config.settings.python !== null || dependencyState(metadata, config.home) !== "missing") return null;
  return { names: metadata.dependencies, command: installCommand(config, metadata, name) };
}

type Bench = {
  readonly machine: Machine;
  readonly policy: Policy;
  readonly surroundings: Surroundings;
  readonly token: string;
};

async function checkOne(context: ToolsContext, bench: Bench, tool: Inspected): Promise<ToolReport> {
  const { config, host } = context;
  const { machine, surroundings, token } = bench;
  const { name, path, source } = tool;
  const action = { stages: [{ command: name, args: [] }] };
  const decision = decide(action, policyFor(name, bench.policy), machine.world);
  if (decision.verdict === "deny") {
    const [message = "", fix = "make it yours alone"] = decision.reason.split("; ");
    const refused = decision.rule === "name" ? [] : [broken("not-trusted", { message, fix })];
    return { name, path, findings: [...source.findings, ...refused] };
  }
  const [permit] = decision.permits as readonly [Permit];
  const checked = { source, script: permit.script?.path ?? path, missing: missingPackages(config, tool) };
  const findings = await checkTool(checked, {
    engine: machine.engine,
    permit: (args) => ({ ...permit, argv: [...permit.argv, ...args] }),
    limits: machine.limitsFor(decision.permits),
    signal: host.stop.signal,
    token,
    surroundings,
  });
  return { name, path, findings };
}

/** Checks the named tools. Throws tool_runtime when there is no Python; of a run that is stopped nothing is true. */
export async function checkTools(
  context: ToolsContext,
  names: readonly string[],
): Promise<readonly ToolReport[]> {
  const { config, host } = context;
  const policy = context.policy();
  const tools = names.map((name) => inspect(config, name));
  const token = crypto.randomUUID();
  const surroundings = makeSurroundings(
    tools.flatMap(({ source }) => source.imports),
    token,
  );
  try {
    const machine = openMachine(config, surroundings.root);
    host.onForcedExit(machine.engine.killAll);
    try {
      for (const { path } of tools) refuseWithoutPython(machine.world, path);
      machine.engine.prepare(AT_ONCE);
      return await inParallel(AT_ONCE, tools, (tool) =>
        checkOne(context, { machine, policy, surroundings, token }, tool),
      );
    } finally {
      await machine.engine.close();
    }
  } finally {
    surroundings.remove();
  }
}

/** A report as people read it: a mark, or one line per finding. */
export function reportText({ name, findings }: ToolReport): string {
  const lines = findings.map(({ rule, level, line, message, fix }) => {
    const place = line === null ? `tools/${name}` : `tools/${name}:${line}`;
    return `${place}: ${level} ${rule}: ${message}; ${fix}\n`;
  });
  return hasError(findings) ? lines.join("") : [`✓ ${name}\n`, ...lines].join("");
}

/** A report as programs read it. */
export function reportValue({ name, path, findings }: ToolReport): object {
  return {
    name,
    path,
    ok: !hasError(findings),
    findings: findings.map((finding) => ({ file: path, ...finding })),
  };
}

/** Runs `ash tools check`. Resolves to 0, or to 9 when a tool breaks the contract. */
export async function toolsCheck(context: ToolsContext, words: readonly string[]): Promise<number> {
  const { config, log } = context;
  const names = words.length === 0 ? toolNames(config) : words.map((word) => resolveTool(config, word));
  if (names.length === 0) log.warn(`there are no tools in ${shortPath(config, config.home.tools)}`);
  const reports = await checkTools(context, [...new Set(names)]);
  refuseWhenStopped(context);
  const isFine = reports.every(({ findings }) => !hasError(findings));
  const exitCode = isFine ? EXIT.ok : EXIT.tool;
  await print(context, reports.map(reportText).join(""), {
    schema: "ash.tools.check/1",
    status: isFine ? "ok" : "error",
    exit_code: exitCode,
    tools: reports.map(reportValue),
  });
  return exitCode;
}
