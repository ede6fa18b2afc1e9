// A disk that takes only a part, and a umask that takes rights away: what is there stays whole and can be used again.
import { expect, test } from "bun:test";
import { appendFileSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runAsh } from "../support/ash.ts";
import { usePlace } from "../support/asking.ts";

const place = usePlace();

const under = (command: string): readonly string[] => ["/bin/bash", "-c", `${command} && exec "$@"`, "bash"];
const modeOf = (path: string): number => lstatSync(path).mode & 0o777;
const sessionFile = (id: string | null): string => join(place.ashHome, "sessions", `${id}.jsonl`);

function playLong(name: string): string {
  const header = { type: "recording", schema: "ash.recording/1", model: "m" };
  const content = [{ type: "text", text: "x".repeat(300_000) }];
  const reply = { type: "reply", answers: [], content, stop_reason: "end_turn" };
  writeFileSync(join(place.folder, name), `${JSON.stringify(header)}\n${JSON.stringify(reply)}\n`);
  return `--replay=${name}`;
}

test("an answer that does not fit into its file leaves no half of it behind, and comes on stdout", async () => {
  const replay = playLong("long.jsonl");
  const ran = await runAsh(place, ["--no-save", "--output=out", replay, "go"], {
    under: under("ulimit -f 100"),
  });
  expect(ran.code).toBe(2);
  expect(ran.stdout).toBe(`${"x".repeat(300_000)}\n`);
  expect(ran.stderr).toBe("ash: --output out: it would be larger than files may be here\n");
  expect(readdirSync(place.folder)).toEqual(["long.jsonl"]);
});

test("a session line that was cut does not take the next one with it", async () => {
  const first = (await runAsh(place, ["--json", "--replay=demo", "go"])).json();
  const path = sessionFile(first.session_id);
  appendFileSync(path, '{"ts":"2026');
  const again = await runAsh(place, ["--json", "--continue", "--replay=demo", "again"]);
  expect(again.code).toBe(0);
  const lines = readFileSync(path, "utf8").split("\n");
  const torn = lines.indexOf('{"ts":"2026');
  expect(JSON.parse(lines[torn + 1] ?? "")).toMatchObject({ type: "run.start", prompt: "again" });
});

test("a umask that takes the owner's own rights leaves ash those to its files", async () => {
  const ran = await runAsh(place, ["--json", "--lock=x", "--output=out", "--replay=demo", "go"], {
    under: under("umask 0777"),
  });
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
  const { session_id } = JSON.parse(readFileSync(join(place.folder, "out"), "utf8"));
  for (const folder of ["", "tools", "sessions", "locks"])
    expect(modeOf(join(place.ashHome, folder))).toBe(0o700);
  expect(modeOf(sessionFile(session_id))).toBe(0o600);
  expect(modeOf(join(place.ashHome, "locks", "x"))).toBe(0o600);
  expect(modeOf(join(place.folder, "out"))).toBe(0o600);
});
