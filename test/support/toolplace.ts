// A place of its own for every test of `ash tools`, and what these tests do there again and again.
import { expect } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Finished, type Place, type RunOptions, runAsh } from "./ash.ts";
import { usePlace } from "./asking.ts";

/** The place of the running test. */
export type ToolPlace = {
  readonly place: () => Place;
  /** Runs `ash tools`. */
  readonly tools: (args: readonly string[], options?: RunOptions) => Promise<Finished>;
  /** The path of a file in the tools folder. */
  readonly toolFile: (name: string) => string;
  readonly writeTool: (name: string, text: string, mode?: number) => void;
  /** The text of the allowlist. */
  readonly allowlist: () => string;
};

/** Permission bits of a file. */
export const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** stdout as the one JSON object it must be, whatever its schema. */
export function objectOf<T = object>(stdout: string): T {
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout) as T;
}

/** Makes a place before each test of the file and removes it afterwards. */
export function useToolPlace(): ToolPlace {
  const place = usePlace();
  const toolFile = (name: string): string => join(place.ashHome, "tools", name);
  return {
    place: () => place,
    tools: (args, options = {}) => runAsh(place, ["tools", ...args], options),
    toolFile,
    writeTool(name, text, mode = 0o700) {
      mkdirSync(join(place.ashHome, "tools"), { recursive: true, mode: 0o700 });
      writeFileSync(toolFile(name), text);
      chmodSync(toolFile(name), mode);
    },
    allowlist: () => readFileSync(join(place.ashHome, ".ash_tools"), "utf8"),
  };
}
