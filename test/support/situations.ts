// Situations a call of ash can be in, each with the answer the contract promises: read by the table-driven tests.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ErrorType } from "../../src/errors.ts";
import type { Result } from "../../src/schema.ts";
import type { Place } from "./ash.ts";
import { type Answer, calls, fails, type ScriptedReply, says, whole } from "./modelserver.ts";

/** One situation. */
export type Situation = {
  readonly claim: string;
  readonly args: readonly string[];
  readonly code: number;
  readonly status: Result["status"];
  readonly type: ErrorType | null;
  /** What the server answers, in order; without it there is no server. */
  readonly answers?: readonly (Answer | ScriptedReply)[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  readonly prepare?: (place: Place) => void;
  /** The answer that is printed; null when there is none. */
  readonly result?: string | null;
};

const KEY = { ANTHROPIC_API_KEY: "test-key" };

const writeHome = (place: Place, name: string, text: string, mode = 0o600): void => {
  mkdirSync(place.ashHome, { recursive: true, mode: 0o700 });
  writeFileSync(join(place.ashHome, name), text, { mode });
  chmodSync(join(place.ashHome, name), mode);
};

const usage = (claim: string, args: readonly string[], more: Partial<Situation> = {}): Situation => ({
  claim,
  args,
  code: 2,
  status: "error",
  type: "usage",
  env: KEY,
  ...more,
});

const config = (claim: string, args: readonly string[], more: Partial<Situation> = {}): Situation => ({
  claim,
  args,
  code: 3,
  status: "error",
  type: "config",
  env: KEY,
  ...more,
});

type Served = readonly [code: number, status: Result["status"], type: ErrorType | null];

const served = (
  claim: string,
  [code, status, type]: Served,
  answers: NonNullable<Situation["answers"]>,
  more: Partial<Situation> = {},
): Situation => ({ claim, args: ["go"], code, status, type, answers, env: KEY, ...more });

const NOW = { "retry-after": "99" };
const never: Answer = (_, signal) =>
  new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(new Response(null)), { once: true }),
  );
const page: Answer = () =>
  new Response("<html><body>Welcome</body></html>", { headers: { "content-type": "text/html" } });
