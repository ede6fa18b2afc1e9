// `ash PROMPT…` and `ash ask -- PROMPT…`: one question, its tools, one answer.
import { type Outcome, runAgent } from "../agent.ts";
import { answerAgain, checkOnlyIfChanged, type Found, findAnswer, keepAnswer } from "../answers.ts";
import { type Approver, createApprover } from "../approval.ts";
import { flagValue, hasFlag, type Invocation, type OutputMode } from "../argv.ts";
import type { Config } from "../config.ts";
import { describeTools, preloadTools } from "../discovery.ts";
import { EXIT, toAshError, usageError } from "../errors.ts";
import { isWatched, provisionFirstRun } from "../firstrun.ts";
import { ensureHome } from "../home.ts";
import { sleep } from "../host/clock.ts";
import { currentFolder } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import { random } from "../host/system.ts";
import { type Machine, openMachine } from "../machine.ts";
import { loadPolicy } from "../permissions.ts";
import type { Policy } from "../policy/policy.ts";
import { userMessage } from "../prompt.ts";
import type { Provider } from "../provider.ts";
import { openProvider } from "../providers/open.ts";
import { type Question, readQuestion } from "../question.ts";
import { createRenderer, type Renderer, startEvent } from "../render.ts";
import { errorResult, runResult, stopError } from "../result.ts";
import type { Result, Warning } from "../schema.ts";
import { openSession, type Session } from "../session.ts";
import { budgetsOf, shownSettings } from "../settings.ts";
import { systemPrompt, today } from "../systemprompt.ts";
import { createToolbox } from "../toolbox.ts";
import type { Message } from "../transcript.ts";
import { showAgain } from "./ask-again.ts";

type Warn = (type: string, message: string) => void;

/** Everything one run works with. */
type Prepared = {
  readonly question: Question;
  readonly policy: Policy;
  readonly provider: Provider;
  readonly closeProvider: () => void;
  readonly session: Session;
  readonly folder: string;
  /** With --only-if-changed: where the answer is kept, and the one that is there. */
  readonly found: Found | null;
};

function sessionChoice(invocation: Invocation): Parameters<typeof openSession>[1] {
  const continueNewest = hasFlag(invocation, "continue");
  const id = flagValue(invocation, "session") ?? null;
  if (continueNewest && id !== null) throw usageError("--continue and --session exclude each other");
  return { continueNewest, id, save: !hasFlag(invocation, "no-save") };
}

const jsonlOptions = (invocation: Invocation): { deltas: boolean; includeOutput: boolean } => ({
  deltas: hasFlag(invocation, "deltas"),
  includeOutput: hasFlag(invocation, "include-output"),
});

/** One of several questions asked in this process, and the machine they share. */
export type Given = { readonly question: Question; readonly machine: Machine };

/** What `ask` works with. */
export type Asking = {
  readonly invocation: Invocation;
  readonly config: Config;
  readonly host: Host;
  readonly mode: OutputMode;
  readonly given: Given | null;
};

async function prepare({ invocation, config, host, given }: Asking, warn: Warn): Promise<Prepared> {
  checkOnlyIfChanged(invocation);
  const question = given?.question ?? (await readQuestion(invocation, host.stop.signal));
  if (question === null) throw usageError("there is nothing to ask", "write: ash 'a question'");
  const folder = currentFolder();
  if (folder === null) throw usageError("the current directory is gone", "cd to one that exists");
  const home = ensureHome(config.home);
  if (home.state === "unavailable") warn("home_unavailable", `ash runs without its home: ${home.reason}`);
  if (
    home.state === "installed" &&
    !hasFlag(invocation, "json") &&
    !hasFlag(invocation, "jsonl") &&
    isWatched(host)
  )
    await provisionFirstRun(config, host);
  for (const message of config.warnings) warn("config", message);
  const { policy, warnings } = loadPolicy(config, home.state !== "unavailable");
  for (const message of warnings) warn("allowlist", message);
  const session = openSession(config.home, sessionChoice(invocation), {
    warn: (message) => warn("session_not_saved", message),
    redact: config.redact,
  });
  const { provider, close } = await openProvider(config, {
    replay: flagValue(invocation, "replay"),
    record: flagValue(invocation, "record"),
  });
  // The scripts themselves are compared, so what is said about them need not be.
  const undated = (): string => systemPrompt(config, policy, { folder, date: "", tools: "" });
  return {
    question,
    policy,
    provider,
    closeProvider: close,
    session,
    folder,
    found: findAnswer({ invocation, ...question, policy, provider, system: undated, folder }, config),
  };
}

type Stage = {
  readonly config: Config;
  readonly machine: Machine;
  readonly host: Host;
  readonly renderer: Renderer;
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

async function runLoop(prepared: Prepared, stage: Stage): Promise<Outcome> {
  const { config, machine, host, renderer, approve } = stage;
  const { question, policy, provider, session, folder } = prepared;
  const { settings } = config;
  const tools = await describedTools(prepared, stage);
  const system = systemPrompt(config, policy, { folder, date: today(), tools });
  const { engine } = machine;
  const message: Message = {
    role: "user",
    content: [{ type: "text", text: config.redact(userMessage(question.prompt, question.context)) }],
  };
  session.append({
    type: "run.start",
    prompt: question.prompt,
    provider: provider.name,
    model: provider.model,
    folder,
  });
  session.append({ type: "message", message });
  renderer.event(
    startEvent({
      session_id: session.id,
      model: provider.model,
      provider: provider.name,
      cwd: folder,
      sandbox: engine.sandbox,
      settings: shownSettings(settings),
    }),
  );
  return runAgent(
    {
      provider,
      toolbox: createToolbox({ policy, machine, approve, folder, redact: config.redact }),
      system,
      budgets: budgetsOf(settings),
      price: () => null,
      stop: host.stop.signal,
      emit: (event) => {
        renderer.event(event);
        if (event.type === "turn.start") host.stdout.closed(true);
      },
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
export function ask(invocation: Invocation, config: Config, host: Host, mode: OutputMode): Promise<number> {
  return answer({ invocation, config, host, mode, given: null });
}

/** Answers one question, which may be given; as `ask`. */
export async function answer(asking: Asking): Promise<number> {
  const { invocation, config, host, mode, given } = asking;
  const colour = config.surroundings.colour && !hasFlag(invocation, "no-color");
  const renderer = createRenderer(host, {
    mode,
    colour,
    redact: config.redact,
    jsonl: jsonlOptions(invocation),
  });
  const warnings: Warning[] = [];
  const warn: Warn = (type, message) => {
    warnings.push({ type, message });
    renderer.event({ type: "warning", warning_type: type, message });
  };
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
  const end = async (last: Result): Promise<number> => {
    host.stop.surrender();
    await renderer.finish(last);
    return host.stdout.closed() ? EXIT.brokenPipe : last.exit_code;
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
    prepared.closeProvider();
    result = runResult({ ...outcome, error: stopped() ?? outcome.error }, facts());
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
