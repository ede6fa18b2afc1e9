// Finds programs by bare name in given folders, and trusts only what others cannot have changed.
import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";
import type { Identity, Lookup } from "../policy/policy.ts";
import { type FileFacts, fileFacts, realPath } from "./files.ts";
import { isMine } from "./trust.ts";

const STICKY = 0o1000;

/** Why others could have changed what is at the path, or null when they could not. */
function distrust(path: string): string | null {
  const facts = fileFacts(path);
  if (facts === null) return `${path} is gone`;
  if (!isMine(facts)) return `${path} belongs to another user`;
  const openToOthers = (facts.mode & 0o022) !== 0 && (facts.mode & STICKY) === 0;
  if (openToOthers) return `${path} can be written by other users`;
  return path === "/" ? null : distrust(dirname(path));
}

/** True when this user may execute the file. */
export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** What must stay the same between the decision and the start. */
export function identityOf(facts: FileFacts): Identity {
  const { device, inode, size, modifiedMs } = facts;
  return { device, inode, size, modifiedMs };
}

/** The program at a path, if it is one and can be trusted. The path is kept: a link may matter to the program. */
export function trustedProgram(path: string): Lookup {
  const facts = fileFacts(path);
  const real = realPath(path);
  if (facts?.kind !== "file" || real === null || !isExecutable(path)) {
    return { ok: false, rule: "not-installed", reason: `${path} is not a program` };
  }
  const problem = distrust(real);
  if (problem !== null)
    return { ok: false, rule: "not-trusted", reason: `${problem}; ash does not start it` };
  return { ok: true, located: { path, identity: identityOf(facts) } };
}

/** Finds a program by bare name, the first folder first. */
export function findProgram(name: string, folders: readonly string[]): Lookup {
  for (const folder of folders) {
    const path = join(folder, name);
    const real = realPath(path);
    if (real === null || fileFacts(real)?.kind !== "file") continue;
    const found = trustedProgram(real);
    if (found.ok || found.rule === "not-trusted") return found;
  }
  return {
    ok: false,
    rule: "not-installed",
    reason: `${name} is not installed on this machine (looked in ${folders.join(":")})`,
  };
}
