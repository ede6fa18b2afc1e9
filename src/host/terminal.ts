// The terminal's size, and nothing else about it.
import { WriteStream } from "node:tty";
import { isTerminal } from "./native.ts";

/** Columns of the terminal behind stdout or stderr; null when it is none or does not say. */
export function terminalWidth(fd: 1 | 2): number | null {
  if (!isTerminal(fd)) return null;
  const { columns } = new WriteStream(fd);
  return columns > 0 ? columns : null;
}
