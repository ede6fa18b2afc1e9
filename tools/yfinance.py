#!/usr/bin/env python3
# /// script
# requires-python = ">=3.9"
# dependencies = ["yfinance==1.7.0"]
#
# [tool.ash]
# network = true
# ///
"""Quotes and price history from Yahoo Finance, through the yfinance library. Prints one JSON object."""

import os
import sys

# Run by hand, Python looks for modules beside the script first, and this script would import itself as yfinance.
sys.path[:] = [p for p in sys.path if p and os.path.realpath(p) != os.path.dirname(os.path.realpath(__file__))]

import argparse
import datetime
import importlib
import json
import logging
import math
import re
import shutil
import tempfile
import threading
import time
import unicodedata
import warnings

MAX_OUTPUT = 7000
COLUMNS = ("Open", "High", "Low", "Close", "Volume")

AI_DOCS = """\
# yfinance.py

## Capabilities

Looks up prices of shares, funds, indices, currencies, futures and crypto-currencies at Yahoo Finance.
It takes several tickers at once, and gives daily prices of a period on request. It only reads; no key needed.

## Arguments

At least one ticker: `--tickers AAPL,MSFT`, `--tickers AAPL MSFT`, or as a plain argument. Yahoo's spelling: `BRK-B`,
`SAP.DE` (an exchange), `^GSPC` (an index), `EURUSD=X` (a currency), `BTC-USD`, `GC=F` (a future).

```
{HELP}
```

## Return format

One JSON object with `status`:

- `ok` (exit 0): every ticker was found.
- `partial` (exit 0): some were and some were not; see the `status` of each.
- `not_found` (exit 0): Yahoo knows none of them.
- `error`: none was found and at least one failed; `error` and `message` are those of the first that did. Exit 75
  means try again later, 2 a wrong call, 1 anything else.

`tickers` has one entry for each, in the order asked: `ticker`, `status` (`ok`, `not_found` or `error` with `error` and
`message`), `name`, `type`, `exchange`, `currency`, `price`, `previous_close`, `change`, `change_percent`, `day_low`,
`day_high`, `market_cap` (shares of companies only), `time` (UTC, of the price). What is not known is null.
With `--history`, `history` has `period`, `columns`, `rows` (oldest first, not adjusted for dividends), `rows_total`.
`truncated` is true when old rows were left out to keep the answer below 7000 bytes; `omitted` counts them.

`error` is one of `usage`, `missing_library` and `broken_library` (run `ash init`), `rate_limited`, `timeout`,
`network`, `http_error` (see `http_status`), `bad_response`, `internal`, `interrupted`.

## Usage guidance

- `yfinance.py --tickers AAPL,MSFT`
- `yfinance.py --tickers ^GSPC --history 1mo --rows 10`
- Prices may be delayed by 15 minutes or more; give `time` along with a price. Mind `currency`: GBp means pence.
- After `rate_limited` do not try again at once: Yahoo blocks for minutes. After `missing_library` tell the user.
"""


class Failure(Exception):
    """A failure with a stable code; `facts` go into the JSON beside the code and the message."""

    def __init__(self, code, message, **facts):
        super().__init__(message)
        self.fields = dict(error=code, message=shorten(clean(message), 200), **facts)
        self.exit_code = 75 if code in ("rate_limited", "timeout", "network") else 2 if code == "usage" else 1


class Parser(argparse.ArgumentParser):
    """A command line that fails as JSON, like everything else here."""

    def error(self, message):
        raise Failure("usage", message + " (see --help or --ai-docs)")

    def print_help(self, file=None):
        leave(self.format_help(), 0)


def between(low, high, kind=int):
    """Returns an argparse type for numbers from `low` to `high`; NaN is in no range."""
    def number(text):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if low <= value <= high:
            return value
        what = "a whole number" if kind is int else "a number"
        raise argparse.ArgumentTypeError("%r is not %s from %g to %g" % (text[:20], what, low, high))
    return number


