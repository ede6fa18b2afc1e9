// The files a command line names: those that will be written can be, and none of them is read or written as another.
import { flagValue, type Invocation } from "./argv.ts";
import { type AshError, usageError } from "./errors.ts";
import { placeOf } from "./host/files.ts";
import { checkTarget, type NamedFile } from "./host/outfile.ts";

const READ = ["file", "schema", "approve-plan", "replay"] as const;

/** A recording holds a conversation. */
const PRIVATE = 0o600;

/** The file the model's replies are written to, or null. */
export function recordTarget(invocation: Invocation): NamedFile | null {
  const path = flagValue(invocation, "record");
  return path === undefined ? null : { flag: "record", path, newMode: PRIVATE };
}

function targetsOf(invocation: Invocation): readonly NamedFile[] {
  const output = flagValue(invocation, "output");
  const record = recordTarget(invocation);
  return [...(output === undefined ? [] : [{ flag: "output", path: output }]), ...(record ? [record] : [])];
}

/** The error of a file that is written and named by another flag too: writing it would lose what that one is for. */
function sharedFile(invocation: Invocation): AshError | null {
  const targets = targetsOf(invocation);
  const read = READ.flatMap((flag) =>
    (invocation.flags.get(flag) ?? []).map((path): NamedFile => ({ flag, path })),
  );
  for (const [i, { flag, path }] of targets.entries()) {
    const others = [...targets.slice(i + 1), ...read];
    const other = others.find((one) => placeOf(one.path) === placeOf(path));
    if (other !== undefined)
      return usageError(`--${flag} ${path}: it is the file of --${other.flag}`, "name two different files");
  }
  return null;
}

/** The file the answer of a prompt goes to; undefined for stdout, where it also goes when that file has another use. */
export function answerFile(invocation: Invocation): string | undefined {
  const isPrompt = invocation.command === "ask";
  return isPrompt && sharedFile(invocation) === null ? flagValue(invocation, "output") : undefined;
}

/** Throws a usage error when a file that will be written cannot be, or is named for something else too. */
export function checkFiles(invocation: Invocation): void {
  for (const target of targetsOf(invocation)) checkTarget(target);
  const shared = sharedFile(invocation);
  if (shared !== null) throw shared;
}
