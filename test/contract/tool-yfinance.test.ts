// yfinance.py as ash starts it, with a stand-in for the library in a real virtual environment, and without one.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Answered,
  listOf,
  objectOf,
  PYTHON,
  runCommand,
  theAnswer,
  toolCommand,
  toolPath,
} from "../support/pythontool.ts";

let root = "";

/** Makes a virtual environment whose yfinance is this text, or the stand-in. */
function environment(name: string, library?: string): void {
  const folder = join(root, name);
  const made = Bun.spawnSync([PYTHON, "-I", "-m", "venv", "--without-pip", folder]);
  if (made.exitCode !== 0) throw new Error(`no virtual environment: ${made.stderr.toString()}`);
  const version = readdirSync(join(folder, "lib"))[0] ?? "";
  const target = join(folder, "lib", version, "site-packages/yfinance");
  mkdirSync(target);
  const file = join(target, "__init__.py");
  if (library !== undefined) writeFileSync(file, library);
  else copyFileSync(join(import.meta.dir, "../fixtures/web/yfinance_library.py"), file);
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "ash-yfinance-"));
  environment("good");
  environment("lacking", "import numpy_that_is_not_there\n");
  environment("broken", "raise TypeError('unsupported operand')\n");
  environment("slow", "import time\ntime.sleep(60)\n");
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

async function quote(args: readonly string[], name = "good"): Promise<Answered> {
  const python = join(root, name, "bin/python3");
  return theAnswer(await runCommand(toolCommand("yfinance.py", args, python)));
}

const statuses = ({ answer }: Answered) => listOf(answer.tickers).map((entry) => entry.status ?? null);

describe("yfinance.py and tickers that exist", () => {
  test.concurrent("gives price, change, range, market cap and time, whatever the library prints", async () => {
    const { code, answer } = await quote(["--tickers", "acme"]);
    expect(code).toBe(0);
    expect(answer).toEqual({
      status: "ok",
      source: "Yahoo Finance",
      tickers: [
        {
          ticker: "ACME",
          status: "ok",
          name: "Acme Corp",
          type: "EQUITY",
          exchange: "NasdaqGS",
          currency: "USD",
          price: 105.5,
          previous_close: 100,
          change: 5.5,
          change_percent: 5.5,
          day_low: 99.25,
          day_high: 106,
          market_cap: 1_500_000_000_000,
          time: "2026-01-06T21:00:00Z",
        },
      ],
      truncated: false,
    });
  });

  test.concurrent("takes tickers with commas, blanks, repeated and plain, each once", async () => {
    const answered = await quote(["BRK-B", "--tickers", "A,B", "C=F", "--tickers", "a", "^INDEX"]);
    const names = listOf(answered.answer.tickers).map((entry) => entry.ticker);
    expect(names).toEqual(["BRK-B", "A", "B", "C=F", "^INDEX"]);
  });

  test.concurrent("knows no market cap of an index, and reads Unix times", async () => {
    const [index] = listOf((await quote(["--tickers", "^INDEX"])).answer.tickers);
    expect(index).toMatchObject({ name: "Index", market_cap: null, time: "2026-01-06T21:00:00Z" });
  });

  test.concurrent("is ok without a market cap when only that fails", async () => {
    const { answer } = await quote(["--tickers", "BADCAP"]);
    expect(answer).toMatchObject({ status: "ok", tickers: [{ price: 105.5, market_cap: null }] });
  });

  test.concurrent("compares the first day of a new share with the close Yahoo gives", async () => {
    const { answer } = await quote(["--tickers", "NEW"]);
    expect(answer).toMatchObject({ tickers: [{ previous_close: 90, change: 15.5 }] });
  });

  test.concurrent("writes null for what is not a number", async () => {
    const { answer } = await quote(["--tickers", "NANS", "--history", "5d"]);
    const [entry] = listOf(answer.tickers);
    expect(entry).toMatchObject({ price: null, change: null, currency: null, time: null, day_high: null });
    expect(objectOf(entry?.history).rows).toEqual([
      ["2026-01-05", null, null, null, null, null],
      ["2026-01-06", 1, null, null, null, null],
    ]);
  });

  test.concurrent("gives the newest rows of a period and says how many there are", async () => {
    const { answer } = await quote(["--tickers", "ACME", "--history", "1y", "--rows", "3"]);
    const history = objectOf(listOf(answer.tickers)[0]?.history);
    expect(history).toMatchObject({ period: "1y", rows_total: 120 });
    expect(history.columns).toEqual(["date", "open", "high", "low", "close", "volume"]);
    expect(listOf(history.rows).length).toBe(3);
    expect(listOf(history.rows)[2]).toEqual(["2026-05-04", 101, 106, 99.25, 105.5, 2000] as never);
  });

  test.concurrent("leaves old rows out rather than exceed its size, and says how many", async () => {
    const names = Array.from({ length: 10 }, (_, n) => `T${n}`);
    const { answer } = await quote(["--tickers", ...names, "--history", "1y", "--rows", "60"]);
    const left = listOf(answer.tickers).flatMap((entry) => [...listOf(objectOf(entry.history).rows)]).length;
    expect(answer).toMatchObject({ status: "ok", truncated: true, omitted: { rows: 600 - left } });
    expect(left).toBeGreaterThan(20);
  });
});

