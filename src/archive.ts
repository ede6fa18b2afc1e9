// The saved sessions: which there are, what one can tell from the first and the last line of each, and all of one.
// It reads session files and removes them; it never writes into one.

import { usageError } from "./errors.ts";
import type { Home } from "./home.ts";
import { fileFacts, linkFacts, readPart, readText, removeTree } from "./host/files.ts";
import { isInUse } from "./host/lock.ts";
import { shorten } from "./layout.ts";
import { emptyResult } from "./result.ts";
import type { SessionReport, SessionSummary } from "./schema/reports.ts";
import { readSavedLine, type SavedLine, wholeResult } from "./schema/saved.ts";
import { sessionIds, sessionPath } from "./session.ts";

/** A saved session, not yet looked into. */
export type SavedSession = {
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number;
};

/** Every saved session, the one written last first. */
export function savedSessions(home: Home): readonly SavedSession[] {
  const found = sessionIds(home).flatMap((id): SavedSession[] => {
    const path = sessionPath(home, id);
    const facts = linkFacts(path);
    if (facts?.kind !== "file") return [];
    return [{ id, path, bytes: facts.size, modifiedMs: facts.modifiedMs }];
  });
  return found.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.id < b.id ? 1 : -1));
}

/** The word for the session written last. */
export const LAST = "last";

/** Finds a session by its id or `last`. Throws a usage error when there is none. */
export function findSession(sessions: readonly SavedSession[], word: string): SavedSession {
  const found = word === LAST ? sessions[0] : sessions.find(({ id }) => id === word);
  if (found !== undefined) return found;
  if (word === LAST) throw usageError("there is no saved session", "ask something: ash 'a question'");
  throw usageError(`unknown session ${word}`, "see: ash sessions list");
}

const FIRST_READ = 4096;
const decode = (bytes: Uint8Array | null): string => new TextDecoder().decode(bytes ?? new Uint8Array());

/** The first line of a file; a long one is read in growing pieces. */
function firstLine({ path, bytes }: SavedSession): string {
  for (let length = FIRST_READ; ; length *= 8) {
    const text = decode(readPart(path, 0, length));
    const end = text.indexOf("\n");
    if (end >= 0) return text.slice(0, end);
    if (length >= bytes) return text;
  }
}

/** The last line that can be read: a line still being written, or cut by a crash, is passed over. */
function lastLine({ path, bytes }: SavedSession): SavedLine | null {
  for (let length = FIRST_READ; ; length *= 8) {
    const from = Math.max(0, bytes - length);
    const lines = decode(readPart(path, from, bytes - from)).split("\n");
    if (from > 0) lines.shift();
    for (const line of lines.reverse()) {
      const read = readSavedLine(line);
      if (read !== null) return read;
    }
    if (from === 0) return null;
  }
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

const isoOrNull = (text: string): string | null => {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : isoTime(ms);
};

const PROMPT_SHOWN = 200;

const firstLineOf = (prompt: string): string => {
  const [line = ""] = prompt.trim().split("\n");
  return shorten(line, PROMPT_SHOWN);
};

/** What can be told of a session from its first and its last line. */
export function summarize(session: SavedSession): SessionSummary {
  const start = readSavedLine(firstLine(session));
  const last = lastLine(session);
  const result = last?.type === "run.end" ? last.result : null;
  const begun = start?.type === "run.start" ? start : null;
  return {
    id: session.id,
    path: session.path,
    started: start === null ? null : isoOrNull(start.ts),
    updated: isoTime(session.modifiedMs),
    running: result === null && isInUse(session.path),
    prompt: begun === null ? null : firstLineOf(begun.prompt),
    status: result?.status ?? null,
    exit_code: result?.exit_code ?? null,
    turns: result?.turns ?? null,
    model: result?.model ?? begun?.model ?? null,
    folder: begun?.folder ?? null,
    bytes: session.bytes,
  };
}

const { tools: _tools, denials: _denials, ...NO_RESULT } = emptyResult();

type Run = SessionReport["runs"][number];
type Entry = Run["entries"][number];
type CallEntry = Extract<Entry, { type: "call" }>;

const UNKNOWN = { started: null, prompt: null, provider: null, model: null, folder: null, result: null };

/** Puts the lines of one run together; what a call gave the model comes later than the call. */
function runOf(id: string, lines: readonly SavedLine[]): Run {
  let run: Run = { run: id, ...UNKNOWN, entries: [] };
  const open = new Map<string, CallEntry>();
  for (const line of lines) {
    switch (line.type) {
      case "run.start": {
        const { prompt, provider, model, folder } = line;
        run = { ...run, started: isoOrNull(line.ts), prompt, provider, model, folder };
        break;
      }
      case "call": {
        const entry: CallEntry = {
          type: "call",
          call: line.record,
          reason: line.denial?.reason ?? null,
          output: null,
        };
        open.set(line.record.id, entry);
        run.entries.push(entry);
        break;
      }
      case "message":
        for (const block of line.message.content) {
          const entry = block.type === "tool_result" ? open.get(block.id) : undefined;
          if (entry !== undefined && block.type === "tool_result") entry.output = block.content;
          if (block.type === "text")
            run.entries.push({ type: "text", role: line.message.role, text: block.text });
        }
        break;
      case "run.end":
        run = { ...run, result: wholeResult(line.result, NO_RESULT) };
    }
  }
  return run;
}

/** All of a session, run by run. Throws the system error when it cannot be read. */
export function readReport(session: SavedSession): SessionReport {
  const texts = readText(session.path)
    .split("\n")
    .filter((line) => line !== "");
  const lines = texts.flatMap((text) => readSavedLine(text) ?? []);
  const runs = Map.groupBy(lines, ({ run }) => run);
  return {
    schema: "ash.session/1",
    status: "ok",
    exit_code: 0,
    id: session.id,
    path: session.path,
    running: isInUse(session.path),
    lost_lines: texts.length - lines.length,
    runs: [...runs].map(([id, own]) => runOf(id, own)),
  };
}

/** Removes a session. False when a run is writing it. Throws the system error. */
export function removeSession({ path }: SavedSession): boolean {
  if (isInUse(path)) return false;
  if (fileFacts(path) !== null) removeTree(path);
  return true;
}