const stream =
  (...lines: readonly string[]): Answer =>
  () =>
    new Response(lines.map((line) => `${line}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });
const START = `data: ${JSON.stringify({ type: "message_start", message: { id: "m", model: "test-model", usage: {} } })}`;
const ending = (stop_reason: string, text = "half"): ScriptedReply => ({
  content: text === "" ? [] : [{ type: "text", text }],
  stop_reason,
});

const USAGE: readonly Situation[] = [
  usage("an unknown flag", ["--jsno2", "go"]),
  usage("a flag close to a known one", ["--no-stdim", "go"]),
  usage("a flag without its value", ["--model"]),
  usage("a switch with a value", ["--continue=yes", "go"]),
  usage("a number that is none", ["--max-turns=many", "go"]),
  usage("a number below one", ["--max-turns=0", "go"]),
  usage("a duration that is none", ["--deadline=soon", "go"]),
  usage("a flag given twice", ["--model=a", "--model=b", "go"]),
  usage("a flag of another command", ["--pipe", "go"]),
  usage("a mistyped command", ["inti"]),
  usage("an empty prompt", [""]),
  usage("a prompt of blanks", ["   "]),
  usage("no prompt and nothing on stdin", []),
  usage("an empty stdin as the prompt", [], { stdin: "" }),
  usage("a binary stdin", ["go"], { stdin: new Uint8Array([0x61, 0, 0x62]) }),
  usage("a stdin that is not UTF-8", ["go"], { stdin: new Uint8Array([0x61, 0xff, 0x62]) }),
  usage("a stdin of more than 10 MiB", ["go"], { stdin: "x".repeat(10 * 1024 * 1024 + 1) }),
  usage("an unknown session", ["--session=20200101-000000-00000000", "go"]),
  usage("a session id that is none", ["--session=../../etc/passwd", "go"]),
  usage("going on with nothing", ["--continue", "go"]),
  usage("two sessions at once", ["--continue", "--session=20200101-000000-00000000", "go"]),
  usage("an unknown level", ["--level=high", "go"]),
  usage("permissions that exclude each other", ["--allow-net", "--deny-net", "go"]),
  usage("a readable tree that is not there", ["--allow-read=nowhere", "go"]),
  usage("a list that is none", ["--allow-run=/bin/ls", "go"]),
  usage("a recording that is not there", ["--replay=nowhere", "go"]),
  usage("a recording that is none", ["--replay=notes", "go"], {
    prepare: (place) => writeFileSync(join(place.folder, "notes"), "not a recording\n"),
  }),
];

const CONFIG: readonly Situation[] = [
  config("no key", ["--provider=anthropic", "go"], { env: {}, type: "auth" }),
  config("an unknown provider", ["--provider=acme", "go"]),
  config("a config.toml that is no TOML", ["go"], {
    prepare: (place) => writeHome(place, "config.toml", "model = \n"),
  }),
  config("an unknown setting", ["go"], {
    prepare: (place) => writeHome(place, "config.toml", "modle = 'x'\n"),
  }),
  config("a setting of the wrong type", ["go"], {
    prepare: (place) => writeHome(place, "config.toml", "max_turns = 'lots'\n"),
  }),
  config("a config.toml others can write", ["go"], {
    prepare: (place) => writeHome(place, "config.toml", "max_turns = 3\n", 0o666),
  }),
  config("a home others can write", ["go"], {
    prepare: (place) => {
      mkdirSync(place.ashHome);
      chmodSync(place.ashHome, 0o777);
    },
  }),
  config("an allowlist that is a link", ["go"], {
    prepare: (place) => {
      writeHome(place, "other", "ls\n");
      symlinkSync("other", join(place.ashHome, ".ash_tools"));
    },
  }),
  config("an allowlist with a line that is none", ["go"], {
    prepare: (place) => writeHome(place, ".ash_tools", "ls\ncat: sometimes\n"),
  }),
  config("a relative ASH_HOME", ["go"], { env: { ...KEY, ASH_HOME: "here" } }),
  config("a bad value in the environment", ["go"], { env: { ...KEY, ASH_TOOL_TIMEOUT: "soon" } }),
  config("a sandbox that is required and weak", ["--replay=demo", "go"], {
    env: { ASH_SANDBOX: "rlimits" },
    prepare: (place) => writeHome(place, "config.toml", "require_sandbox = true\n"),
  }),
  config("the level auto without a jail", ["--level=auto", "--replay=demo", "go"], {
    env: { ASH_SANDBOX: "none" },
  }),
  config("an address that is none", ["go"], { env: { ...KEY, ANTHROPIC_BASE_URL: "nowhere" } }),
  config("a key that would cross the net in plain text", ["go"], {
    env: { ...KEY, ANTHROPIC_BASE_URL: "http://192.0.2.1" },
  }),
  config("a key and an address from different places", ["go"], {
    prepare: (place) => writeHome(place, "config.toml", "base_url = 'https://models.invalid'\n"),
  }),
  served("a key the server does not take", [3, "error", "auth"], [fails(401, "authentication_error")]),
  served("a key that may not do this", [3, "error", "auth"], [fails(403, "permission_error")]),
];

const SERVER: readonly Situation[] = [
  served(
    "a request the server refuses",
    [4, "error", "invalid_request"],
    [fails(400, "invalid_request_error")],
  ),
  served("an unknown model", [4, "error", "not_found"], [fails(404, "not_found_error")]),
  served("a request that is too large", [4, "error", "too_large"], [fails(413, "request_too_large")]),
  served("an address where something else answers", [4, "error", "protocol"], [page]),
  served("a path that is not there", [4, "error", "protocol"], [() => new Response("no", { status: 404 })]),
  served("a redirect", [4, "error", "protocol"], [() => Response.redirect("http://127.0.0.1:1/", 302)]),
  served("an event that is no JSON", [4, "error", "protocol"], [stream(START, "data: {half")]),
  served("a stop reason nobody knows", [4, "error", "protocol"], [ending("bored")], { result: "half" }),
  served("too many requests", [5, "error", "rate_limit"], [fails(429, "rate_limit_error", NOW)], {
    args: ["--deadline=20s", "go"],
  }),
  served("an error of the server", [5, "error", "server_error"], [fails(500, "api_error", NOW)], {
    args: ["--deadline=20s", "go"],
  }),
  served("an overloaded server", [5, "error", "overloaded"], [fails(529, "overloaded_error", NOW)], {
    args: ["--deadline=20s", "go"],
  }),
  served("a stream that is cut", [5, "error", "network"], [stream(START)]),
  {
    claim: "a server that is not there",
    args: ["--deadline=300ms", "--base-url=http://127.0.0.1:1", "go"],
    code: 5,
    status: "error",
    type: "network",
    env: KEY,
  },
];

const again = (n: number): readonly ScriptedReply[] =>
  Array.from({ length: n }, (_, i) => calls("uname", [], `toolu_${i}`));

const LIMITS: readonly Situation[] = [
  served("too many turns", [6, "limit", "limit"], [...again(2), says("so far")], {
    args: ["--max-turns=2", "go"],
    result: "so far",
  }),
  served("too many tool calls", [6, "limit", "limit"], [...again(2), says("so far")], {
    env: { ...KEY, ASH_MAX_TOOL_CALLS: "1" },
    result: "so far",
  }),
  served("a deadline while the model thinks", [6, "limit", "limit"], [never], {
    args: ["--deadline=300ms", "go"],
  }),
  served("too many tokens", [6, "limit", "limit"], again(3), { env: { ...KEY, ASH_MAX_TOKENS: "10" } }),
];

const NO_ANSWER: readonly Situation[] = [
  served("an empty answer", [8, "incomplete", "empty_answer"], [ending("end_turn", "")]),
  served("an answer of blanks", [8, "incomplete", "empty_answer"], [says("  \n")]),
  served("a refusal", [8, "incomplete", "refusal"], [ending("refusal")], { result: "half" }),
  served("an answer that is cut", [8, "incomplete", "max_tokens"], [ending("max_tokens")], {
    result: "half",
  }),
];

const FINE: readonly Situation[] = [
  served("an answer", [0, "ok", null], [says("fine")], { result: "fine" }),
  served("an answer in one piece", [0, "ok", null], [whole(says("fine"))], { result: "fine" }),
  served("a tool", [0, "ok", null], [calls("uname"), says("fine")], { result: "fine" }),
  served("a denied tool", [0, "ok", null], [calls("rm", ["-rf", "/"]), says("fine")], { result: "fine" }),
  served("a tool that fails", [0, "ok", null], [calls("cat", ["nowhere"]), says("fine")], { result: "fine" }),
  served("a tool that takes too long", [0, "ok", null], [calls("tail", ["-f", "/dev/null"]), says("fine")], {
    env: { ...KEY, ASH_TOOL_TIMEOUT: "200ms", ASH_TOOL_ALLOWLIST: "tail: unrestricted" },
    result: "fine",
  }),
  served(
    "a tool that is not there",
    [0, "ok", null],
    [
      { content: [{ type: "tool_use", id: "toolu_1", name: "rm", input: {} }], stop_reason: "tool_use" },
      says("fine"),
    ],
    { result: "fine" },
  ),
  served(
    "a call that is no JSON",
    [0, "ok", null],
    [
      {
        content: [{ type: "tool_use", id: "toolu_1", name: "run_unix_command", input: "{half" }],
        stop_reason: "tool_use",
      },
      says("fine"),
    ],
    { result: "fine" },
  ),
  served("context on stdin", [0, "ok", null], [says("fine")], { stdin: "some data", result: "fine" }),
  served("the prompt on stdin", [0, "ok", null], [says("fine")], { args: [], stdin: "go", result: "fine" }),
  served("the spelling for scripts", [0, "ok", null], [says("fine")], {
    args: ["ask", "--", "-5 + 3"],
    result: "fine",
  }),
  served(
    "a retried request",
    [0, "ok", null],
    [fails(500, "api_error", { "retry-after-ms": "1" }), says("fine")],
    {
      result: "fine",
    },
  ),
  {
    claim: "a recording",
    args: ["--replay=demo", "go"],
    code: 0,
    status: "ok",
    type: null,
  },
];

const SCHEMA = { type: "object", properties: { free: { type: "number" } }, required: ["free"] };
const put =
  (name: string, content: string) =>
  (place: Place): void =>
    writeFileSync(join(place.folder, name), content);
const withSchema = put("schema.json", JSON.stringify(SCHEMA));

const DEMANDS: readonly Situation[] = [
  served("an answer that fits its schema", [0, "ok", null], [says('{"free": 7}')], {
    args: ["--schema=schema.json", "go"],
    prepare: withSchema,
    result: '{"free": 7}',
  }),
  served("an answer that does not fit its schema", [8, "incomplete", "schema_mismatch"], [says("seven")], {
    args: ["--schema=schema.json", "go"],
    prepare: withSchema,
  }),
  served("a denied call that matters", [7, "error", "denied"], [calls("rm", ["x"]), says("fine")], {
    args: ["--fail-on-denied", "go"],
    result: "fine",
  }),
  served("a failed tool that matters", [9, "error", "tool_failed"], [calls("cat", ["no"]), says("fine")], {
    args: ["--fail-on-tool-error", "go"],
    result: "fine",
  }),
  served("too much money", [6, "limit", "limit"], [...again(1), says("so far")], {
    args: ["--max-cost=0.000001", "--model=opus", "go"],
  }),
  served("a file as the prompt", [0, "ok", null], [says("fine")], {
    args: ["--file=question"],
    prepare: put("question", "what is this?\n"),
    result: "fine",
  }),
  usage("a cost limit without a price", ["--max-cost=1", "--model=nobodys-model", "go"]),
  usage("a cost that is none", ["--max-cost=cheap", "go"]),
  usage("a file that is not there", ["--file=nowhere", "go"]),
  usage("a file that is a folder", ["--file=.", "go"]),
  usage("a file that is not text", ["--file=bytes", "go"], { prepare: put("bytes", "a\0b") }),
  usage("a schema that is not there", ["--schema=nowhere", "go"]),
  usage("a schema that is no JSON", ["--schema=notes", "go"], { prepare: put("notes", "{") }),
  usage("a schema that is none", ["--schema=list", "go"], { prepare: put("list", '{"type": 7}') }),
  usage("an output file that is a folder", ["--output=.", "go"]),
  usage("a plan that is not there", ["--approve-plan=nowhere", "go"]),
  usage("a plan with a line that is no call", ["--approve-plan=plan", "go"], {
    prepare: put("plan", '["ls"]\n"ls"\n'),
  }),
  usage("a plan that is made and approved", ["--plan", "--approve-plan=plan", "go"]),
  usage("a lock with a name that is none", ["--lock=../x", "go"]),
  usage("keeping the answer of a conversation", ["--only-if-changed", "--continue", "go"]),
];

/** Every situation of a question, in the order of the exit codes. */
export const SITUATIONS: readonly Situation[] = [
  ...FINE,
  ...USAGE,
  ...CONFIG,
  ...SERVER,
  ...LIMITS,
  ...NO_ANSWER,
  ...DEMANDS,
];
