// What ash doctor finds out about the home and the allowlist.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { DoctorReport } from "../../src/schema/reports.ts";
import { KEY } from "../support/asking.ts";
import { checkOf, failedIn, useDoctor } from "../support/doctor.ts";
import { testWith } from "../support/required.ts";
import { inShell } from "../support/terminal.ts";

// Each test starts ash several times, and the machine may be busy.
setDefaultTimeout(30_000);

const { place, doctor, setUp, inHome } = useDoctor();

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
      message: expect.stringContaining("wikipedia.py can be written by other users; run: chmod go-w"),
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
