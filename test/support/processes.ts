// What still runs of a test.
import { readdirSync, readFileSync } from "node:fs";

/** What the processes run whose environment names a home: ash and its tools. */
export function processesOf(home: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid) || !readFileSync(`/proc/${pid}/environ`, "latin1").includes(`HOME=${home}\0`))
        return [];
      return [readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ").trim()];
    } catch {
      return [];
    }
  });
}
