import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Check, DoctorReport } from "../../src/schema/reports.ts";
import { ASH, environmentOf, finish, makePlace, type Place, runAsh, startAsh } from "../support/ash.ts";
import { snapshot } from "../support/cases.ts";
import { fails, type ModelServer, says, startModelServer } from "../support/modelserver.ts";
import { testWith } from "../support/required.ts";
import { schemaProblems } from "../support/schemas.ts";
import { inShell, onTerminal } from "../support/terminal.ts";

// Each test starts ash several times, and the machine may be busy.
setDefaultTimeout(30_000);

let place: Place;
let server: ModelServer | undefined;

beforeEach(() => {
  place = makePlace();
});

afterEach(async () => {
  await server?.stop();
  server = undefined;
  place.remove();
});

const KEY = { ANTHROPIC_API_KEY: "test-key" };

async function doctor(
  args: readonly string[] = [],
  env: Record<string, string> = KEY,
): Promise<DoctorReport> {
  const run = await runAsh(place, ["doctor", "--json", ...args], { env });
  expect(run.stderr).toBe("");
  const report = run.json() as unknown as DoctorReport;
  expect(schemaProblems("doctor", report)).toEqual([]);
  expect(run.code).toBe(report.exit_code);
  expect(report.exit_code).toBe(report.counts.fail > 0 ? 3 : 0);
  const ids = report.checks.map(({ id }) => id);
  expect(ids.filter((id, i) => ids.indexOf(id) !== i && id !== "config")).toEqual([]);
  return report;
}

function checkOf({ checks }: DoctorReport, id: string): Check {
  const found = checks.find((check) => check.id === id);
  if (found === undefined)
    throw new Error(`there is no check ${id}: ${checks.map((check) => check.id).join(" ")}`);
  return found;
}

const failedIn = ({ checks }: DoctorReport): readonly string[] =>
  checks.filter(({ status }) => status === "fail").map(({ id, message }) => `${id}: ${message}`);

const setUp = (): Promise<unknown> => runAsh(place, ["init", "--no-python"]);
const inHome = (path: string): string => join(place.ashHome, path);

describe("ash doctor", () => {
  test("finds nothing broken on this machine, and every lock holds when it is tried", async () => {
    await setUp();
    const report = await doctor();
    expect(failedIn(report)).toEqual([]);
    for (const id of [
      "home",
      "files",
      "config",
      "system-prompt",
      "sessions",
      "disk",
      "allowlist",
      "path",
      "python",
      "python-tools",
      "model",
      "key",
      "proxy",
      "certificates",
      "clock",
      "terminal",
      "stdin",
      "sandbox",
      "engine",
    ])
      expect(checkOf(report, id).status).toBe("ok");
    const locks = report.checks.filter(({ id }) => id.startsWith("lock-"));
    expect(locks.map(({ status }) => status)).toEqual(["ok", "ok", "ok", "ok", "ok", "ok"]);
    expect(checkOf(report, "sandbox").facts).toMatchObject({
      mode: "jail",
      seccomp: true,
      landlock: expect.any(Number),
    });
    expect(checkOf(report, "lock-files").facts).toMatchObject({
      read: { secret: "EACCES", own: "EACCES", plain: "done" },
      write: { outside: "EACCES", scratch: "done" },
    });
    expect(checkOf(report, "lock-network").facts).toMatchObject({
      internet: "socket: errno 1",
      local_socket: "socket: errno 1",
    });
    expect(checkOf(report, "lock-programs").facts).toEqual({
      executed: false,
      seccomp: 2,
      no_new_privs: true,
    });
    expect(checkOf(report, "lock-limits").facts.limits).toMatchObject({
      "cpu time": "10",
      "file size": "16777216",
      "open files": "256",
    });
  });

  test("works before there is a home and makes nothing at all", async () => {
    const temporary = join(place.folder, "tmp");
    mkdirSync(temporary);
    const before = snapshot([place.home, place.folder]);
    const report = await doctor([], { ...KEY, TMPDIR: temporary });
    expect(failedIn(report)).toEqual([]);
    expect(checkOf(report, "home")).toMatchObject({ status: "warn", fix: "run: ash init" });
    expect(snapshot([place.home, place.folder])).toEqual(before);
  });

  test("prints one line for each finding where there is no terminal", async () => {
    const run = await runAsh(place, ["doctor"], { env: KEY });
    const report = await doctor();
    const lines = run.stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(report.checks.length + 2);
    for (const line of lines.slice(0, -2)) expect(line).toMatch(/^(?:ok {2}|warn|FAIL) {2}[a-z-]+ +\S/);
    expect(lines.at(-1)).toMatch(/^\d+ ok, \d+ warnings?, 0 failed$/);
    expect(run.stdout).toMatch(/^warn {2}home .*; fix: run: ash init$/m);
  });

  test("shows the facts when asked: every name with its program and owner", async () => {
    const run = await runAsh(place, ["doctor", "--facts"], { env: KEY });
    expect(run.stdout).toMatch(/^ +uname \/\S+\/uname root$/m);
    const found = checkOf(await doctor(), "programs").facts.found as readonly Record<string, string>[];
    expect(found).toContainEqual({ name: "uname", path: expect.stringMatching(/\/uname$/), owner: "root" });
  });

  const refused = [
    [["doctor", "now"], "takes flags only, not now"],
    [["doctor", "--onlin"], "unknown flag --onlin"],
    [["doctor", "--base-url", "nowhere"], "--base-url: 'nowhere' is not a URL"],
  ] as const;

  test.each(refused)("%j is a usage error by name", async (args, message) => {
    const run = await runAsh(place, [...args, "--json"]);
    expect(run.code).toBe(2);
    expect(run.json().error).toMatchObject({ type: "usage", message: expect.stringContaining(message) });
  });
});

