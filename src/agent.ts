// The loop: ask the model, run what it calls, answer every call, until it answers or a budget ends the run.
import { type Budget, openBudget, type Price } from "./budget.ts";
import { AshError, type ErrorType } from "./errors.ts";
import type { EventSink } from "./events.ts";
import type { Budgets, RunLimit } from "./limits.ts";
import { inParallel } from "./parallel.ts";
import { completeWithRetry, type Provider, type Reply } from "./provider.ts";
import type { Denial, ToolRecord, Usage } from "./schema.ts";
import type { CallReport, Toolbox } from "./toolbox.ts";
import type { Message, ReplyBlock, ToolAnswer, ToolCall, Transcript } from "./transcript.ts";

const PARALLEL_CALLS = 4;

/** What a run needs. */
export type AgentParts = {
  readonly provider: Provider;
  readonly toolbox: Toolbox;
  readonly system: string;
  readonly budgets: Budgets;
  readonly price: Price;
  /** Aborted when the run is stopped from outside. */
  readonly stop: AbortSignal;
  readonly emit: EventSink;
  /** Hears every message of the conversation and every call as soon as it is complete. */
  readonly keep: { message(message: Message): void; call(report: CallReport): void };
  readonly clock: { now(): number; sleep(ms: number, signal: AbortSignal): Promise<void>; random(): number };
};

/** How a run ended, and what it did. */
export type Outcome = {
  readonly answer: string | null;
  readonly stopReason: string | null;
  readonly limit: RunLimit | null;
  readonly error: AshError | null;
  readonly model: string;
  readonly turns: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly records: readonly ToolRecord[];
  readonly denials: readonly Denial[];
};

type Ending = Pick<Outcome, "answer" | "stopReason" | "limit" | "error">;

const textOf = (content: readonly ReplyBlock[]): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");

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
  private readonly warned = new Set<string>();

  constructor(
    private readonly parts: AgentParts,
    history: Transcript,
  ) {
    this.budget = openBudget(parts.budgets, parts.clock.now, parts.price);
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
      ending = this.stopped() ?? this.ending(this.partial, thrown);
    } finally {
      clearTimeout(timer);
    }
    const { model, budget, records, denials } = this;
    const spent = { turns: budget.turns(), usage: budget.usage(), costUsd: budget.costUsd() };
    return { ...ending, ...spent, model, records, denials };
  }

  private ending(answer: string | null, error: AshError | null, stopReason: string | null = null): Ending {
    return { answer, stopReason, limit: null, error };
  }

  private atLimit(limit: RunLimit): Ending {
    return { ...this.ending(this.partial, this.budget.error(limit)), limit };
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
    if (!this.budget.allowsAnswer(limit)) return this.atLimit(limit);
    try {
      const reply = await this.ask("none");
      const calls = callsIn(reply.content);
      if (calls.length > 0) this.refuseCalls(calls);
      return { ...this.atLimit(limit), stopReason: reply.stopReason };
    } catch (thrown) {
      if (!(thrown instanceof AshError)) throw thrown;
      return this.stopped() ?? this.atLimit(limit);
    }
  }

  private async ask(toolChoice: "auto" | "none"): Promise<Reply> {
    const { provider, toolbox, system, emit, clock } = this.parts;
    this.budget.spendTurn();
    const turn = this.budget.turns();
    let announced = 0;
    const onToolCall = (): void => {
      announced += 1;
      toolbox.prepare(Math.min(announced, PARALLEL_CALLS));
    };
    emit({ type: "turn.start", turn });
    const reply = await completeWithRetry(
      provider,
      { system, transcript: this.transcript, tools: toolbox.definitions, toolChoice },
      { signal: this.signal, onText: (text) => emit({ type: "text.delta", text }), onToolCall },
      {
        remainingMs: this.budget.remainingMs,
        wait: (ms) => clock.sleep(ms, this.signal),
        random: clock.random,
        onRetry: ({ attempt, waitMs, error }) =>
          emit({ type: "retry", attempt, wait_ms: Math.round(waitMs), error_type: error.type }),
      },
    );
    const { content, model, origin } = reply;
    this.budget.spendTokens(reply.usage);
    this.model = model;
    this.add({ role: "assistant", model, ...(origin === undefined ? {} : { origin }), content });
    this.warnOf(reply);
    const text = textOf(content);
    if (text !== "") {
      this.partial = text;
      emit({ type: "message", text, part: 1, parts: 1 });
    }
    emit({ type: "turn.end", turn, stop_reason: reply.stopReason, usage: reply.usage });
    return reply;
  }

  /** Tells once a run what the server does differently. */
  private warnOf({ oddities = [] }: Reply): void {
    for (const { type, message } of oddities) {
      if (this.warned.has(type)) continue;
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

  private final({ stopReason, stopDetail, content }: Reply): Ending {
    const text = textOf(content);
    const fail = (type: ErrorType, message: string): Ending =>
      this.ending(text.trim() === "" ? null : text, new AshError(type, message), stopReason);
    switch (stopReason) {
      case "end_turn":
      case "stop_sequence":
        if (callsIn(content).length > 0)
          return fail("protocol", `the server sent a tool call but ended with ${stopReason}: it was not run`);
        if (text.trim() === "") return fail("empty_answer", "the model gave an empty answer");
        this.parts.provider.finish();
        return this.ending(text, null, stopReason);
      case "max_tokens":
      case "model_context_window_exceeded":
        return fail("max_tokens", "the answer was cut: the model reached its token limit");
      case "refusal":
        return fail("refusal", `the model refused to answer${stopDetail === null ? "" : `: ${stopDetail}`}`);
      case "tool_use":
        return fail("protocol", "the server stopped for a tool call but sent none");
      default:
        return fail("protocol", `the server ended the reply in a way ash does not know: ${stopReason}`);
    }
  }
}

/** Runs the loop on a conversation whose last message is the user's. Never throws an AshError. */
export function runAgent(parts: AgentParts, transcript: Transcript): Promise<Outcome> {
  return new Run(parts, transcript).toOutcome();
}
