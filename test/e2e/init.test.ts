// The files of ash init, without an environment for Python.
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Finished, runAsh } from "../support/ash.ts";
import { usePlace } from "../support/asking.ts";
import { snapshot } from "../support/cases.ts";

const place = usePlace();

const init = (...args: readonly string[]): Promise<Finished> =>
  runAsh(place, ["init", "--no-python", ...args]);
const modeOf = (path: string): number => statSync(join(place.ashHome, path)).mode & 0o777;
const textOf = (path: string): string => readFileSync(join(place.ashHome, path), "utf8");

type Report = { readonly files: readonly { readonly path: string; readonly action: string }[] };
const actions = (run: Finished): Record<string, string> => {
  const report = JSON.parse(run.stdout) as Report;
  return Object.fromEntries(report.files.map(({ path, action }) => [path, action]));
};

describe("the files of ash init", () => {
  test("are private, tools can be executed, and a second run says up to date", async () => {
    const first = await init();
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toContain(place.ashHome);
    expect([".", ".ash_tools", ".ash_system", "tools/wikipedia.py", "manifest.json"].map(modeOf)).toEqual([
      0o700, 0o600, 0o600, 0o700, 0o600,
    ]);
    const before = snapshot([place.home]);
    const second = await init();
    expect(second).toMatchObject({ code: 0, stdout: "up to date\n", stderr: "" });
    expect(snapshot([place.home])).toEqual(before);
  });

  test("are only named by --dry-run", async () => {
    const run = await runAsh(place, ["init", "--dry-run", "--json"]);
    expect(run.code).toBe(0);
    expect(new Set(Object.values(actions(run)))).toEqual(new Set(["installed"]));
    expect([...snapshot([place.home]).keys()]).toEqual([]);
    await init();
    writeFileSync(join(place.ashHome, ".ash_tools"), "ls\n");
    const before = snapshot([place.home]);
    const again = await runAsh(place, ["init", "--dry-run", "--force", "--json"]);
    expect(actions(again)[".ash_tools"]).toBe("replaced");
    expect(snapshot([place.home])).toEqual(before);
  });

  test("stay as the user left them, with the new version beside them", async () => {
    await init();
    const shipped = textOf(".ash_tools");
    writeFileSync(join(place.ashHome, ".ash_tools"), "ls # mine\n");
    const kept = await init("--json");
    expect(actions(kept)[".ash_tools"]).toBe("kept");
    expect(textOf(".ash_tools")).toBe("ls # mine\n");
    expect(textOf(".ash_tools.new")).toBe(shipped);
    const told = await init();
    expect(told.stderr).toContain(".ash_tools.new");
    const forced = await init("--force", "--json");
    expect(actions(forced)[".ash_tools"]).toBe("replaced");
    expect(textOf(".ash_tools")).toBe(shipped);
    expect(textOf(".ash_tools.old")).toBe("ls # mine\n");
  });

  test("are never lost when they are the user's own, whatever their name", async () => {
    await init();
    const shipped = textOf(".ash_tools");
    const write = (path: string, text: string): void => writeFileSync(join(place.ashHome, path), text);
    write("config.toml.new", "notes of mine\n");
    write(".ash_tools", "ls # one\n");
    await init();
    write(".ash_tools.new", `${shipped}# half merged\n`);
    const kept = await init("--json");
    expect(JSON.parse(kept.stdout)).toMatchObject({
      files: expect.arrayContaining([{ path: ".ash_tools", action: "kept", beside: ".ash_tools.new.2" }]),
    });
    await init("--force");
    write(".ash_tools", "ls # two\n");
    expect((await init("--force")).stderr).toContain(".ash_tools.old.2");
    expect([".ash_tools", ".ash_tools.new", ".ash_tools.old", ".ash_tools.old.2"].map(textOf)).toEqual([
      shipped,
      `${shipped}# half merged\n`,
      "ls # one\n",
      "ls # two\n",
    ]);
    expect(textOf("config.toml.new")).toBe("notes of mine\n");
  });

  test("give way to a newer offer when nobody touched the older one", async () => {
    await init();
    const shipped = textOf(".ash_tools");
    writeFileSync(join(place.ashHome, ".ash_tools"), "ls # mine\n");
    await init();
    const old = "the list of an older ash\n";
    writeFileSync(join(place.ashHome, ".ash_tools.new"), old);
    const manifest = JSON.parse(textOf("manifest.json")) as { offered: Record<string, string> };
    manifest.offered[".ash_tools"] = new Bun.CryptoHasher("sha256").update(old).digest("hex");
    writeFileSync(join(place.ashHome, "manifest.json"), JSON.stringify(manifest));
    const kept = await init();
    expect(kept.stdout).toBe("up to date, but for the files you changed\n");
    expect(textOf(".ash_tools.new")).toBe(shipped);
    expect(existsSync(join(place.ashHome, ".ash_tools.new.2"))).toBe(false);
  });

  test("leave nothing half written behind when they cannot be written", async () => {
    const oneKilobyte = ["bash", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "-"];
    const run = await runAsh(place, ["init", "--no-python"], { under: oneKilobyte });
    expect(run.code).toBe(3);
    expect(run.stderr).toContain("cannot be written (EFBIG)");
    expect([...snapshot([place.ashHome]).keys()].filter((path) => /\/\.\.|\/\.manifest/.test(path))).toEqual(
      [],
    );
  });

  test("are upgraded when they are still what an older ash installed", async () => {
    await init();
    const shipped = textOf(".ash_system");
    const old = "the text of an older ash\n";
    writeFileSync(join(place.ashHome, ".ash_system"), old);
    const manifest = JSON.parse(textOf("manifest.json")) as { files: Record<string, string> };
    manifest.files[".ash_system"] = new Bun.CryptoHasher("sha256").update(old).digest("hex");
    writeFileSync(join(place.ashHome, "manifest.json"), JSON.stringify(manifest));
    expect(actions(await init("--json"))[".ash_system"]).toBe("updated");
    expect(textOf(".ash_system")).toBe(shipped);
  });
});