class Output:
    """Where the one JSON object goes, and the private folder of this run."""

    descriptor = 1
    folder = None


def silence():
    """Keeps the real stdout for the JSON: whatever the library or its C code prints goes nowhere."""
    Output.descriptor = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def leave(text, exit_code):
    """Writes and ends at once: a thread may still hang in the library, and a reader that is gone is no news."""
    data = text.encode("utf-8", "backslashreplace")
    try:
        while data:
            data = data[os.write(Output.descriptor, data):]
    except OSError as error:
        exit_code = 141 if isinstance(error, BrokenPipeError) else 1
    if Output.folder:
        shutil.rmtree(Output.folder, ignore_errors=True)
    os._exit(exit_code)


def as_json(value):
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


def run(work):
    """Prints what `work` returns as the one JSON object, or the failure it ends in; there is no third way out."""
    try:
        leave(as_json(work()) + "\n", 0)
    except Failure as caught:
        failure, exit_code = caught, caught.exit_code
    except KeyboardInterrupt:
        failure, exit_code = Failure("interrupted", "interrupted"), 130
    except Exception as error:
        failure, exit_code = Failure("internal", "%s: %s" % (type(error).__name__, error)), 1
    leave(as_json({"status": "error", **failure.fields}) + "\n", exit_code)