describe("the model, for ash doctor", () => {
  test("is not contacted, and neither is any proxy or index", async () => {
    let connections = 0;
    const listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open() {
          connections += 1;
        },
        data() {},
      },
    });
    const url = `http://127.0.0.1:${listener.port}`;
    const env = {
      ...KEY,
      HTTP_PROXY: url,
      HTTPS_PROXY: url,
      http_proxy: url,
      PIP_INDEX_URL: url,
      UV_INDEX_URL: url,
    };
    const report = await doctor(["--base-url", url], env);
    listener.stop(true);
    expect(checkOf(report, "model").message).toContain(url);
    expect(report).toMatchObject({ online: false });
    expect(connections).toBe(0);
  });

  test("is asked for one tool call with --online", async () => {
    const ping = { type: "tool_use", id: "t1", name: "ping", input: {} } as const;
    server = startModelServer([{ content: [ping], stop_reason: "tool_use" }]);
    const report = await doctor(["--online", "--base-url", server.url, "-m", "opus"]);
    expect(server.problems).toEqual([]);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      model: "claude-opus-5-5",
      max_tokens: 64,
      tools: [{ name: "ping" }],
    });
    expect(report).toMatchObject({ online: true, exit_code: 0 });
    expect(checkOf(report, "online")).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/^test-model answered in \d+ ms and called a tool$/),
    });
  });

  test("that calls no tool is a warning", async () => {
    server = startModelServer([says("I would rather talk.")]);
    expect(checkOf(await doctor(["--online", "--base-url", server.url]), "online")).toMatchObject({
      status: "warn",
      fix: expect.stringContaining("can call tools"),
    });
  });

  const broken = [
    [
      "refuses the key",
      fails(401, "authentication_error"),
      { error: "auth", http_status: 401, request_id: "req_9" },
    ],
    ["has no such model", fails(404, "not_found_error"), { error: "not_found", http_status: 404 }],
    ["is overloaded", fails(529, "overloaded_error"), { error: "overloaded", http_status: 529 }],
    ["speaks something else", () => new Response("<html>hello</html>"), { error: "protocol" }],
  ] as const;

  test.each(broken)("that %s is a failure with its kind, asked once", async (_, answer, facts) => {
    server = startModelServer([answer]);
    const report = await doctor(["--online", "--base-url", server.url]);
    expect(checkOf(report, "online")).toMatchObject({ status: "fail", facts });
    expect(server.requests).toHaveLength(1);
  });

  test("that is not there is a failure", async () => {
    const report = await doctor(["--online", "--base-url", "http://127.0.0.1:1"]);
    expect(checkOf(report, "online")).toMatchObject({ status: "fail", facts: { error: "network" } });
  });

  test("without its key is a failure with the fix, and is not asked", async () => {
    server = startModelServer([says("never")]);
    const report = await doctor(["--online", "--base-url", server.url], {});
    expect(checkOf(report, "key")).toMatchObject({
      status: "fail",
      message: "not set",
      fix: expect.stringContaining("ANTHROPIC_API_KEY"),
    });
    expect(checkOf(report, "online").status).toBe("fail");
    expect(server.requests).toHaveLength(0);
  });

  const connections: readonly (readonly [
    string,
    readonly string[],
    Record<string, string>,
    string,
    Partial<Check>,
  ])[] = [
    [
      "a local server needs no key",
      ["--provider", "ollama", "-m", "qwen3"],
      {},
      "key",
      { status: "ok", message: "not set; this server needs none" },
    ],
    [
      "a local server needs a model",
      ["--provider", "ollama"],
      {},
      "model",
      { status: "fail", fix: "give --model ID" },
    ],
    [
      "an unknown preset",
      ["--provider", "olama"],
      {},
      "model",
      { status: "fail", fix: "did you mean ollama?" },
    ],
    [
      "a key in the clear",
      ["--base-url", "http://example.com"],
      KEY,
      "model",
      { status: "fail", message: "http://example.com is not encrypted, so the key is not sent there" },
    ],
    [
      "a proxy that is none",
      [],
      { ...KEY, HTTPS_PROXY: "proxy:8080" },
      "proxy",
      { status: "fail", message: "HTTPS_PROXY is no address" },
    ],
    [
      "a proxy",
      [],
      { ...KEY, HTTPS_PROXY: "http://u:geheim@proxy:8080" },
      "proxy",
      { status: "ok", message: "HTTPS_PROXY=http://u:[redacted]@proxy:8080" },
    ],
    [
      "a missing certificate",
      [],
      { ...KEY, NODE_EXTRA_CA_CERTS: "/no/ca.pem" },
      "certificates",
      { status: "fail", message: "NODE_EXTRA_CA_CERTS: /no/ca.pem cannot be read" },
    ],
    [
      "no certificate check",
      [],
      { ...KEY, NODE_TLS_REJECT_UNAUTHORIZED: "0" },
      "certificates",
      { status: "warn" },
    ],
  ];

  test.each(connections)("%s", async (_, ...[args, env, id, expected]) => {
    expect(checkOf(await doctor(args, env), id)).toMatchObject(expected);
  });

  test("has its key named by origin and never shown", async () => {
    const env = { ANTHROPIC_API_KEY: "sk-ant-canary-0123456789", OPENROUTER_API_KEY: "canary-9876543210" };
    for (const args of [[], ["--json"], ["--facts"]]) {
      const run = await runAsh(place, ["doctor", ...args], { env });
      expect(`${run.stdout}${run.stderr}`).not.toContain("canary");
    }
    expect(checkOf(await doctor([], env), "key")).toMatchObject({
      message: "set, from env ANTHROPIC_API_KEY",
    });
  });
});

