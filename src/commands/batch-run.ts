// Takes the lines of a batch as workers get free, asks what they ask, and writes one record for each. It decides
// when a batch cannot go on; it prints nothing but progress.
import type { Invocation } from "../argv.ts";
import { type BatchBounds, type BatchId, type BatchPrompt, LINE_MAX, readBatchLine } from "../batchline.ts";
import type { Results } from "../batchresults.ts";
import { type BatchCounts, endOfExit, openTally, progressLine } from "../batchtally.ts";
import type { Config } from "../config.ts";
import { AshError, EXIT, systemCode, toAshError, usageError } from "../errors.ts";
import { type Host, openInnerHost } from "../host/host.ts";
import { inputChunks } from "../host/input.ts";
import { type Line, splitLines } from "../lines.ts";
import { type Machine, openMachineWorld } from "../machine.ts";
import { redactAll } from "../redact.ts";
import { errorResult } from "../result.ts";
import type { Result } from "../schema.ts";
import { answer } from "./ask.ts";

/** So many prompts in a row that the server could not answer mean that it is gone. */
const GIVE_UP_AFTER = 20;
/** Milliseconds between two looks of the progress line. */
const REDRAW_MS = 100;

/** What a batch works with. */
export type BatchParts = {
  /** The flags every prompt is asked with. */
  readonly invocation: Invocation;
  readonly config: Config;
  readonly host: Host;
  readonly machine: Machine;
  /** The current directory. */
  readonly folder: string;
  readonly bounds: BatchBounds;
  readonly results: Results;
  /** The results go to stdout. */
  readonly usesStdout: boolean;
  readonly jobs: number;
  /** Null is stdin. */
  readonly path: string | null;
  /** Bytes of the input; null when nobody can say. */
  readonly size: number | null;
  readonly showsProgress: boolean;
};

/** How a batch ended: all lines taken, or why not. */
export type BatchOutcome = { readonly counts: BatchCounts; readonly stopped: AshError | null };

/** The configuration for one prompt: the batch's, less what the line takes away. */
function configFor(config: Config, asked: BatchPrompt, { tools }: BatchBounds): Config {
  const { settings } = config;
  const kept = asked.tools;
  const taken = kept === null ? [] : [...tools].filter((name) => !kept.includes(name));
  return {
    ...config,
    settings: {
      ...settings,
      model: asked.model ?? settings.model,
      maxTurns: asked.maxTurns ?? settings.maxTurns,
      deadline: asked.deadlineMs ?? settings.deadline,
      denyRun: [...settings.denyRun, ...taken],
    },
  };
}

const errorOf = ({ error }: Result, before = ""): AshError =>
  new AshError(
    error?.type ?? "internal",
    `${before}${error?.message ?? "no reason given"}`,
    error?.hint ? { hint: error.hint } : {},
  );

