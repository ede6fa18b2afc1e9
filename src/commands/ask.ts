// `ash PROMPT…` and `ash ask -- PROMPT…`: one question, its tools, one answer.
import { type Outcome, runAgent } from "../agent.ts";
import { answerAgain, keepAnswer } from "../answers.ts";
import { type Approver, createApprover } from "../approval.ts";
import { hasFlag, type Invocation, type OutputMode } from "../argv.ts";
import type { Config } from "../config.ts";
import { type Delivery, openDelivery } from "../delivery.ts";
import { describeTools, preloadTools } from "../discovery.ts";
import { EXIT, toAshError } from "../errors.ts";
import { sleep } from "../host/clock.ts";
import type { Host } from "../host/host.ts";
import { random } from "../host/system.ts";
import { type Machine, openMachine } from "../machine.ts";
import { answerFile } from "../namedfiles.ts";
import { userMessage } from "../prompt.ts";
import { startEvent } from "../render.ts";
import { errorResult, runResult, stopError } from "../result.ts";
import type { Result, Warning } from "../schema.ts";
import type { Session } from "../session.ts";
import { shownSettings } from "../settingviews.ts";
import { systemPrompt, today } from "../systemprompt.ts";
import { createToolbox } from "../toolbox.ts";
import type { Message } from "../transcript.ts";
import { showAgain } from "./ask-again.ts";
import { type Asking, type Prepared, prepare, type Warn } from "./ask-prepare.ts";

type Stage = {
  readonly config: Config;
  readonly machine: Machine;
  readonly host: Host;
  readonly renderer: Delivery;
  readonly approve: Approver;
};

function describedTools(
  { policy, folder }: Prepared,
  { config, machine, host, renderer }: Stage,
): Promise<string> {
  if (!config.settings.preloadDocs) return Promise.resolve(describeTools(config, policy));
  const tell = (message: string): void =>
    renderer.event({ type: "warning", warning_type: "preload_docs", message });
  return preloadTools({ config, policy, machine, folder, signal: host.stop.signal, tell });
}

/** Opens the conversation: the question is kept and shown before anything is asked. */
function begin(
  { question, provider, session, folder }: Prepared,
  { config, machine, renderer }: Stage,
): Message {
  const message: Message = {
    role: "user",
    content: [
      { type: "text", text: config.redact(userMessage(question.prompt, question.context, question.files)) },
    ],
  };
  const { name, model } = provider;
  session.append({ type: "run.start", prompt: question.prompt, provider: name, model, folder });
  session.append({ type: "message", message });
  renderer.event(
    startEvent({
      session_id: session.id,
      model,
      provider: name,
      cwd: folder,
      sandbox: machine.engine.sandbox,
      settings: shownSettings(config.settings),
    }),
  );
  return message;
}

async function runLoop(prepared: Prepared, stage: Stage): Promise<Outcome> {
  const { config, machine, host, renderer, approve } = stage;
  const { policy, provider, accounts, demands, plan, session, folder } = prepared;
  const tools = await describedTools(prepared, stage);
  const system = systemPrompt(config, policy, { folder, date: today(), tools });
  const message = begin(prepared, stage);
  return runAgent(
    {
      provider,
      toolbox: createToolbox({ policy, machine, approve, plan, folder, redact: config.redact }),
      system,
      budget: accounts,
      check: demands.check,
      stop: host.stop.signal,
      emit: renderer.event,
      keep: {
        message: (kept) => session.append({ type: "message", message: kept }),
        call: ({ record, denial }) => session.append({ type: "call", record, denial }),
      },
      clock: { now: host.elapsed, sleep, random },
    },
    [...session.history, message],
  );
}

/** Answers one question. Resolves to the exit code; prints the result on every path. */
export async function ask(
  invocation: Invocation,
  config: Config,
  host: Host,
  mode: OutputMode,
): Promise<number> {
  return (await answer({ invocation, config, host, mode, given: null })).code;
}

/** How a question ended: the exit code of the process, and what was printed. */
export type Answered = { readonly code: number; readonly result: Result };

/** Opens the delivery of an answer; what is worth knowing on the way is collected for the result. */
function openShown({ invocation, config, host, mode }: Asking, warnings: Warning[]): Delivery {
  const look = {
    mode,
    colour: config.surroundings.colour && !hasFlag(invocation, "no-color"),
    redact: config.redact,
    jsonl: { deltas: hasFlag(invocation, "deltas"), includeOutput: hasFlag(invocation, "include-output") },
    onlyMatching: hasFlag(invocation, "schema"),
    plan: hasFlag(invocation, "plan"),
  };
  const shown = openDelivery(host, look, answerFile(invocation));
  return {
    ...shown,
    event(event) {
      if (event.type === "warning") warnings.push({ type: event.warning_type, message: event.message });
      shown.event(event);
    },
  };
}

/** Answers one question, which may be given; as `ask`. */
export async function answer(asking: Asking): Promise<Answered> {
  const { config, host, mode, given } = asking;
  const warnings: Warning[] = [];
  const renderer = openShown(asking, warnings);
  const warn: Warn = (type, message) => renderer.event({ type: "warning", warning_type: type, message });
  let machine = given?.machine ?? null;
  let session: Session | null = null;
  const facts = () => ({
    sessionId: session?.id ?? null,
    durationMs: host.elapsed(),
    warnings,
    sandbox: machine?.engine.sandbox ?? "none",
  });
  const stopped = () => {
    const cause = host.stop.cause();
    return cause === null ? null : stopError(cause);
  };
  const end = async (last: Result): Promise<Answered> => {
    host.stop.surrender();
    const code = await renderer.finish(last);
    return { code: host.stdout.closed() ? EXIT.brokenPipe : code, result: last };
  };
  let result: Result;
  try {
    const prepared = await prepare(asking, warn);
    const again = showAgain(prepared, renderer, warn);
    if (again !== null) return await end(answerAgain(again, facts()));
    session = prepared.session;
    machine ??= openMachine(config, prepared.folder);
    for (const message of machine.weaknesses) warn("sandbox", message);
    host.onForcedExit(machine.engine.killAll);
    machine.engine.prepare(1);
    const approve = createApprover({
      stderr: host.stderr,
      signal: host.stop.signal,
      folder: prepared.folder,
      mayAsk: mode === "text",
    });
    const outcome = await runLoop(prepared, { config, machine, host, renderer, approve });
    const unwritten = prepared.closeProvider();
    const error = stopped() ?? outcome.error ?? unwritten ?? prepared.demands.strict(outcome);
    if (unwritten !== null && error !== unwritten) warn("recording_not_written", unwritten.message);
    result = runResult({ ...outcome, error }, facts());
    if (prepared.found !== null) keepAnswer(config, prepared.found.key, result, warn);
    result = { ...result, warnings };
  } catch (thrown) {
    result = errorResult(stopped() ?? toAshError(thrown), facts());
  } finally {
    if (given === null) await machine?.engine.close();
  }
  const { tools: _tools, denials: _denials, ...summary } = result;
  session?.append({ type: "run.end", result: summary });
  return end(result);
}
