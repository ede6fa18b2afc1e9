// Tools whose documentation breaks the contract, each in one way.
import type { BrokenTool, Parts } from "./brokentools.ts";

const withoutSection = (name: string): Parts => ({ docs: `print(DOCS.replace("## ${name}\\n", ""))` });

/** Documentation. */
export const BROKEN_DOCS: readonly BrokenTool[] = [
  { claim: "hangs in its documentation", parts: { docs: "time.sleep(60)" }, rules: ["docs-time"] },
  {
    claim: "exits with 3 from its documentation",
    parts: { docs: "print(DOCS)\nsys.exit(3)" },
    rules: ["docs-exit"],
    says: "exits with 3",
  },
  {
    claim: "documents itself in 1 MB",
    parts: { docs: "print(DOCS + 'x' * 1000000)" },
    rules: ["docs-size"],
    says: "1000",
  },
  {
    claim: "documents itself in 8 KiB and one byte",
    parts: { docs: "sys.stdout.write(DOCS.ljust(8193))" },
    rules: ["docs-size"],
    says: "8193",
  },
  {
    claim: "documents itself in exactly 8 KiB",
    parts: { docs: "sys.stdout.write(DOCS.ljust(8192))" },
    rules: [],
  },
  {
    claim: "documents itself on stderr",
    parts: { docs: "print(DOCS, file=sys.stderr)" },
    rules: ["docs-empty"],
    says: "stderr only",
  },
  { claim: "documents nothing", parts: { docs: "pass" }, rules: ["docs-empty"], says: "prints nothing" },
  {
    claim: "asks the network for its documentation",
    parts: { docs: "import socket\nsocket.create_connection(('127.0.0.1', 9), 1)\nprint(DOCS)" },
    rules: ["docs-network", "network-undeclared!"],
    at: "create_connection",
  },
  {
    claim: "asks the network for its documentation and hides it",
    parts: {
      docs: "try:\n    __import__('socket').getaddrinfo('a.invalid', 80)\nexcept OSError:\n    pass\nprint(DOCS)",
    },
    rules: ["docs-network", "network-undeclared!"],
    at: "getaddrinfo",
  },
  {
    claim: "has no section Return format",
    parts: withoutSection("Return format"),
    rules: ["docs-sections"],
    says: "Return format",
  },
  {
    claim: "documents under other headings",
    parts: { docs: "print(DOCS.replace('## ', '### 1. ').upper())" },
    rules: ["docs-options", "docs-options"],
  },
  {
    claim: "has an option its documentation does not name",
    parts: {
      options:
        'parser.add_argument("--city", required=True)\nparser.add_argument("-d", "--days", help="how many")',
    },
    rules: ["docs-options"],
    at: '"--days"',
    says: "--days is not in --ai-docs",
  },
  {
    claim: "has an option whose name only starts like a documented one",
    parts: {
      options: 'parser.add_argument("--limit")\nparser.add_argument("--limit-days", choices=["a", "b"])',
    },
    rules: ["docs-options"],
    at: '"--limit-days"',
  },
  {
    claim: "has a subcommand and options of it its documentation does not name",
    parts: {
      options: `commands = parser.add_subparsers(dest="command", required=True)
show_it = commands.add_parser("show", help="shows")
show_it.add_argument("--city")
show_it.add_argument("--deep", action="store_true")`,
    },
    rules: ["docs-options", "docs-options"],
  },
  {
    claim: "looks at other flags before its documentation",
    parts: { wantsDocs: "sys.argv[1:] == ['--ai-docs']" },
    rules: ["docs-first"],
  },
  {
    claim: "documents something else each time",
    parts: { docs: "print(DOCS, time.time_ns())" },
    rules: ["docs-stable"],
  },
  {
    claim: "exits with 1 from --help",
    parts: { before: "if '--help' in sys.argv: sys.exit(1)" },
    rules: ["help"],
  },
  {
    claim: "prints nothing for --help",
    parts: { before: "if '--help' in sys.argv: sys.exit(0)" },
    rules: ["help"],
  },
];
