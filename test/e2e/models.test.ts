// Lists of models, asked of servers.
import { describe, expect, test } from "bun:test";
import type { ModelsReport } from "../../src/schema/reports.ts";
import { finish, runAsh, startAsh } from "../support/ash.ts";
import { usePlace, useServer } from "../support/asking.ts";
import type { Elsewhere, ModelServer } from "../support/modelserver.ts";
import { startRawServer } from "../support/rawserver.ts";

const KEY = "canary-key-0123456789";

const place = usePlace();
const server = useServer();

const LIST = {
  data: [
    { type: "model", id: "claude-x", display_name: "Claude X", max_input_tokens: 1_000_000 },
    { type: "model", id: "claude-sonnet-5-5", display_name: "Sonnet" },
  ],
  has_more: false,
};

function serve(elsewhere: Elsewhere): ModelServer {
  server.start([], [KEY], elsewhere);
  return server;
}

const run = (args: readonly string[], env: Record<string, string> = { ANTHROPIC_API_KEY: KEY }) =>
  runAsh(place, ["models", ...args], { env });

/** The one object on stdout; its keys are always the same. */
function reportOf(stdout: string): ModelsReport {
  const report = JSON.parse(stdout) as ModelsReport;
  expect(stdout).toBe(`${JSON.stringify(report)}\n`);
  expect(Object.keys(report)).toEqual([
    "schema",
    "status",
    "exit_code",
    "provider",
    "base_url",
    "models",
    "error",
    "duration_ms",
  ]);
  expect(report.schema).toBe("ash.models/1");
  return report;
}

