// What a jailed process may read: everything on the machine but devices, other people's homes, ash's own files and
// the places where credentials are. Landlock can only allow, so a folder that holds a secret is granted child by
// child. The walk looks for secrets by name, a bounded way down.
import { join } from "node:path";
import { type Entry, fileFacts, isReadable, listEntries, realPath } from "../host/files.ts";
import { CREDENTIAL_PLACES, isCredentialName, isPublicKey, SYSTEM_SECRETS } from "../policy/secrets.ts";
import type { Access, Grant } from "./landlock.ts";

/** What the grants depend on. */
export type GrantScope = {
  /** Every folder that is somebody's home. */
  readonly homes: readonly string[];
  readonly ashHome: string;
  /** The current directory: secrets below it are looked for by name. */
  readonly folder: string;
  /** Only these trees may be read besides the system's own; null means all. */
  readonly onlyRead: readonly string[] | null;
  readonly neverRead: readonly string[];
};

/** Top folders that are not files of the machine. */
const SPECIAL = ["dev", "proc", "sys", "run", "lost+found"];
const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
const HARMLESS = [
  "/proc",
  "/sys/class/net",
  "/sys/class/power_supply",
  "/sys/class/thermal",
  "/sys/class/hwmon",
  "/sys/class/block",
  "/sys/block",
  "/sys/devices",
  "/sys/fs/cgroup",
  "/run/utmp",
  "/run/systemd/resolve",
  "/run/mount",
];
/** Trees every program needs. */
export const SYSTEM_TREES = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc", "/opt"];

const WALK_DEPTH = 4;
const WALK_ENTRIES = 4000;

const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);

/** Secret files below a folder by their name; stops after a bounded number of entries. */
function secretsByName(root: string): readonly string[] {
  const found: string[] = [];
  let left = WALK_ENTRIES;
  let level = [root];
  for (let depth = 0; depth < WALK_DEPTH && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      const entries = listEntries(folder) ?? [];
      left -= entries.length;
      if (left < 0) return found;
      for (const { name, kind } of entries) {
        const path = join(folder, name);
        if (isCredentialName(name) && !isPublicKey(path)) found.push(path);
        else if (kind === "directory" && name !== "node_modules" && name !== ".git") next.push(path);
      }
    }
    level = next;
  }
  return found;
}

const both = (path: string): readonly string[] => {
  const real = realPath(path);
  return real === null || real === path ? [path] : [path, real];
};

/** Every path no tool may read. */
export function hiddenPaths(scope: GrantScope): readonly string[] {
  const homes = [...new Set(scope.homes.flatMap(both))];
  const inHomes = homes.flatMap((home) => [
    ...CREDENTIAL_PLACES.map((place) => join(home, place)),
    ...(listEntries(home) ?? []).flatMap(({ name }) => (isCredentialName(name) ? [join(home, name)] : [])),
  ]);
  // The configuration is named even when it is missing: what appears later must not be readable either.
  const inAsh = both(scope.ashHome).flatMap((home) =>
    ["config.toml", ...(listEntries(home) ?? []).map(({ name }) => name)]
      .filter((name) => name !== "tools" && !name.startsWith("venv"))
      .map((name) => join(home, name)),
  );
  const all = [
    ...inHomes,
    ...inAsh,
    ...SYSTEM_SECRETS.filter(isReadable),
    ...scope.neverRead.flatMap(both),
    ...secretsByName(scope.folder),
  ];
  return [...new Set(all)];
}

class Walk {
  readonly grants: Grant[] = [];

  constructor(
    private readonly hidden: readonly string[],
    private readonly access: Access = "read",
  ) {}

  /** Grants the access to everything below a path but what is hidden. */
  add(path: string, kind: Entry["kind"]): void {
    if (kind === "other" || this.hidden.some((secret) => isBelow(path, secret))) return;
    if (kind === "file" || !this.hidden.some((secret) => isBelow(secret, path))) {
      this.grants.push({ path, access: this.access, folder: kind === "directory" });
      return;
    }
    if (this.access === "read") this.grants.push({ path, access: "list", folder: true });
    for (const entry of listEntries(path) ?? []) this.add(join(path, entry.name), entry.kind);
  }

  addPath(path: string): void {
    const real = realPath(path);
    const facts = real === null ? null : fileFacts(real);
    if (real !== null && facts !== null) this.add(real, facts.kind);
  }
}

/** Makes the grants of a program that may change files: those below the current directory, but no credentials and nothing of ash's own. */
export function writingGrants({ homes, ashHome, folder }: GrantScope): readonly Grant[] {
  const places = homes.flatMap(both).flatMap((home) => CREDENTIAL_PLACES.map((place) => join(home, place)));
  const walk = new Walk([...places, ...both(ashHome)], "change");
  walk.addPath(folder);
  return walk.grants;
}

/** What a Python tool reads of ash's own folder: the tools and their environments. */
export function scriptGrants(ashHome: string): readonly Grant[] {
  return ["tools", "venv", "venvs"].flatMap((name) => {
    const real = realPath(join(ashHome, name));
    return real === null ? [] : [{ path: real, access: "read", folder: true }];
  });
}

/** Makes the reading grants of a run. */
export function readingGrants(scope: GrantScope): readonly Grant[] {
  const walk = new Walk(hiddenPaths(scope));
  if (scope.onlyRead === null) {
    walk.grants.push({ path: "/", access: "list", folder: true });
    for (const entry of listEntries("/") ?? []) {
      if (!SPECIAL.includes(entry.name)) walk.add(`/${entry.name}`, entry.kind);
    }
  } else
    for (const path of [...SYSTEM_TREES, ...scope.onlyRead, join(scope.ashHome, "tools")]) walk.addPath(path);
  for (const path of HARMLESS) walk.addPath(path);
  for (const path of DEVICES)
    walk.grants.push({ path, access: path === "/dev/null" ? "write" : "read", folder: false });
  return walk.grants;
}
