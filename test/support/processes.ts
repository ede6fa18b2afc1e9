// What still runs of a test.
import { readdirSync, readFileSync } from "node:fs";

/** A process that has to do with a home. */
export type Running = { readonly pid: number; readonly command: string };

/** Processes whose environment names a home: ash, its tools, and what makes environments. A zombie is none. */
export function runningIn(home: string): readonly Running[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid) || !readFileSync(`/proc/${pid}/environ`, "latin1").includes(home)) return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ").trim();
      return command === "" ? [] : [{ pid: Number(pid), command }];
    } catch {
      return [];
    }
  });
}

/** What they run. */
export const processesOf = (home: string): readonly string[] => runningIn(home).map(({ command }) => command);
