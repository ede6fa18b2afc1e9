// Completion in real shells.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePlace, type Place, runAsh } from "../support/ash.ts";
import { candidates, SHELLS } from "../support/completion.ts";
import { testWith } from "../support/required.ts";

// Each test starts ash several times, and the machine may be busy.
setDefaultTimeout(30_000);

let place: Place;
const IDS = ["20260102-030405-0a1b2c3d", "20260203-040506-1b2c3d4e"];

beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.ashHome, "sessions"), { recursive: true, mode: 0o700 });
  for (const id of IDS) writeFileSync(join(place.ashHome, "sessions", `${id}.jsonl`), "");
  for (const name of ["forest.txt", "form letter.txt"]) writeFileSync(join(place.folder, name), "");
});

afterAll(() => place.remove());

const FILES = ["forest.txt", "form letter.txt"];

const table: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ["ash comp", ["completion"]],
  ["ash in", ["init"]],
  ["ash --prov", ["--provider"]],
  ["ash --js", ["--json", "--jsonl"]],
  ["ash --provider o", ["ollama", "openrouter"]],
  ["ash --provider=o", ["ollama", "openrouter"]],
  ["ash --provider script --mod", ["--model"]],
  ["ash -m ", ["haiku", "opus", "sonnet"]],
  ["ash --deadline ", []],
  ["ash explain this --no-s", ["--no-save", "--no-stdin"]],
  ["ash ask --max-tu", ["--max-turns"]],
  ["ash ask fo", FILES],
  ["ash explain fo", FILES],
  ["ash --replay fo", FILES],
  ["ash --replay=fo", FILES],
  ["ash -- fo", FILES],
  ["ash --session 2026", IDS],
  ["ash --session la", ["last"]],
  ["ash schema se", ["session", "sessions", "settings"]],
  ["ash --json schema re", ["result"]],
  ["ash --model opus schema re", ["result"]],
  ["ash schema result re", []],
  ["ash init --d", ["--dry-run"]],
  ["ash init --dry-run --of", ["--offline"]],
  ["ash init --mod", []],
  ["ash completion ", ["bash", "fish", "zsh"]],
  ["ash help exit", ["exit-codes"]],
  ["ash help co", ["completion", "config"]],
  ["ash sessions ", ["list", "path", "rm", "show"]],
  ["ash sessions show 2026", IDS],
  ["ash sessions rm --yes la", ["last"]],
  ["ash sessions list 2026", []],
  ["ash sessions --old", ["--older-than"]],
  ["ash schema --", ["--help", "--json", "--no-color"]],
];

describe.each([...SHELLS])("the completion for %s", (shell) => {
  testWith(shell)(
    "offers what fits and nothing else",
    async () => {
      const found: (readonly [string, readonly string[]])[] = [];
      for (const [line] of table) found.push([line, await candidates(shell, line, place)]);
      expect(found).toEqual(table.map(([line, offered]) => [line, [...offered].sort()] as const));
    },
    60_000,
  );

  testWith(shell)("is a script the shell takes without a word", async () => {
    const run = await runAsh(place, ["completion", shell]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const check = Bun.spawnSync([shell, "-n"], { stdin: Buffer.from(run.stdout) });
    expect([check.exitCode, check.stderr.toString()]).toEqual([0, ""]);
  });
});

describe("ash completion", () => {
  test("needs no home and no settings", async () => {
    const env = { HOME: "", ASH_HOME: "relative", ASH_TOOL_TIMEOUT: "soon" };
    expect(await runAsh(place, ["completion", "bash"], { env })).toMatchObject({ code: 0, stderr: "" });
  });

  test("prints one object with --json", async () => {
    const run = await runAsh(place, ["completion", "zsh", "--json"]);
    expect(run.json() as unknown).toMatchObject({ schema: "ash.completion/1", shell: "zsh" });
  });

  const refused = [
    [["completion"], "takes the name of one shell"],
    [["completion", "bash", "zsh"], "takes the name of one shell"],
    [["completion", "tcsh"], "there is no completion for tcsh"],
    [["completion", "__proto__"], "there is no completion for __proto__"],
  ] as const;

  test.each(refused)("%j is a usage error by name", async (args, message) => {
    const run = await runAsh(place, [...args, "--json"]);
    expect(run.code).toBe(2);
    expect(run.json().error).toMatchObject({
      type: "usage",
      message: expect.stringContaining(message),
      hint: expect.stringContaining("bash"),
    });
  });
});
