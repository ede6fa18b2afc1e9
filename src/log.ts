// What ash says about itself, on stderr, one line each. The only importer of the logging library, whose own
// output would go to stdout and depend on the environment.

import { createConsola, type LogObject } from "consola/core";
import type { Output } from "./host/output.ts";
import { shorten } from "./layout.ts";
import { sanitize } from "./sanitize.ts";

/** Says things on stderr. */
export type Log = {
  /** Something worth knowing that did not stop the run. */
  warn(message: string): void;
  /** Why ash failed. */
  error(message: string): void;
};

const LONGEST = 500;

const lineOf = ({ type, args }: LogObject): string => {
  const text = sanitize(args.map(String).join(" ")).text.replace(/\s+/g, " ").trim();
  const short = shorten(text, LONGEST);
  return type === "warn" ? `ash: warning: ${short}\n` : `ash: ${short}\n`;
};

/** Opens the log on a stream. */
export function openLog(stderr: Output): Log {
  const reporter = { log: (entry: LogObject) => void stderr.write(lineOf(entry)) };
  const consola = createConsola({ level: 3, throttle: 0, reporters: [reporter] });
  return { warn: (message) => consola.warn(message), error: (message) => consola.error(message) };
}
