// Tools whose calls break the contract, each in one way: what they print, and what they do besides.
import type { BrokenTool, Parts } from "./brokentools.ts";

const noArguments = 'parser.add_argument("--limit", type=int)';
const wrong = (print: string): Parts => ({ refuse: `${print}\nsys.exit(2)` });
const ANSWER = 'print(json.dumps({"status": "error", "message": message}))';

/** Output of calls. */
export const BROKEN_OUTPUT: readonly BrokenTool[] = [
  {
    claim: "leaves errors to argparse",
    parts: { refuse: "super().error(message)" },
    rules: ["output-empty"],
  },
  {
    claim: "prints prose before the JSON",
    parts: wrong(`print("Looking…")\n${ANSWER}`),
    rules: ["output-text"],
    says: "before the JSON",
  },
  {
    claim: "logs after the JSON",
    parts: wrong(`${ANSWER}\nprint("done")`),
    rules: ["output-text"],
    says: "'done' after the JSON",
  },
  {
    claim: "prints prose alone",
    parts: wrong("print(message)"),
    rules: ["output-text"],
    says: "is not JSON",
  },
  {
    claim: "starts with a byte order mark",
    parts: wrong(`sys.stdout.write("\\ufeff")\n${ANSWER}`),
    rules: ["output-text"],
    says: "byte order mark",
  },
  {
    claim: "prints two JSON values in a line",
    parts: wrong(`print("{}", end=" ")\n${ANSWER}`),
    rules: ["output-values"],
  },
  {
    claim: "fails with two JSON lines",
    parts: wrong(`${ANSWER}\n${ANSWER}`),
    rules: ["output-values"],
    says: "2 JSON objects",
  },
  {
    claim: "prints NaN",
    parts: wrong(`print(json.dumps({"status": "error", "message": "NaN", "x": float("nan")}))`),
    rules: ["output-nan"],
  },
  { claim: "prints a list", parts: wrong('print("[]")'), rules: ["output-status"], says: "no JSON object" },
  {
    claim: "prints no status",
    parts: wrong('print(json.dumps({"message": message}))'),
    rules: ["output-status"],
  },
  {
    claim: "prints a number as status",
    parts: wrong('print(json.dumps({"status": 2, "message": message}))'),
    rules: ["output-status"],
  },
  {
    claim: "says too much",
    parts: wrong('print(json.dumps({"status": "error", "message": "x" * 9000}))'),
    rules: ["output-size"],
  },
  { claim: "fails with status ok", parts: { refuse: 'show({"status": "ok"}, 1)' }, rules: ["status-exit"] },
  {
    claim: "does not say why it fails",
    parts: { refuse: 'show({"status": "error"}, 2)' },
    rules: ["failure-reason"],
  },
  {
    claim: "exits with 0 from a wrong call",
    parts: { refuse: 'show({"status": "error", "message": message}, 0)' },
    rules: ["usage-exit"],
  },
  {
    claim: "ignores unknown flags",
    parts: { options: noArguments, parse: "options, _ = parser.parse_known_args()" },
    rules: ["usage-exit"],
  },
  {
    claim: "never looks at its arguments",
    parts: { options: "pass", parse: "pass", answer: 'print("hello")' },
    rules: ["output-text"],
  },
  {
    claim: "dies of an exception in a wrong call",
    parts: { refuse: "raise ValueError(message)" },
    rules: ["traceback"],
    at: "raise ValueError",
    says: "ValueError",
  },
  {
    claim: "puts a traceback into its JSON",
    parts: { refuse: 'show({"status": "error", "message": "Traceback (most recent call last):\\n"}, 2)' },
    rules: ["traceback"],
  },
  { claim: "is ended by a signal", parts: { refuse: "os.abort()" }, rules: ["limit"] },
  {
    claim: "exits with 0 and status error",
    parts: { options: noArguments, answer: 'show({"status": "error", "message": "no"}, 0)' },
    rules: ["status-exit!"],
  },
  {
    claim: "answers in lines of JSON",
    parts: {
      options: noArguments,
      answer: 'print(json.dumps({"status": "ok"}))\nprint(json.dumps({"status": "ok"}, indent=None))',
    },
    rules: [],
  },
  {
    claim: "answers in indented JSON",
    parts: {
      options: noArguments,
      answer: 'print(json.dumps({"status": "ok", "a": [1, {"b": "}"}]}, indent=2))',
    },
    rules: [],
  },
];

/** What a tool does besides answering. */
export const BROKEN_BEHAVIOUR: readonly BrokenTool[] = [
  { claim: "cannot be compiled", parts: { before: "def broken(:" }, rules: ["syntax"], at: "def broken" },
  {
    claim: "writes into the working folder",
    parts: { before: "open('cache.json', 'w').close()" },
    rules: ["writes-outside"],
    at: "cache.json",
  },
  {
    claim: "writes into the home and does not mind that it cannot",
    parts: { before: "try:\n    os.makedirs(os.path.expanduser('~/.cache/x'))\nexcept OSError:\n    pass" },
    rules: ["writes-outside"],
    at: "makedirs",
  },
  {
    claim: "writes below TMPDIR",
    parts: { before: "import tempfile\ntempfile.NamedTemporaryFile('w').write('x')" },
    rules: [],
  },
  {
    claim: "starts another program and does not mind that it cannot",
    parts: { before: "import subprocess\ntry:\n    subprocess.run(['true'])\nexcept OSError:\n    pass" },
    rules: ["starts-programs!"],
    at: "subprocess.run",
  },
  {
    claim: "imports from the working folder",
    parts: {
      before:
        "sys.path.insert(0, os.getcwd())\ntry:\n    import settings_of_mine\nexcept ImportError:\n    pass",
    },
    rules: ["shadowed"],
    at: "import settings_of_mine",
  },
  {
    claim: "needs a stdin",
    parts: { before: "sys.stdin.read()" },
    rules: ["closed-stdin"],
    at: "stdin.read",
  },
  {
    claim: "refuses the plain locale",
    parts: { before: "if os.environ.get('LC_ALL') == 'C':\n    sys.exit('no')" },
    rules: ["locale"],
  },
  {
    claim: "cannot bear files around it",
    parts: { before: "if os.listdir('.'):\n    sys.exit('no')" },
    rules: ["hostile-folder"],
  },
];
