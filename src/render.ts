// How a run is shown: the answer on stdout, everything else on stderr. The only place that knows about colour.
import type { OutputMode } from "./argv.ts";
import type { AgentEvent, EventSink } from "./events.ts";
import type { Output } from "./host/output.ts";
import { formatDuration } from "./limits.ts";
import { type Log, openLog } from "./log.ts";
import { type Redactor, redactAll } from "./redact.ts";
import { sanitize } from "./sanitize.ts";
import type { Result } from "./schema.ts";

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
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
};

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
const shownCall = (stages: readonly (readonly string[])[]): string =>
  oneLine(stages.map((argv) => argv.map(quoted).join(" ")).join(" | "));

function reportError(log: Log, { error }: Result): void {
  if (error === null || error.type === "broken_pipe") return;
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

/** Text mode: the answer alone on stdout; one line per tool call on stderr when that is a terminal. */
function textRenderer({ stdout, stderr }: Streams, useColour: boolean): Renderer {
  const colour = useColour && stderr.isTerminal ? COLOURS : PLAIN;
  const calls = new Map<string, string>();
  const log = openLog(stderr);
  return {
    event(event) {
      if (event.type === "warning") log.warn(event.message);
      if (!stderr.isTerminal) return;
      if (event.type === "tool.start") calls.set(event.id, shownCall(event.stages));
      const line = statusLine(event, calls, colour);
      if (line !== null) void stderr.write(`${line}\n`);
    },
    async finish(result) {
      if (result.result !== null) {
        const text = sanitize(result.result).text;
        await stdout.write(text.endsWith("\n") ? text : `${text}\n`);
      }
      reportError(log, result);
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
      reportError(log, result);
      await stderr.flush();
      await stdout.write(`${JSON.stringify(result)}\n`);
    },
  };
}

function rendererFor(mode: OutputMode, streams: Streams, useColour: boolean): Renderer {
  switch (mode) {
    case "json":
    case "jsonl":
      return jsonRenderer(streams);
    case "text":
      return textRenderer(streams, useColour);
  }
}

/** How to show a run. */
export type RenderOptions = {
  readonly mode: OutputMode;
  readonly colour: boolean;
  readonly redact: Redactor;
};

/** Makes the renderer of a run. Nothing it shows holds a secret. */
export function createRenderer(streams: Streams, { mode, colour, redact }: RenderOptions): Renderer {
  const inner = rendererFor(mode, streams, colour);
  return {
    event: (event) => inner.event(redactAll(redact, event)),
    finish: (result) => inner.finish(redactAll(redact, result)),
  };
}
