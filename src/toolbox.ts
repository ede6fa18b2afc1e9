// One tool call from what the model sent to the answer it gets: plan → decide → perform → describe.
// Whatever goes wrong becomes an answer the model can act on.
import type { Approver } from "./approval.ts";
import { COMMAND_TOOL, commandTool, type Plan, planCommand } from "./builtins/command.ts";
import { PIPELINE_TOOL, pipelineTool, planPipeline } from "./builtins/pipeline.ts";
import type { EventSink } from "./events.ts";
import type { Machine } from "./machine.ts";
import { perform } from "./perform.ts";
import type { PlanGate } from "./plan.ts";
import type { Action, Policy } from "./policy/policy.ts";
import type { ToolDefinition } from "./provider.ts";
import type { Redactor } from "./redact.ts";
import type { AgentEvent, Denial, ToolRecord } from "./schema.ts";
import { describeCall, forModel, recordedEnd, type ToolResult } from "./toolresult.ts";
import type { ToolAnswer, ToolCall } from "./transcript.ts";

/** What one call left behind. */
export type CallReport = {
  readonly answer: ToolAnswer;
  readonly record: ToolRecord;
  readonly denial: Denial | null;
};

/** What a call needs from the run. */
export type CallSituation = {
  readonly signal: AbortSignal;
  readonly remainingMs: number;
  readonly emit: EventSink;
};

/** The tools of a run. */
export type Toolbox = {
  readonly definitions: readonly ToolDefinition[];
  call(call: ToolCall, situation: CallSituation): Promise<CallReport>;
  /** Gets ready for a number of calls that are about to come. */
  prepare(calls: number): void;
};

/** What a toolbox works with. */
export type ToolboxParts = {
  readonly policy: Policy;
  readonly machine: Machine;
  readonly approve: Approver;
  readonly plan: PlanGate;
  readonly folder: string;
  readonly redact: Redactor;
};

const PLANNERS: ReadonlyMap<string, (input: unknown) => Plan> = new Map([
  [COMMAND_TOOL, planCommand],
  [PIPELINE_TOOL, planPipeline],
]);

const NOT_RUN = {
  exit_code: null,
  signal: null,
  timed_out: false,
  duration_ms: 0,
  stdout_bytes: 0,
  stderr_bytes: 0,
  truncated: false,
  tool_status: null,
} as const;

const argvsOf = (action: Action): string[][] => action.stages.map(({ command, args }) => [command, ...args]);

type Shape = Pick<ToolRecord, "argv" | "stages">;

/** How a call is written in a result: one argv, or stages. */
export function callShape(action: Action | null, result: ToolResult | null): Shape {
  if (action === null) return { argv: null, stages: null };
  const argvs = argvsOf(action);
  if (argvs.length === 1) return { argv: argvs[0] ?? null, stages: null };
  const stages = argvs.map((argv, i) => {
    const report = result?.stages[i];
    return { argv, exit_code: report?.exit_code ?? null, signal: report?.signal ?? null };
  });
  return { argv: null, stages };
}

const answer = (call: ToolCall, content: string, isError: boolean): ToolAnswer => ({
  type: "tool_result",
  id: call.id,
  content,
  isError,
});

const refusal = (error: string, details: Record<string, string>): string =>
  JSON.stringify({ ok: false, error, ...details });

function planFor(call: ToolCall): Plan {
  const planner = PLANNERS.get(call.name);
  if (planner === undefined) {
    return {
      ok: false,
      problem: `there is no tool ${call.name}; the tools are ${[...PLANNERS.keys()].join(", ")}`,
    };
  }
  if (call.malformed !== null)
    return { ok: false, problem: "the arguments were not valid JSON; nothing was run" };
  return planner(call.input);
}

function failedPlan(call: ToolCall, problem: string): CallReport {
  return {
    answer: answer(call, refusal("invalid call", { reason: problem }), true),
    record: {
      id: call.id,
      name: call.name,
      ...callShape(null, null),
      decision: "error",
      rule: null,
      ...NOT_RUN,
    },
    denial: null,
  };
}

/** What is recorded of a call the policy refused. */
export function deniedCall(
  { id, name }: Pick<ToolCall, "id" | "name">,
  action: Action,
  rule: string,
  reason: string,
): { readonly record: ToolRecord; readonly denial: Denial } {
  const shape = callShape(action, null);
  const argv = shape.argv ?? argvsOf(action).flatMap((stage, i) => (i === 0 ? stage : ["|", ...stage]));
  return {
    record: { id, name, ...shape, decision: "deny", rule, ...NOT_RUN },
    denial: { id, name, argv, rule, reason },
  };
}

function denied(call: ToolCall, action: Action, rule: string, reason: string): CallReport {
  const refused = answer(call, refusal("denied by policy", { rule, reason }), true);
  return { answer: refused, ...deniedCall(call, action, rule, reason) };
}

function noted(call: ToolCall, action: Action, reason: string): CallReport {
  return {
    answer: answer(call, refusal("not run", { rule: "planned", reason }), false),
    record: {
      id: call.id,
      name: call.name,
      ...callShape(action, null),
      decision: "planned",
      rule: "planned",
      ...NOT_RUN,
    },
    denial: null,
  };
}

function performed(call: ToolCall, action: Action, rule: string, result: ToolResult): CallReport {
  return {
    answer: answer(call, forModel(result), !result.ok),
    record: {
      id: call.id,
      name: call.name,
      ...callShape(action, result),
      decision: "allow",
      rule,
      ...recordedEnd(action, result),
    },
    denial: null,
  };
}

function endEvent(id: string, result: ToolResult): AgentEvent {
  const { ok, exit_code, signal, timed_out, duration_ms, stdout_bytes, stderr_bytes, truncated } = result;
  const { stdout, stderr } = result;
  const measured = { duration_ms, stdout_bytes, stderr_bytes, truncated };
  return { type: "tool.end", id, ok, exit_code, signal, timed_out, ...measured, stdout, stderr };
}

/** Makes the toolbox of a run. */
export function createToolbox({
  policy,
  machine,
  approve,
  plan: gate,
  folder,
  redact,
}: ToolboxParts): Toolbox {
  return {
    definitions: [commandTool, pipelineTool],
    prepare: machine.engine.prepare,
    async call(call, { signal, remainingMs, emit }) {
      const { id, name } = call;
      const plan = planFor(call);
      if (!plan.ok) return failedPlan(call, plan.problem);
      const { action } = plan;
      const stages = argvsOf(action);
      const done = await perform(action, {
        ...{ machine, policy, approve, plan: gate, folder, signal, remainingMs },
        tell: (message) => emit({ type: "warning", warning_type: "python_environment", message }),
        onStart: (rule) => emit({ type: "tool.start", id, name, stages, rule }),
      });
      if (done.verdict === "note") return noted(call, action, done.reason);
      if (done.verdict === "deny") {
        emit({ type: "tool.denied", id, name, stages, rule: done.rule, reason: done.reason });
        return denied(call, action, done.rule, done.reason);
      }
      const result = describeCall(done.call, action, done.limits, redact);
      emit(endEvent(id, result));
      return performed(call, action, done.rule, result);
    },
  };
}
