// The loop: ask the model, run what it calls, answer every call, until it answers or a budget ends the run.
import { type AnswerCheck, answerError, type CheckedAnswer, mismatchError } from "./answer.ts";
import { type Answered, type AskParts, askModel, PARALLEL_CALLS, textOf } from "./asking.ts";
import { type Budget, type BudgetParts, openBudget } from "./budget.ts";
import { AshError } from "./errors.ts";
import type { RunLimit } from "./limits.ts";
import { inParallel } from "./parallel.ts";
import type { Denial, ToolRecord, Usage } from "./schema.ts";
import { LimitError, replyTokens } from "./spending.ts";
import type { CallReport } from "./toolbox.ts";
import type { Message, ReplyBlock, ToolAnswer, ToolCall, Transcript } from "./transcript.ts";

/** What a run needs. */
export type AgentParts = AskParts & {
  readonly budget: Omit<BudgetParts, "now">;
  /** Looks at the answer before it counts as one. */
  readonly check: AnswerCheck;
  /** Aborted when the run is stopped from outside. */
  readonly stop: AbortSignal;
  /** Hears every message of the conversation and every call as soon as it is complete. */
  readonly keep: { message(message: Message): void; call(report: CallReport): void };
  readonly clock: AskParts["clock"] & { now(): number };
};

/** How a run ended, and what it did. */
export type Outcome = {
  readonly answer: string | null;
  /** The value the answer stands for when a schema asked for one. */
  readonly structured: unknown;
  readonly stopReason: string | null;
  readonly limit: RunLimit | null;
  readonly error: AshError | null;
  readonly model: string;
  readonly turns: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly records: readonly ToolRecord[];
  readonly denials: readonly Denial[];
  /** Of the records, those of calls that ran and failed. */
  readonly failures: readonly ToolRecord[];
};

type Misfit = Extract<CheckedAnswer, { readonly ok: false }>;

type Ending = Pick<Outcome, "answer" | "structured" | "stopReason" | "limit" | "error">;

const callsIn = (content: readonly ReplyBlock[]): readonly ToolCall[] =>
  content.filter((block) => block.type === "tool_use");

class Run {
  private readonly budget: Budget;
  private readonly deadline = new AbortController();
  private readonly signal: AbortSignal;
  private transcript: Transcript;
  private model: string;
  private partial: string | null = null;
  private readonly records: ToolRecord[] = [];
  private readonly denials: Denial[] = [];
  private readonly failures: ToolRecord[] = [];
  private readonly warned = new Set<string>();
  private isRepaired = false;

  constructor(
    private readonly parts: AgentParts,
    history: Transcript,
  ) {
    this.budget = openBudget({ ...parts.budget, now: parts.clock.now });
    this.signal = AbortSignal.any([parts.stop, this.deadline.signal]);
    this.transcript = history;
    this.model = parts.provider.model;
  }

  async toOutcome(): Promise<Outcome> {
    const timer = setTimeout(() => this.deadline.abort(), this.budget.remainingMs());
    let ending: Ending;
    try {
      ending = await this.toEnding();
    } catch (thrown) {
      if (!(thrown instanceof AshError)) throw thrown;
      ending =
        this.stopped() ??
        (thrown instanceof LimitError ? this.atLimit(thrown.limit) : this.ending(this.partial, thrown));
    } finally {
      clearTimeout(timer);
    }
    const { model, budget, records, denials, failures } = this;
    const { spending } = budget;
    const spent = { turns: budget.turns(), usage: spending.usage(), costUsd: spending.costUsd() };
    return { ...ending, ...spent, model, records, denials, failures };
  }

  private ending(answer: string | null, error: AshError | null, stopReason: string | null = null): Ending {
    return { answer, structured: null, stopReason, limit: null, error };
  }

  private atLimit(limit: RunLimit, stopReason: string | null = null): Ending {
    const ending = { ...this.ending(this.partial, this.budget.error(limit), stopReason), limit };
    const checked = this.partial === null ? null : this.parts.check(this.partial);
    return checked?.ok ? { ...ending, answer: checked.text, structured: checked.value } : ending;
  }

  /** The ending when something other than the model ended the run, else null. */
  private stopped(): Ending | null {
    if (this.parts.stop.aborted)
      return this.ending(this.partial, new AshError("interrupted", "the run was interrupted"));
    return this.deadline.signal.aborted ? this.atLimit("deadline") : null;
  }

  private async toEnding(): Promise<Ending> {
    for (;;) {
      const stopped = this.stopped();
      if (stopped !== null) return stopped;
      const limit = this.budget.exceeded();
      if (limit !== null) return this.lastWords(limit);
      const reply = await this.ask("auto");
      const calls = callsIn(reply.content);
      if (reply.stopReason === "pause_turn") continue;
      if (reply.stopReason !== "tool_use" || calls.length === 0) return this.final(reply);
      if (this.budget.exceeded() === null && this.budget.allowsCalls(calls.length))
        await this.answerCalls(calls);
      else {
        this.refuseCalls(calls);
        return this.lastWords(this.budget.exceeded() ?? "tool_calls");
      }
    }
  }

