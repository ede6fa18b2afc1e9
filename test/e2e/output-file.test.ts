// --output: the answer in a file, or the file as it was.
import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ASH, environmentOf, finish, runAsh, startAsh } from "../support/ash.ts";
import { KEY, useAsking } from "../support/asking.ts";
import { calls, fails, says } from "../support/modelserver.ts";

const { place, server, ask } = useAsking();
const file = (name = "answer"): string => join(place.folder, name);
const read = (name?: string): string => readFileSync(file(name), "utf8");
const lastLine = (text: string) => JSON.parse(text.trimEnd().split("\n").at(-1) ?? "");

describe("--output", () => {
  test("gets the answer in text mode, and stdout stays empty", async () => {
    server.start([says("Forty-two.")]);
    expect(await ask(["--output", file(), "go"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(read()).toBe("Forty-two.\n");
    expect(readdirSync(place.folder)).toEqual(["answer"]);
  });

  test("gets the object with --json, and with --jsonl besides the events", async () => {
    server.start([says("a"), says("b".repeat(100_000))]);
    expect(await ask(["--json", "-o", file(), "go"])).toMatchObject({ code: 0, stdout: "" });
    expect(JSON.parse(read())).toMatchObject({ schema: "ash.result/1", status: "ok", result: "a" });
    const run = await ask(["--jsonl", `--output=${file()}`, "go"]);
    expect(lastLine(run.stdout).type).toBe("run.end");
    // An event line has no room for an answer this long; the file has.
    expect(JSON.parse(read()).result).toHaveLength(100_000);
  });

  test("gets the JSON of a schema", async () => {
    server.start([says("```json\n[1, 2]\n```")]);
    writeFileSync(file("schema"), '{"type": "array"}');
    expect((await ask(["--schema", file("schema"), "-o", file(), "go"])).code).toBe(0);
    expect(read()).toBe("[1, 2]\n");
  });

  test("gets an answer that fails only for what was done on the way", async () => {
    server.start([calls("rm", ["x"]), says("Done.")]);
    expect((await ask(["-o", file(), "--fail-on-denied", "go"])).code).toBe(7);
    expect(read()).toBe("Done.\n");
  });

  const failing = [
    ["an error of the server", [fails(400)], [], 4],
    ["half an answer", [{ content: [{ type: "text", text: "Half" }], stop_reason: "max_tokens" }], [], 8],
    ["a limit", [calls("uname"), says("Half")], ["--max-turns", "1"], 6],
    ["a usage error", [says("never")], ["--frobnicate"], 2],
    ["a configuration error", [says("never")], ["--provider", "nobody"], 3],
  ] as const;

  test.each(failing)(
    "is left alone by %s in text mode, and written with --json",
    async (_, replies, flags, code) => {
      server.start(replies);
      writeFileSync(file(), "before\n");
      const text = await ask(["-o", file(), ...flags, "go"]);
      expect(text).toMatchObject({ code, stdout: "" });
      expect(text.stderr).toMatch(/^ash: [^\n]+\n$/);
      expect(read()).toBe("before\n");
      await server.stop();
      server.start(replies);
      const json = await ask(["--json", "-o", file(), ...flags, "go"]);
      expect(json).toMatchObject({ code, stdout: "" });
      expect(JSON.parse(read())).toMatchObject({ exit_code: code, error: { type: expect.any(String) } });
    },
  );

  test.each([
    ["--json", 143],
    ["text", 143],
  ] as const)("of a run that is terminated, with %s", async (mode, code) => {
    const asked = Promise.withResolvers<void>();
    server.start([
      () => {
        asked.resolve();
        return new Promise(() => undefined);
      },
    ]);
    const args = [...(mode === "text" ? [] : [mode]), "-o", file(), "--base-url", server.url, "go"];
    const running = startAsh(place, args, { env: KEY });
    await asked.promise;
    running.kill("SIGTERM");
    expect(await finish(running)).toMatchObject({ code, stdout: "" });
    if (mode === "text") expect(existsSync(file())).toBe(false);
    else expect(JSON.parse(read())).toMatchObject({ status: "interrupted", exit_code: 143 });
  });

  const refused = [
    ["a folder", () => mkdirSync(file()), "answer", "it is a folder"],
    ["in a folder that is not there", () => undefined, "nowhere/answer", "the folder does not exist"],
    ["below a file", () => writeFileSync(file(), ""), "answer/x", "the folder does not exist"],
    ["a device", () => undefined, "/dev/null", "it is not a regular file"],
    ["a pipe", () => Bun.spawnSync(["mkfifo", file()]), "answer", "it is not a regular file"],
    ["a link that leads nowhere", () => symlinkSync("gone", file()), "answer", "a link that leads nowhere"],
    ["where nothing can be made", () => undefined, "/proc/answer", "--output /proc/answer"],
  ] as const;

  test.each(refused)("that is %s is refused before anything is asked", async (_, make, path, message) => {
    server.start([says("never")]);
    make();
    const run = await ask(["--json", "-o", path, "go"]);
    expect(run.code).toBe(2);
    // There is no file to put the object into, so it is where it always was.
    expect(run.json().error).toMatchObject({ type: "usage", message: expect.stringContaining(message) });
    const text = await ask(["-o", path, "go"]);
    expect(text).toMatchObject({ code: 2, stdout: "" });
    expect(server.requests).toHaveLength(0);
  });

  test("that may not be written is refused, whoever owns the folder", async () => {
    server.start([says("x")]);
    writeFileSync(file(), "before");
    chmodSync(file(), 0o444);
    const run = await ask(["-o", file(), "go"]);
    // Root may write everything.
    expect(run.code).toBe(process.getuid?.() === 0 ? 0 : 2);
  });

  test("that became a folder in the meantime does not lose the answer", async () => {
    server.start([
      () => {
        mkdirSync(file());
        return Response.json({
          type: "message",
          model: "m",
          content: [{ type: "text", text: "Paid for." }],
          stop_reason: "end_turn",
          usage: { input_tokens: 1, output_tokens: 1 },
        });
      },
    ]);
    const run = await ask(["--json", "-o", file(), "go"]);
    expect(run.code).toBe(2);
    expect(run.json()).toMatchObject({ exit_code: 2, result: "Paid for.", error: { type: "usage" } });
  });

  test("keeps the bits of a file that is there, and a new one is made by the umask", async () => {
    server.start([says("x")]);
    writeFileSync(file("old"), "before");
    chmodSync(file("old"), 0o640);
    await ask(["-o", file("old"), "go"]);
    expect(statSync(file("old")).mode & 0o777).toBe(0o640);
    const shell = Bun.spawn(["bash", "-c", 'umask 027; "$ASH" --base-url "$URL" -o new go'], {
      cwd: place.folder,
      env: environmentOf(place, { ...KEY, ASH, URL: server.url }),
    });
    await shell.exited;
    expect(statSync(file("new")).mode & 0o777).toBe(0o640);
  });

  test("that is a link replaces what it leads to", async () => {
    server.start([says("x")]);
    mkdirSync(file("real"));
    writeFileSync(file("real/answer"), "before");
    symlinkSync("real/answer", file());
    await ask(["-o", file(), "go"]);
    expect(realpathSync(file())).toBe(realpathSync(file("real/answer")));
    expect(read("real/answer")).toBe("x\n");
  });

  test("of a command that has none is not touched", async () => {
    server.start([says("never")]);
    writeFileSync(file(), "before");
    const run = await runAsh(place, ["init", "--json", "-o", file()]);
    expect(run.json()).toMatchObject({ exit_code: 2, error: { type: "usage" } });
    expect(read()).toBe("before");
  });

  test("does not need anybody to read stdout", async () => {
    server.start([calls("uname"), says("x")]);
    const shell = Bun.spawn(
      ["bash", "-c", '"$ASH" --base-url "$URL" -o answer go | true; echo ${PIPESTATUS[0]}'],
      {
        cwd: place.folder,
        env: environmentOf(place, { ...KEY, ASH, URL: server.url }),
        stdout: "pipe",
      },
    );
    expect(await shell.stdout.text()).toBe("0\n");
    expect(read()).toBe("x\n");
  });
});
