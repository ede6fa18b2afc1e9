// The arguments of bubblewrap for one program: the machine read-only, a private folder, no network, credentials
// covered. Used where the kernel has no Landlock.
import { fileFacts } from "../host/files.ts";

/** What to wrap. */
export type Wrapping = {
  readonly executable: string;
  readonly argv: readonly string[];
  readonly folder: string;
  readonly scratch: string;
  readonly network: boolean;
  /** Paths no tool may read. */
  readonly hidden: readonly string[];
  /** The only trees there are; null means the whole machine. */
  readonly trees: readonly string[] | null;
  /** It may change files below the current directory. */
  readonly writes: boolean;
  /** Folders that stay unchanged whatever it may change. */
  readonly fixed: readonly string[];
};

function cover(path: string): readonly string[] {
  const facts = fileFacts(path);
  if (facts === null || facts.kind === "other") return [];
  return facts.kind === "directory" ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
}

/** The argv that runs a program under bubblewrap. */
export function wrapWithBwrap(bwrap: string, wrapping: Wrapping): readonly string[] {
  const { executable, argv, folder, scratch, network, hidden, trees, writes, fixed } = wrapping;
  const readOnly = (path: string): readonly string[] => ["--ro-bind-try", path, path];
  return [
    bwrap,
    ...(trees === null
      ? ["--ro-bind", "/", "/"]
      : [...trees.flatMap(readOnly), "--proc", "/proc", "--dir", folder]),
    "--dev",
    "/dev",
    ...(writes ? ["--bind", folder, folder, ...fixed.flatMap(readOnly)] : []),
    ...hidden.flatMap(cover),
    "--bind",
    scratch,
    scratch,
    "--unshare-user-try",
    "--unshare-ipc",
    "--unshare-uts",
    ...(network ? [] : ["--unshare-net"]),
    "--die-with-parent",
    "--cap-drop",
    "ALL",
    "--chdir",
    folder,
    "--",
    executable,
    ...argv.slice(1),
  ];
}