def shorten(text, chars):
    """Cuts a text to a number of characters, and to three bytes of JSON for each, at a blank where there is one."""
    short = text[:chars]
    while len(as_json(short)) > 3 * chars + 2:
        short = short[:len(short) * 9 // 10]
    if short == text:
        return text
    head, _, tail = short[:-1].rpartition(" ")
    return (head if head and len(tail) < 30 else short[:-1]) + "\u2026"


def clean(text):
    """Returns one line of text without control, bidi and invisible characters."""
    kept = [
        " " if char.isspace() else char
        for char in text
        if char.isspace() or unicodedata.category(char) not in ("Cc", "Cf", "Cs")
    ]
    return " ".join("".join(kept).split())


def text_of(value):
    """A short text from the library, or None."""
    return shorten(clean(value), 60) or None if isinstance(value, str) else None


def number_of(value, digits=6):
    """A number from the library (often numpy's), or None for what is none: NaN has no place in JSON."""
    try:
        value = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else round(value, digits)


def time_of(value):
    """A moment as UTC text; the library gives Unix seconds or pandas' timestamps."""
    try:
        seconds = value.timestamp() if hasattr(value, "timestamp") else float(value)
        return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def load_library():
    """Imports yfinance with its caches in a private folder and without its noise."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # numpy reserves memory for each thread, and ash limits memory and threads
    try:
        Output.folder = tempfile.mkdtemp(prefix="ash-yfinance-")
    except OSError:
        pass
    cache = os.path.join(Output.folder or os.devnull, "cache")
    os.environ["XDG_CACHE_HOME"] = cache
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    try:
        library = importlib.import_module("yfinance")
        library.set_tz_cache_location(cache)
    except ModuleNotFoundError as error:
        if error.name != "yfinance":
            raise Failure("broken_library", "yfinance lacks the module %s; run: ash init" % error.name)
        old = " (it needs Python 3.10 or newer)" if sys.version_info < (3, 10) else ""
        raise Failure("missing_library", "the Python library yfinance is not installed; run: ash init" + old)
    except Exception as error:
        reason = "%s: %s" % (type(error).__name__, error)
        raise Failure("broken_library", "yfinance does not start (%s); run: ash init" % reason[:200])
    try:
        library.config.debug.hide_exceptions = False  # or a network that is down looks like an unknown ticker
    except AttributeError:
        pass  # older versions always raise, or cannot be told to
    return library


KINDS = (
    ("YFRateLimitError", "rate_limited", "Yahoo asks to slow down; try again in some minutes"),
    ("YFTickerMissingError", "not_found", "Yahoo has no prices for this ticker"),
    ("YFPricesMissingError", "not_found", "Yahoo has no prices for this ticker"),
    ("YFTzMissingError", "not_found", "Yahoo does not know this ticker"),
    ("Timeout", "timeout", "Yahoo did not answer in time"),
    ("TimeoutError", "timeout", "Yahoo did not answer in time"),
    ("HTTPError", "http_error", "Yahoo answered with an error"),
    ("JSONDecodeError", "bad_response", "Yahoo did not answer with JSON"),
    ("ConnectionError", "network", "cannot reach Yahoo"),
    ("DNSError", "network", "cannot reach Yahoo"),
    ("RequestException", "network", "cannot reach Yahoo"),
    ("OSError", "network", "cannot reach Yahoo"),
)


def failure_of(error):
    """Sorts what the library raises. It changes its HTTP client now and then, so class names decide, not classes."""
    names = [kind.__name__ for kind in type(error).__mro__]
    http_status = getattr(getattr(error, "response", None), "status_code", None)
    names += {404: ["YFTickerMissingError"], 429: ["YFRateLimitError"]}.get(http_status, [])
    for name, code, message in KINDS:
        if name in names:
            facts = {"http_status": http_status} if code == "http_error" and isinstance(http_status, int) else {}
            return Failure(code, "%s (%s: %s)" % (message, names[0], error), **facts)
    return Failure("bad_response", "yfinance cannot read Yahoo's answer (%s: %s)" % (names[0], error))


def quote(library, name, period):
    """Asks for the daily prices of one ticker; returns its entry, its table rows and the library's object."""
    ticker = library.Ticker(name)
    table = ticker.history(period=period or "5d", interval="1d", auto_adjust=False, actions=False)
    facts = ticker.get_history_metadata() or {}
    rows = [[day.strftime("%Y-%m-%d"), *map(number_of, values)]
            for day, *values in zip(table.index, *(table[column] for column in COLUMNS))]
    price = number_of(facts.get("regularMarketPrice"))
    if price is None and not rows:
        raise Failure("not_found", "Yahoo has no prices for this ticker")
    last = rows[-1] if rows else [None] * 6
    price = last[4] if price is None else price
    # The last row is the day of the price, so the one before it holds the close that "change" refers to.
    previous = rows[-2][4] if len(rows) > 1 else number_of(facts.get("chartPreviousClose"))
    change = None if price is None or previous is None else number_of(price - previous)
    low, high = number_of(facts.get("regularMarketDayLow")), number_of(facts.get("regularMarketDayHigh"))
    entry = {
        "ticker": name,
        "status": "ok",
        "name": text_of(facts.get("longName")) or text_of(facts.get("shortName")),
        "type": text_of(facts.get("instrumentType")),
        "exchange": text_of(facts.get("fullExchangeName")) or text_of(facts.get("exchangeName")),
        "currency": text_of(facts.get("currency")),
        "price": price,
        "previous_close": previous,
        "change": change,
        "change_percent": number_of(100 * change / previous, 3) if change is not None and previous else None,
        "day_low": last[3] if low is None else low,
        "day_high": last[2] if high is None else high,
        "market_cap": None,
        "time": time_of(facts.get("regularMarketTime")),
    }
    return entry, rows, ticker


def look_up(options, entries):
    """Fills the entries one ticker after the other, as Yahoo blocks who asks too much at once."""
    library, found, blocked = load_library(), [], None
    for name in options.names:
        try:
            if blocked:
                raise blocked
            entry, rows, ticker = quote(library, name, options.history)
            if options.history:
                shown = rows[-options.rows:]
                entry["history"] = {"period": options.history, "columns": ["date", *(c.lower() for c in COLUMNS)],
                                    "rows": shown, "rows_total": len(rows)}
            entries[name] = entry
            found.append((entry, ticker))
        except Exception as error:
            failure = error if isinstance(error, Failure) else failure_of(error)
            code = failure.fields["error"]
            blocked = failure if code == "rate_limited" else None
            fields = {"message": failure.fields["message"]} if code == "not_found" else failure.fields
            entries[name] = {"ticker": name, "status": "not_found" if code == "not_found" else "error", **fields}
    for entry, ticker in found:
        if entry["type"] == "EQUITY" and not blocked:  # costs more requests, so it comes last and may fail
            try:
                entry["market_cap"] = number_of(ticker.fast_info["marketCap"])
            except Exception as error:
                blocked = failure_of(error).fields["error"] == "rate_limited"


def bounded(work, seconds):
    """Runs the work in a thread for at most so long; returns what went wrong. `leave` does not wait for the thread."""
    outcome = [Failure("timeout", "no answer within %g s" % seconds)]

    def perform():
        try:
            outcome[0] = work()
        except Failure as failure:
            outcome[0] = failure
        except BaseException as error:  # a library that exits must not silence the tool
            outcome[0] = Failure("internal", "%s: %s" % (type(error).__name__, error))

    thread = threading.Thread(target=perform, daemon=True)
    thread.start()
    thread.join(seconds)
    return outcome[0]


def fit(answer):
    """Drops the oldest rows of the longest table until the JSON is small enough, and says how many went."""
    omitted = 0
    tables = [entry["history"]["rows"] for entry in answer["tickers"] if "history" in entry]
    while len(as_json(answer)) > MAX_OUTPUT and max(map(len, tables), default=0):
        del max(tables, key=len)[0]
        omitted += 1
    return {**answer, "truncated": omitted > 0, **({"omitted": {"rows": omitted}} if omitted else {})}


def command_line():
    parser = Parser(prog="yfinance.py", allow_abbrev=False, description="Quotes and price history from Yahoo Finance.")
    option, periods = parser.add_argument, ("5d", "1mo", "3mo", "6mo", "ytd", "1y")
    option("plain", nargs="*", metavar="TICKER", help="the same as --tickers TICKER")
    option("--tickers", nargs="+", action="extend", default=[], metavar="T", help="up to 10, commas or blanks between")
    option("--history", choices=periods, help="also daily prices of this period")
    option("--rows", type=between(1, 60), default=20, metavar="N", help="newest rows of it, 1 to 60 (default 20)")
    option("--timeout", type=between(0.2, 12, float), default=10.0, help="seconds in all, 0.2 to 12 (default 10)")
    option("--ai-docs", action="store_true", help="print documentation for language models and exit")
    return parser


def main():
    options = command_line().parse_args()
    names = [name.upper() for value in options.plain + options.tickers for name in value.split(",") if name]
    options.names = list(dict.fromkeys(names))
    if not 1 <= len(options.names) <= 10:
        raise Failure("usage", "give 1 to 10 tickers, such as --tickers AAPL,MSFT")
    for name in options.names:
        if not re.fullmatch(r"[A-Z0-9^][A-Z0-9.^=&_-]{0,19}", name):
            raise Failure("usage", "this is not a ticker: %s" % name[:60])
    silence()
    entries = {}
    failure = bounded(lambda: look_up(options, entries), options.timeout)
    late = {"status": "error", **(failure.fields if failure else {})}
    shown = [dict(entries.get(name) or {"ticker": name, **late}) for name in options.names]
    good = [entry for entry in shown if entry["status"] == "ok"]
    bad = [entry for entry in shown if entry["status"] == "error"]
    if bad and not good:
        raise Failure(bad[0]["error"], bad[0]["message"], tickers=shown)
    status = "ok" if len(good) == len(shown) else "partial" if good else "not_found"
    return fit({"status": status, "source": "Yahoo Finance", "tickers": shown})


if __name__ == "__main__":
    if "--ai-docs" in sys.argv[1:]:
        leave(AI_DOCS.replace("{HELP}", command_line().format_help().rstrip()), 0)
    run(main)
