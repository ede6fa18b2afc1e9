#!/usr/bin/env python3
# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.ash]
# network = false
# ///
"""@DESCRIPTION@"""

import argparse
import json
import os
import sys

AI_DOCS = """\
# @NAME@.py

## Capabilities

@DESCRIPTION@

## Arguments

@ARGUMENTS@

## Return format

One JSON object with `status`:

- `ok` (exit 0): @FIELDS@
- `error`: `error` (a stable word) and `message`. Exit 2 means a wrong call, 1 anything else.

## Usage guidance

- `@EXAMPLE@`
"""


class Failure(Exception):
    """A failure with a stable word for programs and a message for people."""

    def __init__(self, code, message, exit_code=1):
        super().__init__(message)
        self.code, self.exit_code = code, exit_code


class Parser(argparse.ArgumentParser):
    """A command line that fails as JSON, like everything else here."""

    def error(self, message):
        raise Failure("usage", message + " (see --help or --ai-docs)", 2)


@HELPERS@def command_line():
    parser = Parser(prog="@NAME@.py", allow_abbrev=False, description=__doc__)
@OPTIONS@    parser.add_argument("--ai-docs", action="store_true", help="print documentation for language models and exit")
    return parser


def work(options):
    """Does what the tool is for and returns what it found; raises Failure when that is impossible."""
    return @RESULT@


def show(answer, exit_code):
    """Prints the one JSON object; a reader that is gone is no reason for a traceback."""
    line = json.dumps(answer, ensure_ascii=True, allow_nan=False)
    try:
        print(line, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141
    return exit_code


def main(arguments):
    if "--ai-docs" in arguments:
        print(AI_DOCS, end="")
        return 0
    try:
        return show({"status": "ok", **work(command_line().parse_args(arguments))}, 0)
    except Failure as failure:
        return show({"status": "error", "error": failure.code, "message": str(failure)}, failure.exit_code)
    except Exception as error:
        message = "%s: %s" % (type(error).__name__, error)
        return show({"status": "error", "error": "internal", "message": message}, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
