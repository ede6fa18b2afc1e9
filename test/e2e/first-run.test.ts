// The first question to a server: tools, pipelines, bad calls, and errors.
import { describe, expect, test } from "bun:test";
import { runAsh } from "../support/ash.ts";
import { KEY, usePlace, useServer } from "../support/asking.ts";
import { answersIn, calls, fails, says } from "../support/modelserver.ts";

const place = usePlace();
const server = useServer();

const ask = (url: string, args: readonly string[], env: Record<string, string> = KEY) =>
  runAsh(place, ["--json", "--provider", "anthropic", "--base-url", url, ...args], { env });

describe("a run against a server", () => {
  test("asks, runs the tool and answers with one object", async () => {
    server.start([calls("uname", ["-s"]), says("It is Linux.")]);
    const run = await ask(server.url, ["which system is this?"]);
    expect(run.code).toBe(0);
    expect(run.stderr).toBe("");
    const result = run.json();
    expect(result).toMatchObject({
      status: "ok",
      exit_code: 0,
      turns: 2,
      result: "It is Linux.",
      stop_reason: "end_turn",
    });
    expect(result.tools).toHaveLength(1);
    expect(result.tools[0]).toMatchObject({
      argv: ["uname", "-s"],
      exit_code: 0,
      decision: "allow",
      stdout_bytes: 6,
    });
    expect(result.usage).toMatchObject({ input_tokens: 20, output_tokens: 14 });
    expect(JSON.stringify(server.requests[1])).toContain("Linux");
  });

  test("runs a pipeline and reports every stage", async () => {
    const stages = [
      { command: "printf", args: ["b\\na\\n"] },
      { command: "sort", args: [] },
      { command: "head", args: ["-n", "1"] },
    ];
    const call = { type: "tool_use", id: "p1", name: "run_unix_pipeline", input: { stages } } as const;
    server.start([{ content: [call], stop_reason: "tool_use" }, says("a")]);
    const result = (await ask(server.url, ["sort"])).json();
    expect(result.tools[0]?.argv).toBeNull();
    expect(result.tools[0]?.stages?.map((stage) => stage.exit_code)).toEqual([0, 0, 0]);
    expect(JSON.stringify(server.requests[1])).toContain('\\"stdout\\":\\"a\\\\n\\"');
  });

  test("answers parallel calls in the order asked, in one message", async () => {
    const call = (id: string, text: string) =>
      ({ type: "tool_use", id, name: "run_unix_command", input: { command: "echo", args: [text] } }) as const;
    const content = ["a", "b", "c", "d", "e", "f"].map((letter) => call(`id_${letter}`, letter));
    server.start([{ content, stop_reason: "tool_use" }, says("done")]);
    const result = (await ask(server.url, ["go"])).json();
    expect(result.tools.map((tool) => tool.argv?.[1])).toEqual(["a", "b", "c", "d", "e", "f"]);
    const answers = answersIn(server.requests[1]);
    expect(answers.map((answer) => answer.tool_use_id)).toEqual(content.map((block) => block.id));
    expect(answers.map((answer) => JSON.parse(answer.content).stdout)).toEqual([
      "a\n",
      "b\n",
      "c\n",
      "d\n",
      "e\n",
      "f\n",
    ]);
  });
});

describe("broken Unicode", () => {
  test("from the model or a tool never reaches the server as a lone surrogate", async () => {
    const call = calls("echo", ["a\ud800b"]);
    const reply = {
      ...call,
      content: [{ type: "text", text: "half \udc00 pair" }, ...call.content],
    } as const;
    server.start([reply, calls("printf", ["\\355\\240\\200x"], "toolu_2"), says("ok \ud83d")]);
    const run = await ask(server.url, ["go"]);
    expect(run.json()).toMatchObject({ status: "ok", turns: 3 });
    expect(run.json().tools.map((tool) => tool.rule)).toEqual(["control-character", "listed"]);
    expect(JSON.stringify(server.requests[2]).isWellFormed()).toBe(true);
  });
});