describe("yfinance.py and tickers that fail", () => {
  for (const [ticker, error, code] of [
    ["BROKEN", "http_error", 1],
    ["LIMITED", "rate_limited", 75],
    ["OFFLINE", "network", 75],
    ["JUNK", "bad_response", 1],
    ["CRASH", "bad_response", 1],
  ] as const) {
    test.concurrent(`says ${error} for ${ticker}`, async () => {
      const answered = await quote(["--tickers", ticker]);
      expect(answered.answer).toMatchObject({ status: "error", error, message: expect.any(String) });
      expect(answered.answer.tickers).toMatchObject([{ ticker, status: "error", error }]);
      expect(answered.code).toBe(code);
    });
  }

  for (const ticker of ["MISSING", "GONE"]) {
    test.concurrent(`says not_found for ${ticker}`, async () => {
      const { code, answer } = await quote(["--tickers", ticker]);
      expect(answer).toMatchObject({ status: "not_found", tickers: [{ ticker, status: "not_found" }] });
      expect(code).toBe(0);
    });
  }

  test.concurrent("gives one status for each and `partial` for all", async () => {
    const answered = await quote(["--tickers", "ACME", "MISSING", "CRASH", "EMPTY"]);
    expect(answered.answer.status).toBe("partial");
    expect(statuses(answered)).toEqual(["ok", "not_found", "error", "ok"]);
    expect(answered.code).toBe(0);
  });

  test.concurrent("asks nothing more once Yahoo asks to slow down", async () => {
    const answered = await quote(["--tickers", "ACME", "LIMITED", "CRASH"]);
    expect(answered.answer).toMatchObject({
      status: "partial",
      tickers: [
        { status: "ok", market_cap: null },
        { status: "error", error: "rate_limited" },
        { status: "error", error: "rate_limited" },
      ],
    });
  });

  test.concurrent("leaves on time when the library hangs, with what it has", async () => {
    const answered = await quote(["--tickers", "ACME", "HANG", "OTHER", "--timeout", "1.5"]);
    expect(answered.answer).toMatchObject({
      status: "partial",
      tickers: [{ status: "ok" }, { error: "timeout" }, { error: "timeout" }],
    });
  });

  test.concurrent("answers even when the library tries to exit", async () => {
    const { answer } = await quote(["--tickers", "SOFTEXIT", "--timeout", "5"]);
    expect(answer).toMatchObject({ status: "error", error: "internal" });
  });
});

describe("yfinance.py and its library", () => {
  for (const [name, error, message] of [
    ["lacking", "broken_library", /numpy_that_is_not_there.*ash init/],
    ["broken", "broken_library", /TypeError: unsupported operand.*ash init/],
  ] as const) {
    test.concurrent(`says what to run when the library is ${name}`, async () => {
      const { code, answer } = await quote(["--tickers", "ACME"], name);
      expect(answer).toMatchObject({ status: "error", error });
      expect(answer.message).toMatch(message);
      expect(code).toBe(1);
    });
  }

  test.concurrent("says what to run when there is no library", async () => {
    const { code, answer } = theAnswer(
      await runCommand([PYTHON, "-I", "-S", "-B", toolPath("yfinance.py"), "--tickers", "ACME"]),
    );
    expect(answer).toMatchObject({ status: "error", error: "missing_library" });
    expect(answer.message).toContain("ash init");
    expect(code).toBe(1);
  });

  test.concurrent("leaves on time when the library does not even load", async () => {
    const { code, answer } = await quote(["--tickers", "ACME", "--timeout", "0.5"], "slow");
    expect(answer).toMatchObject({ status: "error", error: "timeout" });
    expect(code).toBe(75);
  });

  test.concurrent("imports the library, not itself, when it is run by hand beside its name", async () => {
    const python = join(root, "good", "bin/python3");
    const ended = await runCommand([python, "./yfinance.py", "--tickers", "ACME"], {
      folder: join(toolPath("yfinance.py"), ".."),
      env: { PYTHONDONTWRITEBYTECODE: "1" },
    });
    expect(theAnswer(ended).answer).toMatchObject({ status: "ok" });
  });

  test.concurrent("leaves no file behind, neither at home nor in TMPDIR", async () => {
    const python = join(root, "good", "bin/python3");
    const ended = await runCommand(toolCommand("yfinance.py", ["--tickers", "ACME"], python), {
      shell: '"$@" >"$HOME/answer" && find "$HOME" -mindepth 1 ! -name tmp',
    });
    expect(ended.stdout).toMatch(/^\S+\/answer\n$/);
  });
});
