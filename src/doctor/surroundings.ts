// `ash doctor` about the program itself and where it runs: the binary, the clock, the terminal, stdin.
import { version } from "../../package.json";
import type { Config } from "../config.ts";
import { wallClock } from "../host/clock.ts";
import { findProgram, trustedProgram } from "../host/executables.ts";
import { descriptorKind, fileFacts, realPath } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import { inputKind } from "../host/input.ts";
import { selfCommand, systemName } from "../host/system.ts";
import { terminalWidth } from "../host/terminal.ts";
import type { Check } from "../schema/reports.ts";
import { ok, warn } from "./check.ts";

function programCheck(config: Config | null): Check {
  const [path = "", ...script] = selfCommand();
  const facts = { version, path, bun: Bun.version, system: systemName(), architecture: process.arch };
  const message = `${version}, ${path}, ${facts.system} ${facts.architecture}, Bun ${facts.bun}`;
  if (script.length > 0) return ok("ash", `${message}, from source`, facts);
  const trusted = trustedProgram(path);
  if (!trusted.ok)
    return warn("ash", `${message}; ${trusted.reason}`, "install it where only you or root may write", facts);
  const first = config === null ? null : findProgram("ash", config.surroundings.path);
  const found = first?.ok ? first.located.path : null;
  if (found !== null && realPath(found) !== realPath(path))
    return warn(
      "ash",
      `${message}; the ash on your PATH is ${found}, another program`,
      "put the folder of this one first in PATH",
      { ...facts, on_path: found },
    );
  return ok("ash", message, { ...facts, on_path: found });
}

const two = (value: number): string => String(value).padStart(2, "0");

function clockCheck(config: Config | null): Check {
  const now = new Date(wallClock());
  const minutes = -now.getTimezoneOffset();
  const offset = `UTC${minutes < 0 ? "-" : "+"}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const date = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  const time = `${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`;
  const facts = { utc: now.toISOString(), offset, zone, tz: config?.surroundings.timeZone ?? null };
  const message = `${date} ${time} ${offset} (${zone})`;
  const made = fileFacts(selfCommand()[0] ?? "")?.modifiedMs ?? 0;
  // Certificates and Retry-After go by the clock.
  if (now.getTime() < made - 86_400_000)
    return warn("clock", `${message}, which is before this program was made`, "set the clock", facts);
  return ok("clock", message, facts);
}

function terminalCheck(config: Config | null, { stdout, stderr }: Host): Check {
  const width = terminalWidth(1) ?? terminalWidth(2);
  const colour = config?.surroundings.colour ?? null;
  const facts = { stdout: stdout.isTerminal, stderr: stderr.isTerminal, columns: width, colour };
  const where = [...(stdout.isTerminal ? ["stdout"] : []), ...(stderr.isTerminal ? ["stderr"] : [])];
  if (where.length === 0) return ok("terminal", "none: no colour, and nobody is asked", facts);
  const size = width === null ? "" : `, ${width} columns`;
  return ok("terminal", `${where.join(" and ")}${size}, colour ${colour ? "on" : "off"}`, facts);
}

const INPUTS = {
  file: "a file: a question would read it to its end",
  pipe: "a pipe: a question would read it to its end; one that is silent for 10 s is an error (</dev/null or --no-stdin)",
  socket: "a socket: a question would read it to its end",
  character: "/dev/null or another device: nothing is read",
  directory: "a folder: a question would not start (redirect a file, or give --no-stdin)",
  closed: "closed: nothing is read",
} as const;

function inputCheck(): Check {
  const kind = descriptorKind(0);
  const isTerminal = inputKind() === "terminal";
  return ok("stdin", isTerminal ? "a terminal: with a question nothing is read from it" : INPUTS[kind], {
    kind: isTerminal ? "terminal" : kind,
  });
}

/** Everything about the program and its surroundings; works without a configuration. */
export function surroundingsChecks(config: Config | null, host: Host): readonly Check[] {
  return [programCheck(config), clockCheck(config), terminalCheck(config, host), inputCheck()];
}
