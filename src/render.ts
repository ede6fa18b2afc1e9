// How a run is shown: the answer on stdout, everything else on stderr. The only place that knows about colour.

import { version } from "../package.json";
import type { OutputMode } from "./argv.ts";
import type { EventSink } from "./events.ts";
import { wallClock } from "./host/clock.ts";
import type { Output } from "./host/output.ts";
import { createLineMaker, type JsonlOptions } from "./jsonl.ts";
import { clip } from "./layout.ts";
import { formatDuration } from "./limits.ts";
import { type Log, openLog } from "./log.ts";
import { planText } from "./plan.ts";
import { type Redactor, redactAll, redactStream } from "./redact.ts";
import { isComplete } from "./result.ts";
import { createSanitizer, sanitize } from "./sanitize.ts";
import type { AgentEvent, Result } from "./schema.ts";

/** Shows one run. */
export type Renderer = {
  readonly event: EventSink;
  /** Shows the end; the last thing a run prints. */
  finish(result: Result): Promise<void>;
};

type Streams = { readonly stdout: Output; readonly stderr: Output };

const PLAIN = { dim: "", red: "", green: "", yellow: "", off: "" };
const COLOURS = { dim: "\x1b[2m", red: "\x1b[31m", green: "\x1b[32m", yellow: "\x1b[33m", off: "\x1b[0m" };

const oneLine = (text: string, width = 100): string => {
  const line = sanitize(text).text.replace(/\s+/g, " ").trim();
  return clip(line, width);
};

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
const shownCall = (stages: readonly (readonly string[])[]): string =>
  oneLine(stages.map((argv) => argv.map(quoted).join(" ")).join(" | "));

function reportError(stderr: Output, log: Log, { error }: Result, atLineStart = false): void {
  if (error === null || error.type === "broken_pipe") return;
  // The terminal has just shown ^C and left the cursor behind it.
  if (error.type === "interrupted" && stderr.isTerminal && !atLineStart) void stderr.write("\n");
  log.error(error.hint === null ? error.message : `${error.message} (${error.hint})`);
}

function statusLine(
  event: AgentEvent,
  calls: ReadonlyMap<string, string>,
  colour: typeof PLAIN,
): string | null {
  const { dim, red, green, yellow, off } = colour;
  switch (event.type) {
    case "tool.end": {
      const mark = event.ok ? `${green}✓${off}` : `${red}✗${off}`;
      const how = event.timed_out
        ? "timed out"
        : (event.signal ?? (event.ok ? "" : `exit ${event.exit_code ?? "?"}`));
      return `${mark} ${calls.get(event.id) ?? ""} ${dim}${[how, formatDuration(event.duration_ms)].filter(Boolean).join(", ")}${off}`;
    }
    case "tool.denied":
      return `${red}✗${off} ${shownCall(event.stages)} ${dim}denied: ${oneLine(event.reason, 160)}${off}`;
    case "retry":
      return `${yellow}…${off} ${dim}${event.error_type}, trying again in ${formatDuration(event.wait_ms)}${off}`;
    default:
      return null;
  }
}

type Screen = {
  push(delta: string): void;
  /** Ends the text; true when a line had to be ended for it. */
  end(): boolean;
};

/** Shows text on a terminal as it arrives: clean, and a word at a time so that no secret is shown in pieces. */
function openScreen(stdout: Output, redact: Redactor): Screen {
  const sanitizer = createSanitizer();
  const redactor = redactStream(redact);
  let last = "\n";
  const show = (text: string): void => {
    if (text === "") return;
    last = text.slice(-1);
    void stdout.write(text);
  };
  return {
    push: (delta) => show(redactor.push(sanitizer.push(delta))),
    end() {
      show(redactor.push(sanitizer.end()) + redactor.end());
      const isOpen = last !== "\n";
      if (isOpen) show("\n");
      return isOpen;
    },
  };
}

