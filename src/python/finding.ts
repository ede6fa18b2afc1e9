// What is wrong with a tool, as `ash tools check` tells it: a closed set of rules, a level, a line and the fix.

/** Every rule of the check with what it asks for. */
export const RULES = {
  encoding: "the file is UTF-8 text without a byte order mark",
  "line-ends": "lines end in LF",
  shebang: "the first line is #!/usr/bin/env python3",
  mode: "the executable bit is set",
  "not-trusted": "only you and root can change the file",
  metadata: "the # /// script block can be read",
  name: "the name can be called and is no module's name",
  "network-undeclared": "what uses the network declares it",
  dependencies: "the declared dependencies are installed",
  "python-version": "the interpreter satisfies requires-python",
  syntax: "Python can compile the file",
  start: "the tool can be started",
  "docs-time": "--ai-docs ends within 5 seconds",
  "docs-exit": "--ai-docs exits with 0",
  "docs-empty": "--ai-docs prints the documentation on stdout",
  "docs-size": "the documentation has at most 8 KiB",
  "docs-network": "--ai-docs needs no network",
  "docs-sections": "the documentation has the four sections",
  "docs-options": "the documentation names every option of --help",
  "docs-first": "--ai-docs comes before any other validation",
  "docs-stable": "--ai-docs prints the same each time",
  help: "--help prints the options and exits with 0",
  "usage-exit": "a wrong call exits with a code other than 0",
  "output-empty": "there is JSON on stdout",
  "output-text": "there is nothing but JSON on stdout",
  "output-values": "there is one JSON object, or one per line",
  "output-nan": "there is no NaN and no Infinity",
  "output-status": "every JSON object has a status, which is text",
  "output-size": "the output is well inside its limit",
  "status-exit": "status and exit code agree",
  "failure-reason": "a failure says why in message or error",
  traceback: "no Python traceback is ever printed",
  time: "every call ends in time",
  limit: "every call stays inside its limits and ends by itself",
  "writes-outside": "nothing is written outside TMPDIR",
  "starts-programs": "no other program is started",
  shadowed: "files in the working folder are never imported",
  "closed-stdin": "it works with a closed stdin",
  locale: "it works with LANG=C",
  "hostile-folder": "it works in a read-only folder full of other modules",
} as const;

/** The name of a rule; stable. */
export type Rule = keyof typeof RULES;

/** One thing that is wrong. */
export type Finding = {
  readonly rule: Rule;
  readonly level: "error" | "warning";
  /** Counted from 1; null when it is no one line's fault. */
  readonly line: number | null;
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
};

type Text = { readonly line?: number | null; readonly message: string; readonly fix: string };

/** An error: the contract is broken. */
export const broken = (rule: Rule, { line, message, fix }: Text): Finding => ({
  rule,
  level: "error",
  line: line ?? null,
  message,
  fix,
});

/** A warning: it works, and yet. */
export const doubtful = (rule: Rule, text: Text): Finding => ({ ...broken(rule, text), level: "warning" });

/** True when one of them is an error. */
export const hasError = (findings: readonly Finding[]): boolean =>
  findings.some(({ level }) => level === "error");
