// Reads one pipe end to its end, or until told to stop, and closes it.
import { closeQuietly } from "../host/files.ts";

/** A pipe being read. */
export type Reading = {
  /** Resolves at the end of the stream or after `stop`. */
  readonly done: Promise<void>;
  /** True once the stream has ended or reading was stopped. */
  ended(): boolean;
  /** Stops reading and closes the descriptor; a writer then gets SIGPIPE. */
  stop(): Promise<void>;
};

/** Reads `fd`, which it owns from now on, and hands every chunk on. */
export function readPipe(fd: number, onChunk: (chunk: Uint8Array) => void): Reading {
  const reader = Bun.file(fd).stream().getReader();
  let closed = false;
  const close = (): void => {
    if (closed) return;
    closed = true;
    closeQuietly(fd);
  };
  const loop = async (): Promise<void> => {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        onChunk(value);
      }
    } catch {
      // The stream was cancelled or the pipe broke: what came so far is what there is.
    } finally {
      close();
    }
  };
  const done = loop();
  return {
    done,
    ended: () => closed,
    async stop() {
      if (closed) return;
      await reader.cancel().catch(() => undefined);
      close();
      await done;
    },
  };
}
