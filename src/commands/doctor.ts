// `ash doctor`: looks at every moving part and says what is wrong and how to put it right. It makes nothing, and only
// --online sends anything.
import { version } from "../../package.json";
import { hasFlag, type Invocation, type OutputMode, operands } from "../argv.ts";
import { type Config, type Flags, loadConfig } from "../config.ts";
import { failure } from "../doctor/check.ts";
import { homeChecks } from "../doctor/home.ts";
import { connectionChecks } from "../doctor/model.ts";
import { pythonChecks } from "../doctor/python.ts";
import { sandboxChecks } from "../doctor/sandbox.ts";
import { surroundingsChecks } from "../doctor/surroundings.ts";
import { toolChecks } from "../doctor/tools.ts";
import { AshError, EXIT, usageError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { terminalWidth } from "../host/terminal.ts";
import { createRedactor, redactAll } from "../redact.ts";
import { stopError } from "../result.ts";
import type { Check, DoctorReport } from "../schema/reports.ts";
import { doctorText } from "./doctor-text.ts";

type Opened = { readonly config: Config | null; readonly problems: readonly AshError[] };

/** Reads as much of the configuration as can be read; everything wrong with the rest is told. */
function openConfig(flags: Flags): Opened {
  const problems: AshError[] = [];
  for (const [file, variables] of [
    [true, true],
    [false, true],
    [true, false],
    [false, false],
  ] as const) {
    try {
      return { config: loadConfig(flags, { file, variables }), problems };
    } catch (thrown) {
      if (!(thrown instanceof AshError) || thrown.type === "usage") throw thrown;
      if (!problems.some(({ message }) => message === thrown.message)) problems.push(thrown);
    }
  }
  return { config: null, problems };
}

async function look({ config, problems }: Opened, online: boolean, host: Host): Promise<readonly Check[]> {
  const { signal } = host.stop;
  const [program, ...around] = surroundingsChecks(config, host);
  const first = program === undefined ? [] : [program];
  if (config === null) return [...first, ...problems.map((problem) => failure("config", problem)), ...around];
  return [
    ...first,
    ...homeChecks(config, problems),
    ...toolChecks(config),
    ...(await pythonChecks(config, signal)),
    ...(await sandboxChecks(config, signal)),
    ...(await connectionChecks(config, online, signal)),
    ...around,
  ];
}

function summarize(checks: readonly Check[], online: boolean, durationMs: number): DoctorReport {
  const count = (status: Check["status"]): number => checks.filter((check) => check.status === status).length;
  const counts = { ok: count("ok"), warn: count("warn"), fail: count("fail") };
  return {
    schema: "ash.doctor/1",
    status: counts.fail > 0 ? "fail" : counts.warn > 0 ? "warn" : "ok",
    exit_code: counts.fail > 0 ? EXIT.config : EXIT.ok,
    ash_version: version,
    online,
    checks: [...checks],
    counts,
    duration_ms: Math.round(durationMs),
  };
}

/** Looks at everything. Resolves to 0, or 3 when something failed. */
export async function doctor(
  invocation: Invocation,
  flags: Flags,
  host: Host,
  mode: OutputMode,
): Promise<number> {
  const [operand] = operands(invocation);
  if (operand !== undefined) throw usageError(`ash doctor takes flags only, not ${operand}`);
  const online = hasFlag(invocation, "online");
  const opened = openConfig(flags);
  const { config } = opened;
  const redact = config?.redact ?? createRedactor([]);
  const checks = await look(opened, online, host);
  const cause = host.stop.cause();
  if (cause !== null) throw stopError(cause);
  const report = redactAll(redact, summarize(checks, online, host.elapsed()));
  host.stop.surrender();
  const colour =
    host.stdout.isTerminal && (config?.surroundings.colour ?? false) && !hasFlag(invocation, "no-color");
  const options = { width: terminalWidth(1), colour, facts: hasFlag(invocation, "facts") };
  await host.stdout.write(mode === "text" ? doctorText(report, options) : `${JSON.stringify(report)}\n`);
  return report.exit_code;
}
