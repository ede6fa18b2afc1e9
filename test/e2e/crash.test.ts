// Ash ended or killed while its tools run: nothing of them stays.
import { beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finish, startAsh } from "../support/ash.ts";
import { usePlace } from "../support/asking.ts";
import { processesOf } from "../support/processes.ts";
import { until } from "../support/until.ts";

const place = usePlace();

/** A recording in which the model asks for as many calls at once as given. */
function recording(calls: readonly (readonly string[])[]): string {
  const path = join(place.folder, "run.jsonl");
  const content = calls.map(([command, ...args], i) => ({
    type: "tool_use",
    id: `c${i}`,
    name: "run_unix_command",
    input: { command, args },
  }));
  const lines = [
    { type: "recording", schema: "ash.recording/1", model: "m" },
    { type: "reply", answers: [], content, stop_reason: "tool_use" },
  ];
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join("\n"));
  return path;
}

const isTool = (command: string): boolean => command.startsWith("sh -c") || command.startsWith("sleep");

/** A temporary folder of its own, because other runs of the machine have theirs in the common one. */
const temporary = (): string => join(place.folder, "tmp");
const scratchFolders = (): readonly string[] =>
  readdirSync(temporary()).filter((name) => /^ash-[A-Za-z0-9]{6}$/.test(name));

/** Control groups of ash, wherever they are made. */
const groupsNow = (): readonly string[] =>
  Bun.spawnSync(["find", "/sys/fs/cgroup", "-maxdepth", "6", "-type", "d", "-name", "ash-*"])
    .stdout.toString()
    .split("\n")
    .filter(Boolean);

const script = ["sh", "-c", "setsid sleep 300 & sleep 300 & sleep 300"] as const;

beforeEach(() => mkdirSync(temporary(), { mode: 0o700 }));

describe("while four tools run with children that try to get away, ash", () => {
  const start = () =>
    startAsh(place, ["--json", "--replay", recording(Array(8).fill(script)), "go"], {
      env: { TMPDIR: temporary(), ASH_TOOL_ALLOWLIST: "sh: unrestricted" },
    });

  test.each(["SIGTERM", "SIGINT"] as const)("ended by %s leaves no process and no folder", async (signal) => {
    const folders = scratchFolders();
    const running = start();
    await until(() => processesOf(place.home).filter((command) => command === "sleep 300").length === 12);
    expect(scratchFolders()).not.toEqual(folders);
    running.kill(signal);
    const run = await finish(running);
    expect(run.json().status).toBe("interrupted");
    expect(processesOf(place.home)).toEqual([]);
    expect(scratchFolders()).toEqual(folders);
  });

  test("killed outright is tidied up after by what it left waiting", async () => {
    const folders = scratchFolders();
    const groups = groupsNow();
    const running = start();
    await until(() => processesOf(place.home).filter((command) => command === "sleep 300").length === 12);
    running.kill("SIGKILL");
    await running.exited;
    await until(() => processesOf(place.home).filter(isTool).length === 0);
    await until(() => scratchFolders().length <= folders.length);
    await until(() => groupsNow().every((group) => groups.includes(group)));
    expect(processesOf(place.home).filter(isTool)).toEqual([]);
  });
});