describe("ash models", () => {
  test("lists what the server lists, with one request and the key of ask", async () => {
    const { url, heard } = serve(() => Response.json(LIST));
    const { code, stdout, stderr } = await run(["--json", "--base-url", url]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(reportOf(stdout)).toMatchObject({
      status: "ok",
      exit_code: 0,
      provider: "anthropic",
      base_url: url,
      error: null,
      models: [
        { id: "claude-x", display_name: "Claude X", context_tokens: 1_000_000 },
        { id: "claude-sonnet-5-5", display_name: "Sonnet", context_tokens: null },
      ],
    });
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatchObject({ method: "GET", path: "/v1/models?limit=1000", text: "" });
    expect(heard[0]?.headers["x-api-key"]).toBe(KEY);
  });

  test("shows a table in text mode, clean of what a terminal would obey", async () => {
    const { url } = serve(() => Response.json({ data: [...LIST.data, { id: "evil\u001b[2J\nid" }] }));
    expect(await run(["--base-url", url])).toMatchObject({
      code: 0,
      stderr: "",
      stdout:
        "claude-x           1000000 tokens   Claude X\nclaude-sonnet-5-5                   Sonnet\nevil id\n",
    });
  });

  test("asks page after page", async () => {
    const { url, heard } = serve(({ path }) =>
      path.includes("after_id")
        ? Response.json({ data: [{ id: "b" }], has_more: false })
        : Response.json({ data: [{ id: "a/1" }], has_more: true, last_id: "a/1" }),
    );
    const report = reportOf((await run(["--json", "--base-url", url])).stdout);
    expect(report.models.map(({ id }) => id)).toEqual(["a/1", "b"]);
    expect(heard.map(({ path }) => path)).toEqual([
      "/v1/models?limit=1000",
      "/v1/models?limit=1000&after_id=a%2F1",
    ]);
  });

  test("of a local server sends no key and asks for nothing but the list", async () => {
    const { url, heard } = serve(() => Response.json({ object: "list", data: [{ id: "qwen3" }] }));
    const { stdout } = await run(["--json", "--provider", "ollama", "--base-url", url]);
    expect(reportOf(stdout)).toMatchObject({ provider: "ollama", models: [{ id: "qwen3" }] });
    expect(heard[0]?.path).toBe("/v1/models");
    expect(JSON.stringify(heard)).not.toContain("canary");
  });

  test("with --model shows that one, and its absence is an error", async () => {
    const { url } = serve(() => Response.json(LIST));
    const found = await run(["--json", "--base-url", url, "--model", "sonnet"]);
    expect(reportOf(found.stdout).models.map(({ id }) => id)).toEqual(["claude-sonnet-5-5"]);
    const missing = await run(["--json", "--base-url", url, "--model", "claude-y"]);
    expect(missing.code).toBe(4);
    expect(reportOf(missing.stdout)).toMatchObject({
      error: { type: "not_found", message: `${url} does not list the model claude-y` },
    });
  });

  test("lists them all whatever model the environment names", async () => {
    const { url } = serve(() => Response.json(LIST));
    const { stdout } = await run(["--json", "--base-url", url], {
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_MODEL: "x",
    });
    expect(reportOf(stdout).models).toHaveLength(2);
  });

  test("says when a list is empty", async () => {
    const { url } = serve(() => Response.json({ data: [] }));
    expect((await run(["--base-url", url])).stdout).toBe("the server lists no models\n");
  });
});

describe("ash models that fails", () => {
  const page = (status: number, text: string) => () => new Response(text, { status });
  const problem = (status: number, type: string) => () =>
    Response.json({ type: "error", error: { type, message: "so sorry" } }, { status });

  const rows: readonly (readonly [
    how: string,
    answer: Elsewhere,
    code: number,
    type: string,
    sentence: string,
  ])[] = [
    ["without a list", page(404, "no"), 4, "not_found", "URL has no list of models at /v1/models (404)"],
    [
      "without a list, politely",
      problem(404, "not_found_error"),
      4,
      "not_found",
      "URL has no list of models at /v1/models (404)",
    ],
    ["with another method", page(405, ""), 4, "not_found", "URL has no list of models at /v1/models (405)"],
    [
      "with a page",
      page(200, "<html>"),
      4,
      "protocol",
      "URL does not speak the Messages API: its answer at /v1/models is not a list of models",
    ],
    [
      "with another object",
      page(200, '{"models":{}}'),
      4,
      "protocol",
      "URL does not speak the Messages API: its answer at /v1/models is not a list of models",
    ],
    ["without a right to", problem(401, "authentication_error"), 3, "auth", "URL answered 401: so sorry"],
    ["when busy", problem(529, "overloaded_error"), 5, "overloaded", "URL answered 529: so sorry"],
  ];

  test.each(rows)("%s says so in one sentence, with the code of ask", async (_, answer, ...told) => {
    const [code, type, sentence] = told;
    const { url, heard } = serve(answer);
    const done = await run(["--json", "--base-url", url]);
    expect(done.code).toBe(code);
    const message = sentence.replace("URL", url);
    expect(reportOf(done.stdout)).toMatchObject({
      status: "error",
      exit_code: code,
      models: [],
      error: { type, message },
    });
    expect(done.stderr.split("\n")).toHaveLength(2);
    expect(done.stderr).toContain(message);
    expect(heard).toHaveLength(1);
  });

  const early: readonly (readonly [how: string, args: readonly string[], code: number, type: string])[] = [
    ["an unknown flag", ["--bogus"], 2, "usage"],
    ["a flag of another command", ["--max-turns", "3"], 2, "usage"],
    ["a word too many", ["claude"], 2, "usage"],
    ["a bad address", ["--base-url", "nonsense"], 2, "usage"],
    ["an unknown provider", ["--provider", "nobody"], 3, "config"],
    ["no key", ["--provider", "openrouter"], 3, "auth"],
  ];

  test.each(early)("because of %s prints the same object", async (_, args, code, type) => {
    const done = await run(["--json", ...args], {});
    expect(done.code).toBe(code);
    expect(reportOf(done.stdout)).toMatchObject({ status: "error", exit_code: code, error: { type } });
    const text = await run(args, {});
    expect(text).toMatchObject({ code, stdout: "" });
    expect(text.stderr.split("\n")).toHaveLength(2);
  });

  test("because it is interrupted says so, and does so at once", async () => {
    const asked = Promise.withResolvers<void>();
    const raw = startRawServer(() => asked.resolve());
    const started = startAsh(place, ["models", "--json", "--base-url", raw.url], {
      env: { ANTHROPIC_API_KEY: KEY },
    });
    await asked.promise;
    started.kill("SIGINT");
    const done = await finish(started);
    raw.stop();
    expect(done.code).toBe(130);
    expect(reportOf(done.stdout)).toMatchObject({
      status: "interrupted",
      exit_code: 130,
      error: { type: "interrupted" },
    });
  });
});