describe("a configuration that is broken, for ash doctor", () => {
  const spoilFile = (): void => {
    mkdirSync(place.ashHome, { mode: 0o700 });
    writeFileSync(inHome("config.toml"), "max_turns = \n", { mode: 0o600 });
  };

  test("is a failed line, and everything else is still looked at", async () => {
    spoilFile();
    const report = await doctor();
    expect(failedIn(report)).toEqual([
      `config: ${inHome("config.toml")}:1: ${checkOf(report, "config").message.split(": ")[1]}`,
    ]);
    for (const id of ["allowlist", "engine", "python", "model", "stdin"])
      expect(checkOf(report, id).status).toBe("ok");
  });

  test("is a line for each thing that is wrong", async () => {
    spoilFile();
    const report = await doctor([], { ...KEY, ASH_MAX_TURNS: "many" });
    const messages = report.checks.filter(({ id }) => id === "config").map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringContaining("config.toml:1"),
      "ASH_MAX_TURNS: 'many' is not a whole number",
    ]);
    expect(checkOf(report, "model").status).toBe("ok");
  });

  test("repeats no key in its message", async () => {
    const run = await runAsh(place, ["doctor", "--json"], {
      env: { ANTHROPIC_API_KEY: "canary with blanks" },
    });
    expect(run.code).toBe(3);
    expect(run.stdout).not.toContain("canary with");
  });

  test("by a home that is nowhere still tells what it can", async () => {
    const report = await doctor([], { ...KEY, ASH_HOME: "here" });
    expect(failedIn(report)).toEqual(["config: ASH_HOME is 'here'"]);
    expect(report.checks.map(({ id }) => id)).toEqual(["ash", "config", "clock", "terminal", "stdin"]);
  });
});

