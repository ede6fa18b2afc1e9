// Whether the packages of an environment are all still there. It reads the lists they were installed with and looks at
// their files; it starts nothing.
import { join } from "node:path";
import { fileFacts, listFolder, readTextIfAny } from "../host/files.ts";

/** One installed file in a package's list: its path below site-packages, a hash and its size in bytes. */
const RECORDED = /^"?([^",\r\n]+)"?,sha256=[\w-]+,(\d+)$/gm;

/** True when a file of the package is gone or has another size. Scripts lie elsewhere and are ash's to change. */
function isDamaged(packages: string, info: string): boolean {
  const list = readTextIfAny(join(packages, info, "RECORD"));
  if (list === null) return true;
  return [...list.matchAll(RECORDED)].some(
    ([, path = "", size]) => !path.startsWith("..") && fileFacts(join(packages, path))?.size !== Number(size),
  );
}

/** A package with files that are gone or changed, such as `pandas-2.2.0`; null when every package is whole. */
export function damageIn(folder: string): string | null {
  for (const version of listFolder(join(folder, "lib")) ?? []) {
    const packages = join(folder, "lib", version, "site-packages");
    const infos = (listFolder(packages) ?? []).filter((name) => name.endsWith(".dist-info"));
    const damaged = infos.find((info) => isDamaged(packages, info));
    if (damaged !== undefined) return damaged.replace(/\.dist-info$/, "");
  }
  return null;
}
