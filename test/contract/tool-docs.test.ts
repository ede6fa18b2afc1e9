// What every bundled tool promises besides its answers: documentation, usage errors, and that nothing around it
// (folder, language, closed streams, neighbours with the names of modules) makes it break its word.
import { describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PYTHON, runCommand, runTool, theAnswer, toolCommand, toolPath } from "../support/pythontool.ts";

const DOCS_MAX = 8192;

/** Arguments that are complete, so that only what the test adds is wrong; the ports are closed. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  "wikipedia.py": ["--query", "x", "--base-url", "http://127.0.0.1:9"],
  "headlines.py": ["--feed", "http://127.0.0.1:9/feed"],
  "yfinance.py": ["--tickers", "ACME", "--timeout", "2"],
};

const source = (name: string): string => readFileSync(toolPath(name), "utf8");
const optionsIn = (text: string): readonly string[] => [...new Set(text.match(/(?<![\w-])--[a-z][a-z-]*/g))];

/** Uses a folder that is removed afterwards. */
async function inFolder(
  files: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ash-around-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  try {
    await use(folder);
  } finally {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true, force: true });
  }
}

const HOSTILE = Object.fromEntries(
  ["json", "argparse", "re", "os", "sys", "threading", "urllib", "html", "unicodedata", "yfinance"].map(
    (module): [string, string] => [`${module}.py`, "raise SystemExit('hijacked')\n"],
  ),
);

