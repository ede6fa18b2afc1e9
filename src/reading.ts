// Which trees the tools of one run may read, from the permissions on the command line.
import { isAbsolute, join } from "node:path";
import { usageError } from "./errors.ts";
import { realPath } from "./host/files.ts";

/** What tools may read: only some trees, or everything (null); and trees that are never readable. */
export type ReadScope = {
  readonly onlyRead: readonly string[] | null;
  readonly neverRead: readonly string[];
};

/** Where relative paths and `~` lead. */
export type Place = { readonly folder: string; readonly userHome: string };

function realPlace(path: string, flag: string, { folder, userHome }: Place): string {
  const spelled = path === "~" || path.startsWith("~/") ? userHome + path.slice(1) : path;
  const real = realPath(isAbsolute(spelled) ? spelled : join(folder, spelled));
  if (real === null) throw usageError(`${flag}: there is no ${path}`, "name files and folders that exist");
  return real;
}

/** Resolves the permissions to real paths. Throws a usage error that names the path that is not there. */
export function readScope(
  allowRead: readonly string[],
  denyRead: readonly string[],
  place: Place,
): ReadScope {
  const onlyRead = allowRead.map((path) => realPlace(path, "--allow-read", place));
  return {
    onlyRead: allowRead.length === 0 ? null : onlyRead,
    neverRead: denyRead.map((path) => realPlace(path, "--deny-read", place)),
  };
}
