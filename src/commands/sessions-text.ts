// How saved sessions look to a person: a list, and the transcript of one. Everything shown is clean. Pure.
import { clip, pad } from "../layout.ts";
import { formatDuration } from "../limits.ts";
import { ONE_IS_AN_ANSWER } from "../policy/programs.ts";
import { sanitize, visible } from "../sanitize.ts";
import type { SessionReport, SessionSummary } from "../schema/reports.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const two = (value: number): string => String(value).padStart(2, "0");

/** A time as `2026-01-02 03:04`, in the time zone of the user. */
function localTime(ms: number): string {
  const time = new Date(ms);
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** How long ago something was, roughly; after two weeks the day it was. */
export function ago(ms: number, now: number): string {
  const passed = now - ms;
  if (passed < MINUTE) return "now";
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  const days = Math.floor(passed / DAY);
  if (days < 15) return days === 1 ? "1 day ago" : `${days} days ago`;
  return localTime(ms).slice(0, 10);
}

const oneLine = (text: string): string => sanitize(text).text.replace(/\s+/g, " ").trim();

function statusText({ status, exit_code: code, running }: SessionSummary): string {
  if (status === null) return running ? "running" : "unfinished";
  return status === "ok" || code === null ? status : `${status} (${code})`;
}

const turnsText = (turns: number | null): string =>
  turns === null ? "" : turns === 1 ? "1 turn" : `${turns} turns`;

/** Two lines for each session: what it is, and what was asked. `width` null means no terminal: nothing is cut. */
export function listText(sessions: readonly SessionSummary[], now: number, width: number | null): string {
  const cells = sessions.map((session) => [
    session.id,
    ago(Date.parse(session.updated ?? ""), now),
    statusText(session),
    turnsText(session.turns),
    oneLine(session.model ?? ""),
  ]);
  const widths = [0, 1, 2, 3].map((i) => Math.max(0, ...cells.map((row) => Bun.stringWidth(row[i] ?? ""))));
  const fit = (text: string): string => (width === null ? text : clip(text, width));
  return sessions
    .map(({ prompt }, i) => {
      const row = (cells[i] ?? []).map((text, k) => pad(text, widths[k] ?? 0)).join("  ");
      return `${fit(row.trimEnd())}\n${fit(`  ${prompt === null ? "(no prompt)" : oneLine(prompt)}`)}\n`;
    })
    .join("");
}

const word = (text: string): string => {
  const shown = visible(text);
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
};

type Entry = SessionReport["runs"][number]["entries"][number];

type Ended = {
  readonly argv: readonly string[];
  readonly exit_code: number | null;
  readonly signal: string | null;
};

/** A stage whose reader had enough is no failure, and neither is a search that finds nothing. */
function isGood({ argv, exit_code: code, signal }: Ended, stage: number, all: readonly Ended[]): boolean {
  if (signal === "SIGPIPE") return stage < all.length - 1;
  return code === 0 || (code === 1 && ONE_IS_AN_ANSWER.has(argv[0] ?? ""));
}

function callText({ call, reason }: Extract<Entry, { type: "call" }>): string {
  const argvs = call.stages?.map(({ argv }) => argv) ?? (call.argv === null ? [] : [call.argv]);
  const line = argvs.map((argv) => argv.map(word).join(" ")).join(" | ") || oneLine(call.name);
  if (call.decision === "deny") return `  ✗ ${line}\n      denied: ${oneLine(reason ?? call.rule ?? "")}`;
  if (call.decision === "error") return `  ✗ ${line}\n      not understood`;
  const ends: readonly Ended[] = call.stages ?? [
    { argv: call.argv ?? [], exit_code: call.exit_code, signal: call.signal },
  ];
  const how = call.timed_out
    ? "timed out"
    : `exit ${ends.map(({ exit_code: code, signal }) => signal ?? code ?? "?").join(" | ")}`;
  const mark = !call.timed_out && ends.every(isGood) ? "✓" : "✗";
  return `  ${mark} ${line}\n      ${how}, ${formatDuration(call.duration_ms)}, ${call.stdout_bytes} bytes`;
}

const clean = (text: string): string => sanitize(text).text.trimEnd();

const quoted = (text: string): string =>
  clean(text)
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");

/** What was piped in with a prompt stands after it in the message. */
function asked(prompt: string | null, said: string): string {
  if (prompt === null || !said.startsWith(prompt)) return quoted(said);
  const more = Buffer.byteLength(said) - Buffer.byteLength(prompt);
  return more === 0 ? quoted(prompt) : `${quoted(prompt)}\n> [${more} bytes piped in]`;
}

function runText({
  started,
  prompt,
  provider,
  model,
  folder,
  entries,
  result,
}: SessionReport["runs"][number]): string {
  const when = started === null ? "at an unknown time" : localTime(Date.parse(started));
  const head = [when, oneLine(`${model ?? "?"} (${provider ?? "?"})`), oneLine(folder ?? "?")].join(" · ");
  const end =
    result === null
      ? "(not finished)"
      : [
          result.status === "ok" ? "ok" : `${result.status}, exit ${result.exit_code}`,
          ...(result.error === null ? [] : [oneLine(result.error.message)]),
          turnsText(result.turns),
          formatDuration(result.duration_ms),
        ].join(", ");
  const blocks: string[] = [];
  let calls: string[] = [];
  const closeCalls = (): void => {
    if (calls.length > 0) blocks.push(calls.join("\n"));
    calls = [];
  };
  for (const entry of entries) {
    if (entry.type === "call") {
      calls.push(callText(entry));
      continue;
    }
    closeCalls();
    blocks.push(entry.role === "user" ? asked(prompt, entry.text) : clean(entry.text));
  }
  closeCalls();
  const isAsked = entries.some((entry) => entry.type === "text" && entry.role === "user");
  if (!isAsked && prompt !== null) blocks.unshift(quoted(prompt));
  return [`── ${head}`, ...blocks, `── ${end}`].join("\n\n");
}

/** The whole transcript of a session. */
export function showText({ id, path, running, lost_lines: lost, runs }: SessionReport): string {
  const notes = [
    ...(running ? ["a run is writing it"] : []),
    ...(lost === 0 ? [] : [lost === 1 ? "1 line cannot be read" : `${lost} lines cannot be read`]),
  ];
  const head = `session ${id}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}\n${path}`;
  return `${[head, ...runs.map(runText)].join("\n\n")}\n`;
}