describe("the home, for ash doctor", () => {
  test("that others can write or look into is told with the fix", async () => {
    await setUp();
    chmodSync(place.ashHome, 0o777);
    const open = await doctor();
    expect(checkOf(open, "home")).toMatchObject({
      status: "fail",
      message: `${place.ashHome} can be written by other users`,
      fix: `run: chmod go-w '${place.ashHome}'`,
    });
    chmodSync(place.ashHome, 0o755);
    expect(checkOf(await doctor(), "home")).toMatchObject({
      status: "warn",
      fix: `run: chmod 700 '${place.ashHome}'`,
    });
  });

  test("that is a file, or below one, is told", async () => {
    writeFileSync(place.ashHome, "");
    expect(failedIn(await doctor())[0]).toBe(`home: ${place.ashHome} is not a folder`);
  });

  test("shows which files were edited, outdated or removed", async () => {
    await setUp();
    appendFileSync(inHome(".ash_system"), "Be brief.\n");
    unlinkSync(inHome("tools/headlines.py"));
    const edited = await doctor();
    expect(checkOf(edited, "files")).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/; edited: \.ash_system; missing: tools\/headlines\.py$/),
    });
    const old = "an older ash\n";
    writeFileSync(inHome("tools/wikipedia.py"), old);
    const manifest = JSON.parse(readFileSync(inHome("manifest.json"), "utf8")) as {
      files: Record<string, string>;
    };
    manifest.files["tools/wikipedia.py"] = new Bun.CryptoHasher("sha256").update(old).digest("hex");
    writeFileSync(inHome("manifest.json"), JSON.stringify(manifest));
    expect(checkOf(await doctor(), "files")).toMatchObject({
      status: "warn",
      fix: "run: ash init",
      message: expect.stringContaining("outdated: tools/wikipedia.py"),
    });
    unlinkSync(inHome("manifest.json"));
    expect(checkOf(await doctor(), "files")).toMatchObject({
      status: "warn",
      message: expect.stringContaining("manifest.json is missing"),
    });
  });

  test("with a key others can read is told", async () => {
    await setUp();
    writeFileSync(inHome("config.toml"), 'api_key = "canary-0123456789"\n');
    chmodSync(inHome("config.toml"), 0o644);
    expect(checkOf(await doctor([], {}), "config")).toMatchObject({
      status: "warn",
      fix: `run: chmod 600 '${inHome("config.toml")}'`,
    });
  });

  test("with an empty system prompt is told", async () => {
    await setUp();
    writeFileSync(inHome(".ash_system"), "\n");
    expect(checkOf(await doctor(), "system-prompt")).toMatchObject({ status: "warn" });
  });

  testWith("bwrap")("that cannot be written is a warning, and nothing dies of it", async () => {
    await setUp();
    const line = `bwrap --bind / / --dev /dev --proc /proc --ro-bind ${place.home} ${place.home} "$ASH" doctor --json`;
    const run = await inShell(place, line, KEY);
    expect(run.stderr).toBe("");
    const report = JSON.parse(run.stdout) as DoctorReport;
    expect(checkOf(report, "home")).toMatchObject({
      status: "warn",
      message: expect.stringContaining("cannot be written"),
    });
    expect(checkOf(report, "files").status).toBe("ok");
  });
});

