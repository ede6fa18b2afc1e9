// stdin that has nothing to say, or never ends.
import { beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ASH, environmentOf, finish, startAsh } from "../support/ash.ts";
import { KEY, useAsking } from "../support/asking.ts";
import { promptIn, says } from "../support/modelserver.ts";
import { inShell } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const { place, server } = useAsking();

beforeEach(() => {
  server.start([says("ok")]);
});

/** Runs a line of shell with $ASH, $URL and the key, as a script would. */
async function shell(line: string) {
  const { code, stdout } = await inShell(place, line, {
    ...KEY,
    ASH: `${ASH} --base-url ${server.url} --json`,
  });
  return { code, result: JSON.parse(stdout) };
}

/** The text of the newest user message the server got. */
const asked = (): string => promptIn(server.requests.at(-1));

describe("stdin that has nothing to say", () => {
  test.each([
    ["closed", "$ASH hello 0<&-"],
    ["/dev/null", "$ASH hello </dev/null"],
    ["an empty file", ": >empty; $ASH hello <empty"],
    ["a pipe that ends at once", ": | $ASH hello"],
  ])("(%s) adds nothing and is waited for by nobody", async (_, line) => {
    expect((await shell(line)).code).toBe(0);
    expect(asked()).toBe("hello");
  });

  test("because it is a terminal is not read", async () => {
    const script = "import pty, sys, os; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    const process = Bun.spawn(["python3", "-c", script, ASH, "--base-url", server.url, "hello"], {
      cwd: place.folder,
      env: environmentOf(place, KEY),
      stdin: "ignore",
      stdout: "pipe",
    });
    expect(await process.exited).toBe(0);
    expect(asked()).toBe("hello");
  });
});

describe("a pipe that never ends", () => {
  test("is bounded by the deadline once it has begun to speak", async () => {
    const running = Bun.spawn([ASH, "--json", "--base-url", server.url, "--deadline", "500ms", "hello"], {
      cwd: place.folder,
      env: environmentOf(place, KEY),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    running.stdin.write("the first line\n");
    await running.stdin.flush();
    expect(await running.exited).toBe(6);
    expect(JSON.parse(await running.stdout.text())).toMatchObject({ status: "limit", limit: "deadline" });
    expect(server.requests).toHaveLength(0);
  });

  test("is given up by a signal, with the object", async () => {
    Bun.spawnSync(["mkfifo", join(place.folder, "p")]);
    const running = startAsh(place, ["--json", "--base-url", server.url, "-f", "p"], { env: KEY });
    // ASH_HOME is not made before the question was read: the open descriptor is the sign.
    const descriptors = `/proc/${running.pid}/fd`;
    await until(() =>
      Bun.spawnSync(["ls", "-l", descriptors]).stdout.toString().includes(`${place.folder}/p`),
    );
    running.kill("SIGINT");
    const run = await finish(running);
    expect(run.code).toBe(130);
    expect(run.json()).toMatchObject({ status: "interrupted", error: { type: "interrupted" } });
  });
});
