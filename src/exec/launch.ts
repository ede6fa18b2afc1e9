// Starts one process of a call: own session, given descriptors, given environment. What the system refuses
// comes back as a typed problem, never as an exception.
import { systemCode } from "../errors.ts";
import { fileFacts } from "../host/files.ts";
import type { Limits } from "../limits.ts";
import type { ProgramGroup } from "./cgroup.ts";
import type { Confinement } from "./confinement.ts";

/** Why a process could not be started. */
export type LaunchProblem =
  | "not_found"
  | "not_executable"
  | "bad_format"
  | "too_long"
  | "bad_argument"
  | "no_folder"
  | "changed"
  | "no_jail"
  | "no_resources";

/** One sentence about a problem, for people and models. */
export const PROBLEM_TEXT: Readonly<Record<LaunchProblem, string>> = {
  not_found: "the program is not there",
  not_executable: "the program may not be executed",
  bad_format: "the file is not a program this system can run",
  too_long: "the arguments are too long for the system",
  bad_argument: "an argument holds a NUL character",
  no_folder: "the working folder is gone",
  changed: "the program file changed after it was judged",
  no_jail: "the jail could not be closed around it, so it was not started",
  no_resources: "the system could not start another process",
};

const PROBLEM_OF_ERRNO: Readonly<Record<number, LaunchProblem>> = {
  1: "not_executable",
  2: "not_found",
  7: "too_long",
  8: "bad_format",
  13: "not_executable",
};

/** What an errno of execve means. */
export const problemOfErrno = (errno: number): LaunchProblem => PROBLEM_OF_ERRNO[errno] ?? "no_resources";

/** A process to start. Descriptors are numbers of this process; `stdin` null means /dev/null. */
export type LaunchRequest = {
  readonly executable: string;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly stdin: number | null;
  readonly stdout: number;
  readonly stderr: number;
  readonly confinement: Confinement;
  /** The limits of the call. */
  readonly callLimits: Limits;
};

/** How a process ended. CPU time in milliseconds, memory in bytes; null when unknown. */
export type Exit = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly cpuMs: number | null;
  readonly peakMemory: number | null;
  /** Set when it turned out only later that the program had not been started at all. */
  readonly problem: LaunchProblem | null;
};

/** A running process that leads its own session and group. */
export type Child = {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  /** The control group it and all it starts are in, where there is one. */
  readonly group: ProgramGroup | null;
};

/** A started process, or why there is none. */
export type Launched =
  | { readonly ok: true; readonly child: Child }
  | { readonly ok: false; readonly problem: LaunchProblem };

const PROBLEM_OF_CODE: Readonly<Record<string, LaunchProblem>> = {
  ENOENT: "not_found",
  ENOTDIR: "no_folder",
  EACCES: "not_executable",
  EPERM: "not_executable",
  ENOEXEC: "bad_format",
  E2BIG: "too_long",
  ERR_INVALID_ARG_VALUE: "bad_argument",
};

const problemOf = (thrown: unknown, folder: string): LaunchProblem => {
  const code = systemCode(thrown) ?? "";
  // A missing folder and a missing program look the same to posix_spawn.
  if (code === "ENOENT" && fileFacts(folder)?.kind !== "directory") return "no_folder";
  return PROBLEM_OF_CODE[code] ?? "no_resources";
};

/** Starts a process directly, without a jail. */
export function launchDirect(request: LaunchRequest): Launched {
  try {
    const [name = request.executable, ...args] = request.argv;
    const running = Bun.spawn([request.executable, ...args], {
      argv0: name,
      cwd: request.folder,
      env: { ...request.environment },
      stdio: [request.stdin ?? "ignore", request.stdout, request.stderr],
      detached: true,
    });
    const exited = running.exited.then((): Exit => {
      const usage = running.resourceUsage();
      return {
        code: running.exitCode,
        signal: running.signalCode === null ? null : String(running.signalCode),
        cpuMs: usage === undefined ? null : Number(usage.cpuTime.total) / 1000,
        peakMemory: usage === undefined ? null : usage.maxRSS,
        problem: null,
      };
    });
    return { ok: true, child: { pid: running.pid, exited, group: null } };
  } catch (thrown) {
    return { ok: false, problem: problemOf(thrown, request.folder) };
  }
}
