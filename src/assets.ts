// Which embedded files go where under ASH_HOME.
import { assetBytes, assetNames, sha256 } from "./host/assets.ts";

/** One file ash installs: its path below ASH_HOME, its bytes, its permissions and its SHA-256. */
export type Asset = {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
  readonly sha256: string;
};

const BOOTSTRAP = [".ash_system", ".ash_tools", "config.toml"] as const;

const asset = (source: string, path: string, mode: number): Asset => {
  const bytes = assetBytes(source);
  return { path, bytes, mode, sha256: sha256(bytes) };
};

/** Every file ash installs, in a fixed order. */
export function installedAssets(): readonly Asset[] {
  const scripts = assetNames("tools").filter((name) => name.endsWith(".py"));
  return [
    ...BOOTSTRAP.map((name) => asset(`bootstrap/${name}`, name, 0o600)),
    ...scripts.map((name) => asset(`tools/${name}`, `tools/${name}`, 0o700)),
  ];
}

/** One digest of all installed assets: it changes exactly when a new ash brings other files. */
export function assetsDigest(assets: readonly Asset[]): string {
  return sha256(assets.map((item) => `${item.path} ${item.mode} ${item.sha256}\n`).join(""));
}

/** Text of an embedded bootstrap file. */
export function bootstrapText(name: (typeof BOOTSTRAP)[number] | "demo.jsonl"): string {
  return new TextDecoder().decode(assetBytes(`bootstrap/${name}`));
}
