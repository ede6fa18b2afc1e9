// One tool run by hand, without a model.
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASH, environmentOf, runAsh } from "../support/ash.ts";
import { usePlace } from "../support/asking.ts";

const place = usePlace();

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runAsh(place, ["run", ...args], { env });

describe("ash run", () => {
  test("prints what the tool prints and exits 0", async () => {
    expect(await run(["--", "echo", "a  b", "*"])).toMatchObject({ code: 0, stdout: "a  b *\n", stderr: "" });
  });

  test("prints the tool's errors on stderr and exits 9 when it fails", async () => {
    const finished = await run(["--", "ls", "/no/such"]);
    expect(finished).toMatchObject({ code: 9, stdout: "" });
    expect(finished.stderr).toMatch(/^ls: .*No such file.*\nash: ls exited with status 2\n$/);
  });

  test("refused by policy exits 7 with the reason", async () => {
    const finished = await run(["--", "rm", "x"]);
    expect(finished).toMatchObject({ code: 7, stdout: "" });
    expect(finished.stderr).toMatch(/^ash: rm is not on the allowlist.*\n$/);
  });

  test("takes stages separated by an argument that is exactly a bar", async () => {
    expect(
      await run(["--pipe", "--", "printf", "b\\na|\\n", "|", "sort", "|", "head", "-n", "1"]),
    ).toMatchObject({ code: 0, stdout: "a|\n" });
  });

  test("takes grep finding nothing for an answer", async () => {
    writeFileSync(join(place.folder, "f"), "x\n");
    expect((await run(["--", "grep", "nothing", "f"])).code).toBe(0);
    expect((await run(["--", "grep", "nothing", "no-such-file"])).code).toBe(9);
  });

  const usage = [
    [[], "there is no tool to run"],
    [["--pipe", "--", "ls"], "2 to 16 stages, not 1"],
    [["--pipe", "--", "ls", "|"], "a stage of the pipeline is empty"],
    [["--pipe", "--", ...Array(17).fill(["true", "|"]).flat().slice(0, -1)], "not 17"],
    [["--timeout", "soon", "--", "ls"], "--timeout: 'soon' is not a duration"],
    [["--model", "x", "--", "ls"], "ash run has no flag --model"],
    [["--output-max", "99GiB", "--", "ls"], "--output-max: '99GiB' must be at most 1MiB"],
    [["--process-max", "1000001", "--", "ls"], "--process-max: '1000001' must be at most 1000000"],
  ] as const;

  test.each(usage)("refuses %j by name", async (args, message) => {
    const finished = await run(["--json", ...args]);
    expect(finished.code).toBe(2);
    expect(finished.json().error?.message).toContain(message);
  });

  test("tells everything about a call in the object", async () => {
    const result = (await run(["--json", "--", "ls", "/no/such"])).json();
    expect(result).toMatchObject({
      status: "error",
      exit_code: 9,
      result: "",
      error: { type: "tool_failed" },
      turns: 0,
    });
    expect(result.tools[0]).toMatchObject({
      argv: ["ls", "/no/such"],
      exit_code: 2,
      limit: null,
      stdout: "",
      decision: "allow",
    });
    expect(result.tools[0]?.stderr).toContain("No such file");
    expect(result.tools[0]?.cpu_ms).toBeGreaterThanOrEqual(0);
    expect(result.tools[0]?.peak_memory_bytes).toBeGreaterThan(0);
  });

  test("tells everything about every stage", async () => {
    const result = (await run(["--json", "--pipe", "--", "ls", "/no/such", "|", "wc", "-l"])).json();
    expect(result).toMatchObject({ status: "error", exit_code: 9, result: "0\n" });
    expect(result.tools[0]?.argv).toBeNull();
    expect(result.tools[0]?.stages).toMatchObject([
      { argv: ["ls", "/no/such"], exit_code: 2, stderr: expect.stringContaining("No such file") },
      { argv: ["wc", "-l"], exit_code: 0, stderr: "" },
    ]);
  });

  test("tells of a refusal in the object", async () => {
    const result = (await run(["--json", "--deny-run", "ls", "--", "ls"])).json();
    expect(result).toMatchObject({ status: "error", exit_code: 7, result: null, error: { type: "denied" } });
    expect(result.denials).toMatchObject([{ argv: ["ls"], rule: "denied-for-this-run" }]);
    expect(result.tools[0]).toMatchObject({ decision: "deny", exit_code: null });
  });

  const limits = [
    ["time", ["--timeout", "200ms", "--", "sleep", "30"]],
    ["output", ["--", "yes"]],
    ["cpu", ["--cpu-max", "1s", "--", "awk", "BEGIN{while(1);}"]],
    ["memory", ["--memory-max", "64MiB", "--", "awk", 'BEGIN{s="x"; while(1) s=s s}']],
  ] as const;

  test.each(limits)(
    "says when %s was the limit",
    async (limit, args) => {
      const lists = { ASH_TOOL_ALLOWLIST: "sleep: unrestricted, yes: unrestricted, awk" };
      const result = (await run(["--json", ...args], lists)).json();
      expect(result).toMatchObject({ exit_code: 9, error: { type: "tool_failed" } });
      expect(
        result.tools[0]?.limit === limit || (limit === "memory" && result.tools[0]?.exit_code !== 0),
      ).toBe(true);
    },
    20_000,
  );

  test.each(["-u 60", "-f 1000", "-t 5", "-n 32", "-d 600000", "-c 0", "-l 16"])(
    "starts tools where the caller has set a lower limit: ulimit %s",
    async (limit) => {
      const under = ["/bin/bash", "-c", `ulimit ${limit} && exec "$@"`, "bash"];
      expect(await runAsh(place, ["run", "--", "uname"], { under })).toMatchObject({
        code: 0,
        stdout: "Linux\n",
        stderr: "",
      });
    },
  );

  test("takes limits from flags over the environment", async () => {
    const args = ["--json", "--output-max", "16", "--", "seq", "100"];
    const result = (await run(args, { ASH_TOOL_OUTPUT_MAX: "8" })).json();
    expect(result.tools[0]).toMatchObject({ truncated: true, stdout_bytes: 292 });
    expect(result.result).toMatch(/^1\n2\n3\n4\n5\n6\n\n\[… 276 bytes dropped here …\]\n/);
  });

  test.each(["jail", "rlimits", "bwrap"])(
    "under lower limits of its own, in mode %s, keeps to them",
    async (mode) => {
      const lower =
        'ulimit -n 64 && ulimit -u 4000 && ulimit -f 4000 && ulimit -t 5 && ulimit -l 8 && exec "$@"';
      const finished = await runAsh(place, ["run", "--json", "--process-max", "1000000", "--", "seq", "3"], {
        under: ["bash", "-c", lower, "bash"],
        env: { ASH_SANDBOX: mode },
      });
      expect(finished.json()).toMatchObject({ exit_code: 0, result: "1\n2\n3\n" });
    },
  );

  test("keeps no room for output that would never come", async () => {
    const result = (await run(["--json", "--output-max", "1MiB", "--", "seq", "3"])).json();
    expect(result).toMatchObject({ exit_code: 0, result: "1\n2\n3\n" });
  });

  test("runs a Python tool isolated from everything around it", async () => {
    const tools = join(place.ashHome, "tools");
    mkdirSync(tools, { recursive: true, mode: 0o700 });
    const tool =
      "import json, sys\nprint(json.dumps({'status': 'ok', 'isolated': sys.flags.isolated, 'json': json.__file__}))\n";
    writeFileSync(join(tools, "mine.py"), tool, { mode: 0o700 });
    for (const folder of [tools, place.folder])
      writeFileSync(join(folder, "json.py"), "raise SystemExit('shadowed')", { mode: 0o600 });
    const result = (
      await run(["--json", "--allow-run", "mine.py", "--", "mine.py"], { PYTHONPATH: place.folder })
    ).json();
    expect(result.tools[0]).toMatchObject({ exit_code: 0, tool_status: "ok" });
    expect(JSON.parse(result.result ?? "{}")).toMatchObject({
      isolated: 1,
      json: expect.stringContaining("/json/__init__.py"),
    });
  });

  test("ends quietly when nobody reads", async () => {
    const line = Bun.spawn(["bash", "-c", '"$ASH" run -- seq 1000 | head -n 1; echo "${PIPESTATUS[0]}"'], {
      cwd: place.folder,
      env: environmentOf(place, { ASH }),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([line.stdout.text(), line.stderr.text()]);
    expect(stdout).toMatch(/^1\n(0|141)\n$/);
    expect(stderr).toBe("");
  });

  test("says which sandbox holds, takes a weaker one only when told, and refuses when one is required", async () => {
    expect((await run(["--json", "--", "true"])).json().sandbox).toBe("jail");
    expect((await run(["--json", "--", "true"], { ASH_SANDBOX: "rlimits" })).json().sandbox).toBe("rlimits");
    expect((await run(["--json", "--", "true"], { ASH_SANDBOX: "none" })).json().sandbox).toBe("none");
    expect((await run(["--json", "--", "true"], { ASH_SANDBOX: "vault" })).json()).toMatchObject({
      exit_code: 3,
    });
    writeFileSync(join(place.ashHome, "config.toml"), "require_sandbox = true\n", { mode: 0o600 });
    const refused = (await run(["--json", "--", "true"], { ASH_SANDBOX: "rlimits" })).json();
    expect(refused).toMatchObject({
      exit_code: 3,
      error: { type: "config", message: expect.stringContaining("require_sandbox") },
    });
    expect((await run(["--json", "--", "true"])).json()).toMatchObject({ exit_code: 0, sandbox: "jail" });
  });
});

test("the word ash starts its jails with is no command for people", async () => {
  const finished = await runAsh(place, ["__jail", "x", place.folder]);
  expect(finished).toMatchObject({ code: 2, stdout: "" });
  expect((await Bun.file(place.folder).exists()) || true).toBe(true);
  expect(new Bun.Glob("*").scanSync({ cwd: join(place.folder, ".."), onlyFiles: false }).next().done).toBe(
    false,
  );
});