describe("a call the model may not or cannot make", () => {
  const bad = [
    [
      "an unknown tool",
      { name: "shell", input: { command: "id" } },
      /there is no tool shell.*run_unix_command/,
    ],
    ["malformed arguments", { name: "run_unix_command", input: '{"command": "uname", ' }, /not valid JSON/],
    [
      "arguments of the wrong type",
      { name: "run_unix_command", input: { command: "ls", args: "-l" } },
      /args: expected Array/,
    ],
    [
      "a program that is not listed",
      { name: "run_unix_command", input: { command: "rm", args: ["x"] } },
      /not on the allowlist/,
    ],
    ["a path", { name: "run_unix_command", input: { command: "/bin/ls", args: [] } }, /bare executable name/],
    [
      "one stage",
      { name: "run_unix_pipeline", input: { stages: [{ command: "ls", args: [] }] } },
      /2 to 16 stages/,
    ],
  ] as const;

  test.each(bad)("%s comes back as an error the model can act on", async (_, call, reason) => {
    const block = { type: "tool_use", id: "t1", ...call } as const;
    server.start([{ content: [block], stop_reason: "tool_use" }, says("I could not.")]);
    const run = await ask(server.url, ["try"]);
    expect(run.json()).toMatchObject({ status: "ok", turns: 2, result: "I could not." });
    const [answer] = answersIn(server.requests[1]);
    expect(answer?.is_error).toBe(true);
    expect(answer?.content).toMatch(reason);
  });

  test("a denied call is listed and starts nothing, and the other calls of the turn still run", async () => {
    const content = [
      { type: "tool_use", id: "a", name: "run_unix_command", input: { command: "rm", args: ["-rf", "/"] } },
      { type: "tool_use", id: "b", name: "run_unix_command", input: { command: "echo", args: ["hi"] } },
    ] as const;
    server.start([{ content, stop_reason: "tool_use" }, says("ok")]);
    const result = (await ask(server.url, ["try"])).json();
    expect(result.denials).toEqual([
      {
        id: "a",
        name: "run_unix_command",
        argv: ["rm", "-rf", "/"],
        rule: "not-listed",
        reason: expect.stringContaining("rm is not on the allowlist"),
      },
    ]);
    expect(result.tools.map((tool) => tool.decision)).toEqual(["deny", "allow"]);
  });

  test("tools run only when the reply stops for them", async () => {
    const marker = `${place.folder}/marker`;
    const content = [
      { type: "tool_use", id: "a", name: "run_unix_command", input: { command: "touch", args: [marker] } },
    ] as const;
    server.start([{ content, stop_reason: "max_tokens" }]);
    const run = await runAsh(place, ["--json", "--base-url", server.url, "--allow-run", "touch", "go"], {
      env: KEY,
    });
    expect(run.code).toBe(8);
    expect(run.json()).toMatchObject({ status: "incomplete", error: { type: "max_tokens" }, tools: [] });
    expect(await Bun.file(marker).exists()).toBe(false);
  });
});

describe("errors of the server", () => {
  const table = [
    ["401", fails(401, "authentication_error"), 3, { type: "auth", retryable: false, http_status: 401 }],
    ["403", fails(403, "permission_error"), 3, { type: "auth", http_status: 403 }],
    ["400", fails(400, "invalid_request_error"), 4, { type: "invalid_request", http_status: 400 }],
    ["404", fails(404, "not_found_error"), 4, { type: "not_found", http_status: 404 }],
    ["413", fails(413, "request_too_large"), 4, { type: "too_large", http_status: 413 }],
    [
      "529 three times",
      fails(529, "overloaded_error"),
      5,
      { type: "overloaded", retryable: true, http_status: 529, request_id: "req_9" },
    ],
    [
      "429 for longer than the run may take",
      fails(429, "rate_limit_error", { "retry-after": "3600" }),
      5,
      { type: "rate_limit", retry_after_s: 3600 },
    ],
  ] as const;

  test.each(table)("%s ends the run with its own exit code", async (_, answer, code, error) => {
    server.start([answer]);
    const run = await ask(server.url, ["hello"]);
    expect(run.code).toBe(code);
    const result = run.json();
    expect(result).toMatchObject({ status: "error", exit_code: code, result: null, turns: 1 });
    expect(result.error).toMatchObject(error);
    expect(run.stderr.split("\n")).toHaveLength(2);
    expect(server.requests).toHaveLength(answer === table[5][1] ? 3 : 1);
  });

  test("a server that recovers is asked again", async () => {
    server.start([fails(503), says("back")]);
    const run = await ask(server.url, ["hello"]);
    expect(run.json()).toMatchObject({ status: "ok", result: "back", turns: 1 });
    expect(server.requests).toHaveLength(2);
  });

  test("no server at all is the code that means try again", async () => {
    const run = await ask("http://127.0.0.1:1", ["hello"]);
    expect(run.code).toBe(5);
    expect(run.json().error).toMatchObject({ type: "network", retryable: true });
  });

  test("no key is a credentials error with a hint, and nothing is sent", async () => {
    server.start([says("never")]);
    const run = await ask(server.url, ["hello"], {});
    expect(run.code).toBe(3);
    expect(run.json().error).toMatchObject({
      type: "auth",
      hint: expect.stringContaining("ANTHROPIC_API_KEY"),
    });
    expect(server.requests).toHaveLength(0);
  });
});
