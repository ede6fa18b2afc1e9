// One observed run of a tool: started through the engine as ash would start it, without network, with an observer in
// the interpreter that tells what the tool tries to do. Works under every sandbox mode.
import type { CallResult } from "../exec/call.ts";
import type { Engine } from "../exec/engine.ts";
import { PROBLEM_TEXT } from "../exec/launch.ts";
import { assetBytes } from "../host/assets.ts";
import type { CallLimit, Limits } from "../limits.ts";
import type { Permit } from "../policy/policy.ts";

/** What a tool did that the observer tells of. */
export type EventKind = "network" | "write" | "program" | "shadow" | "syntax" | "python";

/** One thing that was observed; `line` is null when the script itself is not on the stack. */
export type ObservedEvent = {
  readonly kind: EventKind;
  readonly line: number | null;
  readonly detail: string;
};

/** What one run left behind. */
export type Observed = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  /** Bytes stdout had in all. */
  readonly bytes: number;
  readonly stderr: string;
  readonly limit: CallLimit | null;
  /** Why it was not started, or null. */
  readonly problem: string | null;
  readonly events: readonly ObservedEvent[];
};

/** How to run. */
export type Probe = {
  readonly args: readonly string[];
  readonly folder: string;
  readonly closedStdin?: boolean;
  /** Runs with LC_ALL=C. */
  readonly plainLocale?: boolean;
  /** Without the observer, exactly as ash runs it. */
  readonly unobserved?: boolean;
  /** Milliseconds; at most the limit of the tool. */
  readonly timeoutMs?: number;
};

/** What runs of one tool have in common. */
export type ProbeContext = {
  readonly engine: Engine;
  /** The permit of a call with these arguments. */
  readonly permit: (args: readonly string[]) => Permit;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  /** A word no tool prints by chance; it starts every line of the observer. */
  readonly token: string;
};

/** Enough to see the whole of what is far too much. */
const KEPT_BYTES = 64 * 1024;
const NEVER_MS = 3_600_000;
const KINDS: readonly EventKind[] = ["network", "write", "program", "shadow", "syntax", "python"];

const observer = (): string => new TextDecoder().decode(assetBytes("bootstrap/observe.py"));

function observedArgv({ argv, script }: Permit, token: string, closedStdin: boolean): readonly string[] {
  const at = argv.indexOf(script?.path ?? "");
  return [...argv.slice(0, at), "-c", observer(), token, closedStdin ? "yes" : "no", ...argv.slice(at)];
}

function readEvents(stderr: string, token: string): Pick<Observed, "stderr" | "events"> {
  const events: ObservedEvent[] = [];
  const kept: string[] = [];
  for (const line of stderr.split("\n")) {
    const [mark, name, number, ...detail] = line.split(" ");
    const kind = KINDS.find((known) => known === name);
    if (mark !== token || kind === undefined) kept.push(line);
    else events.push({ kind, line: Number(number) || null, detail: detail.join(" ") });
  }
  return { stderr: kept.join("\n"), events };
}

// Decoding drops a byte order mark, which only the count of bytes still shows.
function stdoutOf({ text, bytes, truncated }: CallResult["stdout"]): string {
  const hidden = !truncated && !text.includes("\ufffd") && bytes === Buffer.byteLength(text) + 3;
  return hidden ? `\ufeff${text}` : text;
}

const NOT_RUN: Observed = {
  code: null,
  signal: null,
  stdout: "",
  bytes: 0,
  stderr: "",
  limit: null,
  problem: "the run was stopped",
  events: [],
};

/** Runs a tool once, unless the run was stopped. Never throws. */
export async function observe(context: ProbeContext, probe: Probe): Promise<Observed> {
  const { engine, limits, signal, token } = context;
  if (signal.aborted) return NOT_RUN;
  const permit = context.permit(probe.args);
  const argv = probe.unobserved ? permit.argv : observedArgv(permit, token, probe.closedStdin ?? false);
  const locale: Readonly<Record<string, string>> = probe.plainLocale ? { LC_ALL: "C" } : {};
  const result = await engine.perform({
    permits: [{ ...permit, argv, network: false, environment: { ...permit.environment, ...locale } }],
    folder: probe.folder,
    limits: {
      ...limits,
      outputMax: Math.max(limits.outputMax, KEPT_BYTES),
      timeoutMs: Math.min(limits.timeoutMs, probe.timeoutMs ?? limits.timeoutMs),
    },
    remainingMs: NEVER_MS,
    signal,
  });
  const [stage] = result.stages;
  return {
    code: stage?.code ?? null,
    signal: stage?.signal ?? null,
    stdout: stdoutOf(result.stdout),
    bytes: result.stdout.bytes,
    limit: result.limit,
    problem: result.problem === null ? null : PROBLEM_TEXT[result.problem.problem],
    ...readEvents(stage?.stderr.text ?? "", token),
  };
}