class Batch {
  private readonly tally = openTally();
  private readonly seen = new Map<string, number>();
  /** No further line is taken. */
  private readonly quit = new AbortController();
  /** What runs is ended too. */
  private readonly abandon = new AbortController();
  private readonly stop: AbortSignal;
  private stopped: AshError | null = null;
  private running = 0;
  private drawnAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: BatchParts) {
    this.stop = AbortSignal.any([parts.host.stop.signal, this.abandon.signal]);
  }

  async toOutcome(): Promise<BatchOutcome> {
    const { host, path, jobs, usesStdout } = this.parts;
    const ended = AbortSignal.any([host.stop.signal, this.quit.signal]);
    const lines = splitLines(inputChunks(path, ended), LINE_MAX);
    const work = async (): Promise<void> => {
      try {
        for (;;) {
          const next = await lines.next();
          if (next.done || ended.aborted || (usesStdout && host.stdout.closed(true))) return;
          await this.take(next.value);
        }
      } catch (thrown) {
        this.abandon.abort();
        this.halt(this.explain(thrown));
      }
    };
    await Promise.all(Array.from({ length: jobs }, work));
    return { counts: this.tally.counts(), stopped: this.stopped };
  }

  private explain(thrown: unknown): AshError {
    const code = systemCode(thrown);
    if (code === undefined) return toAshError(thrown);
    return usageError(`${this.parts.path ?? "stdin"} cannot be read (${code})`);
  }

  private halt(error: AshError): void {
    this.stopped ??= error;
    this.quit.abort();
  }

  private async take(line: Line): Promise<void> {
    const reading = readBatchLine(line, this.parts.bounds);
    if (reading === null) return;
    if (!reading.ok) return this.refuse(line, reading.id, reading.error);
    const { asked } = reading;
    const first = this.seen.get(String(asked.id));
    if (first !== undefined) {
      const problem = `line ${line.number}: the id ${JSON.stringify(asked.id)} stands on line ${first} already`;
      return this.refuse(line, null, usageError(problem, "give every prompt an id of its own"));
    }
    this.seen.set(String(asked.id), line.number);
    const id = redactAll(this.parts.config.redact, asked.id);
    const before = this.parts.results.earlier.get(String(id));
    if (before === undefined) await this.ask(line, id, asked);
    else this.tally.add(before, true);
    this.draw(line);
  }

  private async ask(line: Line, id: BatchId, asked: BatchPrompt): Promise<void> {
    const { invocation, config, host, folder, bounds, usesStdout } = this.parts;
    const inner = openInnerHost(host, this.stop, usesStdout);
    const context = asked.context?.trim() === "" ? null : asked.context;
    // Programs and tools are looked for anew: what the batch began with may be hours old.
    const machine = { ...this.parts.machine, world: openMachineWorld(config, folder) };
    this.running += 1;
    this.draw(line);
    await answer({
      invocation,
      config: configFor(config, asked, bounds),
      host: inner,
      mode: "json",
      given: { question: { prompt: asked.prompt, context, files: [] }, machine, session: null },
    });
    this.running -= 1;
    const text = inner.printed().trimEnd();
    const result = JSON.parse(text) as Result;
    // It was not asked to its end: there is no result, and a later run asks again.
    if (result.status === "interrupted") return;
    await this.write(line, id, text);
    this.tally.add(endOfExit(result.exit_code));
    if (result.exit_code === EXIT.config) this.halt(errorOf(result));
    if (this.tally.inARow() >= GIVE_UP_AFTER) {
      this.halt(errorOf(result, `${GIVE_UP_AFTER} prompts in a row got no answer, the last one because `));
    }
  }

  /** A line that cannot be asked. */
  private async refuse(line: Line, id: BatchId | null, error: AshError): Promise<void> {
    const known = id !== null && this.seen.has(String(id));
    if (id !== null && !known) this.seen.set(String(id), line.number);
    const { redact } = this.parts.config;
    const result = redactAll(redact, errorResult(error));
    await this.write(line, known ? null : redactAll(redact, id), JSON.stringify(result));
    this.tally.add("failed");
  }

  private write({ number }: Line, id: BatchId | null, result: string): Promise<void> {
    const record = `{"schema":"ash.batch/1","id":${JSON.stringify(id)},"line":${number},"result":${result}}\n`;
    return this.parts.results.write(record);
  }

  private draw({ end }: Line): void {
    const { host, showsProgress, size } = this.parts;
    const now = host.elapsed();
    if (!showsProgress || host.stderr.busy() || now - this.drawnAt < REDRAW_MS) return;
    this.drawnAt = now;
    const share = size === null || size === 0 ? null : Math.min(1, end / size);
    void host.stderr.write(`\r\x1b[K${progressLine(this.tally.counts(), this.running, share)}`);
  }
}

/** Runs a batch to its end. Never throws; what was written is written whole. */
export function runBatch(parts: BatchParts): Promise<BatchOutcome> {
  return new Batch(parts).toOutcome();
}
