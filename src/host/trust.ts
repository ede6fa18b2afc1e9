// Who else could change what is at a path, and how to put an end to that. Knows only owner and mode.
import { type FileFacts, userId } from "./files.ts";

/** Why a file or folder cannot be trusted, and the command that corrects it. */
export type Exposure = { readonly problem: string; readonly fix: string };

/** True when the file is the user's or the system's. */
export const isMine = (facts: FileFacts): boolean => facts.uid === 0 || facts.uid === userId();

/** How others could change what has these facts, or null when they cannot. A link has no mode of its own. */
export function exposureOf(path: string, facts: FileFacts): Exposure | null {
  if (!isMine(facts))
    return { problem: `${path} belongs to another user`, fix: `run: chown ${userId()} '${path}'` };
  if (facts.kind === "other" || (facts.mode & 0o022) === 0) return null;
  return { problem: `${path} can be written by other users`, fix: `run: chmod go-w '${path}'` };
}
