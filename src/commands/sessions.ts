// `ash sessions list|show|rm|path`: the saved conversations. It never starts a run.
import {
  findSession,
  LAST,
  readReport,
  removeSession,
  type SavedSession,
  savedSessions,
  summarize,
} from "../archive.ts";
import { flagValue, hasFlag, type Invocation, type OutputMode, operands } from "../argv.ts";
import type { Config } from "../config.ts";
import { configError, EXIT, systemCode, usageError } from "../errors.ts";
import { wallClock } from "../host/clock.ts";
import { canAsk, confirm } from "../host/confirm.ts";
import type { Host } from "../host/host.ts";
import { terminalWidth } from "../host/terminal.ts";
import { parseAge, parseCount } from "../limits.ts";
import { redactAll } from "../redact.ts";
import { stopError } from "../result.ts";
import type { SessionsReport } from "../schema/reports.ts";
import { refuseForeignFlags, subcommandOf } from "../subcommand.ts";
import { listText, showText } from "./sessions-text.ts";

const SUBCOMMANDS = ["list", "show", "rm", "path"] as const;
type Subcommand = (typeof SUBCOMMANDS)[number];

/** Which subcommand each flag belongs to. */
const OWN_FLAGS: Readonly<Record<string, Subcommand>> = {
  limit: "list",
  "older-than": "rm",
  all: "rm",
  yes: "rm",
};
const SHOWN = 20;

type Context = {
  readonly invocation: Invocation;
  readonly config: Config;
  readonly host: Host;
  readonly mode: OutputMode;
  readonly saved: readonly SavedSession[];
};

const note = (host: Host, text: string): void => void host.stderr.write(`ash: ${text}\n`);

/** What was saved before a key was known may hold it. */
async function print({ host, mode, config }: Context, report: object, text: string): Promise<number> {
  const shown =
    mode === "text" ? config.redact(text) : `${JSON.stringify(redactAll(config.redact, report))}\n`;
  await host.stdout.write(shown);
  return EXIT.ok;
}

const reportOf = (
  { config, saved }: Context,
  action: SessionsReport["action"],
  sessions: SessionsReport["sessions"],
): SessionsReport => ({
  schema: "ash.sessions/1",
  status: "ok",
  exit_code: EXIT.ok,
  action,
  folder: config.home.sessions,
  total: saved.length,
  sessions,
});

function list(context: Context, words: readonly string[]): Promise<number> {
  const { invocation, host, mode, saved } = context;
  if (words.length > 0)
    throw usageError("ash sessions list takes no operand", "one session: ash sessions show ID");
  const given = flagValue(invocation, "limit");
  const limit = given === undefined ? null : parseCount(given);
  if (limit?.ok === false) throw usageError(`--limit: '${given}' ${limit.problem}`);
  const sessions = saved.slice(0, limit?.ok ? limit.value : SHOWN).map(summarize);
  if (mode === "text" && saved.length === 0) note(host, "there is no saved session");
  if (mode === "text" && limit === null && sessions.length < saved.length)
    note(host, `the newest ${sessions.length} of ${saved.length}; all: --limit ${saved.length}`);
  return print(
    context,
    reportOf(context, "list", sessions),
    listText(sessions, wallClock(), terminalWidth(1)),
  );
}

function show(context: Context, words: readonly string[]): Promise<number> {
  const [id, ...more] = words;
  if (id === undefined || more.length > 0)
    throw usageError("ash sessions show takes one id", `the newest: ash sessions show ${LAST}`);
  const session = findSession(context.saved, id);
  try {
    const report = readReport(session);
    return print(context, report, context.mode === "text" ? showText(report) : "");
  } catch (thrown) {
    throw configError(`${session.path} cannot be read (${systemCode(thrown) ?? "unknown error"})`);
  }
}

function path(context: Context, words: readonly string[]): Promise<number> {
  const [id, ...more] = words;
  if (more.length > 0) throw usageError("ash sessions path takes one id, or none for the folder");
  const session = id === undefined ? null : findSession(context.saved, id);
  const report = reportOf(context, "path", session === null ? [] : [summarize(session)]);
  return print(context, report, `${session?.path ?? report.folder}\n`);
}

/** The sessions to remove: exactly one of ids, --older-than and --all says which. */
function targets({ invocation, saved }: Context, ids: readonly string[]): readonly SavedSession[] {
  const given = flagValue(invocation, "older-than");
  const ways = [ids.length > 0, given !== undefined, hasFlag(invocation, "all")].filter(Boolean).length;
  if (ways !== 1)
    throw usageError(
      ways === 0
        ? "ash sessions rm needs to know which"
        : "ash sessions rm takes ids, --older-than or --all, not two of them",
      "write: ash sessions rm ID…, --older-than 30d, or --all",
    );
  if (given === undefined)
    return ids.length === 0 ? saved : [...new Set(ids.map((id) => findSession(saved, id)))];
  const age = parseAge(given);
  if (!age.ok) throw usageError(`--older-than: '${given}' ${age.problem}`);
  const oldest = wallClock() - age.value;
  return saved.filter(({ modifiedMs }) => modifiedMs < oldest);
}

const counted = (count: number): string => (count === 1 ? "1 session" : `${count} sessions`);

async function mayRemove({ invocation, host }: Context, chosen: readonly SavedSession[]): Promise<boolean> {
  if (hasFlag(invocation, "yes") || chosen.length === 0) return true;
  if (canAsk(host.stderr)) {
    const [only] = chosen;
    const what = chosen.length === 1 && only !== undefined ? `session ${only.id}` : counted(chosen.length);
    return confirm(`remove ${what}?`, host.stderr, host.stop.signal);
  }
  if (hasFlag(invocation, "all"))
    throw usageError("ash sessions rm --all removes every session", "without a terminal give --yes as well");
  return true;
}

async function remove(context: Context, ids: readonly string[]): Promise<number> {
  const { host, mode } = context;
  const chosen = targets(context, ids);
  if (!(await mayRemove(context, chosen))) {
    const cause = host.stop.cause();
    if (cause !== null) throw stopError(cause);
    note(host, "nothing was removed");
    return mode === "text" ? EXIT.ok : print(context, reportOf(context, "rm", []), "");
  }
  const removed: SessionsReport["sessions"] = [];
  let count = 0;
  for (const session of chosen) {
    const summary = mode === "text" ? null : summarize(session);
    try {
      if (!removeSession(session)) {
        note(host, `${session.id} is kept: a run is writing it`);
        continue;
      }
    } catch (thrown) {
      throw configError(`${session.path} cannot be removed (${systemCode(thrown) ?? "unknown error"})`);
    }
    count += 1;
    if (summary !== null) removed.push(summary);
  }
  return print(context, reportOf(context, "rm", removed), `removed ${counted(count)}\n`);
}

/** Runs a subcommand. Resolves to 0; throws a usage error (2) or a configuration error (3). */
export async function sessions(
  invocation: Invocation,
  config: Config,
  host: Host,
  mode: OutputMode,
): Promise<number> {
  const subcommand = subcommandOf("sessions", SUBCOMMANDS, operands(invocation)[0]);
  refuseForeignFlags(invocation, "sessions", subcommand, OWN_FLAGS);
  const context: Context = { invocation, config, host, mode, saved: savedSessions(config.home) };
  const words = operands(invocation).slice(1);
  switch (subcommand) {
    case "list":
      return list(context, words);
    case "show":
      return show(context, words);
    case "rm":
      return remove(context, words);
    case "path":
      return path(context, words);
  }
}
