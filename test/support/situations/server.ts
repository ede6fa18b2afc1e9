// Servers that refuse for good or for now: exit codes 4 and 5.
import { KEY } from "../asking.ts";
import { type Answer, fails } from "../modelserver.ts";
import { ending, type Situation, served } from "./situation.ts";

const NOW = { "retry-after": "99" };
const page: Answer = () =>
  new Response("<html><body>Welcome</body></html>", { headers: { "content-type": "text/html" } });
const stream =
  (...lines: readonly string[]): Answer =>
  () =>
    new Response(lines.map((line) => `${line}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });
const START = `data: ${JSON.stringify({ type: "message_start", message: { id: "m", model: "test-model", usage: {} } })}`;

/** What a server can answer instead of a reply. */
export const SERVER: readonly Situation[] = [
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
    args: ["--deadline=10s", "--base-url=http://127.0.0.1:1", "go"],
    code: 5,
    status: "error",
    type: "network",
    env: KEY,
  },
];
