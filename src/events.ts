// What happens during a run, as it happens: the closed set that renderers and `--jsonl` are made of.
import type { Result, Usage } from "./schema.ts";

/** One event. Field names are those of `--jsonl`. */
export type AgentEvent =
  | {
      readonly type: "run.start";
      readonly session_id: string | null;
      readonly model: string;
      readonly provider: string;
    }
  | { readonly type: "turn.start"; readonly turn: number }
  | { readonly type: "text.delta"; readonly text: string }
  | { readonly type: "message"; readonly text: string }
  | {
      readonly type: "tool.start";
      readonly id: string;
      readonly name: string;
      readonly stages: readonly (readonly string[])[];
      readonly rule: string;
    }
  | {
      readonly type: "tool.end";
      readonly id: string;
      readonly ok: boolean;
      readonly exit_code: number | null;
      readonly signal: string | null;
      readonly timed_out: boolean;
      readonly duration_ms: number;
      readonly stdout_bytes: number;
      readonly stderr_bytes: number;
      readonly truncated: boolean;
    }
  | {
      readonly type: "tool.denied";
      readonly id: string;
      readonly name: string;
      readonly stages: readonly (readonly string[])[];
      readonly rule: string;
      readonly reason: string;
    }
  | {
      readonly type: "retry";
      readonly attempt: number;
      readonly wait_ms: number;
      readonly error_type: string;
    }
  | { readonly type: "warning"; readonly warning_type: string; readonly message: string }
  | { readonly type: "turn.end"; readonly turn: number; readonly stop_reason: string; readonly usage: Usage }
  | { readonly type: "run.end"; readonly result: Result };

/** Takes events in order. */
export type EventSink = (event: AgentEvent) => void;
