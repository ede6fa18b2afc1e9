// The machine as ash sees it through bubblewrap: without Python, without parts of it, without a network, read-only.
// Where things are is asked of the machine itself.
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SYSTEM_PATH } from "../../src/exec/environment.ts";
import { realPath } from "../../src/host/files.ts";

/** A command that starts another one with a changed view of the machine; goes before its argv. */
export type View = readonly string[];

const isInterpreter = (name: string): boolean => /^python3(\.\d+)?$/.test(name);

/** Every Python of the system folders, links resolved. */
export function systemPythons(): readonly string[] {
  const names = SYSTEM_PATH.flatMap((folder) => {
    const inside = realPath(folder) === null ? [] : readdirSync(folder);
    return inside.filter(isInterpreter).map((name) => realPath(join(folder, name)));
  });
  return [...new Set(names.filter((path) => path !== null))];
}

/** The folders a module of these Pythons lies in. */
function foldersOf(module: string): readonly string[] {
  const ask = `import importlib.util as u; s = u.find_spec("${module}"); print(s.origin if s else "")`;
  const found = systemPythons().flatMap((python) => {
    const { stdout } = Bun.spawnSync([python, "-I", "-c", ask], { env: {}, cwd: "/" });
    const origin = stdout.toString().trim();
    return origin === "" ? [] : [dirname(origin)];
  });
  return [...new Set(found)];
}

const view = (...changes: readonly string[]): View => ["bwrap", "--dev-bind", "/", "/", ...changes, "--"];

/** No Python at all. */
export const withoutPython = (): View =>
  view(...systemPythons().flatMap((path) => ["--ro-bind", "/dev/null", path]));

/** Pythons that have lost these modules: what is left of each is an empty folder. */
export const withoutModules = (...modules: readonly string[]): View =>
  view(...modules.flatMap(foldersOf).flatMap((folder) => ["--tmpfs", folder]));

/** Pythons in which a module is found and does nothing; `folder` takes the empty file it consists of. */
export function withHollowModule(module: string, folder: string): View {
  const empty = join(folder, "empty.py");
  writeFileSync(empty, "");
  const mains = ["__init__.py", "__main__.py"].flatMap((name) =>
    foldersOf(module).flatMap((place) => ["--ro-bind", empty, join(place, name)]),
  );
  return view(...mains);
}

/** No network but loopback, which is empty. */
export const withoutNetwork = (): View => view("--unshare-net");

/** A folder nothing can be written to. */
export const withReadOnly = (folder: string): View => view("--ro-bind", folder, folder);

/** A machine on which nothing can be written outside one folder. */
export const withOnlyWritable = (folder: string): View => view("--remount-ro", "/", "--bind", folder, folder);

/** A machine whose own settings of pip are this file. */
export const withPipSettings = (file: string): View =>
  view(
    "--tmpfs",
    "/etc",
    ...["passwd", "ld.so.cache", "ssl", "alternatives"].flatMap((name) => [
      "--ro-bind-try",
      `/etc/${name}`,
      `/etc/${name}`,
    ]),
    "--ro-bind",
    file,
    "/etc/pip.conf",
  );

/** Both views at once. */
export const both = (first: View, second: View): View => view(...first.slice(4, -1), ...second.slice(4, -1));
