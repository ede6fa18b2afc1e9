// Files a command line names to be read or written: pipes, devices, links, places that go away, one file named twice.
import { beforeEach, describe, expect, test } from "bun:test";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runAsh } from "../support/ash.ts";
import { useAsking } from "../support/asking.ts";
import { says } from "../support/modelserver.ts";

const { place, server, askJson } = useAsking();

beforeEach(() => {
  server.start([says("fine")]);
});

const at = (name: string): string => join(place.folder, name);
const ask = (...args: readonly string[]) => askJson(args);
const makeFifo = (name: string): void => {
  expect(Bun.spawnSync(["mkfifo", at(name)]).exitCode).toBe(0);
};

describe.each(["record", "output"])("--%s", (flag) => {
  test("leaves what is not a regular file as it is, and asks nothing", async () => {
    makeFifo("pipe");
    const ran = await ask(`--${flag}=pipe`, "go");
    expect(ran.code).toBe(2);
    expect(ran.stderr).toBe(`ash: --${flag} pipe: it is not a regular file\n`);
    expect(lstatSync(at("pipe")).isFIFO()).toBe(true);
    expect(server.requests).toHaveLength(0);
  });

  test("writes what a link leads to and keeps its permission bits", async () => {
    writeFileSync(at("real"), "old", { mode: 0o640 });
    symlinkSync("real", at("link"));
    expect((await ask(`--${flag}=link`, "go")).code).toBe(0);
    expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(at("real"), "utf8")).toContain("fine");
    expect(lstatSync(at("real")).mode & 0o777).toBe(0o640);
  });

  test("does not take - for a file", async () => {
    const ran = await ask(`--${flag}=-`, "go");
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`leave --${flag} out`);
    expect(existsSync(at("-"))).toBe(false);
  });
});

test("--output of a batch does not take - for a file either", async () => {
  writeFileSync(at("prompts"), "");
  const ran = await runAsh(place, ["batch", "--replay=demo", "--output=-", "prompts"]);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain("leave --output out");
  expect(existsSync(at("-"))).toBe(false);
});

describe("a recording", () => {
  test("that holds something stays as it is when the run is refused", async () => {
    writeFileSync(at("run"), "earlier");
    expect((await ask("--record=run", "--session=20200101-000000-00000000", "go")).code).toBe(2);
    expect(readFileSync(at("run"), "utf8")).toBe("earlier");
  });

  test("that cannot be written in the end costs the exit code and not the answer", async () => {
    mkdirSync(at("there"));
    await server.stop();
    server.start([
      () => {
        rmSync(at("there"), { recursive: true });
        return Response.json({
          ...{ id: "m", type: "message", role: "assistant", model: "test-model", stop_reason: "end_turn" },
          ...{ content: [{ type: "text", text: "paid for" }], usage: { input_tokens: 1, output_tokens: 1 } },
        });
      },
    ]);
    const ran = await ask("--record=there/run", "go");
    expect(ran.code).toBe(2);
    expect(ran.json()).toMatchObject({
      result: "paid for",
      error: { type: "usage", message: "--record there/run: the folder does not exist" },
    });
  });
});

describe("a pipe nobody writes to", () => {
  test.each([["--replay"], ["--schema"], ["--approve-plan"], ["-f"]])(
    "given to %s is waited for no longer than the deadline",
    async (flag) => {
      makeFifo("pipe");
      const ran = await ask("--deadline=300ms", flag, "pipe", "go");
      expect({ code: ran.code, limit: ran.json().limit }).toEqual({ code: 6, limit: "deadline" });
    },
  );

  test("given to ash policy test is waited for no longer than the deadline", async () => {
    makeFifo("pipe");
    const ran = await runAsh(place, ["policy", "test", "pipe"], { env: { ASH_DEADLINE: "300ms" } });
    expect(ran.code).toBe(6);
  });
});

describe("one file for two purposes", () => {
  test.each([
    [["--output=x", "--record=./x"], "--output x: it is the file of --record"],
    [["--output=q", "--file=q"], "--output q: it is the file of --file"],
    [["--record=q", "--approve-plan=link"], "--record q: it is the file of --approve-plan"],
    [["--record=q", "--schema=q"], "--record q: it is the file of --schema"],
  ])("%j is refused before it is written", async (flags, message) => {
    writeFileSync(at("q"), "what?\n");
    symlinkSync("q", at("link"));
    const ran = await ask(...flags, "go");
    expect(ran.code).toBe(2);
    expect(ran.stderr).toBe(`ash: ${message} (name two different files)\n`);
    expect(readFileSync(at("q"), "utf8")).toBe("what?\n");
    expect(existsSync(at("x"))).toBe(false);
  });
});

describe("a refused command line", () => {
  test.each([
    [["--output=kept", "batch", "--json", "--nonsense", "prompts"]],
    [["--json", "--output=kept", "batch", "--jobs=none", "prompts"]],
    [["--json", "--output=kept", "run", "--", "ls"]],
    [["--json", "--nonsense", "--output=kept", "--file=kept"]],
    [["--json", "--provider=script", "--output=kept", "--file=kept", "go"]],
  ])("%j leaves a file alone that is there for something else", async (args) => {
    writeFileSync(at("kept"), "results\n");
    writeFileSync(at("prompts"), "");
    const ran = await runAsh(place, args);
    expect(ran.code).toBe(2);
    expect(ran.json().error?.type).toBe("usage");
    expect(readFileSync(at("kept"), "utf8")).toBe("results\n");
  });
});
