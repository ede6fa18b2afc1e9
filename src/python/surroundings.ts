// The folders a check runs tools in: empty ones, and a read-only one full of files named like Python's modules.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { listFolder, makeOneFolder, makeTemporaryFolder, removeTree, setMode } from "../host/files.ts";

/** The folders of one check. */
export type Surroundings = {
  /** The folder all others are in. */
  readonly root: string;
  /** Read-only, with a hostile file for every module. */
  readonly hostile: string;
  /** An empty folder of its own for each tool. */
  empty(): string;
  /** Names of what was left in an empty folder. */
  leftIn(folder: string): readonly string[];
  remove(): void;
};

const ALWAYS =
  "json argparse re urllib http socket ssl datetime time math random typing email html logging yaml requests";

/** Makes the folders; the hostile one has files for the named modules too. `token` marks what they tell. */
export function makeSurroundings(modules: readonly string[], token: string): Surroundings {
  const base = makeTemporaryFolder("ash-check-");
  const hostile = join(base, "hostile");
  makeOneFolder(hostile);
  for (const module of new Set([...ALWAYS.split(" "), ...modules])) {
    if (!/^\w{1,60}$/.test(module)) continue;
    const text = `import os\nos.write(2, b"\\n${token} shadow 0 ${module}\\n")\nraise SystemExit(1)\n`;
    writeFileSync(join(hostile, `${module}.py`), text);
  }
  setMode(hostile, 0o500);
  let made = 0;
  return {
    root: base,
    hostile,
    empty() {
      made += 1;
      const folder = join(base, String(made));
      makeOneFolder(folder);
      return folder;
    },
    leftIn: (folder) => listFolder(folder) ?? [],
    remove() {
      setMode(hostile, 0o700);
      removeTree(base);
    },
  };
}
