// Environments of Python tools with dependencies of their own, made when a tool first runs.
import { describe, expect, test } from "bun:test";
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../src/schema.ts";
import { startAsh } from "../support/ash.ts";
import { messages, OTHER, printed, TINY, useDependentTools } from "../support/dependenttools.ts";
import { QUICK } from "../support/initplace.ts";
import { environmentsOf, halfMade, putTool, SLOW, watchAsh } from "../support/provisioning.ts";
import { testWith } from "../support/required.ts";
import { until } from "../support/until.ts";
import { ok, type Reply } from "../support/webserver.ts";

const { place, index, optionsOf, run } = useDependentTools();

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
      expect(index.paths()).toEqual(["/simple/tinypkg/", `/files/${TINY.file}`]);
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
      await until(() => index.fetched(TINY) === 1);
      const second = watchAsh(place, args, optionsOf(QUICK));
      await second.said("waiting for another ash");
      gate.resolve(ok(TINY.bytes));
      const ends = await Promise.all([first.ended, second.ended]);
      expect(ends.map(({ code }) => code)).toEqual([0, 0]);
      expect(ends[0]?.stdout).toBe(ends[1]?.stdout as string);
      expect(index.fetched(TINY)).toBe(1);
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
      expect(index.fetched(OTHER)).toBe(1);
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
      const steered = until(() => index.fetched(TINY) === 1)
        .then(() => writeFileSync(sign, ""))
        .then(() => until(() => seen.includes('"tool.end"')))
        .then(() => gate.resolve(ok(TINY.bytes)));
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
      expect(index.fetched(TINY)).toBe(1);
    },
    SLOW,
  );
});
