// Control groups, where this user may make some: the one lock that counts a program and all it starts. Moving a
// process into a group takes the kernel long, so processes that wait for their order are moved ahead of it.
// Version 2 below the parent of ash's own group (what systemd delegates to a user), version 1 below ash's own.
// Whatever cannot be set up means no group; it is never an error.
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sleep } from "../host/clock.ts";
import { listFolder } from "../host/files.ts";
import type { Limits } from "../limits.ts";
import { memoryLimit, taskLimit } from "./grouplimits.ts";

/** The group of one program of a call and all it starts. */
export type ProgramGroup = {
  /** Files into which a process writes its id to join. */
  readonly joins: readonly string[];
  /** Sets the limits; false when the kernel refuses one. */
  limit(limits: Limits): boolean;
  /** Ids of the processes in it. */
  members(): readonly number[];
  /** The limit the kernel enforced, or null. */
  hit(): "memory" | "processes" | null;
  /** Removes the group; true when it was empty. */
  remove(): boolean;
};

/** Makes groups for programs. */
export type Groups = {
  readonly version: 1 | 2;
  /** Makes a group without limits yet; null when this user may not. */
  open(name: string): ProgramGroup | null;
  /** Removes every group that could not be removed in its time. */
  close(): Promise<void>;
};

const read = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
};

const REMOVAL_ROUNDS = 50;
const ROUND_MS = 5;

/** One folder of a hierarchy, its limits by file name, and how to see that a limit was hit. */
type Part = {
  readonly folder: string;
  readonly limits: (
    limits: Limits,
  ) => readonly (readonly [file: string, value: number | string, needed: boolean])[];
  readonly events: readonly (readonly [file: string, counter: RegExp, limit: "memory" | "processes"])[];
};

/** Where things are mounted: the second field of a line of /proc/self/mounts by a test of the others. */
function mountOf(
  mounts: string,
  matches: (type: string, options: readonly string[]) => boolean,
): string | null {
  for (const line of mounts.split("\n")) {
    const [, target = "", type = "", options = ""] = line.split(" ");
    if (matches(type, options.split(","))) return target;
  }
  return null;
}

/** The path of this process in a hierarchy: `controller` "" is version 2. */
function ownPath(groups: string, controller: string): string | null {
  for (const line of groups.split("\n")) {
    const [, controllers, ...path] = line.split(":");
    if (controllers?.split(",").includes(controller)) return path.join(":");
  }
  return null;
}

function versionTwo(mounts: string, own: string): readonly Part[] | null {
  const mount = mountOf(mounts, (type) => type === "cgroup2");
  const path = ownPath(own, "");
  if (mount === null || path === null) return null;
  // A group that holds processes cannot hand controllers down; its parent can.
  const folder = join(mount, dirname(path));
  const controllers = (read(join(folder, "cgroup.subtree_control")) ?? "").split(/\s+/);
  if (!controllers.includes("memory") || !controllers.includes("pids")) return null;
  return [
    {
      folder,
      limits: ({ memoryMax, processMax }) => [
        ["memory.max", memoryLimit(memoryMax), true],
        ["memory.swap.max", 0, false],
        ["memory.oom.group", 1, false],
        ["pids.max", taskLimit(processMax), true],
      ],
      events: [
        ["memory.events", /^oom_kill ([1-9]\d*)$/m, "memory"],
        ["pids.events", /^max ([1-9]\d*)$/m, "processes"],
      ],
    },
  ];
}

function versionOne(mounts: string, own: string): readonly Part[] | null {
  const find = (controller: string): string | null => {
    const mount = mountOf(mounts, (type, options) => type === "cgroup" && options.includes(controller));
    const path = ownPath(own, controller);
    return mount === null || path === null ? null : join(mount, path);
  };
  const [memory, pids] = [find("memory"), find("pids")];
  if (memory === null || pids === null) return null;
  return [
    {
      folder: memory,
      limits: ({ memoryMax }) => [
        ["memory.limit_in_bytes", memoryLimit(memoryMax), true],
        ["memory.memsw.limit_in_bytes", memoryLimit(memoryMax), false],
      ],
      events: [["memory.oom_control", /^oom_kill ([1-9]\d*)$/m, "memory"]],
    },
    {
      folder: pids,
      limits: ({ processMax }) => [["pids.max", taskLimit(processMax), true]],
      events: [["pids.events", /^max ([1-9]\d*)$/m, "processes"]],
    },
  ];
}