/** Text mode: the answer alone on stdout; one line per tool call on stderr when that is a terminal. */
function textRenderer({ stdout, stderr }: Streams, options: RenderOptions): Renderer {
  const { colour: wanted, redact, onlyMatching = false, plan = false } = options;
  const colour = wanted && stderr.isTerminal ? COLOURS : PLAIN;
  const calls = new Map<string, string>();
  const log = openLog(stderr);
  const screen = stdout.isTerminal && !onlyMatching && !plan ? openScreen(stdout, redact) : null;
  let shown = "";
  return {
    event(event) {
      if (event.type === "warning") log.warn(event.message);
      if (event.type === "turn.start") shown = "";
      if (event.type === "text.delta") {
        shown += event.text;
        screen?.push(event.text);
      }
      if (event.type === "message") screen?.end();
      if (!stderr.isTerminal) return;
      if (event.type === "tool.start") calls.set(event.id, shownCall(event.stages));
      const line = statusLine(event, calls, colour);
      // What was said before stands before it on the screen.
      if (line !== null) void stdout.flush().then(() => stderr.write(`${line}\n`));
    },
    async finish(result) {
      const wasOpen = screen?.end() ?? false;
      const isThere = screen !== null && result.result === shown;
      const isShown = !onlyMatching || isComplete(result) || result.structured !== null;
      if (result.result !== null && isShown && !isThere) {
        const text = sanitize(result.result).text;
        await (plan ? stderr : stdout).write(text.endsWith("\n") ? text : `${text}\n`);
      }
      if (plan) await stdout.write(planText(result));
      await stdout.flush();
      reportError(stderr, log, result, wasOpen);
      await stderr.flush();
    },
  };
}

/** JSON mode: exactly one object on stdout; an error is also one line on stderr. */
function jsonRenderer({ stdout, stderr }: Streams): Renderer {
  const log = openLog(stderr);
  return {
    event() {},
    async finish(result) {
      reportError(stderr, log, result);
      await stderr.flush();
      await stdout.write(`${JSON.stringify(result)}\n`);
    },
  };
}

/** The first event of a run, with what is known so far. */
export function startEvent(known: Partial<Extract<AgentEvent, { type: "run.start" }>>): AgentEvent {
  return {
    type: "run.start",
    schema: "ash.event/1",
    ash_version: version,
    session_id: null,
    provider: null,
    model: null,
    cwd: null,
    sandbox: "none",
    settings: {},
    ...known,
  };
}

/** JSON Lines mode: one event a line, `run.start` first and `run.end` last on every path. */
function jsonlRenderer({ stdout, stderr }: Streams, { jsonl, redact }: RenderOptions): Renderer {
  const log = openLog(stderr);
  const lines = createLineMaker(jsonl ?? { deltas: false, includeOutput: false }, wallClock);
  const deltas = redactStream(redact);
  /** A delta may hold half a secret: words are joined first, and the last one is out before the whole text. */
  const joined = (event: AgentEvent): readonly AgentEvent[] => {
    if (event.type === "text.delta") return [{ ...event, text: deltas.push(event.text) }];
    return event.type === "message" ? [{ type: "text.delta", text: deltas.end() }, event] : [event];
  };
  const early: AgentEvent[] = [];
  let started = false;
  const show = (event: AgentEvent): void => {
    for (const shown of joined(event)) {
      if (shown.type === "text.delta" && shown.text === "") continue;
      for (const line of lines(shown)) void stdout.write(line);
    }
  };
  const start = (event: AgentEvent): void => {
    started = true;
    show(event);
    for (const waiting of early.splice(0)) show(waiting);
  };
  return {
    event(event) {
      if (event.type === "run.start") start(event);
      else if (started) show(event);
      else early.push(event);
    },
    async finish(result) {
      if (!started) start(startEvent({ sandbox: result.sandbox }));
      reportError(stderr, log, result);
      await stderr.flush();
      show({ type: "run.end", result });
      await stdout.flush();
    },
  };
}

/** How to show a run. */
export type RenderOptions = {
  readonly mode: OutputMode;
  readonly colour: boolean;
  readonly redact: Redactor;
  readonly jsonl?: JsonlOptions;
  /** In text mode: the answer only when it is what a schema asked for, and never in pieces. */
  readonly onlyMatching?: boolean;
  /** The calls of a plan are the answer; what the model says goes to stderr. */
  readonly plan?: boolean;
};

function rendererFor(streams: Streams, options: RenderOptions): Renderer {
  switch (options.mode) {
    case "json":
      return jsonRenderer(streams);
    case "jsonl":
      return jsonlRenderer(streams, options);
    case "text":
      return textRenderer(streams, options);
  }
}

/** A JSON answer stays JSON when a secret was taken out of its text. */
function withValidJson(result: Result): Result {
  if (result.structured === null || result.result === null) return result;
  try {
    JSON.parse(result.result);
    return result;
  } catch {
    return { ...result, result: JSON.stringify(result.structured) };
  }
}

/** Makes the renderer of a run. Nothing it shows holds a secret. */
export function createRenderer(streams: Streams, options: RenderOptions): Renderer {
  const { redact } = options;
  const inner = rendererFor(streams, options);
  return {
    // A delta may hold half a secret; whoever shows deltas joins them first.
    event: (event) => inner.event(event.type === "text.delta" ? event : redactAll(redact, event)),
    finish: (result) => inner.finish(withValidJson(redactAll(redact, result))),
  };
}
