// The permissions of one run, held by the policy and, where there is a jail, by the kernel.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../src/schema.ts";
import { runAsh } from "../support/ash.ts";
import { usePlace } from "../support/asking.ts";
import { testWith } from "../support/required.ts";

const place = usePlace();
let server: Bun.TCPSocketListener<undefined>;

const port = (): string => String(server.port);

/** A tool that reads what it is told and looks for the network. */
const TOOL = `#!/usr/bin/env python3
# /// script
# [tool.ash]
# network = true
# ///
import json, socket, sys
def tried(what):
    try:
        return what()
    except OSError as error:
        return type(error).__name__
def connect():
    with socket.create_connection(("127.0.0.1", int(sys.argv[2])), timeout=5):
        return "connected"
print(json.dumps({
    "status": "ok",
    "read": [tried(lambda: open(path).read()) for path in sys.argv[1].split("+")],
    "net": tried(connect),
}))
`;

beforeEach(() => {
  server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  mkdirSync(join(place.folder, "open/deep"), { recursive: true });
  mkdirSync(join(place.folder, "closed"));
  writeFileSync(join(place.folder, "open/deep/a"), "A");
  writeFileSync(join(place.folder, "closed/b"), "B");
  mkdirSync(join(place.ashHome, "tools"), { recursive: true, mode: 0o700 });
  writeFileSync(join(place.ashHome, ".ash_tools"), "ls, cat, find, uname, look.py, quiet.py\n", {
    mode: 0o600,
  });
  writeFileSync(join(place.ashHome, "tools/look.py"), TOOL, { mode: 0o700 });
  writeFileSync(join(place.ashHome, "tools/quiet.py"), TOOL.replace("network = true", "network = false"), {
    mode: 0o700,
  });
});
afterEach(() => {
  server.stop(true);
});

const run = async (flags: readonly string[], argv: readonly string[], env = {}): Promise<Result> =>
  (await runAsh(place, ["run", "--json", ...flags, "--", ...argv], { env })).json();

type Seen = { readonly read: readonly string[]; readonly net: string };
const seen = (result: Result): Seen => JSON.parse(result.result ?? "") as Seen;

const MODES = ["jail", "bwrap"] as const;

describe.each(MODES)("in the sandbox %s", (mode) => {
  const testHere = mode === "bwrap" ? testWith("bwrap") : test;
  const env = { ASH_SANDBOX: mode };
  // The tool is told where to look in a way the policy cannot read: only the kernel stands between.
  const hidden = (path: string): string => ["open/deep/a", path].join("+");

  testHere("--allow-read leaves only its trees readable", async () => {
    const flags = ["--allow-read=open"];
    const looked = seen(await run(flags, ["look.py", hidden("closed/b"), port()], env));
    expect(looked.read).toEqual(["A", expect.stringMatching(/PermissionError|FileNotFoundError/)]);
    expect((await run(flags, ["cat", "closed/b"], env)).exit_code).toBe(7);
    expect((await run(flags, ["cat", "open/deep/a"], env)).result).toBe("A");
    expect((await run(flags, ["uname"], env)).exit_code).toBe(0);
  });

  testHere("--deny-read hides more", async () => {
    const flags = ["--deny-read=closed"];
    const looked = seen(await run(flags, ["look.py", hidden("closed/b"), port()], env));
    expect(looked.read).toEqual(["A", expect.stringMatching(/PermissionError|FileNotFoundError/)]);
    expect((await run(flags, ["cat", "closed/b"], env)).denials[0]?.reason).toContain("--deny-read");
    expect((await run(flags, ["cat", "open/deep/a"], env)).result).toBe("A");
  });

  testHere("the network is there for a tool that declares it, and switched by the flags", async () => {
    const net = async (flags: readonly string[], tool: string): Promise<string> => {
      const result = await run(flags, [tool, "open/deep/a", port()], env);
      return result.exit_code === 7 ? "denied" : seen(result).net;
    };
    expect(await net([], "look.py")).toBe("connected");
    expect(await net([], "quiet.py")).not.toBe("connected");
    expect(await net(["--allow-net"], "quiet.py")).toBe("connected");
    expect(await net(["--deny-net"], "look.py")).toBe("denied");
    expect(await net(["--deny-net"], "quiet.py")).not.toBe("connected");
  });
});

describe("without a jail", () => {
  test.each(["ls", "find -name b", "ls -l"])(
    "the current folder is not read by %s when it is outside the readable trees",
    async (call) => {
      const argv = call.split(" ");
      const result = await run(["--allow-read=open"], argv, { ASH_SANDBOX: "rlimits" });
      expect(result.denials[0]).toMatchObject({ rule: "path" });
      expect((await run(["--allow-read=."], argv, { ASH_SANDBOX: "rlimits" })).exit_code).toBe(0);
    },
  );

  test("permissions hold for arguments, and a warning says so", async () => {
    const result = await run(["--deny-read=closed"], ["cat", "closed/b"], { ASH_SANDBOX: "rlimits" });
    expect(result.exit_code).toBe(7);
    const fine = await run(["--deny-read=closed"], ["cat", "open/deep/a"], { ASH_SANDBOX: "rlimits" });
    expect(fine.warnings).toEqual([{ type: "sandbox", message: expect.stringContaining("arguments") }]);
  });
});

describe("on the command line", () => {
  test("--allow-run is exactly this list, and --deny-run takes away from any", async () => {
    expect((await run(["--allow-run=uname"], ["ls"])).denials[0]).toMatchObject({ rule: "not-listed" });
    expect((await run(["--allow-run=uname"], ["uname"])).exit_code).toBe(0);
    expect((await run(["--deny-run=ls,cat"], ["ls"])).denials[0]).toMatchObject({
      rule: "denied-for-this-run",
    });
    expect((await run(["--allow-run=ls", "--deny-run=ls"], ["ls"])).exit_code).toBe(7);
  });

  test("--deny-run says when a name denies nothing because it is mistyped, and only then", async () => {
    expect((await run(["--deny-run=unmae"], ["uname"])).warnings).toEqual([
      { type: "allowlist", message: "--deny-run: unmae is not on the allowlist; did you mean uname?" },
    ]);
    expect((await run(["--deny-run=rm,wget,uname"], ["ls"])).warnings).toEqual([]);
  });

  test("a permission cannot lift an argument rule", async () => {
    const flags = ["--allow-run=find,cat", "--allow-net", `--allow-read=${place.home}`];
    expect((await run(flags, ["find", ".", "-delete"])).exit_code).toBe(7);
    expect((await run(flags, ["cat", join(place.home, ".ssh/id_rsa")])).exit_code).toBe(7);
  });

  test.each([
    [["--allow-net", "--deny-net"], "exclude each other"],
    [["--allow-read=missing"], "there is no missing"],
    [["--deny-read"], "--deny-read needs a value"],
    [["--deny-run=/bin/ls"], "not a bare executable name"],
    [["--level=sometimes"], "must be one of read, ask, auto"],
  ])("%j is a usage error", async (flags, says) => {
    const result = await run(flags, ["uname"]);
    expect(result).toMatchObject({ exit_code: 2, error: { type: "usage" } });
    expect(result.error?.message).toContain(says);
  });

  test("what holds is told by run.start", async () => {
    const lines = (
      await runAsh(place, [
        "--jsonl",
        "--deny-net",
        "--allow-run=ls",
        "--deny-read=closed",
        "--replay",
        "demo",
        "go",
      ])
    ).stdout.split("\n");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      type: "run.start",
      settings: { deny_net: true, tool_allowlist: "ls", deny_read: ["closed"], level: "read" },
    });
  });
});
