// Installs and upgrades the files of ASH_HOME: ash replaces only what it wrote itself. A file the user changed stays,
// and the new version is put beside it.
import { join } from "node:path";
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
  /** The user changed it: kept, the new version is beside it as NAME.new. */
  | "kept"
  /** Replaced although the user changed it; what was there is beside it as NAME.old. */
  | "replaced";

/** One file of an upgrade. */
export type UpgradeStep = { readonly path: string; readonly action: FileAction };

function actionFor(asset: Asset, home: Home, manifest: Manifest | null, force: boolean): FileAction {
  const target = join(home.root, asset.path);
  if (linkFacts(target) === null) return "installed";
  if (fileFacts(target)?.kind !== "file") return "kept";
  const now = sha256(readBytes(target));
  if (now === asset.sha256) return "unchanged";
  if (now === manifest?.files[asset.path]) return "updated";
  return force ? "replaced" : "kept";
}

/** What an upgrade would do. It reads only. */
export function planUpgrade(home: Home, force: boolean): readonly UpgradeStep[] {
  const manifest = readManifest(home);
  return installedAssets().map((asset) => ({
    path: asset.path,
    action: actionFor(asset, home, manifest, force),
  }));
}

function perform(asset: Asset, home: Home, action: FileAction): void {
  const target = join(home.root, asset.path);
  const beside = `${target}.new`;
  switch (action) {
    case "unchanged":
      setMode(target, asset.mode);
      removeTree(beside);
      return;
    case "kept":
      if (linkFacts(beside) === null || sha256(readBytes(beside)) !== asset.sha256)
        replaceFile(beside, asset.bytes, 0o600);
      return;
    case "replaced":
      replaceFile(`${target}.old`, readBytes(target), 0o600);
      break;
    case "installed":
    case "updated":
      break;
  }
  replaceFile(target, asset.bytes, asset.mode);
  removeTree(beside);
}

/** Performs an upgrade and writes the manifest. Throws the system error. */
export function upgrade(home: Home, force: boolean): readonly UpgradeStep[] {
  const steps = planUpgrade(home, force);
  const assets = installedAssets();
  for (const folder of [home.root, home.tools, home.sessions]) makeFolder(folder);
  const before = readManifest(home);
  const files: Record<string, string> = { ...before?.files };
  steps.forEach(({ action }, i) => {
    const asset = assets[i] as Asset;
    perform(asset, home, action);
    if (action !== "kept") files[asset.path] = asset.sha256;
  });
  const manifest: Manifest = { schema: "ash.manifest/1", version, assets: assetsDigest(assets), files };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  if (linkFacts(home.manifest) === null || sha256(readBytes(home.manifest)) !== sha256(text)) {
    replaceFile(home.manifest, text, 0o600);
  }
  return steps;
}