  /** At a limit the model is asked once more, without tools, when that is affordable. */
  private async lastWords(limit: RunLimit): Promise<Ending> {
    if (!this.budget.allowsAnswer()) return this.atLimit(limit);
    try {
      const reply = await this.ask("none");
      const calls = callsIn(reply.content);
      if (calls.length > 0) this.refuseCalls(calls);
      return this.atLimit(limit, reply.stopReason);
    } catch (thrown) {
      if (!(thrown instanceof AshError)) throw thrown;
      return this.stopped() ?? this.atLimit(limit);
    }
  }

  private async ask(toolChoice: "auto" | "none"): Promise<Answered> {
    let shown = "";
    try {
      const reply = await askModel(this.parts, {
        transcript: this.transcript,
        toolChoice,
        budget: this.budget,
        signal: this.signal,
        onText(delta) {
          shown += delta;
        },
      });
      const { content, model, origin } = reply;
      this.model = model;
      this.partial = textOf(content) || this.partial;
      this.add({ role: "assistant", model, ...(origin === undefined ? {} : { origin }), content });
      this.warnOf(reply);
      return reply;
    } catch (thrown) {
      if (this.signal.aborted && shown.trim() !== "") this.partial = shown;
      throw thrown;
    }
  }

  /** Tells once a run what the server does differently. */
  private warnOf({ oddities = [] }: Answered): void {
    for (const { type, message } of oddities) {
      // That tokens are estimated says already that the server counts none.
      const isKnown = type === "no_usage" && this.budget.spending.estimates();
      if (isKnown || this.warned.has(type)) continue;
      this.warned.add(type);
      this.parts.emit({ type: "warning", warning_type: type, message });
    }
  }

  private add(message: Message): void {
    this.transcript = [...this.transcript, message];
    this.parts.keep.message(message);
  }

  private async answerCalls(calls: readonly ToolCall[]): Promise<void> {
    this.budget.spendCalls(calls.length);
    const { toolbox, emit, keep } = this.parts;
    const reports = await inParallel(PARALLEL_CALLS, calls, async (call) => {
      const report = await toolbox.call(call, {
        signal: this.signal,
        remainingMs: this.budget.toolMs(),
        emit,
      });
      keep.call(report);
      return report;
    });
    this.records.push(...reports.map(({ record }) => record));
    this.denials.push(...reports.flatMap(({ denial }) => denial ?? []));
    this.failures.push(
      ...reports.flatMap(({ record, answer }) =>
        record.decision === "allow" && answer.isError ? [record] : [],
      ),
    );
    this.add({ role: "user", content: reports.map(({ answer }) => answer) });
  }

  private refuseCalls(calls: readonly ToolCall[]): void {
    const text =
      "not run: this run has reached its limit. Answer now with what you know, without calling a tool.";
    const refuse = ({ id }: ToolCall): ToolAnswer => ({
      type: "tool_result",
      id,
      content: text,
      isError: true,
    });
    this.add({ role: "user", content: calls.map(refuse) });
  }

  private async final(reply: Answered): Promise<Ending> {
    const { stopReason, content, room, usage } = reply;
    const text = textOf(content);
    const isCut = stopReason === "max_tokens" && room !== null;
    // A reply may also have met the server's own maximum, which is no limit of this run.
    if (isCut && replyTokens(usage, text) >= room.tokens) return this.atLimit(room.limit, stopReason);
    const error = answerError(reply, text);
    if (error !== null) return this.ending(text.trim() === "" ? null : text, error, stopReason);
    const checked = this.parts.check(text);
    if (!checked.ok) return this.repair(text, stopReason, checked);
    this.parts.provider.finish();
    return { ...this.ending(checked.text, null, stopReason), structured: checked.value };
  }

  /** An answer that does not fit gets one more turn. */
  private async repair(text: string, stopReason: string, wrong: Misfit): Promise<Ending> {
    const ending = this.ending(text, mismatchError(wrong.problem), stopReason);
    if (this.isRepaired || this.budget.exceeded() !== null) return ending;
    this.isRepaired = true;
    this.add({ role: "user", content: [{ type: "text", text: wrong.request }] });
    const reply = await this.ask("none");
    const calls = callsIn(reply.content);
    if (calls.length === 0) return this.final(reply);
    this.refuseCalls(calls);
    return ending;
  }
}

/** Runs the loop on a conversation whose last message is the user's. Never throws an AshError. */
export function runAgent(parts: AgentParts, transcript: Transcript): Promise<Outcome> {
  return new Run(parts, transcript).toOutcome();
}
