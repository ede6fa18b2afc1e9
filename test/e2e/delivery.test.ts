// Demands on a run that answered: a call that was denied or failed, an answer that cannot be delivered.
import { describe, expect, test } from "bun:test";
import { KEY, useAsking } from "../support/asking.ts";
import { calls, fails, says } from "../support/modelserver.ts";

const { server, ask } = useAsking();
const lastLine = (text: string) => JSON.parse(text.trimEnd().split("\n").at(-1) ?? "");

describe("what fails a run that answered", () => {
  const denied = calls("rm", ["x"], "a");
  const failed = calls("ls", ["/nowhere"], "b");
  const slow = calls("tail", ["-f", "/dev/null"]);
  const onDenied = "--fail-on-denied";
  const onError = "--fail-on-tool-error";
  const table = [
    ["a denied call", { replies: [denied], flags: [onDenied], code: 7, told: "a call was denied: rm" }],
    [
      "a failed tool",
      { replies: [failed], flags: [onError], code: 9, told: "a tool failed: ls exited with 2" },
    ],
    [
      "both, the denial first",
      { replies: [failed, denied], flags: [onDenied, onError], code: 7, told: "rm" },
    ],
    ["a tool that was stopped", { replies: [slow], flags: [onError], code: 9, told: "tail timed out" }],
  ] as const;

  test.each(table)("%s: the answer is there, in every mode", async (_, { replies, flags, code, told }) => {
    for (const mode of ["text", "--json", "--jsonl"]) {
      server.start([...replies, says("Done.")]);
      const args = [...(mode === "text" ? [] : [mode]), ...flags, "go"];
      const run = await ask(args, {
        ...KEY,
        ASH_TOOL_TIMEOUT: "300ms",
        ASH_TOOL_ALLOWLIST: "ls,tail: unrestricted",
      });
      expect(run.code).toBe(code);
      expect(run.stderr.trimEnd().split("\n").at(-1)).toContain(told);
      if (mode === "text") expect(run.stdout).toBe("Done.\n");
      else {
        const last = lastLine(run.stdout);
        const result = mode === "--json" ? last : last.result;
        expect(result).toMatchObject({ status: "error", exit_code: code, result: "Done." });
        expect(result.error.type).toBe(code === 7 ? "denied" : "tool_failed");
        expect(result.error.message).toContain(told);
      }
      await server.stop();
    }
  });

  const invalid = {
    content: [{ type: "tool_use", id: "d", name: "shell", input: {} }],
    stop_reason: "tool_use",
  } as const;
  const accepted = [
    ["anything without the flags", [denied, failed], []],
    ["a call the model wrote wrong", [invalid], [onDenied, onError]],
    ["a search without a hit", [calls("grep", ["zzz", "/etc/hostname"])], [onError]],
  ] as const;

  test.each(accepted)("is not %s", async (_, replies, flags) => {
    server.start([...replies, says("Done.")]);
    const run = await ask(["--json", "--allow-run", "ls,grep", ...flags, "go"]);
    expect(run.json()).toMatchObject({ exit_code: 0, status: "ok", error: null });
  });

  test("is no match for an error of the run itself", async () => {
    server.start([denied, { content: [], stop_reason: "end_turn" }]);
    expect((await ask(["--json", "--fail-on-denied", "go"])).json().error?.type).toBe("empty_answer");
    await server.stop();
    server.start([denied, fails(400)]);
    expect((await ask(["--json", "--fail-on-denied", "go"])).code).toBe(4);
    await server.stop();
    server.start([denied, says("late")]);
    expect((await ask(["--json", "--fail-on-denied", "--max-turns", "1", "go"])).code).toBe(6);
  });
});
