// `ash` alone on a terminal, on a real one.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runAsh } from "../support/ash.ts";
import { KEY, usePlace, useServer } from "../support/asking.ts";
import { type Answer, answersIn, calls, fails, promptIn, says, streamed } from "../support/modelserver.ts";
import { type Keys, onTerminal, type Seen } from "../support/terminal.ts";

setDefaultTimeout(30_000);

const place = usePlace();
const server = useServer();

const PROMPT = "ash> ";
const ENTER = "\r";
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const CTRL_Z = "\u001a";

const talk = (typed: readonly Keys[], args: readonly string[] = [], env = {}): Promise<Seen> =>
  onTerminal(place, ["--base-url", server.url, ...args], {
    env: { ...KEY, ...env },
    typed,
  });

/** The prompts of every request, as the server got them. */
const asked = (): readonly (readonly string[])[] =>
  server.requests.map(({ messages }) =>
    messages
      .filter(({ role }) => role === "user")
      .map((message) => promptIn({ messages: [message] } as never)),
  );

/** Never answers; the request is under way when the text appears on the terminal. */
const hangs: Answer = (_, signal) => {
  const opening = ["message_start", "content_block_start", "content_block_delta"];
  const data = [
    { message: { id: "m", type: "message", role: "assistant", model: "test-model", content: [], usage: {} } },
    { index: 0, content_block: { type: "text", text: "" } },
    { index: 0, delta: { type: "text_delta", text: "let me think " } },
  ];
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const [i, type] of opening.entries())
        controller.enqueue(
          new TextEncoder().encode(`event: ${type}\ndata: ${JSON.stringify({ type, ...data[i] })}\n\n`),
        );
      signal.addEventListener("abort", () => controller.close(), { once: true });
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
};

