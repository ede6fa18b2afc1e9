// What tests of environments share: tools with dependencies, what is left on disk and running, and patience.
import { afterEach, beforeEach } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Place, type RunOptions, startAsh } from "./ash.ts";
import { type PackageIndex, startPackageIndex } from "./packageindex.ts";
import { programFolder } from "./required.ts";
import { until } from "./until.ts";
import type { Wheel } from "./wheel.ts";

/** A package index of the running test that serves these wheels. */
export function usePackageIndex(wheels: readonly Wheel[]): PackageIndex {
  let index: PackageIndex;
  beforeEach(() => {
    index = startPackageIndex(wheels);
  });
  afterEach(() => index.stop());
  return {
    get url() {
      return index.url;
    },
    get server() {
      return index.server;
    },
    paths: () => index.paths(),
    fetched: (wheel) => index.fetched(wheel),
    misbehave: (how) => index.misbehave(how),
    stop: () => index.stop(),
  };
}

/** A tool to put into a home. */
export type ToolParts = {
  readonly dependencies?: readonly string[];
  readonly requiresPython?: string;
  /** Statements; without them it prints what it imported from where. */
  readonly body?: string;
};

const IMPORTS = `import json, sys, tinypkg
print(json.dumps({"status": "ok", "version": tinypkg.VERSION, "file": tinypkg.__file__, "prefix": sys.prefix}))
`;

/** Writes a Python tool with a script block into the home of a place. */
export function putTool(place: Place, name: string, parts: ToolParts = {}): string {
  const { dependencies = ["tinypkg"], requiresPython, body = IMPORTS } = parts;
  const block = [
    "# /// script",
    `# dependencies = ${JSON.stringify(dependencies)}`,
    ...(requiresPython === undefined ? [] : [`# requires-python = "${requiresPython}"`]),
    "# ///",
  ];
  const tools = join(place.ashHome, "tools");
  mkdirSync(tools, { recursive: true, mode: 0o700 });
  const path = join(tools, name);
  writeFileSync(path, `#!/usr/bin/env python3\n${block.join("\n")}\n${body}`, { mode: 0o700 });
  return path;
}

/** Names of the finished environments of scripts. */
export const environmentsOf = (place: Place): readonly string[] => {
  try {
    return readdirSync(join(place.ashHome, "venvs")).filter((name) => !name.startsWith("."));
  } catch {
    return [];
  }
};

/** Paths below a home that belong to nothing finished. */
export function halfMade(place: Place): readonly string[] {
  const found = [place.ashHome, join(place.ashHome, "venvs"), join(place.ashHome, "cache")].flatMap(
    (folder) => {
      try {
        return readdirSync(folder).map((name) => join(folder, name));
      } catch {
        return [];
      }
    },
  );
  return found.filter((path) => /\/(\.making-|requirements-|\..*\.\d+\.[0-9a-f]{8}$)/.test(path));
}

/** The patience of a test that makes environments, in milliseconds. */
export const SLOW = 120_000;

/** A PATH on which uv is found first. */
export const PATH_WITH_UV = `${programFolder("uv") ?? "/nowhere"}:/usr/bin:/bin`;

/** An ash that is listened to while it runs. */
export type Watched = {
  readonly process: ReturnType<typeof startAsh>;
  /** Resolves when it has said something on stderr. */
  said(text: string): Promise<void>;
  /** How it ended, and all it said. */
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
};

/** Starts ash and listens to it. */
export function watchAsh(place: Place, args: readonly string[], options: RunOptions): Watched {
  const process = startAsh(place, args, options);
  let heard = "";
  let over = false;
  const listen = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of process.stderr) heard += decoder.decode(chunk, { stream: true });
    over = true;
  };
  const listening = listen();
  const end = async () => {
    const [stdout] = await Promise.all([process.stdout.text(), listening, process.exited]);
    return { code: process.exitCode, stdout, stderr: heard };
  };
  return {
    process,
    async said(text) {
      await until(() => heard.includes(text) || over);
      if (!heard.includes(text)) throw new Error(`it ended without saying '${text}': ${heard}`);
    },
    ended: end(),
  };
}
