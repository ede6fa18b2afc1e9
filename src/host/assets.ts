// The files embedded in the binary, or the repository's own ones when ash runs from source.
import { join } from "node:path";
import { listFolder, readBytes } from "./files.ts";

const root = Bun.isStandaloneExecutable ? import.meta.dir : join(import.meta.dir, "..", "..");

/** Bytes of an embedded file, exactly as they are in the repository. `path` starts with bootstrap/ or tools/. */
export function assetBytes(path: string): Uint8Array {
  return readBytes(join(root, path));
}

/** Names of the embedded files of a folder. */
export function assetNames(folder: "bootstrap" | "tools"): readonly string[] {
  return listFolder(join(root, folder)) ?? [];
}

/** SHA-256 of bytes or text, in hexadecimal. */
export function sha256(data: Uint8Array | string): string {
  return new Bun.CryptoHasher("sha256").update(data).digest("hex");
}
