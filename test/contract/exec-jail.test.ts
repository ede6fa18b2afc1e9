// The jail with the policy switched off: what the kernel alone keeps from happening.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { probeSandbox } from "../../src/exec/sandbox.ts";
import { realPath } from "../../src/host/files.ts";
import { CANARY, furnish, readCases, snapshot, stagesIn } from "../support/cases.ts";
import { type Bench, leftovers, openBench, processesNow } from "../support/engine.ts";

const installed = (name: string): boolean =>
  /^[A-Za-z0-9._+-]+$/.test(name) &&
  ["/usr/bin", "/bin", "/usr/sbin", "/sbin"].some((folder) => realPath(join(folder, name)) !== null);

/** Rows about executing, writing, the network and secrets: none of them may have an effect in the jail. */
const harmful = readCases().filter(
  (row) => row.expected === "deny" && ["exec", "write", "network", "read-secret"].includes(row.kind),
);
const runnable = (bench: Bench) =>
  harmful.filter((row) => stagesIn(row, bench).every(([name = ""]) => installed(name)));

let bench: Bench;
let server: Server;
let connections = 0;

beforeAll(async () => {
  bench = openBench("jail");
  furnish(bench);
  server = createServer((socket) => {
    connections += 1;
    socket.end("HTTP/1.0 200 OK\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  await bench.close();
  server.close();
});

test("this machine has the jail", () => {
  expect(probeSandbox().landlock).toBeGreaterThan(0);
  expect(bench.engine.sandbox).toBe("jail");
});

test("with the policy switched off, no harmful call of the table has an effect", async () => {
  const rows = runnable(bench);
  expect(rows.length).toBeGreaterThan(60);
  const places = [bench.folder, bench.home];
  const before = snapshot(places);
  const running = processesNow();
  const effects: string[] = [];
  for (const row of rows) {
    const call = await bench.run(stagesIn(row, bench), {
      limits: { timeoutMs: 2000 },
      permit: { unrestricted: false },
    });
    const output = [call.stdout.text, ...call.stages.map((stage) => stage.stderr.text)].join("\n");
    if (output.includes(CANARY)) effects.push(`${row.id} read a secret`);
    if (/\buid=\d/.test(output)) effects.push(`${row.id} ran a program`);
    if (/^root:[^:]*[$!*]/m.test(output)) effects.push(`${row.id} read the shadow file`);
    const after = snapshot(places);
    for (const [path, state] of after)
      if (before.get(path) !== state) effects.push(`${row.id} changed ${path}`);
    for (const path of before.keys()) if (!after.has(path)) effects.push(`${row.id} removed ${path}`);
  }
  expect(effects).toEqual([]);
  expect(leftovers(running, bench)).toEqual([]);
}, 180_000);

describe("in the jail, a Python script that tries everything", () => {
  const attempts = (): Record<string, string> => ({
    "write beside itself": `open(${JSON.stringify(join(bench.folder, "W"))}, "w")`,
    "truncate a file": `os.truncate(${JSON.stringify(join(bench.folder, "a.txt"))}, 0)`,
    "remove a file": `os.unlink(${JSON.stringify(join(bench.folder, "a.txt"))})`,
    "rename a file": `os.rename(${JSON.stringify(join(bench.folder, "a.txt"))}, ${JSON.stringify(join(bench.folder, "z"))})`,
    "link a file": `os.link(${JSON.stringify(join(bench.folder, "a.txt"))}, os.environ["TMPDIR"] + "/l")`,
    "change a mode": `os.chmod(${JSON.stringify(join(bench.folder, "a.txt"))}, 0o777)`,
    "change an owner": `os.chown(${JSON.stringify(join(bench.folder, "a.txt"))}, 1, 1)`,
    "change a time": `os.utime(${JSON.stringify(join(bench.folder, "a.txt"))}, (0, 0))`,
    "set an attribute": `os.setxattr(${JSON.stringify(join(bench.folder, "a.txt"))}, "user.x", b"y")`,
    "read a key": `open(${JSON.stringify(join(bench.home, ".ssh/id_rsa"))}).read()`,
    "read a key by a link of its own": `os.symlink(${JSON.stringify(join(bench.home, ".ssh/id_rsa"))}, os.environ["TMPDIR"] + "/k"); open(os.environ["TMPDIR"] + "/k").read()`,
    "list a credential folder": `os.listdir(${JSON.stringify(join(bench.home, ".ssh"))})`,
    "read the configuration": `open(${JSON.stringify(join(bench.ashHome, "config.toml"))}).read()`,
    "read a dotenv": `open(${JSON.stringify(join(bench.folder, ".env"))}).read()`,
    "read the shadow file": 'open("/etc/shadow").read()',
    "run a program": 'os.execv("/usr/bin/id", ["id"])',
    "run a program by its loader":
      'os.execv([p for p in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1") if os.path.exists(p)][0], ["ld", "/usr/bin/id"])',
    "run a program from memory": 'os.memfd_create("x")',
    "run a program it wrote":
      'p = os.environ["TMPDIR"] + "/x"; open(p, "w").write("#!/bin/sh\\nid\\n"); os.chmod(p, 0o755); os.execv(p, [p])',
    "open a socket": "socket.socket()",
    "open a local socket": "socket.socket(socket.AF_UNIX)",
    "read its parent's memory": 'open(f"/proc/{os.getppid()}/mem", "rb").read(1)',
    "read its parent's environment": 'open(f"/proc/{os.getppid()}/environ").read()',
    "signal its parent": "os.kill(os.getppid(), 0)",
    "make a namespace":
      "os.unshare(os.CLONE_NEWUSER) if hasattr(os, 'unshare') else ctypes_call('unshare', 0x10000000)",
    "mount something": "ctypes_call('mount', b'none', b'/tmp', b'tmpfs', 0, 0)",
    "trace a process": "ctypes_call('ptrace', 16, os.getppid(), 0, 0)",
    "set the clock": "time.clock_settime(time.CLOCK_REALTIME, 0)",
    "rename the host": 'socket.sethostname("evil")',
    "open the disk":
      'open([p for p in ("/dev/vda", "/dev/sda", "/dev/kmsg", "/dev/mem") if os.path.exists(p)][0], "rb").read(1)',
  });

  const script = (attempt: string): string =>
    [
      "import os, socket, sys, time, ctypes",
      "def ctypes_call(name, *args):",
      "    libc = ctypes.CDLL(None, use_errno=True)",
      "    if getattr(libc, name)(*args) != 0: raise OSError(ctypes.get_errno(), name)",
      "try:",
      `    ${attempt}`,
      '    print("DONE")',
      "except (OSError, IndexError) as problem:",
      '    print("REFUSED", type(problem).__name__)',
    ].join("\n");

  test("gets nowhere", async () => {
    const before = snapshot([bench.folder, bench.home]);
    const results: Record<string, string> = {};
    for (const [name, attempt] of Object.entries(attempts())) {
      const call = await bench.run([["python3", "-I", "-c", script(attempt)]], {
        permit: { unrestricted: false, listsHomes: false },
      });
      results[name] = call.stdout.text.split(" ")[0]?.trim() ?? "";
    }
    const expected = Object.fromEntries(Object.keys(attempts()).map((name) => [name, "REFUSED"]));
    expect(results).toEqual(expected);
    expect(snapshot([bench.folder, bench.home])).toEqual(before);
  }, 60_000);

  test("asks the kernel about interfaces when it may, and reaches nobody by it", async () => {
    const { port } = server.address() as { port: number };
    const before = connections;
    const attempts = [
      ["netlink", "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).bind((0, 0))", "DONE"],
      ["interfaces", "socket.if_nametoindex('lo')", "DONE"],
      ["audit", "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9)", "REFUSED"],
      ["stream", "socket.socket(socket.AF_INET, socket.SOCK_STREAM)", "REFUSED"],
      ["unix", "socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)", "REFUSED"],
      [
        "connect",
        `socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("127.0.0.1", ${port}))`,
        "REFUSED",
      ],
    ] as const;
    for (const [name, attempt, expected] of attempts) {
      const call = await bench.run([["python3", "-I", "-c", script(attempt)]], {
        permit: { unrestricted: false, kernelSockets: true },
      });
      expect([name, call.stdout.text.split(" ")[0]?.trim()]).toEqual([name, expected]);
    }
    expect(connections).toBe(before);
  }, 30_000);

  test("talks to a service of this machine when it may, and to nobody else", async () => {
    const path = join(bench.folder, "service");
    const service = createServer((socket) => {
      // A caller that leaves without a word is none of the test's business.
      socket.on("error", () => undefined);
      socket.end("hello");
    });
    await new Promise<void>((resolve) => service.listen(path, resolve));
    const { port } = server.address() as { port: number };
    const connect = (family: string, to: string): string =>
      `s = socket.socket(socket.${family}); s.connect(${to})`;
    const attempts = [
      ["service", connect("AF_UNIX", JSON.stringify(path)), true, "DONE"],
      ["service", connect("AF_UNIX", JSON.stringify(path)), false, "REFUSED"],
      ["network", connect("AF_INET", `("127.0.0.1", ${port})`), true, "REFUSED"],
    ] as const;
    for (const [name, attempt, localSockets, expected] of attempts) {
      const call = await bench.run([["python3", "-I", "-c", script(attempt)]], {
        permit: { unrestricted: false, localSockets },
      });
      expect([name, localSockets, call.stdout.text.split(" ")[0]?.trim()]).toEqual([
        name,
        localSockets,
        expected,
      ]);
    }
    await new Promise((resolve) => service.close(resolve));
  }, 30_000);

  test("can still do honest work: read, compute, use its own folder, threads and forks", async () => {
    const work = [
      "import os, threading, tempfile, multiprocessing as m, sqlite3",
      `assert open(${JSON.stringify(join(bench.folder, "a.txt"))}).read().startswith("alpha")`,
      "f = tempfile.NamedTemporaryFile('w+'); f.write('x'); f.flush(); f.seek(0); assert f.read() == 'x'",
      "db = sqlite3.connect(os.environ['TMPDIR'] + '/db'); db.execute('create table t(a)'); db.commit()",
      "ts = [threading.Thread(target=sum, args=(range(1000),)) for _ in range(32)]; [t.start() for t in ts]; [t.join() for t in ts]",
      "pid = os.fork(); pid or os._exit(7); assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7",
      "os.makedirs(os.environ['TMPDIR'] + '/a/b'); os.rename(os.environ['TMPDIR'] + '/a/b', os.environ['TMPDIR'] + '/c')",
      "print('fine')",
    ].join("\n");
    const call = await bench.run([["python3", "-I", "-c", work]], { permit: { unrestricted: false } });
    expect([call.stdout.text, call.stages[0]?.stderr.text]).toEqual(["fine\n", ""]);
  });
});

describe("the network", () => {
  const connect = () => {
    const { port } = server.address() as { port: number };
    return [
      "python3",
      "-I",
      "-c",
      `import socket; socket.create_connection(("127.0.0.1", ${port})).close(); print("connected")`,
    ];
  };

  test("is closed to a program that was not given it", async () => {
    const call = await bench.run([connect()], { permit: { unrestricted: false, network: false } });
    expect(call.stdout.text).toBe("");
    expect(connections).toBe(0);
  });

  test("is open to one that was, but local sockets are not", async () => {
    const call = await bench.run([connect()], { permit: { unrestricted: false, network: true } });
    expect(call.stdout.text).toBe("connected\n");
    const local = ["python3", "-I", "-c", "import socket; socket.socket(socket.AF_UNIX)"];
    const refused = await bench.run([local], { permit: { unrestricted: false, network: true } });
    expect(refused.stages[0]?.stderr.text).toContain("PermissionError");
  });
});

describe("an unrestricted program", () => {
  test("may start others, and is still read-only without the network and without secrets", async () => {
    const script = `id -u; head -c 5 a.txt; cat ${bench.home}/.ssh/id_rsa; echo x > W; ls ${bench.ashHome}`;
    const call = await bench.sh(script);
    expect(call.stdout.text).toContain("alpha");
    expect(call.stdout.text).not.toContain(CANARY);
    expect(call.stages[0]?.stderr.text).toContain("W: Permission denied");
    expect(await Bun.file(join(bench.folder, "W")).exists()).toBe(false);
  });

  test("finds files that appear in the home of ash later closed as well", async () => {
    mkdirSync(join(bench.ashHome, "sessions"), { recursive: true });
    writeFileSync(join(bench.ashHome, "sessions", "late.jsonl"), CANARY);
    const call = await bench.sh(`cat ${bench.ashHome}/sessions/late.jsonl ${bench.ashHome}/config.toml`);
    expect(call.stdout.text).toBe("");
  });
});