describe("the allowlist, for ash doctor", () => {
  const write = (text: string): void => {
    mkdirSync(place.ashHome, { recursive: true, mode: 0o700 });
    writeFileSync(inHome(".ash_tools"), text, { mode: 0o600 });
  };

  test("that cannot be read whole is a failure", async () => {
    write("uname\nls: everything\n");
    expect(checkOf(await doctor(), "allowlist")).toMatchObject({
      status: "fail",
      message: expect.stringContaining(".ash_tools:2"),
      fix: "correct that line",
    });
  });

  test("that is a link is a failure", async () => {
    write("uname\n");
    unlinkSync(inHome(".ash_tools"));
    writeFileSync(join(place.folder, "list"), "uname\n");
    symlinkSync(join(place.folder, "list"), inHome(".ash_tools"));
    expect(checkOf(await doctor(), "allowlist")).toMatchObject({
      status: "fail",
      message: expect.stringContaining("is not a regular file"),
    });
  });

  test("shows names that lead nowhere, are refused all the same, or stand there twice", async () => {
    write("uname, no-such-program, uname\nbash\ntar: unrestricted\nmissing.py\n");
    const report = await doctor();
    expect(checkOf(report, "allowlist")).toMatchObject({
      status: "warn",
      message: expect.stringContaining("uname is listed twice"),
    });
    const programs = checkOf(report, "programs");
    expect(programs).toMatchObject({
      status: "warn",
      facts: { missing: ["no-such-program", "missing.py"], refused: ["bash"] },
    });
    expect(programs.message).toBe(
      "3 of 5 found; not installed: no-such-program, missing.py; listed but refused, because they start other programs: bash",
    );
  });

  test("shows a tool that others can change", async () => {
    await setUp();
    chmodSync(inHome("tools/wikipedia.py"), 0o777);
    expect(checkOf(await doctor(), "programs")).toMatchObject({
      status: "warn",
      message: expect.stringContaining("wikipedia.py can be changed by other users; run: chmod go-w"),
    });
  });

  test("that allows nothing is a warning", async () => {
    write("# nothing\n");
    expect(checkOf(await doctor(), "allowlist")).toMatchObject({
      status: "warn",
      message: expect.stringContaining("nothing may run"),
    });
  });

  test("and a tool path that is no folder are told", async () => {
    mkdirSync(place.ashHome, { mode: 0o700 });
    writeFileSync(inHome("config.toml"), 'tool_path = ["/no/such/folder"]\n', { mode: 0o600 });
    expect(checkOf(await doctor(), "path")).toMatchObject({
      status: "fail",
      message: "tool_path names /no/such/folder, which is no folder",
    });
  });
});

