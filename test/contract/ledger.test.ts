// The ledger of the day, on disk and with many processes at once.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localDay, openLedger, spentIn } from "../../src/ledger.ts";

let root: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ash-ledger-"));
  folder = join(root, "ledger");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const NOON = new Date(2026, 10, 30, 12).getTime();
const { signal } = new AbortController();

const ledger = (limitUsd: number | null, now = () => NOON) => openLedger({ folder, limitUsd, now, signal });

async function held(limitUsd: number | null, least: number, now?: () => number) {
  const hold = await ledger(limitUsd, now).hold(least);
  if (hold === "limit") throw new Error("refused");
  return hold;
}

describe("the ledger", () => {
  test("of a day is a private file of its own, and the next day begins with nothing", async () => {
    (await held(1, 0.9)).settle(0.95);
    expect(await ledger(1).hold(0.1)).toBe("limit");
    const tomorrow = () => new Date(2026, 11, 1, 0, 0, 1).getTime();
    expect((await held(1, 0.1, tomorrow)).left).toBe(1);
    expect(readdirSync(folder).sort()).toEqual([".lock", "2026-11-30.jsonl", "2026-12-01.jsonl"]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "2026-11-30.jsonl")).mode & 0o777).toBe(0o600);
  });

  test("settles a request on the day it was asked, even past midnight", async () => {
    let now = NOON;
    const hold = await held(1, 0.1, () => now);
    now = new Date(2026, 11, 1, 1).getTime();
    hold.settle(0.5);
    expect(spentIn(readFileSync(join(folder, "2026-11-30.jsonl"), "utf8"))).toBe(0.5);
  });

  test("counts what was held until it is settled, and then what it cost", async () => {
    const first = await held(1, 0.4);
    expect((await held(1, 0.4)).left).toBeCloseTo(0.6, 12);
    first.settle(0);
    expect((await held(1, 0.1)).left).toBeCloseTo(0.6, 12);
  });

  test("survives lines that are none", async () => {
    (await held(1, 0.25)).settle(0.25);
    const path = join(folder, "2026-11-30.jsonl");
    writeFileSync(
      path,
      `\n{"id":"x","usd":-5}\n{"id":"y","usd":"1"}\nnull\n[]\n${readFileSync(path, "utf8")}{"ts":"2026`,
    );
    expect((await held(1, 0.1)).left).toBeCloseTo(0.75, 12);
  });

  test("that others may write is not believed", async () => {
    (await held(1, 0.1)).settle(0.1);
    chmodSync(join(folder, "2026-11-30.jsonl"), 0o622);
    await expect(ledger(1).hold(0.1)).rejects.toMatchObject({ type: "config" });
  });

  test("without a limit never stands in the way", async () => {
    writeFileSync(folder, "");
    const hold = await held(null, 1);
    expect(hold.left).toBeNull();
    hold.settle(1);
  });

  test("gives up waiting for its lock when the run is stopped", async () => {
    mkdirSync(folder);
    const stop = new AbortController();
    stop.abort();
    const stopped = openLedger({ folder, limitUsd: 1, now: () => NOON, signal: stop.signal });
    await expect(stopped.hold(0.1)).rejects.toMatchObject({ type: "interrupted" });
  });

  test("never gives out more than the limit, however many processes ask at once", async () => {
    const script = `
      import { openLedger } from ${JSON.stringify(join(import.meta.dir, "../../src/ledger.ts"))};
      const ledger = openLedger({
        folder: ${JSON.stringify(folder)}, limitUsd: 1, now: () => ${NOON}, signal: new AbortController().signal,
      });
      let given = 0;
      for (let i = 0; i < 40; i += 1) {
        const hold = await ledger.hold(0.01);
        if (hold === "limit") continue;
        hold.settle(0.01);
        given += 1;
      }
      console.log(given);`;
    const processes = Array.from({ length: 5 }, () =>
      Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" }),
    );
    const given = await Promise.all(processes.map(async ({ stdout }) => Number(await stdout.text())));
    expect(given.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(99);
    const text = readFileSync(join(folder, "2026-11-30.jsonl"), "utf8");
    expect(spentIn(text)).toBeLessThanOrEqual(1.000_001);
    expect(
      text
        .trimEnd()
        .split("\n")
        .every((line) => JSON.parse(line).usd === 0.01),
    ).toBe(true);
  });
});

test("a day is the local date", () => {
  expect(localDay(new Date(2026, 0, 5, 23, 59).getTime())).toBe("2026-01-05");
});
