// Where ash doctor runs: on terminals, in pipes, interrupted.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DoctorReport } from "../../src/schema/reports.ts";
import { ASH, environmentOf, finish, startAsh } from "../support/ash.ts";
import { KEY } from "../support/asking.ts";
import { checkOf, failedIn, useDoctor } from "../support/doctor.ts";
import { processesOf } from "../support/processes.ts";
import { schemaProblems } from "../support/schemas.ts";
import { inShell, onTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

// Each test starts ash several times, and the machine may be busy.
setDefaultTimeout(30_000);

const { place, doctor } = useDoctor();

describe("where ash doctor runs", () => {
  test("does not matter: a hostile folder, one that is gone, stdin closed", async () => {
    for (const [name, text] of [
      [".env", "ANTHROPIC_BASE_URL=http://evil.example\n"],
      ["config.toml", "broken ="],
      [".ash_tools", "rm\n"],
      ["true", "#!/bin/sh\ntouch marker\n"],
      ["python3", "#!/bin/sh\ntouch marker\n"],
    ] as const)
      writeFileSync(join(place.folder, name), text, { mode: 0o755 });
    const env = { ...KEY, PATH: ".:/usr/bin:/bin" };
    expect(failedIn(await doctor([], env))).toEqual([]);
    expect(existsSync(join(place.folder, "marker"))).toBe(false);
    const gone = await inShell(
      place,
      'mkdir gone && cd gone && rmdir ../gone && "$ASH" doctor --json <&-',
      KEY,
    );
    expect(gone).toMatchObject({ code: 0, stderr: "" });
    expect(schemaProblems("doctor", JSON.parse(gone.stdout))).toEqual([]);
  });

  test("says what stdin is", async () => {
    const kind = async (line: string): Promise<unknown> => {
      const run = await inShell(place, line, KEY);
      return checkOf(JSON.parse(run.stdout) as DoctorReport, "stdin").facts.kind;
    };
    expect(await kind('"$ASH" doctor --json < "$ASH"')).toBe("file");
    expect(await kind('echo x | "$ASH" doctor --json')).toBe("pipe");
    expect(await kind('"$ASH" doctor --json </dev/null')).toBe("character");
  });

  test("warns of another ash that comes first on the PATH", async () => {
    const other = join(place.home, "bin");
    mkdirSync(other, { mode: 0o700 });
    writeFileSync(join(other, "ash"), "#!/bin/sh\n", { mode: 0o700 });
    expect(checkOf(await doctor([], { ...KEY, PATH: `${other}:/usr/bin` }), "ash")).toMatchObject({
      status: "warn",
      facts: { on_path: join(other, "ash") },
    });
  });

  test("fits the terminal, with colour where it is wanted", async () => {
    for (const columns of [36, 80]) {
      const { screen } = await onTerminal(place, ["doctor"], { columns, env: KEY });
      expect(screen).toContain("\u001b[32mok");
      const long = Bun.stripANSI(screen)
        .split("\n")
        .filter((line) => Bun.stringWidth(line) > columns);
      // A path stays whole, so that it can be copied.
      expect(long.filter((line) => line.trim().includes(" "))).toEqual([]);
    }
    for (const [args, env] of [
      [["--no-color"], {}],
      [[], { NO_COLOR: "1" }],
      [[], { TERM: "dumb" }],
    ] as const)
      expect(
        (await onTerminal(place, ["doctor", ...args], { env: { ...KEY, ...env } })).screen,
      ).not.toContain("\u001b");
  });

  test("leaves no process and no temporary file behind, also when it is interrupted", async () => {
    const temporary = join(place.folder, "tmp");
    const slow = join(place.home, "slow-python");
    mkdirSync(temporary, { mode: 0o700 });
    writeFileSync(slow, '#!/bin/sh\necho $$ > "$0.started"\nexec sleep 60\n', { mode: 0o700 });
    const running = startAsh(place, ["doctor", "--json"], {
      env: { ...KEY, ASH_PYTHON: slow, TMPDIR: temporary },
    });
    await until(() => existsSync(`${slow}.started`));
    running.kill("SIGINT");
    const run = await finish(running);
    expect(run.code).toBe(130);
    expect(run.json()).toMatchObject({ schema: "ash.result/1", status: "interrupted", exit_code: 130 });
    expect(readdirSync(temporary)).toEqual([]);
    expect(processesOf(place.home)).toEqual([]);
  });
});

test("ash doctor ends quietly when nobody reads", async () => {
  const line = Bun.spawn(["bash", "-c", '"$ASH" doctor | head -n 1; echo "${PIPESTATUS[0]}"'], {
    cwd: place.folder,
    env: environmentOf(place, { ASH, ...KEY }),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([line.stdout.text(), line.stderr.text()]);
  expect(stdout).toMatch(/^ok {4}ash .*\n(0|141)\n$/);
  expect(stderr).toBe("");
});
