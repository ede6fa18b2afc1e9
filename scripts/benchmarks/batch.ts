// What a prompt costs in `ash batch`, against a process of ash for each prompt. The model answers at once, so what is
// measured is ash itself and the loopback server. All rows in turn in every round.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answersIn, calls, says, startModelServer, streamed } from "../../test/support/modelserver.ts";
import { median, printTable } from "../figures.ts";

const PROMPTS = Number(process.argv[2] ?? 500);
const ROUNDS = Number(process.argv[3] ?? 3);
/** A process each is too slow for as many. */
const SINGLE = Math.min(PROMPTS, 40);

const ash = join(import.meta.dir, "../../dist/ash");
const scratch = mkdtempSync(join(tmpdir(), "ash-bench-"));

/** Answers a prompt that asks for a tool with a call of one, and everything else at once. */
const server = startModelServer([
  (request, signal) => {
    const wantsTool = JSON.stringify(request.messages[0]).includes("with a tool");
    const reply = wantsTool && answersIn(request).length === 0 ? calls("true") : says("done");
    return streamed(reply)(request, signal);
  },
]);

type Measured = { readonly ms: number; readonly mb: number };

async function run(args: readonly string[]): Promise<Measured> {
  const began = performance.now();
  const child = Bun.spawn([ash, ...args], {
    cwd: scratch,
    env: {
      PATH: "/usr/bin:/bin",
      HOME: scratch,
      ANTHROPIC_API_KEY: "test-key",
      ANTHROPIC_BASE_URL: server.url,
    },
    stdio: ["ignore", "ignore", "ignore"],
  });
  await child.exited;
  if (child.exitCode !== 0) throw new Error(`ash ${args.join(" ")} ended with ${child.exitCode}`);
  return { ms: performance.now() - began, mb: (child.resourceUsage()?.maxRSS ?? 0) / 1024 ** 2 };
}

function writePrompts(name: string, prompt: string): string {
  const path = join(scratch, name);
  const lines = Array.from({ length: PROMPTS }, (_, i) => JSON.stringify({ id: `p${i}`, prompt }));
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
  return path;
}

/** As many processes as prompts, `width` at a time. */
async function processes(width: number, prompt: string): Promise<Measured> {
  const began = performance.now();
  let left = SINGLE;
  let mb = 0;
  const worker = async (): Promise<void> => {
    for (; left > 0; ) {
      left -= 1;
      mb = Math.max(mb, (await run(["--json", "--allow-run", "true", prompt])).mb);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return { ms: ((performance.now() - began) * PROMPTS) / SINGLE, mb };
}

const plain = writePrompts("plain.jsonl", "say something");
const tools = writePrompts("tools.jsonl", "say something with a tool");
const batch = (jobs: number, file: string) => () =>
  run(["batch", "--allow-run", "true", "--jobs", String(jobs), file]);

const jobs: readonly { readonly name: string; readonly run: () => Promise<Measured> }[] = [
  { name: "ash for each prompt, one at a time", run: () => processes(1, "say something") },
  { name: "ash for each prompt, four at a time", run: () => processes(4, "say something") },
  ...[1, 4, 8].map((count) => ({ name: `ash batch --jobs ${count}`, run: batch(count, plain) })),
  ...[1, 4, 8].map((count) => ({ name: `ash batch --jobs ${count}, a tool each`, run: batch(count, tools) })),
];

try {
  await run(["--version"]);
  const measured = new Map(jobs.map(({ name }) => [name, [] as Measured[]]));
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const { name, run: measure } of jobs) {
      const result = await measure();
      if (round >= 0) measured.get(name)?.push(result);
    }
  }
  const rows = jobs.map(({ name }) => {
    const all = measured.get(name) ?? [];
    const figure = median(all.map(({ ms }) => ms)) / PROMPTS;
    const memory = median(all.map(({ mb }) => mb)).toFixed(0);
    return {
      name,
      figure,
      more: [`${(1000 / figure).toFixed(0)} prompts/s`.padStart(15), `${memory} MB peak`],
    };
  });
  printTable(
    `one prompt, median of ${ROUNDS} rounds of ${PROMPTS} prompts (${SINGLE} where each has a process)`,
    "ms",
    rows,
  );
  if (server.problems.length > 0) throw new Error(server.problems.join("\n"));
} finally {
  await server.stop();
  rmSync(scratch, { recursive: true, force: true });
}
