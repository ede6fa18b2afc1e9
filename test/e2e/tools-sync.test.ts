// Environments of all tools, made beforehand.
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { objectOf, useToolPlace } from "../support/toolplace.ts";

const { place, tools, writeTool } = useToolPlace();

const withPackage = (name: string): string => `#!/usr/bin/env python3
# /// script
# dependencies = ["${name}"]
# ///
import ${name}
`;

type Row = { readonly folder: string; readonly state: string; readonly error: { message: string } | null };
const rowsOf = (stdout: string): readonly Row[] => objectOf<{ environments: Row[] }>(stdout).environments;

/** A home without the bundled tools, one of which needs packages. */
function writeHome(): void {
  mkdirSync(place().ashHome, { recursive: true, mode: 0o700 });
  const files = ["tools/yfinance.py", "tools/wikipedia.py", "tools/headlines.py"];
  const manifest = {
    schema: "ash.manifest/1",
    version: "0",
    assets: "",
    files: Object.fromEntries(files.map((file) => [file, "removed"])),
  };
  writeFileSync(join(place().ashHome, "manifest.json"), JSON.stringify(manifest), { mode: 0o600 });
}

describe("ash tools sync", () => {
  test("has nothing to do where no tool needs packages", async () => {
    writeHome();
    writeTool("plain.py", "#!/usr/bin/env python3\n");
    expect(await tools(["sync"])).toMatchObject({ code: 0, stdout: "no tool needs packages\n", stderr: "" });
  });

  test("removes the environments no tool needs, and only when no tool is named", async () => {
    writeHome();
    writeTool("plain.py", "#!/usr/bin/env python3\n");
    const orphan = join(place().ashHome, "venvs/0123456789abcdef");
    mkdirSync(orphan, { recursive: true });
    await tools(["sync", "plain"]);
    expect(existsSync(orphan)).toBe(true);
    const run = await tools(["sync", "--json"]);
    expect(rowsOf(run.stdout)).toMatchObject([{ folder: orphan, state: "removed" }]);
    expect(existsSync(orphan)).toBe(false);
  });

  test("names what could not be installed and exits 9", async () => {
    writeHome();
    writeTool("needy.py", withPackage("no-such-package-of-ash"));
    const run = await tools(["sync", "--offline", "needy"]);
    expect(run.code).toBe(9);
    expect(run.stdout).toMatch(/^needy\.py: failed: .+\n$/);
    const object = await tools(["sync", "--offline", "--json"]);
    expect(object.code).toBe(9);
    expect(rowsOf(object.stdout)).toMatchObject([{ state: "failed", tools: ["needy.py"] }]);
  });

  test.each([
    [["sync", "nothing"], "there is no tool nothing.py"],
    [["list", "--offline"], "it belongs to: ash tools sync"],
  ])("used as %j is a usage error", async (args, says) => {
    const run = await tools(args);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(says);
  });
});
