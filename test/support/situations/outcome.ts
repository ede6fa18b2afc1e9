// Runs that end with an answer, at a limit or without an answer: exit codes 0, 6 and 8.
import { KEY } from "../asking.ts";
import { type Answer, calls, fails, says, whole } from "../modelserver.ts";
import { again, ending, type Situation, served } from "./situation.ts";

/** Runs that answer. */
export const FINE: readonly Situation[] = [
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

const never: Answer = (_, signal) =>
  new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(new Response(null)), { once: true }),
  );

/** Runs that meet a limit. */
export const LIMITS: readonly Situation[] = [
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

/** Runs that end without an answer, or with half of one. */
export const NO_ANSWER: readonly Situation[] = [
  served("an empty answer", [8, "incomplete", "empty_answer"], [ending("end_turn", "")]),
  served("an answer of blanks", [8, "incomplete", "empty_answer"], [says("  \n")]),
  served("a refusal", [8, "incomplete", "refusal"], [ending("refusal")], { result: "half" }),
  served("an answer that is cut", [8, "incomplete", "max_tokens"], [ending("max_tokens")], {
    result: "half",
  }),
];