describe("ash alone on a terminal", () => {
  test("answers one question after another, in one session", async () => {
    server.start([says("Hello Ada."), calls("echo", ["four"]), says("You are Ada.")]);
    const seen = await talk([
      [PROMPT, `I am Ada${ENTER}`],
      ["Hello Ada.", ""],
      [PROMPT, `who am I?${ENTER}`],
      ["You are Ada.", ""],
      [PROMPT, CTRL_D],
    ]);
    expect(seen).toMatchObject({ code: 0, untyped: [] });
    expect(seen.screen).toContain("Ctrl-C stops an answer, Ctrl-D or exit ends");
    expect(Bun.stripANSI(seen.screen)).toContain("✓ echo four");
    expect(asked()[1]).toEqual(["I am Ada", "who am I?"]);
    expect(answersIn(server.requests[2])[0]?.content).toContain("four");
    const listed = (await runAsh(place, ["sessions", "list", "--json"])).json() as unknown as {
      sessions: readonly { status: string }[];
    };
    expect(listed.sessions).toMatchObject([{ status: "ok" }]);
  });

  test("takes what is pasted as one question, with what is typed behind it", async () => {
    server.start([says("Read.")]);
    const seen = await talk([
      [PROMPT, "first\rsecond\rthird"],
      ["third", ` and more${ENTER}`],
      ["Read.", ""],
      [PROMPT, `exit${ENTER}`],
    ]);
    expect(seen).toMatchObject({ code: 0, untyped: [] });
    expect(asked()).toEqual([["first\nsecond\nthird and more"]]);
  });

  test("goes on with the line after Ctrl-Z and fg", async () => {
    server.start([says("Whole.")]);
    // Until it has stopped itself, going on means nothing.
    let again: Timer | undefined;
    const goOn = (pid: number): void => {
      again = setInterval(() => process.kill(pid, "SIGCONT"), 5);
    };
    const seen = await talk([
      [PROMPT, `first half${CTRL_Z}`],
      ["first half", goOn],
      [`${PROMPT}first half`, () => clearInterval(again)],
      ["", ` second half${ENTER}`],
      ["Whole.", ""],
      [PROMPT, CTRL_D],
    ]);
    expect(seen).toMatchObject({ code: 0, untyped: [] });
    expect(asked()).toEqual([["first half second half"]]);
  });

  test("ends only the answer at Ctrl-C, and goes on with what was said", async () => {
    server.start([hangs, says("Still here.")]);
    const seen = await talk([
      [PROMPT, `think${ENTER}`],
      ["let me think", CTRL_C],
      [PROMPT, `are you there?${ENTER}`],
      ["Still here.", ""],
      [PROMPT, CTRL_D],
    ]);
    expect(seen).toMatchObject({ code: 0, untyped: [] });
    expect(seen.screen).toContain("let me think ^C\nash: interrupted by SIGINT\n");
    expect(asked().at(-1)?.join("\n")).toContain("are you there?");
  });

  test("ends the tools of an answer that is interrupted, and the next answer has its own", async () => {
    const call = {
      type: "tool_use",
      id: "t",
      name: "run_unix_command",
      input: { command: "tail", args: ["-f", "/dev/null"] },
    } as const;
    server.start([
      { content: [{ type: "text", text: "I follow it" }, call], stop_reason: "tool_use" },
      calls("echo", ["alive"]),
      says("Stopped."),
    ]);
    const seen = await talk(
      [
        [PROMPT, `follow it${ENTER}`],
        ["I follow it", CTRL_C],
        [PROMPT, `go on${ENTER}`],
        ["Stopped.", ""],
        [PROMPT, CTRL_D],
      ],
      [],
      { ASH_TOOL_ALLOWLIST: "tail: unrestricted, echo" },
    );
    expect(seen).toMatchObject({ code: 0, untyped: [] });
    const answers = answersIn(server.requests.at(-1));
    expect(JSON.parse(answers[0]?.content ?? "")).toMatchObject({ ok: true, stdout: "alive\n" });
  });

  test("drops a line at Ctrl-C, asks nothing for an empty one", async () => {
    server.start([says("Yes.")]);
    const seen = await talk([
      [PROMPT, "not this"],
      ["not this", CTRL_C],
      [PROMPT, `   ${ENTER}`],
      [PROMPT, `this${ENTER}`],
      ["Yes.", ""],
      [PROMPT, CTRL_D],
    ]);
    expect(seen).toMatchObject({ code: 0, untyped: [] });
    expect(asked()).toEqual([["this"]]);
  });

  test("shows an error of one answer and goes on", async () => {
    server.start([fails(400, "invalid_request_error"), says("Now it works.")]);
    const seen = await talk([
      [PROMPT, `one${ENTER}`],
      [PROMPT, `two${ENTER}`],
      ["Now it works.", ""],
      [PROMPT, CTRL_D],
    ]);
    expect(seen).toMatchObject({ code: 0, untyped: [] });
    expect(seen.screen).toContain("the server says invalid_request_error");
    // What was refused would be refused again, and with it every question that follows.
    expect(asked()).toEqual([["one"], ["two"]]);
  });

  test("asks before a call that needs a yes, and gives each question its own limits", async () => {
    server.start([calls("touch", ["made"]), says("Done."), calls("uname", []), says("Linux.")]);
    const seen = await talk(
      [
        [PROMPT, `make it${ENTER}`],
        ["run it? [y/N] ", `y${ENTER}`],
        ["Done.", ""],
        [PROMPT, `which system?${ENTER}`],
        ["Linux.", ""],
        [PROMPT, CTRL_D],
      ],
      ["--max-turns", "2", "--allow-run", "touch,uname"],
    );
    expect(seen).toMatchObject({ code: 0, untyped: [] });
    expect(existsSync(join(place.folder, "made"))).toBe(true);
  });

  test("takes nothing that was typed before a question for its answer", async () => {
    const typed = Promise.withResolvers<void>();
    const touches: Answer = async (request, signal) => {
      await typed.promise;
      return streamed(calls("touch", ["made"]))(request, signal);
    };
    server.start([calls("uname"), touches, says("Not done.")]);
    const seen = await talk(
      [
        [PROMPT, `make it${ENTER}`],
        ["uname", `y${ENTER}`],
        ["y", () => typed.resolve()],
        ["run it? [y/N] ", ENTER],
        ["Not done.", ""],
        [PROMPT, CTRL_D],
      ],
      ["--allow-run", "touch,uname"],
    );
    expect(seen).toMatchObject({ code: 0, untyped: [] });
    expect(existsSync(join(place.folder, "made"))).toBe(false);
  });

  test("remembers what was said where nothing is saved", async () => {
    server.start([says("Noted."), says("Blue.")]);
    const seen = await talk(
      [
        [PROMPT, `my colour is blue${ENTER}`],
        ["Noted.", ""],
        [PROMPT, `which colour?${ENTER}`],
        ["Blue.", ""],
        [PROMPT, CTRL_D],
      ],
      ["--no-save"],
    );
    expect(seen).toMatchObject({ code: 0, untyped: [] });
    expect(asked()[1]).toEqual(["my colour is blue", "which colour?"]);
    expect(readdirSync(join(place.ashHome, "sessions"))).toEqual([]);
  });

  test("says at once that there is no key, and that a flag needs a prompt", async () => {
    const without = await onTerminal(place, []);
    expect(without.code).toBe(3);
    expect(without.screen).toMatch(/^ash: there is no key for anthropic \(set ANTHROPIC_API_KEY;/);
    const plan = await onTerminal(place, ["--plan"]);
    expect(plan).toMatchObject({
      code: 2,
      screen: "ash: --plan needs a prompt (write: ash --plan … 'a question')\n",
    });
  });

  test("is a usage error for a program that wants JSON", async () => {
    const run = await onTerminal(place, ["--json"], { env: KEY });
    expect(run.code).toBe(2);
    expect(run.screen).toContain("there is nothing to ask");
  });
});
