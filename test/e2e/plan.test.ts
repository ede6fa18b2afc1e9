// Plan mode: what the model would do, seen before anything runs, and then exactly that.
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Finished, runAsh } from "../support/ash.ts";
import { KEY, usePlace, useServer } from "../support/asking.ts";
import { answersIn, calls, type ScriptedReply, says } from "../support/modelserver.ts";

const place = usePlace();
const server = useServer();

const file = (name: string): string => join(place.folder, name);

async function ask(answers: readonly ScriptedReply[], ...args: readonly string[]): Promise<Finished> {
  server.start(answers);
  return runAsh(place, ["--base-url", server.url, ...args, "go"], { env: KEY });
}

const PIPELINE: ScriptedReply = {
  content: [
    {
      type: "tool_use",
      id: "p1",
      name: "run_unix_pipeline",
      input: {
        stages: [
          { command: "echo", args: ["a b"] },
          { command: "wc", args: ["-c"] },
        ],
      },
    },
  ],
  stop_reason: "tool_use",
};
const MAKE = calls("touch", ["made here"]);
const WRITERS = ["--allow-run", "touch,echo,wc"];
const LINES = '["touch","made here"]\n{"stages":[["echo","a b"],["wc","-c"]]}\n';

describe("--plan", () => {
  test("runs nothing, answers every call so, and prints the calls a line each", async () => {
    const run = await ask([MAKE, PIPELINE, says("That is the plan.")], "--plan", ...WRITERS);
    expect(run).toMatchObject({ code: 0, stdout: LINES, stderr: "That is the plan.\n" });
    expect(existsSync(file("made here"))).toBe(false);
    for (const request of server.requests.slice(1)) {
      const [answer] = answersIn(request);
      expect(answer?.content).toContain("not run");
      expect(JSON.parse(answer?.content ?? "")).toMatchObject({ ok: false });
    }
  });

  test("notes the calls in the object, apart from those the policy refuses anyway", async () => {
    const run = await ask([MAKE, calls("rm", ["x"]), says("Done.")], "--plan", "--json", ...WRITERS);
    expect(run.json()).toMatchObject({
      status: "ok",
      exit_code: 0,
      result: "Done.",
      tools: [
        { argv: ["touch", "made here"], decision: "planned", rule: "planned", exit_code: null },
        { argv: ["rm", "x"], decision: "deny" },
      ],
      denials: [{ argv: ["rm", "x"] }],
    });
  });

  test("asks nobody and starts no Python environment", async () => {
    const run = await ask([calls("yfinance.py", ["--ai-docs"]), says("ok")], "--plan");
    expect(run).toMatchObject({ code: 0, stdout: '["yfinance.py","--ai-docs"]\n' });
    expect(existsSync(join(place.ashHome, "venv"))).toBe(false);
  });
});

describe("--approve-plan", () => {
  test("runs exactly the calls of the plan, and what would need a yes without asking", async () => {
    writeFileSync(file("plan"), (await ask([MAKE, PIPELINE, says("ok")], "--plan", ...WRITERS)).stdout);
    const other = calls("touch", ["made elsewhere"]);
    const run = await ask(
      [MAKE, other, PIPELINE, says("Done.")],
      "--json",
      "--approve-plan",
      "plan",
      ...WRITERS,
    );
    expect(run.json()).toMatchObject({
      status: "ok",
      tools: [
        { argv: ["touch", "made here"], decision: "allow", rule: "approved", exit_code: 0 },
        { argv: ["touch", "made elsewhere"], decision: "deny", rule: "not-in-plan" },
        { decision: "allow", exit_code: 0 },
      ],
    });
    expect(readFileSync(file("made here"), "utf8")).toBe("");
    expect(existsSync(file("made elsewhere"))).toBe(false);
  });

  test("takes the object of --plan --json too", async () => {
    writeFileSync(file("plan"), (await ask([MAKE, says("ok")], "--plan", "--json", ...WRITERS)).stdout);
    const run = await ask([MAKE, says("Done.")], "--json", "--approve-plan", "plan", ...WRITERS);
    expect(run.json().tools).toMatchObject([{ decision: "allow", rule: "approved" }]);
  });

  test("opens nothing the policy refuses", async () => {
    writeFileSync(file("plan"), '["rm","-rf","."]\n["touch","made here"]\n');
    const run = await ask(
      [calls("rm", ["-rf", "."]), MAKE, says("Done.")],
      "--json",
      "--approve-plan",
      "plan",
      "--allow-run",
      "ls",
    );
    expect(run.json().tools).toMatchObject([{ decision: "deny" }, { decision: "deny" }]);
    expect(existsSync(file("plan"))).toBe(true);
  });
});
