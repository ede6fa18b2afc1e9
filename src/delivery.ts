// Where the answer goes: to stdout, or into a file that is written once, whole, at the end.

import { AshError } from "./errors.ts";
import type { EventSink } from "./events.ts";
import { writeTarget } from "./host/outfile.ts";
import type { Output } from "./host/output.ts";
import { createRenderer, type RenderOptions } from "./render.ts";
import { failedResult, isComplete } from "./result.ts";
import type { Result } from "./schema.ts";

/** Shows one run and hands over its answer. */
export type Delivery = {
  readonly event: EventSink;
  /** Shows the end. Resolves to the exit code, which is another one when the answer could not be delivered. */
  finish(result: Result): Promise<number>;
};

type Streams = { readonly stdout: Output; readonly stderr: Output };

const collector = (take: (text: string) => void): Output => ({
  isTerminal: false,
  async write(text) {
    take(text);
  },
  async flush() {},
  closed: () => false,
  lost: () => null,
  busy: () => false,
});
const nowhere = collector(() => undefined);

/** What the file will hold; null when a text file would hold less than the answer. */
async function contentFor(result: Result, options: RenderOptions): Promise<string | null> {
  const mode = options.mode === "text" ? "text" : "json";
  if (mode === "text" && !isComplete(result)) return null;
  let content = "";
  const stdout = collector((text) => {
    content += text;
  });
  await createRenderer({ stdout, stderr: nowhere }, { ...options, mode, colour: false }).finish(result);
  return content;
}

function toFile(path: string, streams: Streams, options: RenderOptions): Delivery {
  const silent = options.mode === "jsonl" ? streams : { ...streams, stdout: nowhere };
  const shown = createRenderer(silent, options);
  return {
    event: shown.event,
    async finish(result) {
      const content = await contentFor(result, options);
      try {
        if (content !== null) writeTarget({ flag: "output", path }, content);
      } catch (thrown) {
        if (!(thrown instanceof AshError)) throw thrown;
        const failed = failedResult(result, thrown);
        const visible = options.mode === "jsonl" ? shown : createRenderer(streams, options);
        await visible.finish(failed);
        return failed.exit_code;
      }
      await shown.finish(result);
      return result.exit_code;
    },
  };
}

/** Opens the delivery of a run: into `file` when there is one, else to stdout, whose closing then ends the run. */
export function openDelivery(streams: Streams, options: RenderOptions, file: string | undefined): Delivery {
  if (file !== undefined) return toFile(file, streams, options);
  const renderer = createRenderer(streams, options);
  return {
    event(event) {
      renderer.event(event);
      if (event.type === "turn.start") streams.stdout.closed(true);
    },
    async finish(result) {
      await renderer.finish(result);
      return result.exit_code;
    },
  };
}
