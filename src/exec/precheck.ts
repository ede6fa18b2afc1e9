// Everything about a call that can be known to fail before any of it is started: all stages start, or none does.
import { isExecutable } from "../host/executables.ts";
import { fileFacts } from "../host/files.ts";
import type { Identity, Located, Permit } from "../policy/policy.ts";
import type { LaunchProblem } from "./launch.ts";
import { inspectProgram } from "./program.ts";

const isSame = ({ path, identity }: Located): boolean => {
  const now = fileFacts(path);
  const fields: readonly (keyof Identity)[] = ["device", "inode", "size", "modifiedMs"];
  return now !== null && fields.every((field) => now[field] === identity[field]);
};

function problemOf(
  { executable, script, argv }: Permit,
  find: (name: string) => string | null,
): LaunchProblem | null {
  if (fileFacts(executable.path) === null) return "not_found";
  if (!isSame(executable) || (script !== null && !isSame(script))) return "changed";
  if (argv.some((argument) => argument.includes("\0"))) return "bad_argument";
  if (!isExecutable(executable.path)) return "not_executable";
  const program = inspectProgram(executable.path, find);
  if (!program.ok) return "bad_format";
  return program.needs.every((path) => fileFacts(path) !== null) ? null : "not_found";
}

/** The first stage that cannot start and why, or null when nothing speaks against the call. */
export function findProblem(
  permits: readonly Permit[],
  folder: string,
  find: (name: string) => string | null,
): { readonly stage: number; readonly problem: LaunchProblem } | null {
  if (fileFacts(folder)?.kind !== "directory") return { stage: 0, problem: "no_folder" };
  for (const [stage, permit] of permits.entries()) {
    const problem = problemOf(permit, find);
    if (problem !== null) return { stage, problem };
  }
  return null;
}
