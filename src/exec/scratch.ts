// The private temporary folders of calls, below one folder of the run.
import { join } from "node:path";
import { listFolder, makeOneFolder, makeTemporaryFolder, removeTree } from "../host/files.ts";

/** Hands out folders. */
export type Scratch = {
  /** The folder of the run; made when first asked for. */
  base(): string;
  /** An empty folder of mode 0700 for one call. */
  take(): string;
  /** Takes a folder back with all that was written into it. */
  giveBack(folder: string): void;
  /** Removes everything. */
  remove(): void;
};

/** Opens the scratch space of a run. */
export function openScratch(): Scratch {
  const clean: string[] = [];
  let made = 0;
  let base: string | null = null;
  const open = (): string => {
    base ??= makeTemporaryFolder("ash-");
    return base;
  };
  return {
    base: open,
    take() {
      const kept = clean.pop();
      if (kept !== undefined) return kept;
      made += 1;
      const folder = join(open(), String(made));
      makeOneFolder(folder);
      return folder;
    },
    giveBack(folder) {
      // Most calls write nothing, and an empty folder is as good as a new one.
      if (listFolder(folder)?.length === 0) clean.push(folder);
      else removeTree(folder);
    },
    remove() {
      if (base !== null) removeTree(base);
      base = null;
      clean.length = 0;
    },
  };
}
