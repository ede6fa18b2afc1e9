// stdout and stderr: whole writes in order, and the fact that nobody reads any more.
import { write } from "node:fs";
import { systemCode } from "../errors.ts";
import { sleep } from "./clock.ts";
import { isAbandoned, isTerminal } from "./native.ts";

/** A stream of the process. */
export type Output = {
  readonly isTerminal: boolean;
  /** Writes all of the text after everything written before; resolves early when the reader is gone. */
  write(text: string): Promise<void>;
  /** Resolves when everything written so far is out. */
  flush(): Promise<void>;
  /** True once the reader is gone; `check` also asks the system. */
  closed(check?: boolean): boolean;
  /** The system error that lost a part of what was written, such as a full disk; null when none did. */
  lost(): string | null;
  /** True while a write waits for its reader. */
  busy(): boolean;
};

/** What a write says when nobody reads any more: a pipe, a socket, a terminal that hung up. */
const NOBODY_READS: readonly string[] = ["EPIPE", "ECONNRESET", "EIO"];

const writeSome = (fd: number, bytes: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    write(fd, bytes, (error, count) => (error ? reject(error) : resolve(count)));
  });

/** Opens one of the process's own streams; `onClosed` is called once when its reader turns out to be gone. */
export function openOutput(fd: 1 | 2, onClosed: () => void): Output {
  let gone = false;
  let lost: string | null = null;
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  const leave = (): void => {
    if (gone) return;
    gone = true;
    onClosed();
  };

  const writeAll = async (text: string): Promise<void> => {
    let bytes: Uint8Array = Buffer.from(text);
    while (bytes.length > 0 && !gone) {
      try {
        bytes = bytes.subarray(await writeSome(fd, bytes));
      } catch (thrown) {
        // A pipe that another program made non-blocking is full: its reader is slow, not gone.
        const code = systemCode(thrown) ?? "unknown error";
        if (code === "EAGAIN") await sleep(5);
        else {
          if (!NOBODY_READS.includes(code)) lost = code;
          leave();
        }
      }
    }
  };

  return {
    isTerminal: isTerminal(fd),
    write(text) {
      waiting += 1;
      last = last
        .then(() => writeAll(text))
        .finally(() => {
          waiting -= 1;
        });
      return last;
    },
    flush: () => last,
    closed(check = false) {
      if (check && !gone && isAbandoned(fd)) leave();
      return gone;
    },
    lost: () => lost,
    busy: () => waiting > 0,
  };
}
