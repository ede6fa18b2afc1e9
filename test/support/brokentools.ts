// Python tools that each break the contract in one way, made from one that keeps it.
import type { Finding } from "../../src/python/finding.ts";

/** What is replaced in the tool that keeps the contract. */
export type Parts = {
  /** Lines after the imports. */
  readonly before?: string;
  /** Lines that print the documentation. */
  readonly docs?: string;
  /** Lines that add options. */
  readonly options?: string;
  /** Lines that refuse a wrong call; `message` says what is wrong. */
  readonly refuse?: string;
  /** Lines that answer a right call. */
  readonly answer?: string;
  /** Replaces how the documentation is asked for. */
  readonly wantsDocs?: string;
  readonly parse?: string;
};

const indented = (text: string, by: number): string =>
  text
    .split("\n")
    .map((line) => `${" ".repeat(by)}${line}`)
    .join("\n");

/** A tool that keeps the contract, but for the parts that are replaced. */
export function brokenTool(parts: Parts = {}): string {
  return `#!/usr/bin/env python3
"""A tool of the tests."""
import argparse
import json
import os
import sys
import time
${parts.before ?? ""}

DOCS = """# A tool

## Capabilities
Nothing.

## Arguments
- \`--city TEXT\` and \`--limit N\`

## Return format
One JSON object.

## Usage guidance
None.
"""


def show(answer, code):
    print(json.dumps(answer))
    sys.exit(code)


class Parser(argparse.ArgumentParser):
    def error(self, message):
${indented(parts.refuse ?? 'show({"status": "error", "message": message}, 2)', 8)}


def main():
    if ${parts.wantsDocs ?? '"--ai-docs" in sys.argv'}:
${indented(parts.docs ?? "print(DOCS)", 8)}
        sys.exit(0)
    parser = Parser()
${indented(parts.options ?? 'parser.add_argument("--city", required=True)\nparser.add_argument("--limit", type=int)', 4)}
    ${parts.parse ?? "options = parser.parse_args()"}
${indented(parts.answer ?? 'show({"status": "ok"}, 0)', 4)}


main()
`;
}

/** The line of a tool that holds a text, counted from 1. */
export const lineOf = (text: string, part: string): number =>
  text.split("\n").findIndex((line) => line.includes(part)) + 1;

/** One broken tool, and the rules it breaks. */
export type BrokenTool = {
  readonly claim: string;
  readonly parts: Parts;
  /** `rule`, or `rule!` for a warning; in any order. */
  readonly rules: readonly string[];
  /** A piece of the line the finding must name. */
  readonly at?: string;
  /** A piece of the message. */
  readonly says?: string;
};

/** Findings as `rule`, or `rule!` for a warning. */
export const rulesOf = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ rule, level }) => (level === "warning" ? `${rule}!` : rule)).sort();