describe("Python, for ash doctor", () => {
  test("that is not there is a warning: everything else works", async () => {
    const report = await doctor([], { ...KEY, ASH_PYTHON: "/no/python" });
    expect(checkOf(report, "python")).toMatchObject({
      status: "warn",
      message: expect.stringContaining("ASH_PYTHON"),
    });
    expect(checkOf(report, "venv").message).toBe("not used: env ASH_PYTHON wins over it");
    expect(report.exit_code).toBe(0);
  });

  test("has its environments told apart: missing, broken, a tool's own, and one nobody needs", async () => {
    await setUp();
    expect(checkOf(await doctor(), "venv")).toMatchObject({
      status: "warn",
      facts: { state: "missing" },
      fix: "run: ash init",
    });
    mkdirSync(inHome("venv"));
    mkdirSync(inHome("venvs/0123456789abcdef"), { recursive: true });
    writeFileSync(inHome("tools/own.py"), '# /// script\n# dependencies = ["six"]\n# ///\n', { mode: 0o700 });
    const report = await doctor();
    expect(checkOf(report, "venv")).toMatchObject({ status: "warn", facts: { state: "broken" } });
    expect(checkOf(report, "venvs")).toMatchObject({
      status: "warn",
      facts: {
        environments: [{ tool: "own.py", state: "missing" }],
        unused: [inHome("venvs/0123456789abcdef")],
      },
    });
  });

  test("has a tool's wrong declaration told with its line", async () => {
    await setUp();
    writeFileSync(inHome("tools/odd.py"), "# /// script\n# dependencies = 5\n# ///\n", { mode: 0o700 });
    expect(checkOf(await doctor(), "python-tools")).toMatchObject({
      status: "warn",
      message: expect.stringContaining("odd.py:2: dependencies must be a list"),
    });
  });
});

describe("the sandbox, for ash doctor", () => {
  test("that is weaker shows what a tool could do", async () => {
    const report = await doctor([], { ...KEY, ASH_SANDBOX: "rlimits" });
    expect(failedIn(report)).toEqual([]);
    expect(checkOf(report, "sandbox")).toMatchObject({
      status: "warn",
      fix: "take it away: env ASH_SANDBOX",
    });
    expect(checkOf(report, "lock-files")).toMatchObject({
      status: "warn",
      message: expect.stringContaining("a tool could read a secret file"),
    });
    expect(checkOf(report, "lock-network").message).toBe("a tool could use the network");
    expect(checkOf(report, "lock-programs").status).toBe("warn");
    expect(checkOf(report, "lock-limits").status).toBe("ok");
    expect(checkOf(await doctor([], { ...KEY, ASH_SANDBOX: "none" }), "lock-limits").status).toBe("warn");
  });

  testWith("bwrap")("that is bubblewrap holds as well", async () => {
    const report = await doctor([], { ...KEY, ASH_SANDBOX: "bwrap" });
    expect(failedIn(report)).toEqual([]);
    expect(checkOf(report, "lock-files")).toMatchObject({
      status: "ok",
      facts: { write: { outside: "EROFS" } },
    });
    expect(checkOf(report, "lock-network").status).toBe("ok");
  });

  test("that is required and not to be had is a failure", async () => {
    mkdirSync(place.ashHome, { mode: 0o700 });
    writeFileSync(inHome("config.toml"), "require_sandbox = true\n", { mode: 0o600 });
    expect(failedIn(await doctor([], { ...KEY, ASH_SANDBOX: "none" }))).toEqual([
      "sandbox: require_sandbox is set, but the best mode here is none",
    ]);
  });

  test("without a place for temporary files is a failure", async () => {
    const report = await doctor([], { ...KEY, TMPDIR: "/no/such/folder" });
    expect(checkOf(report, "engine")).toMatchObject({
      status: "fail",
      fix: expect.stringContaining("TMPDIR"),
    });
  });

  test("has a probe that is no command for people", async () => {
    for (const args of [["__probe"], ["__probe", "{}"], ["__probe", "null"]]) {
      const run = await runAsh(place, args);
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toContain("it is no command");
    }
  });
});

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
    const started = Promise.withResolvers<void>();
    const look = setInterval(() => existsSync(`${slow}.started`) && started.resolve(), 5);
    await started.promise;
    clearInterval(look);
    running.kill("SIGINT");
    const run = await finish(running);
    expect(run.code).toBe(130);
    expect(run.json()).toMatchObject({ schema: "ash.result/1", status: "interrupted", exit_code: 130 });
    expect(readdirSync(temporary)).toEqual([]);
    const pid = readFileSync(`${slow}.started`, "utf8").trim();
    expect(existsSync(`/proc/${pid}`)).toBe(false);
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
