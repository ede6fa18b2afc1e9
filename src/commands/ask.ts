// `ash PROMPT…` and `ash ask -- PROMPT…`: one question, its tools, one answer.
import { type Outcome, runAgent } from "../agent.ts";
import { type Approver, createApprover } from "../approval.ts";
import { flagValue, hasFlag, type Invocation, type OutputMode } from "../argv.ts";
import { bootstrapText } from "../assets.ts";
import type { Config } from "../config.ts";
import { describeTools, preloadTools } from "../discovery.ts";
import { EXIT, toAshError, usageError } from "../errors.ts";
import { isWatched, provisionFirstRun } from "../firstrun.ts";
import { ensureHome, readOwnFile } from "../home.ts";
import { sleep, wallClock } from "../host/clock.ts";
import { currentFolder } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import { machineName, random, systemName } from "../host/system.ts";
import { type Machine, openMachine } from "../machine.ts";
import { loadPolicy } from "../permissions.ts";
import type { Policy } from "../policy/policy.ts";
import { expandSystem, userMessage } from "../prompt.ts";
import type { Provider } from "../provider.ts";
import { openProvider } from "../providers/open.ts";
import { type Question, readQuestion } from "../question.ts";
import { createRenderer, type Renderer, startEvent } from "../render.ts";
import { errorResult, runResult, stopError } from "../result.ts";
import type { Result, Warning } from "../schema.ts";
import { openSession, type Session } from "../session.ts";
import { budgetsOf, shownSettings } from "../settings.ts";
import { createToolbox } from "../toolbox.ts";
import type { Message } from "../transcript.ts";

type Warn = (type: string, message: string) => void;

/** Everything one run works with. */
type Prepared = {
  readonly question: Question;
  readonly policy: Policy;
  readonly provider: Provider;
  readonly closeProvider: () => void;
  readonly session: Session;
  readonly folder: string;
};

function systemPrompt(config: Config, policy: Policy, folder: string, tools: string): string {
  const { home, surroundings } = config;
  const names = [...policy.entries.keys()].filter((name) => !policy.denied.has(name)).sort();
  const now = new Date(wallClock());
  return expandSystem(readOwnFile(home.system) ?? bootstrapText(".ash_system"), {
    OS: systemName(),
    HOST: machineName(),
    USER: surroundings.userName,
    HOME: surroundings.userHome,
    CWD: folder,
    DATE: `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, "0")}-${String(now.getDate()).padStart(2, "0")}`,
    ASH_HOME: home.root,
    ALLOWED: names.filter((name) => !name.endsWith(".py")).join(" "),
    TOOLS: tools,
  });
}

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

async function prepare(invocation: Invocation, config: Config, host: Host, warn: Warn): Promise<Prepared> {
  const question = await readQuestion(invocation, host.stop.signal);
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
  return {
    question,
    policy,
    provider,
    closeProvider: close,
    session,
    folder,
  };
}

type Stage = {
  readonly config: Config;
  readonly machine: Machine;
  readonly host: Host;
  readonly renderer: Renderer;
  readonly approve: Approver;
  readonly warn: Warn;
};

function describedTools(
  { policy, folder }: Prepared,
  { config, machine, host, warn }: Stage,
): Promise<string> {
  if (!config.settings.preloadDocs) return Promise.resolve(describeTools(config, policy));
  const tell = (message: string): void => warn("preload_docs", message);
  return preloadTools({ config, policy, machine, folder, signal: host.stop.signal, tell });
}

async function runLoop(prepared: Prepared, stage: Stage): Promise<Outcome> {
  const { config, machine, host, renderer, approve, warn } = stage;
  const { question, policy, provider, session, folder } = prepared;
  const { settings } = config;
  const system = systemPrompt(config, policy, folder, await describedTools(prepared, stage));
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
        if (event.type === "warning") warn(event.warning_type, event.message);
        else renderer.event(event);
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
export async function ask(
  invocation: Invocation,
  config: Config,
  host: Host,
  mode: OutputMode,
): Promise<number> {
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
  let machine: Machine | null = null;
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
  let result: Result;
  try {
    const prepared = await prepare(invocation, config, host, warn);
    session = prepared.session;
    machine = openMachine(config, prepared.folder);
    for (const message of machine.weaknesses) warn("sandbox", message);
    host.onForcedExit(machine.engine.killAll);
    machine.engine.prepare(1);
    const approve = createApprover({
      stderr: host.stderr,
      signal: host.stop.signal,
      folder: prepared.folder,
      mayAsk: mode === "text",
    });
    const outcome = await runLoop(prepared, { config, machine, host, renderer, approve, warn });
    prepared.closeProvider();
    result = runResult({ ...outcome, error: stopped() ?? outcome.error }, facts());
  } catch (thrown) {
    result = errorResult(stopped() ?? toAshError(thrown), facts());
  } finally {
    await machine?.engine.close();
  }
  const { tools: _tools, denials: _denials, ...summary } = result;
  session?.append({ type: "run.end", result: summary });
  host.stop.surrender();
  await renderer.finish(result);
  return host.stdout.closed() ? EXIT.brokenPipe : result.exit_code;
}
