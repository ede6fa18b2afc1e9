// What /proc says about processes. Read-only; a process that is gone is no error.
import { readFileSync } from "node:fs";
import { listFolder } from "../host/files.ts";
import { CALL_MARK } from "./environment.ts";

const readProc = (path: string): string | null => {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return null;
  }
};

/** Fields of /proc/PID/stat after the command name, which may itself hold spaces and parentheses. */
const statFields = (pid: number): readonly string[] | null => {
  const text = readProc(`/proc/${pid}/stat`);
  return text === null ? null : text.slice(text.lastIndexOf(")") + 2).split(" ");
};

const numbersIn = (text: string): readonly number[] => text.split(" ").filter(Boolean).map(Number);

/** Ids of all processes of the machine. */
export const processIds = (): readonly number[] =>
  (listFolder("/proc") ?? []).filter((name) => /^\d+$/.test(name)).map(Number);

/** The state letter of a process (`R`, `S`, `Z` …), or null when it is gone. */
export const processState = (pid: number): string | null => statFields(pid)?.[0] ?? null;

/** Direct children of a process's main thread, running or waiting to be reaped. */
export function childrenOf(pid: number): readonly number[] {
  const list = readProc(`/proc/${pid}/task/${pid}/children`);
  if (list !== null) return numbersIn(list);
  return processIds().filter((id) => statFields(id)?.[1] === String(pid));
}

/** The call a process was started for, from its environment; null when it does not say. */
export function callMarkOf(pid: number): string | null {
  const environment = readProc(`/proc/${pid}/environ`);
  const entry = environment?.split("\0").find((item) => item.startsWith(`${CALL_MARK}=`));
  return entry?.slice(CALL_MARK.length + 1) ?? null;
}

/** Processes and everything they started, found through every thread; at most `most` of them. */
export function familyOf(roots: readonly number[], most: number): readonly number[] {
  const found = new Set(roots);
  for (const pid of found) {
    if (found.size > most) break;
    for (const thread of listFolder(`/proc/${pid}/task`) ?? []) {
      for (const child of numbersIn(readProc(`/proc/${pid}/task/${thread}/children`) ?? "")) found.add(child);
    }
  }
  return [...found];
}

const KIB_FIELDS = /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm;

/** Bytes of memory that are a process's own; what it shares with others from files is not counted. */
export function privateMemory(pid: number): number {
  const status = readProc(`/proc/${pid}/status`);
  if (status === null) return 0;
  return [...status.matchAll(KIB_FIELDS)].reduce((sum, match) => sum + Number(match[1]) * 1024, 0);
}

/** Processes and threads of the whole machine. */
export function taskCount(): number {
  const [, , , counts = ""] = (readProc("/proc/loadavg") ?? "").split(" ");
  return Number(counts.split("/")[1] ?? 0) || 0;
}
