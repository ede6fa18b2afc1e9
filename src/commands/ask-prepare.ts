// Everything one question needs before its first request: the question itself, policy, provider, session, budgets.
import { openAccounts } from "../accounts.ts";
import { checkOnlyIfChanged, type Found, findAnswer } from "../answers.ts";
import { flagValue, hasFlag, type Invocation, type OutputMode } from "../argv.ts";
import { type BudgetParts, beforeDeadline } from "../budget.ts";
import type { Config } from "../config.ts";
import { type Demands, openDemands } from "../demands.ts";
import { type AshError, usageError } from "../errors.ts";
import { ensureHome, type HomeState } from "../home.ts";
import { workingFolder } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import type { Machine } from "../machine.ts";
import { checkFiles, recordTarget } from "../namedfiles.ts";
import { loadPolicy } from "../permissions.ts";
import { approvedPlan, noPlan, notePlan, type PlanGate } from "../plan.ts";
import type { Policy } from "../policy/policy.ts";
import type { Provider } from "../provider.ts";
import { openProvider } from "../providers/open.ts";
import { type Question, readQuestion, readTextFile } from "../question.ts";
import { openSession, type Session } from "../session.ts";
import { systemPrompt } from "../systemprompt.ts";
import { setUpPython } from "./firstrun.ts";

/** Hears what is worth knowing and stops nothing. */
export type Warn = (type: string, message: string) => void;

/** One of several questions asked in this process, the machine they share, and the conversation it goes on with. */
export type Given = {
  readonly question: Question;
  readonly machine: Machine;
  readonly session: Session | null;
};

/** What `ask` works with. */
export type Asking = {
  readonly invocation: Invocation;
  readonly config: Config;
  readonly host: Host;
  readonly mode: OutputMode;
  readonly given: Given | null;
};

/** Everything one run works with. */
export type Prepared = {
  readonly question: Question;
  readonly policy: Policy;
  readonly provider: Provider;
  readonly demands: Demands;
  readonly plan: PlanGate;
  readonly accounts: Omit<BudgetParts, "now">;
  /** Writes the recording; null, or why it could not be written. */
  readonly closeProvider: () => AshError | null;
  readonly session: Session;
  readonly folder: string;
  /** Null without --only-if-changed. */
  readonly found: Found | null;
};

/** The session the flags name. Throws a usage error for two. */
export function sessionChoice(invocation: Invocation): Parameters<typeof openSession>[1] {
  const continueNewest = hasFlag(invocation, "continue");
  const id = flagValue(invocation, "session") ?? null;
  if (continueNewest && id !== null) throw usageError("--continue and --session exclude each other");
  return { continueNewest, id, save: !hasFlag(invocation, "no-save") };
}

async function openPlan(invocation: Invocation, signal: AbortSignal): Promise<PlanGate> {
  const path = flagValue(invocation, "approve-plan");
  const isPlanning = hasFlag(invocation, "plan");
  if (path === undefined) return isPlanning ? notePlan : noPlan;
  if (isPlanning) throw usageError("--plan and --approve-plan exclude each other");
  return approvedPlan(await readTextFile(path, `--approve-plan ${path}`, signal), path);
}

function openHome(config: Config, warn: Warn): HomeState {
  const home = ensureHome(config.home);
  if (home.state === "unavailable") warn("home_unavailable", `ash runs without its home: ${home.reason}`);
  return home;
}

type Read = Pick<Prepared, "demands" | "plan" | "question">;

/** Everything the command line names is read in the time the run has: any of it may be a pipe that never ends. */
function readGiven({ invocation, config, host, given }: Asking): Promise<Read> {
  return beforeDeadline(config.settings.deadline, host.stop.signal, async (signal) => {
    const demands = await openDemands(invocation, signal);
    const plan = await openPlan(invocation, signal);
    const question = given?.question ?? (await readQuestion(invocation, signal));
    if (question === null) throw usageError("there is nothing to ask", "write: ash 'a question'");
    return { demands, plan, question };
  });
}

/** Prepares one question. Throws what is wrong with the command line, the configuration or stdin. */
export async function prepare(asking: Asking, warn: Warn): Promise<Prepared> {
  const { invocation, config, host } = asking;
  checkOnlyIfChanged(invocation);
  checkFiles(invocation);
  const { demands, plan, question } = await readGiven(asking);
  const folder = workingFolder();
  const home = openHome(config, warn);
  for (const message of config.warnings) warn("config", message);
  const { policy, warnings } = loadPolicy(config, home.state !== "unavailable");
  for (const message of warnings) warn("allowlist", message);
  const session =
    asking.given?.session ??
    openSession(config.home, sessionChoice(invocation), {
      warn: (message) => warn("session_not_saved", message),
      redact: config.redact,
    });
  const recordings = { replay: flagValue(invocation, "replay"), record: recordTarget(invocation) };
  const { provider: plain, close: closeProvider } = await beforeDeadline(
    config.settings.deadline,
    host.stop.signal,
    (signal) => openProvider(config, recordings, signal),
  );
  const provider = demands.ask(plain, warn);
  if (asking.given === null) await setUpPython(invocation, config, host, home);
  // The scripts themselves are compared, so what is said about them need not be.
  const undated = (): string => systemPrompt(config, policy, { folder, date: "", tools: "" });
  return {
    ...{ question, policy, provider, demands, plan, closeProvider, session, folder },
    accounts: openAccounts(config, provider, host.stop.signal),
    found: findAnswer(
      { invocation, question, demands: demands.asked, policy, provider, system: undated, folder },
      config,
    ),
  };
}
