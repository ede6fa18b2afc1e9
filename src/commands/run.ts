// `ash run -- TOOL ARG…`: one call by hand, under exactly the policy and the limits of the model's calls.
import { createApprover } from "../approval.ts";
import { hasFlag, type Invocation, type OutputMode, operands } from "../argv.ts";
import { toAction } from "../builtins/stages.ts";
import type { Config } from "../config.ts";
import { AshError, EXIT, toAshError } from "../errors.ts";
import type { CallResult } from "../exec/call.ts";
import { ensureHome } from "../home.ts";
import { workingFolder } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import { openLog } from "../log.ts";
import { openMachine } from "../machine.ts";
import { type Performed, perform } from "../perform.ts";
import { loadPolicy } from "../permissions.ts";
import { noPlan } from "../plan.ts";
import type { Action } from "../policy/policy.ts";
import { emptyResult, errorResult, stopError } from "../result.ts";
import { sanitize } from "../sanitize.ts";
import type { Denial, Result, ToolRecord, Warning } from "../schema.ts";
import { callShape, deniedCall } from "../toolbox.ts";
import { describeCall, recordedEnd, type ToolResult } from "../toolresult.ts";
import { setUpPython } from "./firstrun.ts";

const CALL_ID = "run";
type Told = {
  readonly record: ToolRecord;
  readonly result: ToolResult | null;
  readonly denial: Denial | null;
  readonly call: CallResult | null;
};

const nameOf = (action: Action): string =>
  action.stages.length > 1 ? "run_unix_pipeline" : "run_unix_command";

function toldDenied(action: Action, { rule, reason }: Exclude<Performed, { verdict: "allow" }>): Told {
  const { record, denial } = deniedCall({ id: CALL_ID, name: nameOf(action) }, action, rule, reason);
  return { record, result: null, call: null, denial };
}

const roundMs = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 10) / 10);

function toldPerformed(action: Action, call: CallResult, result: ToolResult, rule: string): Told {
  const stages = result.stages.map(({ argv, exit_code, signal, stderr, cpuMs, peakMemory }) => ({
    argv: [...argv],
    exit_code,
    signal,
    stderr,
    cpu_ms: roundMs(cpuMs),
    peak_memory_bytes: peakMemory,
  }));
  const sum = (values: readonly (number | null)[]): number =>
    values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const record: ToolRecord = {
    id: CALL_ID,
    name: nameOf(action),
    argv: callShape(action, result).argv,
    stages,
    decision: "allow",
    rule,
    ...recordedEnd(action, result),
    stdout: result.stdout,
    stderr: result.stderr,
    limit: result.limit,
    cpu_ms: roundMs(sum(result.stages.map((stage) => stage.cpuMs))),
    peak_memory_bytes: Math.max(0, ...result.stages.map((stage) => stage.peakMemory ?? 0)),
  };
  return { record, result, call, denial: null };
}

async function runTool(
  invocation: Invocation,
  config: Config,
  { host, mode, warn }: { host: Host; mode: OutputMode; warn: (type: string, message: string) => void },
): Promise<Result> {
  const action = toAction(operands(invocation), hasFlag(invocation, "pipe"), "ash run");
  const folder = workingFolder();
  const home = ensureHome(config.home);
  await setUpPython(invocation, config, host, home);
  const { policy, warnings: said } = loadPolicy(config, home.state !== "unavailable");
  for (const message of said) warn("allowlist", message);
  const machine = openMachine(config, folder);
  const { engine } = machine;
  for (const message of machine.weaknesses) warn("sandbox", message);
  host.onForcedExit(engine.killAll);
  const { signal } = host.stop;
  try {
    engine.prepare(action.stages.length);
    const done = await perform(action, {
      ...{ machine, policy, folder, signal, remainingMs: config.settings.deadline },
      plan: noPlan,
      approve: createApprover({ stderr: host.stderr, signal, folder, mayAsk: mode === "text" }),
      tell: (message) => warn("python_environment", message),
      onStart: () => undefined,
    });
    if (done.verdict !== "allow") return describe(toldDenied(action, done), engine.sandbox);
    const result = describeCall(done.call, action, done.limits, config.redact);
    return describe(toldPerformed(action, done.call, result, done.rule), engine.sandbox);
  } finally {
    await engine.close();
  }
}

function describe({ record, result, denial }: Told, sandbox: Result["sandbox"]): Result {
  const error =
    denial !== null
      ? new AshError("denied", denial.reason)
      : result?.error === null || result === null
        ? null
        : new AshError("tool_failed", result.error);
  const base = error === null ? emptyResult() : errorResult(error);
  return {
    ...base,
    result: result?.stdout ?? null,
    tools: [record],
    denials: denial === null ? [] : [denial],
    sandbox,
  };
}

/** Prints what the tool wrote: as it is for a program that reads it, clean for a person. */
async function printText(result: Result, host: Host): Promise<void> {
  const [record] = result.tools;
  const shown = (text: string, terminal: boolean): string => (terminal ? sanitize(text).text : text);
  await host.stdout.write(shown(record?.stdout ?? "", host.stdout.isTerminal));
  await host.stderr.write(shown(record?.stderr ?? "", host.stderr.isTerminal));
}

/** Runs one tool. Resolves to 0, 7 (denied) or 9 (the tool failed, timed out or hit a limit). */
export async function run(
  invocation: Invocation,
  config: Config,
  host: Host,
  mode: OutputMode,
): Promise<number> {
  const log = openLog(host.stderr);
  const warnings: Warning[] = [];
  // Said at once: installing packages takes its time.
  const warn = (type: string, message: string): void => {
    warnings.push({ type, message });
    if (mode === "text") log.warn(message);
  };
  const finish = (error: AshError): Result => errorResult(error);
  let result: Result;
  try {
    result = await runTool(invocation, config, { host, mode, warn });
    const cause = host.stop.cause();
    if (cause !== null)
      result = {
        ...finish(stopError(cause)),
        tools: result.tools,
        sandbox: result.sandbox,
        result: result.result,
      };
  } catch (thrown) {
    const cause = host.stop.cause();
    result = finish(cause === null ? toAshError(thrown) : stopError(cause));
  }
  host.stop.surrender();
  result = { ...result, duration_ms: Math.round(host.elapsed()), warnings };
  if (mode === "text") await printText(result, host);
  if (result.error !== null && result.error.type !== "broken_pipe") {
    log.error(
      result.error.hint === null ? result.error.message : `${result.error.message} (${result.error.hint})`,
    );
    await host.stderr.flush();
  }
  if (mode !== "text") await host.stdout.write(`${JSON.stringify(result)}\n`);
  return host.stdout.closed() ? EXIT.brokenPipe : result.exit_code;
}
