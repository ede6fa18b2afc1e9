// ASH_HOME: where things are, who may have written them, and the first installation. It never overwrites a
// file it did not write itself.
import { join } from "node:path";
import { version } from "../package.json";
import { type Asset, assetsDigest, installedAssets } from "./assets.ts";
import { AshError, configError, systemCode } from "./errors.ts";
import { sha256 } from "./host/assets.ts";
import { createFile, type FileFacts, linkFacts, makeFolder, readText, replaceFile } from "./host/files.ts";
import { exposureOf } from "./host/trust.ts";

/** Paths below ASH_HOME. */
export type Home = {
  readonly root: string;
  readonly system: string;
  readonly allowlist: string;
  readonly config: string;
  readonly tools: string;
  readonly sessions: string;
  /** What was spent, one file a day. */
  readonly ledger: string;
  readonly manifest: string;
  /** The environment of the bundled tools. */
  readonly venv: string;
  /** The folder of environments of scripts with their own dependencies. */
  readonly venvs: string;
  /** What pip and uv keep. */
  readonly cache: string;
  /** Answers kept for --only-if-changed. */
  readonly answers: string;
  /** Locks users name, one file each. */
  readonly locks: string;
  /** Held by the one process that changes the home. */
  readonly lock: string;
};

/** The paths of a home. */
export function homeAt(root: string): Home {
  return {
    root,
    system: join(root, ".ash_system"),
    allowlist: join(root, ".ash_tools"),
    config: join(root, "config.toml"),
    tools: join(root, "tools"),
    sessions: join(root, "sessions"),
    ledger: join(root, "ledger"),
    manifest: join(root, "manifest.json"),
    venv: join(root, "venv"),
    venvs: join(root, "venvs"),
    cache: join(root, "cache"),
    answers: join(root, "answers"),
    locks: join(root, "locks"),
    lock: join(root, ".lock"),
  };
}

function refuseForeign(path: string, facts: FileFacts): void {
  const exposure = exposureOf(path, facts);
  if (exposure !== null) throw configError(exposure.problem, exposure.fix);
}

/** Throws a configuration error when ASH_HOME itself cannot be trusted. */
export function checkHome(home: Home): void {
  const facts = linkFacts(home.root);
  if (facts === null) return;
  if (facts.kind === "file")
    throw configError(`${home.root} is not a folder`, "move it away, or set ASH_HOME");
  if (facts.kind === "directory") refuseForeign(home.root, facts);
}

/**
 * Reads a file that decides what ash may do. Null when there is none; throws a configuration error when it is a
 * symbolic link, belongs to somebody else, can be written by others or cannot be read.
 */
export function readOwnFile(path: string): string | null {
  const facts = linkFacts(path);
  if (facts === null) return null;
  if (facts.kind !== "file") {
    throw configError(
      `${path} is not a regular file`,
      "replace it by the file itself: a link could be redirected",
    );
  }
  refuseForeign(path, facts);
  try {
    return readText(path);
  } catch (thrown) {
    throw configError(
      `${path} cannot be read (${systemCode(thrown) ?? "unknown error"})`,
      `run: chmod u+r '${path}'`,
    );
  }
}

/** What ash installed, by path below ASH_HOME. */
export type Manifest = {
  readonly schema: "ash.manifest/1";
  readonly version: string;
  /** Digest of all assets of the ash that wrote it. */
  readonly assets: string;
  readonly files: Readonly<Record<string, string>>;
  /** New versions put beside files the user changed, likewise. */
  readonly offered?: Readonly<Record<string, string>>;
};

/** Reads the manifest; null when there is none or it is not one. */
export function readManifest(home: Home): Manifest | null {
  try {
    const data = JSON.parse(readOwnFile(home.manifest) ?? "null") as Partial<Manifest> | null;
    if (data?.schema !== "ash.manifest/1" || typeof data.files !== "object" || data.files === null)
      return null;
    return data as Manifest;
  } catch (thrown) {
    if (thrown instanceof AshError) throw thrown;
    return null;
  }
}

/** True when ash installed this file once; if it is gone, it was removed on purpose. */
export function wasInstalled(home: Home, path: string): boolean {
  return readManifest(home)?.files[path] !== undefined;
}

/** How the quick installation ended. */
export type HomeState =
  | { readonly state: "ready" | "installed" }
  | { readonly state: "unavailable"; readonly reason: string };

function installMissing(home: Home, assets: readonly Asset[], before: Manifest | null): void {
  for (const folder of [home.root, home.tools, home.sessions]) makeFolder(folder);
  const files: Record<string, string> = { ...before?.files };
  for (const { path, bytes, mode, sha256: hash } of assets) {
    // A file that ash installed once and that is gone was removed on purpose.
    if (files[path] !== undefined) continue;
    const target = join(home.root, path);
    const created = createFile(target, bytes, mode);
    if (created || sha256(readText(target)) === hash) files[path] = hash;
  }
  const manifest: Manifest = {
    ...before,
    ...{ schema: "ash.manifest/1", version, assets: assetsDigest(assets), files },
  };
  replaceFile(home.manifest, `${JSON.stringify(manifest, null, 2)}\n`, 0o600);
}

/** Installs what is missing from ASH_HOME. Fast when nothing is; a home that cannot be written is no error. */
export function ensureHome(home: Home): HomeState {
  const assets = installedAssets();
  const before = readManifest(home);
  if (before?.assets === assetsDigest(assets)) return { state: "ready" };
  try {
    installMissing(home, assets, before);
    return { state: "installed" };
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    return { state: "unavailable", reason: `${home.root}: ${code}` };
  }
}
