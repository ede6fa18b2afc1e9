// One request of a run: leave to send it, its retries, the events it causes, and the bill. It keeps no state.
import type { Budget } from "./budget.ts";
import type { EventSink } from "./events.ts";
import { completeWithRetry, type Provider, ProviderError, type Reply } from "./provider.ts";
import type { Allowance } from "./spending.ts";
import type { Toolbox } from "./toolbox.ts";
import type { ReplyBlock, Transcript } from "./transcript.ts";

/** How many calls of one reply run at the same time. */
export const PARALLEL_CALLS = 4;

/** What every request of a run has in common. */
export type AskParts = {
  readonly provider: Provider;
  readonly toolbox: Toolbox;
  readonly system: string;
  readonly emit: EventSink;
  readonly clock: { sleep(ms: number, signal: AbortSignal): Promise<void>; random(): number };
};

/** What one request has of its own. */
export type Asked = {
  readonly transcript: Transcript;
  readonly toolChoice: "auto" | "none";
  readonly budget: Budget;
  readonly signal: AbortSignal;
  /** Hears the text as it comes, for when the reply never gets to its end. */
  readonly onText: (delta: string) => void;
};

/** A reply, and the room it had. */
export type Answered = Reply & { readonly room: Allowance["reply"] };

/** The text of a reply. */
export const textOf = (content: readonly ReplyBlock[]): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");

const UNCOUNTED =
  "the server reports no token counts: limits on tokens and cost count an estimate of one token for 3 bytes";

function report(reply: Reply, turn: number, { spending }: Budget, emit: EventSink): void {
  if (spending.startedToEstimate())
    emit({ type: "warning", warning_type: "usage_estimated", message: UNCOUNTED });
  const text = textOf(reply.content);
  if (text !== "") emit({ type: "message", text, part: 1, parts: 1 });
  emit({ type: "turn.end", turn, stop_reason: reply.stopReason, usage: reply.usage });
}

/** Sends one request. Throws a LimitError when it cannot be paid, and what the provider throws. */
export async function askModel(
  { provider, toolbox, system, emit, clock }: AskParts,
  { transcript, toolChoice, budget, signal, onText }: Asked,
): Promise<Answered> {
  const request = { system, transcript, tools: toolbox.definitions };
  const allowance = await budget.allow(request);
  const { reply: room } = allowance;
  budget.spendTurn();
  const turn = budget.turns();
  emit({ type: "turn.start", turn });
  let announced = 0;
  const hooks = {
    signal,
    onText(text: string): void {
      onText(text);
      emit({ type: "text.delta", text });
    },
    onToolCall(): void {
      announced += 1;
      toolbox.prepare(Math.min(announced, PARALLEL_CALLS));
    },
  };
  try {
    const full = { ...request, toolChoice, maxOutputTokens: room?.tokens ?? null };
    const reply = await completeWithRetry(provider, full, hooks, {
      remainingMs: budget.remainingMs,
      wait: (ms) => clock.sleep(ms, signal),
      random: clock.random,
      onRetry: ({ attempt, waitMs, error }) =>
        emit({ type: "retry", attempt, wait_ms: Math.round(waitMs), error_type: error.type }),
    });
    allowance.close({ usage: reply.usage, text: JSON.stringify(reply.content) });
    report(reply, turn, budget, emit);
    return { ...reply, room };
  } catch (thrown) {
    allowance.close(thrown instanceof ProviderError && !thrown.started ? "unpaid" : "unknown");
    throw thrown;
  }
}
