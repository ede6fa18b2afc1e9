// Environments of Python tools with dependencies of their own, made when a tool first runs.
import { describe, expect, test } from "bun:test";
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../src/schema.ts";
import { type Finished, type RunOptions, runAsh, startAsh } from "../support/ash.ts";
import { usePlace } from "../support/asking.ts";
import { withoutModules, withReadOnly } from "../support/machineviews.ts";
import {
  environmentsOf,
  halfMade,
  putTool,
  until,
  usePackageIndex,
  watchAsh,
} from "../support/provisioning.ts";
import { testWith } from "../support/required.ts";
import { ok, type Reply } from "../support/webserver.ts";
import { makeWheel } from "../support/wheel.ts";

const SLOW = 120_000;
const wheel = makeWheel("tinypkg");
const other = makeWheel("otherpkg", { requires: ["tinypkg"] });

const place = usePlace();
const index = usePackageIndex([wheel, other]);

const withIndex = (env: Record<string, string> = {}): Record<string, string> => ({
  PIP_INDEX_URL: index.url,
  PIP_RETRIES: "0",
  ...env,
});
/** Without ensurepip an environment is made in a tenth of a second instead of three. */
const QUICK = { under: withoutModules("ensurepip") };
const optionsOf = (options: RunOptions = {}): RunOptions => ({ ...options, env: withIndex(options.env) });
const run = (name: string, options: RunOptions = {}): Promise<Finished> =>
  runAsh(place, ["run", "--json", "--allow-run", name, "--", name], optionsOf(options));
const printed = (finished: Finished): Record<string, unknown> =>
  JSON.parse(finished.json().result ?? "{}") as Record<string, unknown>;
const messages = (finished: Finished): readonly string[] =>
  finished.json().warnings.map(({ message }) => message);

