// Questions that are only asked when what they are about has changed.
import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type RunOptions, runAsh } from "../support/ash.ts";
import { KEY, usePlace, useServer } from "../support/asking.ts";
import { calls, says, startModelServer } from "../support/modelserver.ts";

const place = usePlace();
const server = useServer();

/** Text that looks like a key and must never be written. */
const SECRET = "sk-ant-abcdefghijklmnopqrstuvwxyz";

type More = { readonly args?: readonly string[]; readonly words?: readonly string[] } & RunOptions;

const ask = ({ args = [], words = ["how full is the disk?"], ...options }: More = {}) =>
  runAsh(place, ["--base-url", server.url, "--only-if-changed", ...args, "--", ...words], {
    ...options,
    env: { ...KEY, ...options.env },
  });

const answers = (): string => join(place.ashHome, "answers");
const asked = (): number => server.requests.length;

describe("--only-if-changed", () => {
  test("prints the kept answer without a request, and says so", async () => {
    server.start([calls("echo", ["hi"]), says("42 %")]);
    const first = (await ask({ args: ["--json"] })).json();
    const again = await ask({ args: ["--json"] });
    expect(again.code).toBe(0);
    expect(asked()).toBe(2);
    const { warnings, duration_ms: _duration, ...rest } = again.json();
    expect(warnings).toEqual([
      { type: "answer_again", message: expect.stringContaining("no request was made") },
    ]);
    expect(rest).toEqual({
      ...(({ warnings: _, duration_ms: __, ...kept }) => kept)(first),
      turns: 0,
      cost_usd: 0,
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
      },
    });
    expect(readdirSync(join(place.ashHome, "sessions"))).toEqual([`${first.session_id}.jsonl`]);
  });

  test("prints the same text in every output mode", async () => {
    server.start([says("42 %")]);
    await ask();
    const text = await ask();
    expect(text).toMatchObject({ code: 0, stdout: "42 %\n" });
    expect(text.stderr).toMatch(/^ash: warning: nothing that is asked has changed: [^\n]+\n$/);
    const lines = (await ask({ args: ["--jsonl"] })).stdout.trimEnd().split("\n");
    const events = lines.map((line) => JSON.parse(line) as { type: string; text?: string });
    expect(events.map(({ type }) => type)).toEqual(["run.start", "warning", "message", "run.end"]);
    expect(events[2]?.text).toBe("42 %");
    expect(asked()).toBe(1);
  });

  const changes: readonly (readonly [string, More, (() => void)?])[] = [
    ["the prompt", { words: ["how full is the tape?"] }],
    ["what is piped in", { stdin: "more data" }],
    ["the allowlist of the run", { args: ["--allow-run", "df"] }],
    ["what is denied", { args: ["--deny-run", "df"] }],
    ["the model", { args: ["--model", "other"] }],
    ["the folder", { folder: "/" }],
    ["the allowlist file", {}, () => appendFileSync(join(place.ashHome, ".ash_tools"), "\nzdump\n")],
    ["the system prompt", {}, () => appendFileSync(join(place.ashHome, ".ash_system"), "\nBe brief.\n")],
    ["a script", {}, () => appendFileSync(join(place.ashHome, "tools/headlines.py"), "# edited\n")],
    [
      "a setting",
      {},
      () => appendFileSync(join(place.ashHome, "config.toml"), "\nstrict_arguments = true\n"),
    ],
  ];

  test.each(changes)("asks again when %s changes", async (_, more, change) => {
    server.start([says("one"), says("two")]);
    expect((await ask()).stdout).toBe("one\n");
    change?.();
    expect((await ask(more)).stdout).toBe("two\n");
    expect((await ask(more)).stdout).toBe("two\n");
    expect(asked()).toBe(2);
  });

  test("asks again when another server is asked", async () => {
    server.start([says("one")]);
    const other = startModelServer([says("two")]);
    await ask();
    const args = ["--base-url", other.url, "--only-if-changed", "--", "how full is the disk?"];
    const run = await runAsh(place, args, { env: KEY });
    expect(run.stdout).toBe("two\n");
    await other.stop();
  });

  test("does not look at the date, at budgets or at how the answer is shown", async () => {
    server.start([says("42 %")]);
    // Half a world apart it is never the same day.
    await ask({ env: { TZ: "Pacific/Kiritimati" } });
    const again = await ask({
      args: ["--json", "--no-save", "--max-turns", "3", "--deadline", "5s", "--lock", "x"],
      env: { TZ: "Pacific/Pago_Pago" },
    });
    expect(again.json().turns).toBe(0);
    expect(asked()).toBe(1);
  });

  test("does not look at what tools would print now", async () => {
    writeFileSync(join(place.folder, "data.txt"), "before");
    server.start([calls("cat", ["data.txt"]), says("42 %")]);
    await ask();
    writeFileSync(join(place.folder, "data.txt"), "after");
    expect((await ask({ args: ["--json"] })).json().turns).toBe(0);
  });

  test("keeps only complete answers", async () => {
    const cut = { content: [{ type: "text", text: "half an ans" }], stop_reason: "max_tokens" } as const;
    server.start([cut, says("whole")]);
    expect((await ask()).code).toBe(8);
    expect(await ask()).toMatchObject({ code: 0, stdout: "whole\n" });
  });

  const spoiled: readonly (readonly [string, (path: string) => void])[] = [
    ["cut short", (path) => writeFileSync(path, readFileSync(path, "utf8").slice(0, 40))],
    ["empty", (path) => writeFileSync(path, "")],
    ["of another shape", (path) => writeFileSync(path, '{"schema":"ash.answer/1","at":"now","result":{}}')],
    ["open to other users", (path) => chmodSync(path, 0o666)],
  ];

  test.each(spoiled)("takes a kept answer that is %s for none, and keeps the new one", async (_, spoil) => {
    server.start([says("one"), says("two")]);
    await ask();
    const [name = ""] = readdirSync(answers());
    spoil(join(answers(), name));
    expect((await ask()).stdout).toBe("two\n");
    expect((await ask()).stdout).toBe("two\n");
    expect(asked()).toBe(2);
  });

  test("keeps answers private and without secrets", async () => {
    server.start([says(`the key is ${SECRET}`)]);
    await ask();
    const [name = ""] = readdirSync(answers());
    expect(statSync(answers()).mode & 0o777).toBe(0o700);
    expect(statSync(join(answers(), name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(answers(), name), "utf8")).not.toContain(SECRET);
    expect((await ask()).stdout).toBe("the key is [redacted:api-key]\n");
  });

  test("keeps a bounded number of answers, the newest", async () => {
    server.start([says("mine")]);
    await ask();
    for (let i = 0; i < 300; i += 1) writeFileSync(join(answers(), `${i}.json`), "");
    await ask({ words: ["another question"] });
    expect(readdirSync(answers())).toHaveLength(256);
    expect((await ask({ args: ["--json"], words: ["another question"] })).json().turns).toBe(0);
  });

  test("gives the answer also when it cannot be kept, and says so", async () => {
    server.start([says("42 %")]);
    await ask({ words: ["first"] });
    Bun.spawnSync(["rm", "-rf", answers()]);
    writeFileSync(answers(), "in the way");
    const run = await ask({ args: ["--json"] });
    expect(run.code).toBe(0);
    expect(run.json()).toMatchObject({ result: "42 %", warnings: [{ type: "answer_not_kept" }] });
  });

  test.each(["--continue", "--session=20260101-000000-00000000", "--replay=demo", "--record=run.jsonl"])(
    "excludes %s",
    async (flag) => {
      server.start([says("42 %")]);
      await ask({ words: ["first"] });
      mkdirSync(join(place.ashHome, "sessions"), { recursive: true });
      writeFileSync(join(place.ashHome, "sessions/20260101-000000-00000000.jsonl"), "");
      const refused = await ask({ args: ["--json", flag] });
      expect(refused.code).toBe(2);
      expect(refused.json().error?.message).toContain("exclude each other");
      expect(readdirSync(place.folder)).toEqual([]);
      expect(asked()).toBe(1);
    },
  );
});
