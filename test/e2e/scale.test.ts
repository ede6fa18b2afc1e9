// What docs/scale.md tells people to do, done.
import { beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { flagValue, operands, parseArgv } from "../../src/argv.ts";
import { EXIT_MEANINGS } from "../../src/errors.ts";
import { ASH, environmentOf } from "../support/ash.ts";
import { usePlace, useServer } from "../support/asking.ts";
import { numbered, recordsOf, writePrompts } from "../support/batch.ts";
import { promptIn, says, streamed } from "../support/modelserver.ts";
import { testWith } from "../support/required.ts";

const PAGE = readFileSync(join(import.meta.dir, "../../docs/scale.md"), "utf8");

/** The code blocks of the page in one language. */
const blocks = (language: string): readonly string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    (match) => match[1] ?? "",
  );

const place = usePlace();
const server = useServer();

beforeEach(() => {
  server.start([(request, signal) => streamed(says(`you asked: ${promptIn(request)}`))(request, signal)]);
});

/** Runs lines of the page in a shell that finds ash, in the place's folder. */
async function shell(lines: string) {
  const bin = join(place.home, "bin");
  mkdirSync(bin, { recursive: true });
  if (!readdirSync(bin).includes("ash")) {
    symlinkSync(ASH, join(bin, "ash"));
    // What a real df says may change from one run to the next.
    writeFileSync(join(bin, "df"), "#!/bin/sh\necho 'Mounted on Use%'\necho '/ 42%'\n", { mode: 0o755 });
  }
  const running = Bun.spawn(["sh", "-e", "-c", lines], {
    cwd: place.folder,
    env: environmentOf(place, {
      PATH: `${bin}:/usr/bin:/bin`,
      ANTHROPIC_API_KEY: "test-key",
      ANTHROPIC_BASE_URL: server.url,
    }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([running.stdout.text(), running.stderr.text(), running.exited]);
  return { code: running.exitCode, stdout, stderr };
}

describe("docs/scale.md", () => {
  test("has a crontab line that asks once while nothing changes", async () => {
    const [line = ""] = blocks("cron");
    const command = line.trim().split(" ").slice(5).join(" ");
    // In a crontab a percent sign ends the command.
    expect(command).not.toContain("%");
    expect((await shell(command)).code).toBe(0);
    expect((await shell(command)).code).toBe(0);
    expect(server.requests).toHaveLength(1);
    expect(promptIn(server.requests[0])).toContain("/ 42%");
    const log = readFileSync(join(place.home, "disk.log"), "utf8");
    const answer = log.slice(0, log.length / 2);
    expect(answer).toStartWith("you asked: Which of these");
    expect(log).toBe(answer + answer);
  });

  testWith("env_parallel")(
    "has lines for GNU parallel that answer every prompt once, and can be repeated",
    async () => {
      const lines = blocks("sh").find((block) => block.includes("parallel")) ?? "";
      expect(lines.split("\n")).toHaveLength(5);
      writePrompts(place, numbered(250));
      writeFileSync(join(place.folder, "machines"), ":\n");
      const run = await shell(lines);
      expect(run.code).toBe(0);
      expect(run.stderr).toMatch(/\nash: 250 prompts: 250 answered, 250 done before in [^\n]+\n$/);
      const records = recordsOf(join(place.folder, "results.jsonl"));
      expect(records.map(({ id }) => String(id)).sort()).toEqual(
        numbered(250)
          .map(({ id }) => id)
          .sort(),
      );
      for (const { id, result } of records)
        expect(result.result).toBe(`you asked: number ${String(id).slice(1)}`);
      expect(server.requests).toHaveLength(250);
      expect((await shell(lines)).code).toBe(0);
      expect(server.requests).toHaveLength(250);
    },
    60_000,
  );

  test("has a line that splits the prompts for a Job without losing one", async () => {
    const [, command = ""] = /`(split --number=[^`]+)`/.exec(PAGE) ?? [];
    writePrompts(place, numbered(100));
    expect((await shell(command)).code).toBe(0);
    const shards = readdirSync(place.folder).filter((name) => name.startsWith("shard-"));
    expect(shards.sort()).toEqual(Array.from({ length: 8 }, (_, i) => `shard-${i}.jsonl`));
    const text = shards.map((name) => readFileSync(join(place.folder, name), "utf8")).join("");
    expect(text).toBe(readFileSync(join(place.folder, "prompts.jsonl"), "utf8"));
  });
});

type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly completionMode: string;
    readonly completions: number;
    readonly parallelism: number;
    readonly backoffLimitPerIndex: number;
    readonly podFailurePolicy: {
      readonly rules: readonly {
        readonly action: string;
        readonly onExitCodes?: {
          readonly containerName: string;
          readonly operator: string;
          readonly values: readonly number[];
        };
      }[];
    };
    readonly template: {
      readonly spec: {
        readonly restartPolicy: string;
        readonly containers: readonly {
          readonly name: string;
          readonly command: readonly string[];
          readonly args: readonly string[];
          readonly env: readonly { readonly name: string }[];
          readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
        }[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
};

describe("the Kubernetes Job in docs/scale.md", () => {
  const { apiVersion, kind, spec } = Bun.YAML.parse(blocks("yaml")[0] ?? "") as Manifest;
  const pod = spec.template.spec;
  const [container] = pod.containers;

  test("is an Indexed Job whose pods start again by themselves", () => {
    expect({ apiVersion, kind }).toEqual({ apiVersion: "batch/v1", kind: "Job" });
    expect(spec.completionMode).toBe("Indexed");
    expect(spec.completions).toBe(8);
    expect(spec.parallelism).toBeLessThanOrEqual(spec.completions);
    expect(spec.backoffLimitPerIndex).toBeGreaterThan(0);
    // A policy of failures is only allowed with it.
    expect(pod.restartPolicy).toBe("Never");
  });

  test("gives up an index for the codes after which asking again changes nothing, and for no other", () => {
    const rule = spec.podFailurePolicy.rules.find(({ action }) => action === "FailIndex");
    expect(rule?.onExitCodes).toEqual({ containerName: "ash", operator: "In", values: [2, 3, 8] });
    const known = EXIT_MEANINGS.map(([code]) => code);
    expect(rule?.onExitCodes?.values.every((code) => known.includes(code))).toBe(true);
  });

  test("calls ash in a way ash understands, each pod with files of its own", () => {
    expect(container?.command).toEqual(["ash"]);
    const invocation = parseArgv(container?.args ?? []);
    expect(invocation.command).toBe("batch");
    expect(operands(invocation)).toEqual(["/data/shard-$(JOB_COMPLETION_INDEX).jsonl"]);
    expect(flagValue(invocation, "output")).toContain("$(JOB_COMPLETION_INDEX)");
    expect(container?.env.map(({ name }) => name)).toEqual([
      "JOB_COMPLETION_INDEX",
      "HOME",
      "ANTHROPIC_API_KEY",
    ]);
  });

  test("mounts exactly the volumes it has", () => {
    const mounted = container?.volumeMounts.map(({ name }) => name).sort();
    expect(mounted).toEqual(pod.volumes.map(({ name }) => name).sort());
    expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toContain("/work");
  });
});
