// What is on stdout, for whoever reads it, and answers that are none.
import { describe, expect, test } from "bun:test";
import { runAsh } from "../support/ash.ts";
import { KEY, useAsking } from "../support/asking.ts";
import { calls, says, streamed } from "../support/modelserver.ts";
import { inShell } from "../support/terminal.ts";

const { place, server, ask } = useAsking();

/** Runs a line of shell with $ASH and $URL, as a script would. */
const shell = (line: string, url: string) => inShell(place, `set -o pipefail; ${line}`, { ...KEY, URL: url });

describe("stdout", () => {
  test("carries a 300 KB answer whole through a slow pipe", async () => {
    const text = "äbc ".repeat(75_000);
    server.start([says(text)]);
    const line =
      '"$ASH" --json --base-url "$URL" go | dd bs=512 status=none | python3 -c \'import json,sys; print(len(json.load(sys.stdin)["result"]))\'';
    const run = await shell(line, server.url);
    expect(run).toEqual({ stdout: `${text.length}\n`, stderr: "", code: 0 });
  });

  test("closed early ends quietly with 141", async () => {
    server.start([says("x".repeat(200_000))]);
    const run = await shell('"$ASH" --base-url "$URL" go | head -c1; echo " ${PIPESTATUS[0]}"', server.url);
    expect(run.stderr).toBe("");
    expect(run.stdout).toBe("x 141\n");
  });

  test.each(["", "--json", "--jsonl"])(
    "that a full disk does not take is an error, never silence: %s",
    async (mode) => {
      server.start([says("done")]);
      const run = await shell(`"$ASH" ${mode} --base-url "$URL" go >/dev/full; echo $? >&2`, server.url);
      expect(run.stderr).toBe(
        "ash: stdout cannot be written: ENOSPC (make room there, or send it elsewhere)\n3\n",
      );
    },
  );

  test("closed before the run stops the spending", async () => {
    server.start([calls("echo", ["a"]), says("done")]);
    const run = await shell('exec 3> >(true); wait $!; "$ASH" --base-url "$URL" go >&3; echo $?', server.url);
    expect(run.stdout).toBe("141\n");
    expect(server.requests.length).toBeLessThan(2);
  });

  test("has the answer alone in text mode, and stderr nothing when it is no terminal", async () => {
    server.start([calls("uname", ["-s"]), says("It is Linux.")]);
    const run = await ask(["what?"]);
    expect(run).toMatchObject({ code: 0, stdout: "It is Linux.\n", stderr: "" });
  });

  test("never carries escape sequences of the model in text mode", async () => {
    server.start([says("a\x1b]52;c;aGk=\x07b\x1b[31mc\u202ed")]);
    const run = await ask(["go"]);
    expect(run.stdout).toBe("abcd\n");
  });

  test("is not touched by variables that make libraries talk", async () => {
    server.start([says("quiet")]);
    const env = {
      ...KEY,
      ANTHROPIC_LOG: "debug",
      DEBUG: "*",
      CONSOLA_LEVEL: "verbose",
      CI: "1",
      FORCE_COLOR: "1",
    };
    const run = await runAsh(place, ["--base-url", server.url, "go"], { env });
    expect(run).toMatchObject({ code: 0, stdout: "quiet\n", stderr: "" });
  });
});

describe("an answer that is none", () => {
  const table = [
    ["an empty answer", { content: [], stop_reason: "end_turn" }, "empty_answer", null],
    ["a refusal", { content: [{ type: "text", text: "No." }], stop_reason: "refusal" }, "refusal", "No."],
    [
      "a cut answer",
      { content: [{ type: "text", text: "Half" }], stop_reason: "max_tokens" },
      "max_tokens",
      "Half",
    ],
  ] as const;

  test.each(table)("%s is incomplete and keeps what there is", async (_, reply, type, text) => {
    server.start([reply]);
    const run = await ask(["--json", "go"]);
    expect(run.code).toBe(8);
    expect(run.json()).toMatchObject({
      status: "incomplete",
      result: text,
      error: { type },
      stop_reason: reply.stop_reason,
    });
  });

  test("an unknown stop reason is never taken for success", async () => {
    server.start([{ content: [{ type: "text", text: "?" }], stop_reason: "surprise" }]);
    const run = await ask(["--json", "go"]);
    expect(run.code).toBe(4);
    expect(run.json()).toMatchObject({
      status: "error",
      error: { type: "protocol" },
      stop_reason: "surprise",
    });
  });

  test("a stream cut in the middle is not an answer", async () => {
    server.start([
      async (body, signal) => {
        const text = await (await streamed(says("half an answer"))(body, signal)).text();
        return new Response(text.slice(0, text.indexOf("content_block_stop")), {
          headers: { "content-type": "text/event-stream" },
        });
      },
    ]);
    const run = await ask(["--json", "go"]);
    expect(run.code).toBe(5);
    expect(run.json()).toMatchObject({
      status: "error",
      result: null,
      error: { type: "network", retryable: true },
    });
    expect(server.requests).toHaveLength(1);
  });
});
