// One conversation on disk: a JSON Lines file that is only ever appended to, whole lines at a time. A home that
// cannot be written makes a warning, never a failure.
import { join } from "node:path";
import { EXIT, systemCode, usageError } from "./errors.ts";
import type { Home } from "./home.ts";
import { appendWhole } from "./host/append.ts";
import { wallClock } from "./host/clock.ts";
import { fileFacts, listFolder, makeFolder, readTextIfAny } from "./host/files.ts";
import { type Lock, markInUse } from "./host/lock.ts";
import { type Redactor, redactAll } from "./redact.ts";
import { readSavedLine } from "./schema/saved.ts";
import type { Denial, Result, ToolRecord } from "./schema.ts";
import { type Message, repairTranscript, type Transcript, withoutRefused } from "./transcript.ts";

/** One line of a session file, without its time and run. */
export type SessionEntry =
  | {
      readonly type: "run.start";
      readonly prompt: string;
      readonly provider: string;
      readonly model: string;
      readonly folder: string;
    }
  | { readonly type: "message"; readonly message: Message }
  | { readonly type: "call"; readonly record: ToolRecord; readonly denial: Denial | null }
  | { readonly type: "run.end"; readonly result: Omit<Result, "tools" | "denials"> };

/** A session being written. */
export type Session = {
  /** Null when nothing is kept. */
  readonly id: string | null;
  /** What was said before, fit to be sent. */
  readonly history: Transcript;
  append(entry: SessionEntry): void;
  /** The same session for the next run of this process, with what was said until then. */
  goOn(history: Transcript): Session;
};

/** Which session a run belongs to. */
export type SessionChoice = {
  readonly continueNewest: boolean;
  readonly id: string | null;
  readonly save: boolean;
};

const ID = /^[0-9]{8}-[0-9]{6}-[0-9a-f]{8}$/;
const EXTENSION = ".jsonl";

/** Makes the id of a new session; ids sort by time. */
export function newSessionId(now: number): string {
  const [date = "", time = ""] = new Date(now).toISOString().split("T");
  return `${date.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${crypto.randomUUID().slice(0, 8)}`;
}

/** Ids of the saved sessions, oldest first. */
export function sessionIds(home: Home): readonly string[] {
  return (listFolder(home.sessions) ?? [])
    .filter((name) => name.endsWith(EXTENSION))
    .map((name) => name.slice(0, -EXTENSION.length))
    .filter((id) => ID.test(id));
}

/** The file of a session. */
export function sessionPath(home: Home, id: string): string {
  return join(home.sessions, `${id}${EXTENSION}`);
}

/** The id of the session written to last. Throws a usage error when there is none. */
export function newestSession(home: Home): string {
  const modified = (id: string): number => fileFacts(sessionPath(home, id))?.modifiedMs ?? 0;
  const newest = sessionIds(home).reduce<string | null>(
    (best, id) => (best === null || modified(id) >= modified(best) ? id : best),
    null,
  );
  if (newest === null) throw usageError("there is no session to go on with", "start one: ash 'a question'");
  return newest;
}

type Line = { readonly run: string; readonly entry: SessionEntry };

function parseLines(text: string): readonly Line[] {
  return text.split("\n").flatMap((line): Line[] => {
    const read = readSavedLine(line);
    // A line cut by a crash, or not of this ash: what it said is lost, the rest is not.
    if (read === null) return [];
    const { run, ts: _, ...entry } = read;
    return [{ run, entry: entry as unknown as SessionEntry }];
  });
}

/** Every entry of a session in the order of writing. Throws a usage error when there is no such session. */
export function readSession(home: Home, id: string): readonly Line[] {
  const text = ID.test(id) ? readTextIfAny(sessionPath(home, id)) : null;
  if (text === null) throw usageError(`unknown session ${id}`, "see: ash sessions list");
  return parseLines(text);
}

/** What a run adds to the conversation, by how it ended; null when it was cut off. */
export const saidIn = (messages: Transcript, result: Pick<Result, "exit_code"> | null): Transcript =>
  result?.exit_code === EXIT.rejected ? withoutRefused(messages) : messages;

/** The conversation of a session: runs that wrote at the same time follow each other whole. */
export function sessionTranscript(lines: readonly Line[]): Transcript {
  const runs = [...new Set(lines.map(({ run }) => run))];
  return repairTranscript(
    runs.flatMap((run) => {
      const entries = lines.flatMap((line) => (line.run === run ? [line.entry] : []));
      return saidIn(
        entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : [])),
        entries.find((entry) => entry.type === "run.end")?.result ?? null,
      );
    }),
  );
}

/** What a session needs: `warn` hears at most once that nothing can be kept. */
export type SessionParts = { readonly warn: (message: string) => void; readonly redact: Redactor };

function unsaved(id: string | null, history: Transcript): Session {
  return { id, history, append() {}, goOn: (more) => unsaved(id, more) };
}

function appendLine(home: Home, path: string, line: string): void {
  try {
    appendWhole(path, `${line}\n`);
  } catch (thrown) {
    if (systemCode(thrown) !== "ENOENT") throw thrown;
    makeFolder(home.sessions);
    appendWhole(path, `${line}\n`);
  }
}

/** Opens the session of a run. No secret is written. */
export function openSession(home: Home, choice: SessionChoice, { warn, redact }: SessionParts): Session {
  const earlier = choice.id ?? (choice.continueNewest ? newestSession(home) : null);
  const history = earlier === null ? [] : sessionTranscript(readSession(home, earlier));
  if (!choice.save) return unsaved(earlier, history);
  const id = earlier ?? newSessionId(wallClock());
  const path = sessionPath(home, id);
  let lost = false;
  const startRun = (before: Transcript): Session => {
    const run = crypto.randomUUID().slice(0, 8);
    let mark: Lock | null = null;
    return {
      id,
      history: before,
      goOn: startRun,
      append(entry) {
        if (lost) return;
        try {
          const ts = new Date(wallClock()).toISOString();
          appendLine(home, path, JSON.stringify({ ts, run, ...redactAll(redact, entry) }));
          if (entry.type !== "run.end") mark ??= markInUse(path);
          else mark?.release();
        } catch (thrown) {
          lost = true;
          warn(
            `the session is not saved: ${path} cannot be written (${systemCode(thrown) ?? "unknown error"})`,
          );
        }
      },
    };
  };
  return startRun(history);
}
