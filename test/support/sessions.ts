// The saved sessions of a place: made by hand line by line, or by asking a loopback server, and read by ash itself.
import { expect } from "bun:test";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionReport, SessionsReport } from "../../src/schema/reports.ts";
import { type Finished, type Place, runAsh } from "./ash.ts";
import { KEY } from "./asking.ts";
import { startModelServer } from "./modelserver.ts";
import { schemaProblems } from "./schemas.ts";

/** A line of a session file. */
export const line = (run: string, entry: object): object => ({
  ts: "2026-01-02T03:04:05.000Z",
  run,
  ...entry,
});

/** The first line of a run. */
export const start = (prompt: string, run = "r1"): object =>
  line(run, { type: "run.start", prompt, provider: "anthropic", model: "test-model", folder: "/work" });

/** The last line of a run that ended well. */
export const end = (run = "r1"): object =>
  line(run, { type: "run.end", result: { status: "ok", exit_code: 0, turns: 2, model: "test-model" } });

/** The sessions of a place. */
export type Archive = {
  readonly folder: string;
  /** Runs `ash sessions`. */
  sessions(...args: readonly string[]): Promise<Finished>;
  /** The checked report of `ash sessions list|rm|path`. */
  listed(...args: readonly string[]): Promise<SessionsReport>;
  /** The checked report of `ash sessions show`. */
  shown(id: string): Promise<SessionReport>;
  /** Writes a session file that is so many days old; returns its id. */
  save(number: number, lines: readonly unknown[], daysOld?: number): string;
  /** Asks a server that gives these answers. */
  converse(
    answers: Parameters<typeof startModelServer>[0],
    words: readonly string[],
    stdin?: string,
  ): Promise<Finished>;
};

/** Opens the sessions of a place. */
export function archiveOf(place: Place): Archive {
  const folder = (): string => join(place.ashHome, "sessions");
  const sessions: Archive["sessions"] = (...args) => runAsh(place, ["sessions", ...args]);
  const checked = async (schema: string, args: readonly string[]): Promise<unknown> => {
    const run = await sessions(...args, "--json");
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const report = run.json() as unknown;
    expect(schemaProblems(schema, report)).toEqual([]);
    return report;
  };
  return {
    get folder() {
      return folder();
    },
    sessions,
    listed: async (...args) => (await checked("sessions", args)) as SessionsReport,
    shown: async (id) => (await checked("session", ["show", id])) as SessionReport,
    save(number, lines, daysOld = 0) {
      mkdirSync(folder(), { recursive: true, mode: 0o700 });
      const id = `20260102-030405-${number.toString(16).padStart(8, "0")}`;
      const path = join(folder(), `${id}.jsonl`);
      writeFileSync(path, lines.map((text) => `${JSON.stringify(text)}\n`).join(""), { mode: 0o600 });
      const time = Date.now() / 1000 - daysOld * 86_400 - number;
      utimesSync(path, time, time);
      return id;
    },
    async converse(answers, words, stdin) {
      const server = startModelServer(answers);
      const input = stdin === undefined ? {} : { stdin };
      const run = await runAsh(place, ["--json", "--base-url", server.url, ...words], { env: KEY, ...input });
      await server.stop();
      expect(server.problems).toEqual([]);
      return run;
    },
  };
}
