// Path facts of a machine that exists only in a test: files, folders, pipes and links by absolute path.
import { posix } from "node:path";
import type { PathFacts } from "../../src/policy/arguments.ts";

/** What is in the file system: a kind, or the target of a link. */
export type Tree = Readonly<Record<string, "file" | "directory" | "other" | { readonly link: string }>>;

const MOST_LINKS = 20;

/** Follows links as the kernel does; null when a link leads nowhere or in a circle. */
function follow(path: string, tree: Tree, links = 0): string | null {
  if (links > MOST_LINKS) return null;
  let current = "/";
  for (const part of path.split("/").filter((item) => item !== "" && item !== ".")) {
    if (part === "..") current = posix.dirname(current);
    else {
      const next = posix.join(current, part);
      const entry = tree[next];
      const followed =
        typeof entry === "object" ? follow(posix.resolve(current, entry.link), tree, links + 1) : next;
      if (followed === null) return null;
      current = followed;
    }
  }
  return current;
}

/** The parts of the facts a test may choose. */
export type Chosen = Partial<
  Pick<PathFacts, "folder" | "platform" | "caseInsensitive" | "homes" | "onlyRead" | "neverRead">
>;

/** Makes the facts of a machine with home /home/u, another home /home/v and the given tree. */
export function fakeFacts(tree: Tree = {}, chosen: Chosen = {}): PathFacts {
  const exists = (path: string): boolean =>
    tree[path] !== undefined ||
    Object.keys(tree).some((item) => item.startsWith(`${path === "/" ? "" : path}/`));
  const realPath = (path: string): string | null => {
    const real = follow(posix.normalize(path), tree);
    return real !== null && exists(real) ? real : null;
  };
  return {
    home: "/home/u",
    homes: ["/home/u", "/home/v", "/root"],
    ashHome: "/home/u/.ash",
    folder: "/home/u/project",
    platform: "gnu",
    caseInsensitive: false,
    onlyRead: null,
    neverRead: [],
    realPath,
    kind: (path) => {
      const real = realPath(path);
      const entry = real === null ? undefined : tree[real];
      if (real === null || typeof entry === "object") return "missing";
      return entry ?? "directory";
    },
    ...chosen,
  };
}