describe.each(Object.entries(TOOLS))("%s", (name, complete) => {
  test("is an executable script that declares the network and no dependencies", () => {
    expect(statSync(toolPath(name)).mode & 0o777).toBe(0o755);
    expect(source(name).split("\n").slice(0, 3)).toEqual([
      "#!/usr/bin/env python3",
      "# /// script",
      '# requires-python = ">=3.9"',
    ]);
    expect(source(name)).toMatch(/^# \[tool\.ash\]\n# network = true\n# \/\/\/$/m);
  });

  for (const wrong of [[], ["--no-such-option"], ["--limit", "many"], ["--timeout"]]) {
    test.concurrent(`prints its documentation before it looks at ${wrong.join(" ") || "anything else"}`, async () => {
      const { code, stdout, stderr } = await runCommand(toolCommand(name, [...wrong, "--ai-docs"]));
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout.length).toBeLessThanOrEqual(DOCS_MAX);
      for (const section of ["Capabilities", "Arguments", "Return format", "Usage guidance"])
        expect(stdout).toMatch(new RegExp(`^## ${section}$`, "m"));
    });
  }

  test.concurrent("documents every option of --help and every error it can report", async () => {
    const help = await runCommand(toolCommand(name, ["--help"]));
    expect(help).toMatchObject({ code: 0, stderr: "" });
    const { stdout: docs } = await runCommand(toolCommand(name, ["--ai-docs"]));
    expect(optionsIn(help.stdout)).toContain("--ai-docs");
    for (const option of optionsIn(help.stdout)) expect(docs).toContain(option);
    for (const [, error] of source(name).matchAll(/Failure\("(\w+)"/g))
      expect(docs).toContain(`\`${error}\``);
  });

  for (const wrong of [
    [],
    ["--no-such-option"],
    ["--timeout", "nan"],
    ["--timeout", "0"],
    ["--timeout"],
    ["--tim", "1"],
  ]) {
    test.concurrent(`answers \`${wrong.join(" ") || "no argument"}\` with a usage error as JSON`, async () => {
      const { code, answer } = await runTool(name, wrong.length === 0 ? [] : [...complete, ...wrong]);
      expect(answer).toMatchObject({ status: "error", error: "usage", message: expect.any(String) });
      expect(code).toBe(2);
    });
  }

  test.concurrent("survives arguments that are no text, and a language without letters beyond ASCII", async () => {
    const odd = "é\u202e".repeat(5000);
    const shell = `exec "$@" "$(printf '\\377\\033')" "${odd}"`;
    const ended = await runCommand(toolCommand(name, complete), { env: { LANG: "C", LC_ALL: "C" }, shell });
    expect(theAnswer(ended)).toMatchObject({ code: 2, answer: { error: "usage" } });
  });

  for (const [claim, shell] of [
    ["a closed stdin", '"$@" <&-'],
    ["no TMPDIR and no HOME", 'unset TMPDIR HOME; "$@"'],
    ["an empty environment", 'exec env -i "$@"'],
  ] as const) {
    test.concurrent(`answers with ${claim}`, async () => {
      const { answer } = theAnswer(await runCommand(toolCommand(name, complete), { shell }));
      expect(answer.status).toBe("error");
    });
  }

  for (const args of [["--ai-docs"], ["--help"], complete]) {
    test.concurrent(`says nothing when nobody reads: ${args[0]}`, async () => {
      const deaf =
        "import os,subprocess,sys;r,w=os.pipe();os.close(r);" +
        "p=subprocess.run(sys.argv[1:],stdout=w,stderr=subprocess.PIPE);print(p.returncode,p.stderr)";
      const ended = await runCommand([PYTHON, "-I", "-c", deaf, ...toolCommand(name, args)]);
      expect(ended.stdout).toBe("141 b''\n");
      const closed = await runCommand(toolCommand(name, args), { shell: '"$@" >&-' });
      expect(closed).toMatchObject({ stdout: "", stderr: "", signal: null });
      expect(closed.code).not.toBe(0);
    });
  }

  test.concurrent("imports nothing from a hostile folder, which may be read-only", () =>
    inFolder(HOSTILE, async (folder) => {
      chmodSync(folder, 0o555);
      const { answer } = await runTool(name, complete, { folder });
      expect(answer.status).toBe("error");
    }));

  test.concurrent("imports nothing from beside itself when it is run by hand", () =>
    inFolder(HOSTILE, async (folder) => {
      const copy = join(folder, name);
      copyFileSync(toolPath(name), copy);
      const { answer } = theAnswer(await runCommand([PYTHON, "-B", copy, ...complete]));
      expect(answer.error).not.toBe("internal");
    }));
});

describe("the bundled tools together", () => {
  const shared = (name: string): string =>
    /# ---- from here: word for word[\s\S]*# ---- until here ----/.exec(source(name))?.[0] ?? name;

  test.concurrent.each([
    ["wikipedia.py", ["--query", "x", "--limit", "2.5"], "'2.5' is not a whole number from 1 to 20"],
    ["headlines.py", ["--feed", "bbc", "--since", "nan"], "'nan' is not a number from 0.1 to 8760"],
    ["yfinance.py", ["ACME", "--rows", "0"], "'0' is not a whole number from 1 to 60"],
  ] as const)("%s says which numbers it takes", async (name, args, message) => {
    const { code, answer } = await runTool(name, args);
    expect(code).toBe(2);
    expect(answer.message).toContain(message);
  });

  test("share their transport word for word", () => {
    expect(shared("wikipedia.py")).toBe(shared("headlines.py"));
    expect(shared("wikipedia.py")).toContain("def fetch(");
  });

  test("pin the one library they need, and what it needs by hashes", () => {
    expect(readFileSync(toolPath("requirements.txt"), "utf8")).toMatch(
      /^(#[^\n]*\n)*yfinance==\d+(\.\d+)+ ; python_version >= "3\.10"\n$/,
    );
    const lock = readFileSync(toolPath("requirements.lock"), "utf8").replace(/\\\n/g, " ");
    const packages = lock.split("\n").filter((line) => /^[a-z0-9]/.test(line));
    expect(packages.length).toBeGreaterThan(20);
    expect(packages.filter((line) => !line.includes("--hash=sha256:"))).toEqual([]);
  });

  test.concurrent("list the feeds that have a name without asking them", async () => {
    const { code, answer } = await runTool("headlines.py", ["--list-feeds"]);
    expect(answer).toMatchObject({ status: "ok" });
    expect(answer.feeds).toContainEqual({
      feed: "npr",
      title: "NPR News",
      url: "https://feeds.npr.org/1001/rss.xml",
    });
    expect(code).toBe(0);
  });

  for (const [name, wrong] of [
    ["wikipedia.py", ["--title", "A|B"]],
    ["wikipedia.py", ["--query", "x", "--title", "y"]],
    ["wikipedia.py", ["--query", "x", "--language", "en.evil.example/"]],
    ["wikipedia.py", ["--query", "x", "--contact", "me (at) home"]],
    ["wikipedia.py", ["--query", "x", "--base-url", "http://example.org"]],
    ["wikipedia.py", ["--query", "x", "--base-url", "http://localhost.example.org"]],
    ["wikipedia.py", ["--query", "x", "--base-url", "file:///etc"]],
    ["headlines.py", ["--feed", "file:///etc/passwd"]],
    ["headlines.py", ["--feed", "https://user:secret@example.org/feed"]],
    ["headlines.py", ["--feed", "no-such-name"]],
    ["yfinance.py", ["--tickers", "../../etc"]],
    ["yfinance.py", ["--tickers", "A", "--history", "10y"]],
    ["yfinance.py", ["--tickers", ..."ABCDEFGHIJK"]],
  ] as const) {
    test.concurrent(`refuse ${name} ${wrong.join(" ")}`, async () => {
      const { code, answer } = await runTool(name, wrong);
      expect(answer).toMatchObject({ status: "error", error: "usage" });
      expect(code).toBe(2);
    });
  }
});