function removeFolder(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}

function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function writeLimit(path: string, value: number | string): boolean {
  try {
    writeFileSync(path, String(value));
    return true;
  } catch {
    return false;
  }
}

/** Moves a process into a group by its process list; false when the kernel refuses. */
export function joinGroup(path: string, pid: number): boolean {
  try {
    writeFileSync(path, String(pid));
    return true;
  } catch {
    return false;
  }
}

/** Groups below the given folders. */
export function groupsFor(parts: readonly Part[], version: 1 | 2, run: string): Groups {
  const there = new Set<string>();
  const removeOne = (folder: string): boolean => {
    const gone = removeFolder(folder);
    if (gone) there.delete(folder);
    return gone;
  };
  return {
    version,
    async close() {
      // A process that has been reaped may for a moment still count as a member of its group.
      for (let round = 0; round < REMOVAL_ROUNDS && there.size > 0; round += 1) {
        for (const folder of there) removeOne(folder);
        if (there.size > 0) await sleep(ROUND_MS);
      }
    },
    open(name) {
      const folders = parts.map((part) => join(part.folder, `ash-${run}-${name}`));
      if (!folders.every(makeFolder)) {
        folders.forEach(removeFolder);
        return null;
      }
      for (const folder of folders) there.add(folder);
      const fileOf = (part: number, file: string): string => join(folders[part] ?? "", file);
      return {
        joins: folders.map((folder) => join(folder, "cgroup.procs")),
        limit: (limits) =>
          parts.every((part, i) =>
            part
              .limits(limits)
              .every(([file, value, needed]) => writeLimit(fileOf(i, file), value) || !needed),
          ),
        members: () => [
          ...new Set(
            folders.flatMap((folder) =>
              (read(join(folder, "cgroup.procs")) ?? "").split("\n").filter(Boolean).map(Number),
            ),
          ),
        ],
        hit() {
          for (const [i, part] of parts.entries()) {
            const found = part.events.find(([file, counter]) => counter.test(read(fileOf(i, file)) ?? ""));
            if (found !== undefined) return found[2];
          }
          return null;
        },
        remove: () => folders.map(removeOne).every(Boolean),
      };
    },
  };
}

/**
 * Removes the groups a run left behind when it was killed. This process may be in one of them; processes that are
 * being killed may take a moment to leave theirs.
 */
export function removeGroups(run: string): void {
  const mounts = read("/proc/self/mounts") ?? "";
  const own = read("/proc/self/cgroup") ?? "";
  const folders = [...(versionTwo(mounts, own) ?? []), ...(versionOne(mounts, own) ?? [])].flatMap(
    ({ folder }) =>
      // Seen from inside a group of the run, its siblings are next to it.
      [folder, dirname(folder)].flatMap((parent) =>
        (listFolder(parent) ?? [])
          .filter((name) => name.startsWith(`ash-${run}-`))
          .map((name) => join(parent, name)),
      ),
  );
  for (const parent of new Set(folders.map(dirname))) joinGroup(join(parent, "cgroup.procs"), process.pid);
  let left = folders;
  for (let round = 0; round < REMOVAL_ROUNDS && left.length > 0; round += 1) {
    left = left.filter((folder) => !removeFolder(folder));
    if (left.length > 0) Bun.sleepSync(ROUND_MS);
  }
}

/** Where this user may be able to make control groups with memory and process limits; null when nowhere. */
export function openGroups(run: string): Groups | null {
  const mounts = read("/proc/self/mounts") ?? "";
  const own = read("/proc/self/cgroup") ?? "";
  const two = versionTwo(mounts, own);
  if (two !== null) return groupsFor(two, 2, run);
  const one = versionOne(mounts, own);
  return one === null ? null : groupsFor(one, 1, run);
}
