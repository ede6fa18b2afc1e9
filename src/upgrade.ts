// Installs and upgrades the files of ASH_HOME: ash replaces only what it wrote itself. A file the user changed stays,
// and the new version is put beside it.
import { join, relative } from "node:path";
import { version } from "../package.json";
import { type Asset, assetsDigest, installedAssets } from "./assets.ts";
import { type Home, type Manifest, readManifest } from "./home.ts";
import { sha256 } from "./host/assets.ts";
import {
  fileFacts,
  linkFacts,
  makeFolder,
  readBytes,
  removeTree,
  replaceFile,
  setMode,
} from "./host/files.ts";

/** What happens, or would happen, to one file. */
export type FileAction =
  | "unchanged"
  | "installed"
  | "updated"
  /** The user changed it: kept, the new version is beside it. */
  | "kept"
  /** Replaced although the user changed it; what was there is beside it. */
  | "replaced";

/** One file of an upgrade. */
export type UpgradeStep = {
  readonly path: string;
  readonly action: FileAction;
  /** Where the new version is put (`kept`) or what was there (`replaced`), below ASH_HOME; else null. */
  readonly beside: string | null;
};

function actionFor(asset: Asset, home: Home, manifest: Manifest | null, force: boolean): FileAction {
  const target = join(home.root, asset.path);
  if (linkFacts(target) === null) return "installed";
  if (fileFacts(target)?.kind !== "file") return "kept";
  const now = sha256(readBytes(target));
  if (now === asset.sha256) return "unchanged";
  if (now === manifest?.files[asset.path]) return "updated";
  return force ? "replaced" : "kept";
}

const hashOf = (path: string): string | null =>
  linkFacts(path)?.kind === "file" ? sha256(readBytes(path)) : null;

/** True for a new version ash put beside a file, which nobody has changed since. */
function isOffer(path: string, asset: Asset, manifest: Manifest | null): boolean {
  const hash = hashOf(path);
  return hash !== null && (hash === asset.sha256 || hash === manifest?.offered?.[asset.path]);
}

/** The first of NAME, NAME.2, NAME.3 … that is free or may be written over: nothing of the user's gets lost. */
function freeName(path: string, mayReplace: (path: string) => boolean): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? path : `${path}.${n}`;
    if (linkFacts(name) === null || mayReplace(name)) return name;
  }
}

function besideFor(asset: Asset, home: Home, manifest: Manifest | null, action: FileAction): string | null {
  const target = join(home.root, asset.path);
  switch (action) {
    case "kept":
      return freeName(`${target}.new`, (path) => isOffer(path, asset, manifest));
    case "replaced":
      return freeName(`${target}.old`, (path) => hashOf(path) === sha256(readBytes(target)));
    case "unchanged":
    case "installed":
    case "updated":
      return null;
  }
}

/** What an upgrade would do. It reads only. */
export function planUpgrade(home: Home, force: boolean): readonly UpgradeStep[] {
  const manifest = readManifest(home);
  return installedAssets().map((asset) => {
    const action = actionFor(asset, home, manifest, force);
    const beside = besideFor(asset, home, manifest, action);
    return { path: asset.path, action, beside: beside === null ? null : relative(home.root, beside) };
  });
}

function perform(asset: Asset, home: Home, { action, beside }: UpgradeStep, manifest: Manifest | null): void {
  const target = join(home.root, asset.path);
  if (action === "kept") {
    const offer = join(home.root, beside ?? "");
    if (hashOf(offer) !== asset.sha256) replaceFile(offer, asset.bytes, 0o600);
    return;
  }
  if (action === "replaced") replaceFile(join(home.root, beside ?? ""), readBytes(target), 0o600);
  if (action === "unchanged") setMode(target, asset.mode);
  else replaceFile(target, asset.bytes, asset.mode);
  if (isOffer(`${target}.new`, asset, manifest)) removeTree(`${target}.new`);
}

/** Performs an upgrade and writes the manifest. Throws the system error. */
export function upgrade(home: Home, force: boolean): readonly UpgradeStep[] {
  const steps = planUpgrade(home, force);
  const assets = installedAssets();
  for (const folder of [home.root, home.tools, home.sessions]) makeFolder(folder);
  const before = readManifest(home);
  const files: Record<string, string> = { ...before?.files };
  const offered: Record<string, string> = {};
  steps.forEach((step, i) => {
    const asset = assets[i] as Asset;
    perform(asset, home, step, before);
    (step.action === "kept" ? offered : files)[asset.path] = asset.sha256;
  });
  const manifest: Manifest = {
    ...{ schema: "ash.manifest/1", version, assets: assetsDigest(assets), files },
    ...(Object.keys(offered).length === 0 ? {} : { offered }),
  };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  if (linkFacts(home.manifest) === null || sha256(readBytes(home.manifest)) !== sha256(text)) {
    replaceFile(home.manifest, text, 0o600);
  }
  return steps;
}