describe("a tool with dependencies", () => {
  test(
    "gets its environment when it first runs, and the second run asks nobody",
    async () => {
      putTool(place, "mine.py");
      const first = await run("mine.py");
      expect(first.code).toBe(0);
      const [name = ""] = environmentsOf(place);
      const folder = join(realpathSync(place.ashHome), "venvs", name);
      expect(printed(first)).toMatchObject({ status: "ok", version: "1.0", prefix: folder });
      expect(messages(first)).toEqual([
        expect.stringMatching(
          /^mine\.py needs packages, which are being installed once \(making an environment/,
        ),
      ]);
      expect(index.paths()).toEqual(["/simple/tinypkg/", `/files/${wheel.file}`]);
      expect(readFileSync(join(folder, "requirements.txt"), "utf8")).toBe("tinypkg\n");
      expect(halfMade(place)).toEqual([]);
      const second = await run("mine.py");
      expect(printed(second)).toEqual(printed(first));
      expect(second.json().warnings).toEqual([]);
      expect(index.paths()).toHaveLength(2);
    },
    SLOW,
  );

  testWith("bwrap")(
    "has programs in its environment that name the place it ended up in",
    async () => {
      putTool(place, "mine.py");
      expect((await run("mine.py", QUICK)).code).toBe(0);
      const bin = join(place.ashHome, "venvs", environmentsOf(place)[0] ?? "", "bin");
      const program = Bun.spawnSync([join(bin, "tinypkg")], { env: {} });
      expect(program.stdout.toString()).toBe("tinypkg 1.0\n");
      expect(readFileSync(join(bin, "../pyvenv.cfg"), "utf8")).not.toContain(".making-");
      expect(readFileSync(join(bin, "activate"), "utf8")).not.toContain(".making-");
    },
    SLOW,
  );

  testWith("bwrap")(
    "has it made once by two runs at the same time",
    async () => {
      putTool(place, "mine.py");
      const gate = Promise.withResolvers<Reply>();
      index.misbehave((part) => (part === "wheel" ? { kind: "later", reply: gate.promise } : null));
      const args = ["run", "--allow-run", "mine.py", "--", "mine.py"];
      const first = watchAsh(place, args, optionsOf(QUICK));
      await until(() => index.fetched(wheel) === 1);
      const second = watchAsh(place, args, optionsOf(QUICK));
      await second.said("waiting for another ash");
      gate.resolve(ok(wheel.bytes));
      const ends = await Promise.all([first.ended, second.ended]);
      expect(ends.map(({ code }) => code)).toEqual([0, 0]);
      expect(ends[0]?.stdout).toBe(ends[1]?.stdout as string);
      expect(index.fetched(wheel)).toBe(1);
      expect(environmentsOf(place)).toHaveLength(1);
      expect(halfMade(place)).toEqual([]);
    },
    SLOW,
  );

  testWith("bwrap")(
    "gets another environment when it names other packages, and shares one with a tool that names the same",
    async () => {
      putTool(place, "mine.py");
      const before = printed(await run("mine.py", QUICK));
      putTool(place, "mine.py", { dependencies: ["otherpkg", "tinypkg"] });
      const after = printed(await run("mine.py", QUICK));
      expect(after.prefix).not.toBe(before.prefix);
      expect(environmentsOf(place)).toHaveLength(2);
      putTool(place, "yours.py", { dependencies: ["tinypkg", "otherpkg"] });
      expect(printed(await run("yours.py")).prefix).toBe(after.prefix);
      expect(index.fetched(other)).toBe(1);
    },
    SLOW,
  );

  testWith("bwrap")(
    "may be called like the library it imports",
    async () => {
      putTool(place, "tinypkg.py");
      const finished = await run("tinypkg.py", QUICK);
      expect(printed(finished)).toMatchObject({
        version: "1.0",
        file: expect.stringContaining("site-packages"),
      });
    },
    SLOW,
  );

  testWith("bwrap")(
    "is made by the time each of several calls at once needs it, and their ends do not touch its making",
    async () => {
      putTool(place, "mine.py");
      const call = (id: string, command: string) => ({
        type: "tool_use",
        id,
        name: "run_unix_command",
        input: { command, args: [] },
      });
      const sign = join(place.folder, "go-on");
      const body = `import os, time\nwhile not os.path.exists(${JSON.stringify(sign)}): time.sleep(0.01)\n`;
      putTool(place, "wait.py", { dependencies: [], body });
      const content = [call("a", "mine.py"), call("b", "mine.py"), call("c", "wait.py")];
      const lines = [
        { type: "recording", schema: "ash.recording/1", model: "m" },
        { type: "reply", answers: [], content, stop_reason: "tool_use" },
        {
          type: "reply",
          answers: ["a", "b", "c"],
          content: [{ type: "text", text: "ok" }],
          stop_reason: "end_turn",
        },
      ];
      const recording = join(place.folder, "run.jsonl");
      writeFileSync(recording, lines.map((line) => JSON.stringify(line)).join("\n"));
      const gate = Promise.withResolvers<Reply>();
      index.misbehave((part) => (part === "wheel" ? { kind: "later", reply: gate.promise } : null));
      const args = ["--jsonl", "--allow-run", "mine.py,wait.py", "--replay", recording, "go"];
      const running = startAsh(place, args, optionsOf(QUICK));
      let seen = "";
      // Another call ends while the wheel is on its way.
      const steered = until(() => index.fetched(wheel) === 1)
        .then(() => writeFileSync(sign, ""))
        .then(() => until(() => seen.includes('"tool.end"')))
        .then(() => gate.resolve(ok(wheel.bytes)));
      const decoder = new TextDecoder();
      for await (const chunk of running.stdout) seen += decoder.decode(chunk, { stream: true });
      await Promise.all([running.exited, steered]);
      const events = seen
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      const result = events.at(-1)?.result as Result;
      expect(result.status).toBe("ok");
      expect(result.tools.map(({ exit_code }) => exit_code)).toEqual([0, 0, 0]);
      expect(result.warnings).toHaveLength(1);
      expect(index.fetched(wheel)).toBe(1);
    },
    SLOW,
  );
});

describe("a tool that asks for a Python", () => {
  test("which is not there runs with the one that is, and says what is missing", async () => {
    putTool(place, "mine.py", { dependencies: [], requiresPython: ">=99", body: "print('{}')\n" });
    const finished = await run("mine.py");
    expect(finished.code).toBe(0);
    expect(messages(finished)).toEqual([
      expect.stringMatching(
        /^what mine\.py needs is not there: there is no Python >=99: \S+ is 3\.\d+\.\d+.* \(install Python >=99, or set ASH_PYTHON; then run the tool again\)$/,
      ),
    ]);
    expect(environmentsOf(place)).toEqual([]);
    expect(halfMade(place)).toEqual([]);
  });

  test("that is just there gets an environment without asking an index", async () => {
    const body = "import json, sys\nprint(json.dumps({'status': 'ok', 'prefix': sys.prefix}))\n";
    putTool(place, "mine.py", { dependencies: [], requiresPython: ">=3.9.1", body });
    const finished = await run("mine.py");
    expect(printed(finished).prefix).toContain("/venvs/");
    expect(index.paths()).toEqual([]);
  });
});

describe("a tool whose packages cannot be had", () => {
  const down = { env: { PIP_INDEX_URL: "http://127.0.0.1:1/simple/" } };

  testWith("bwrap")(
    "still runs, says what to do, and is repaired by running it again",
    async () => {
      putTool(place, "mine.py");
      const failed = await run("mine.py", { ...QUICK, ...down });
      expect(failed.code).toBe(9);
      expect(failed.json().tools[0]?.stderr).toContain("No module named 'tinypkg'");
      expect(messages(failed).at(-1)).toMatch(
        /^what mine\.py needs is not there: packages could not be installed: the package index http:\/\/127\.0\.0\.1:1 cannot be reached \(.*; then run the tool again\)$/,
      );
      expect(environmentsOf(place)).toEqual([]);
      expect(halfMade(place)).toEqual([]);
      expect((await run("mine.py", QUICK)).code).toBe(0);
    },
    SLOW,
  );

  testWith("bwrap")(
    "does not keep the other tools and the demo from working",
    async () => {
      putTool(place, "mine.py");
      putTool(place, "plain.py", { dependencies: [], body: 'print(\'{"status": "ok"}\')\n' });
      await run("mine.py", { ...QUICK, ...down });
      expect(printed(await run("plain.py", down))).toEqual({ status: "ok" });
      const demo = await runAsh(place, ["--json", "--replay", "demo", "hi"], optionsOf(down));
      expect(demo.json()).toMatchObject({ status: "ok", exit_code: 0, warnings: [] });
    },
    SLOW,
  );

  testWith("bwrap")(
    "says so in a home that cannot be written, and runs in one where they are already",
    async () => {
      putTool(place, "mine.py");
      const finished = await run("mine.py", { under: withReadOnly(place.home) });
      expect(finished.code).toBe(9);
      expect(messages(finished).at(-1)).toBe(
        `what mine.py needs is not there: ${place.ashHome} cannot be written (EROFS) (make it writable, or set ASH_HOME)`,
      );
      expect(index.paths()).toEqual([]);
      expect((await run("mine.py", QUICK)).code).toBe(0);
      const again = await run("mine.py", { under: withReadOnly(place.home) });
      expect(again.json()).toMatchObject({ exit_code: 0, warnings: [] });
    },
    SLOW,
  );
});
