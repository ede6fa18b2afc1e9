// A real server: llama.cpp's, with a real model, over its Messages API. Runs where the packages are installed.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { probeModel } from "../../src/providers/probe.ts";
import { startReply } from "../../src/providers/reply.ts";
import { readEvents } from "../../src/providers/stream.ts";
import { Secret } from "../../src/secret.ts";
import { makePlace, type Place, runAsh } from "../support/ash.ts";
import { connectionTo } from "../support/connections.ts";
import { findLlama, type LlamaServer, startLlama } from "../support/llama.ts";
import { describeWithLlama } from "../support/required.ts";

const KEY = "llama-key-0123456789";
const PATIENCE = 120_000;
const llama = findLlama();

let place: Place;
let server: LlamaServer;

const run = (args: readonly string[], key = KEY) =>
  runAsh(place, [...args.slice(0, 1), "--provider", "llamacpp", "--base-url", server.url, ...args.slice(1)], {
    env: { LLAMACPP_API_KEY: key },
  });

describeWithLlama(llama)("llama.cpp's server", () => {
  beforeAll(async () => {
    if (llama === null) return;
    place = makePlace();
    // A short prompt: this model reads a hundred words a second.
    mkdirSync(place.ashHome, { mode: 0o700 });
    writeFileSync(join(place.ashHome, ".ash_system"), "You are a helper.\n", { mode: 0o600 });
    server = await startLlama(llama, KEY);
  }, PATIENCE);

  afterAll(async () => {
    if (llama === null) return;
    await server.stop();
    place.remove();
  });

  test("lists its model", async () => {
    const listed = await run(["models", "--json"]);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      schema: "ash.models/1",
      status: "ok",
      models: [{ id: "small", context_tokens: 4096 }],
    });
  });

  test("refuses a wrong key, and ash says which variable to check", async () => {
    const refused = await run(["ask", "--json", "--model", "small", "--", "hello"], "wrong-key-0123456789");
    expect(refused.code).toBe(3);
    expect(refused.json().error).toMatchObject({
      type: "auth",
      http_status: 401,
      hint: expect.stringContaining("LLAMACPP_API_KEY"),
    });
  });

  test(
    "streams text and counts tokens",
    async () => {
      const streamed = await run([
        "ask",
        "--jsonl",
        "--deltas",
        "--no-save",
        "--model",
        "small",
        "--",
        "Say good morning.",
      ]);
      const events = streamed.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      const deltas = events.filter(({ type }) => type === "text.delta").map(({ text }) => text);
      const { result } = events.at(-1);
      expect(deltas.length).toBeGreaterThan(1);
      expect(result).toMatchObject({ model: "small", turns: 1, warnings: [] });
      expect(deltas.join("")).toBe(result.result);
      expect(result.usage.input_tokens).toBeGreaterThan(0);
      expect(result.usage.output_tokens).toBeGreaterThan(1);
    },
    PATIENCE,
  );

  test(
    "calls a tool, which really runs, and is asked again with what it printed",
    async () => {
      const question = ["--allow-run", "uname", "--", "Which system is this? Use uname."];
      const called = await run(["ask", "--json", "--model", "small", ...question]);
      const result = called.json();
      expect(result.warnings).toEqual([]);
      expect(result.tools[0]).toMatchObject({
        argv: ["uname"],
        decision: "allow",
        exit_code: 0,
        stdout_bytes: 6,
      });
      expect(result.turns).toBeGreaterThan(1);
      // What so small a model makes of it is its own affair, and where it stops.
      expect(result.result ?? "").not.toBe("");
      expect(["end_turn", "max_tokens"]).toContain(result.stop_reason ?? "");
    },
    PATIENCE,
  );

  test(
    "forced to call a tool sends a form ash reads",
    async () => {
      const body = {
        model: "small",
        max_tokens: 64,
        stream: true,
        tool_choice: { type: "any" },
        tools: [
          {
            name: "run_unix_command",
            description: "Runs a command.",
            input_schema: {
              type: "object",
              properties: { command: { type: "string" }, args: { type: "array", items: { type: "string" } } },
              required: ["command", "args"],
            },
          },
        ],
        messages: [{ role: "user", content: "Who am I? Use whoami." }],
      };
      const headers = { "content-type": "application/json", authorization: `Bearer ${KEY}` };
      const answer = await fetch(`${server.url}/v1/messages`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      let calls = 0;
      const builder = startReply("small", {
        onText() {},
        onToolCall() {
          calls += 1;
        },
      });
      const sinks = {
        onEvent: (event: unknown) => builder.add(event),
        onBroken: (text: string) => expect(text).toBe(""),
      };
      await readEvents(answer.body ?? new ReadableStream(), sinks);
      const reply = builder.finish();
      expect(reply).toMatchObject({ stopReason: "tool_use", oddities: [] });
      expect(calls).toBe(1);
      expect(reply.content.at(-1)).toMatchObject({
        type: "tool_use",
        name: "run_unix_command",
        malformed: null,
      });
    },
    PATIENCE,
  );

  test(
    "is found well by the probe",
    async () => {
      const credential = { form: "bearer", value: new Secret(KEY), origin: "env TEST_KEY" } as const;
      const connection = connectionTo("llamacpp", { baseUrl: server.url, credential, model: "small" });
      const found = await probeModel(connection, new AbortController().signal);
      expect(found).toMatchObject({ ok: true, model: "small", streams: true, tools: true });
      expect(found.ok && found.usage?.input_tokens).toBeGreaterThan(0);
    },
    PATIENCE,
  );

  test(
    "is asked for a tool call by ash doctor --online",
    async () => {
      const seen = await run(["doctor", "--online", "--json", "--model", "small"]);
      const report = JSON.parse(seen.stdout) as { checks: readonly { id: string; status: string }[] };
      const checks = new Map(report.checks.map((check) => [check.id, check]));
      expect(checks.get("key")).toMatchObject({ status: "ok", message: "set, from env LLAMACPP_API_KEY" });
      expect(checks.get("online")).toMatchObject({
        message: expect.stringMatching(/^small answered in \d+ ms/),
        facts: { model: "small", streams: true, tools: true },
      });
      // Whether so small a model calls the tool is its own affair; that it answers is not.
      expect(checks.get("online")?.status).not.toBe("fail");
    },
    PATIENCE,
  );
});
