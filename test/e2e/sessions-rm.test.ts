// Sessions removed, and sessions that are still being written.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finish, startAsh } from "../support/ash.ts";
import { KEY, usePlace, useServer } from "../support/asking.ts";
import { calls, says } from "../support/modelserver.ts";
import { archiveOf, end, start } from "../support/sessions.ts";
import { inShell, onTerminal } from "../support/terminal.ts";

// Each test starts ash several times, and the machine may be busy.
setDefaultTimeout(30_000);

const place = usePlace();
const archive = archiveOf(place);
const server = useServer();

describe("ash sessions rm", () => {
  const left = (): readonly string[] =>
    readdirSync(archive.folder).map((name) => name.slice(0, -".jsonl".length));

  test("removes exactly the sessions it is given, each once", async () => {
    const [a, b, c] = [archive.save(1, []), archive.save(2, []), archive.save(3, [])];
    expect((await archive.listed("rm", a, b, a)).sessions.map(({ id }) => id)).toEqual([a, b]);
    expect(left()).toEqual([c]);
    expect(await archive.sessions("rm", "last")).toMatchObject({
      code: 0,
      stdout: "removed 1 session\n",
      stderr: "",
    });
    expect(left()).toEqual([]);
  });

  test("removes none when one of them is unknown", async () => {
    const id = archive.save(1, []);
    expect((await archive.sessions("rm", id, "nope")).code).toBe(2);
    expect(left()).toEqual([id]);
  });

  test("removes those that were not written for so long", async () => {
    const [young, old] = [archive.save(1, [], 29), archive.save(2, [], 31)];
    expect((await archive.listed("rm", "--older-than", "30d")).sessions.map(({ id }) => id)).toEqual([old]);
    expect(left()).toEqual([young]);
    expect((await archive.sessions("rm", "--older-than", "30d")).stdout).toBe("removed 0 sessions\n");
  });

  test("wants --yes for --all where nobody can be asked", async () => {
    const id = archive.save(1, []);
    const run = await archive.sessions("rm", "--all");
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("give --yes");
    expect(left()).toEqual([id]);
    expect(await inShell(place, '"$ASH" sessions rm --all -y <&-')).toMatchObject({
      code: 0,
      stdout: "removed 1 session\n",
    });
    expect(left()).toEqual([]);
  });

  const answers = [
    ["y\n", 0, "removed 1 session", 0],
    ["n\n", 0, "nothing was removed", 1],
    ["\n", 0, "nothing was removed", 1],
    ["\u0004", 0, "nothing was removed", 1],
    ["\u0003", 130, "interrupted", 1],
  ] as const;

  test.each(answers)("asks on a terminal; %j", async (keys, code, said, kept) => {
    const id = archive.save(1, []);
    const seen = await onTerminal(place, ["sessions", "rm", id], { typed: [["[y/N]", keys]] });
    expect(seen.screen).toContain(`remove session ${id}? [y/N]`);
    expect(seen.screen).toContain(said);
    expect(seen.code).toBe(code);
    expect(left()).toHaveLength(kept);
  });

  test("asks nothing with --yes", async () => {
    archive.save(1, []);
    expect(await onTerminal(place, ["sessions", "rm", "--all", "--yes"])).toMatchObject({
      code: 0,
      screen: "removed 1 session\n",
    });
  });
});

describe("ash sessions path", () => {
  test("prints where they are", async () => {
    const id = archive.save(1, [start("x"), end()]);
    expect(await archive.sessions("path")).toMatchObject({
      code: 0,
      stdout: `${archive.folder}\n`,
      stderr: "",
    });
    expect((await archive.sessions("path", "last")).stdout).toBe(`${join(archive.folder, `${id}.jsonl`)}\n`);
    expect((await archive.listed("path", id)).sessions).toMatchObject([
      { id, path: join(archive.folder, `${id}.jsonl`) },
    ]);
    expect((await archive.listed("path")).sessions).toEqual([]);
  });
});

describe("a session that is being written", () => {
  test("shows as running, is kept by rm, and as unfinished once its run was killed", async () => {
    const asked = Promise.withResolvers<void>();
    server.start([
      () => {
        asked.resolve();
        return new Promise(() => undefined);
      },
    ]);
    const run = startAsh(place, ["--base-url", server.url, "think long"], { env: KEY });
    await asked.promise;
    const report = await archive.listed("list");
    expect(report.sessions).toMatchObject([{ prompt: "think long", running: true, status: null }]);
    const id = report.sessions[0]?.id ?? "";
    expect((await archive.sessions("list")).stdout).toContain("running");
    expect(await archive.shown(id)).toMatchObject({
      running: true,
      runs: [{ prompt: "think long", result: null }],
    });
    for (const args of [[id], ["--all", "--yes"]])
      expect(await archive.sessions("rm", ...args)).toMatchObject({
        code: 0,
        stdout: "removed 0 sessions\n",
        stderr: `ash: ${id} is kept: a run is writing it\n`,
      });
    run.kill("SIGKILL");
    await finish(run);
    expect((await archive.listed("list")).sessions).toMatchObject([{ id, running: false, status: null }]);
    expect((await archive.sessions("rm", id)).stdout).toBe("removed 1 session\n");
  });

  test("is free again when the run has ended, and its mark is no leak into tools", async () => {
    const descriptors = [
      "import json, os, sys",
      'folder = "/proc/self/fd/"',
      "found = [os.readlink(folder + name) for name in os.listdir(folder) if os.path.lexists(folder + name)]",
      'json.dump({"status": "ok", "open": found}, sys.stdout)',
    ];
    mkdirSync(join(place.ashHome, "tools"), { recursive: true, mode: 0o700 });
    writeFileSync(join(place.ashHome, "tools", "descriptors.py"), `${descriptors.join("\n")}\n`);
    writeFileSync(join(place.ashHome, ".ash_tools"), "descriptors.py\n");
    const run = await archive.converse([calls("descriptors.py", []), says("done")], ["go"]);
    expect(run.json()).toMatchObject({ status: "ok" });
    expect((await archive.listed("list")).sessions).toMatchObject([{ running: false, status: "ok" }]);
    const saved = readFileSync(join(archive.folder, `${run.json().session_id}.jsonl`), "utf8");
    expect(saved).toContain("/dev/null");
    expect(saved).not.toContain(`-> ${archive.folder}`);
  });
});
