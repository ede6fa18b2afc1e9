// What a decision costs: every row of the case file judged many times, the median row and the slowest one, beside the
// start of the smallest program there is. Nothing is started but that program.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, identityOf } from "../../src/host/executables.ts";
import { fileFacts, realPath } from "../../src/host/files.ts";
import { parseAllowlist } from "../../src/policy/allowlist.ts";
import { decide } from "../../src/policy/decide.ts";
import type { Action, Policy, World } from "../../src/policy/policy.ts";
import { furnish, readCases, stagesIn } from "../../test/support/cases.ts";
import { median, printTable } from "../figures.ts";

const ROUNDS = Number(process.argv[2] ?? 30);
const root = mkdtempSync(join(tmpdir(), "ash-bench-"));
const place = { folder: join(root, "work"), home: join(root, "home"), ashHome: join(root, "home/.ash") };
furnish(place);

const lookups = new Map<string, ReturnType<typeof findProgram>>();
const world: World = {
  paths: {
    home: place.home,
    homes: [place.home, "/root"],
    ashHome: place.ashHome,
    folder: place.folder,
    platform: "gnu",
    caseInsensitive: false,
    onlyRead: null,
    neverRead: [],
    realPath,
    kind: (path) => fileFacts(path)?.kind ?? "missing",
  },
  findExecutable(name) {
    const found = lookups.get(name) ?? findProgram(name, ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]);
    lookups.set(name, found);
    return found;
  },
  findTool: (name) => {
    const facts = fileFacts(join(place.ashHome, "tools", name));
    return facts === null
      ? { ok: false, rule: "not-installed", reason: "there is no such tool" }
      : { ok: true, located: { path: name, identity: identityOf(facts) } };
  },
  findPython: () => findProgram("python3", ["/usr/bin"]),
  toolFacts: () => ({ network: false, environment: {}, timeoutMs: null, outputMax: null }),
};
const list = parseAllowlist(
  readFileSync(join(import.meta.dir, "../../bootstrap/.ash_tools"), "utf8"),
  "list",
);
const policy: Policy = {
  entries: list.entries,
  denied: new Set(),
  strictArguments: false,
  level: "read",
  network: "declared",
};
const actions: readonly Action[] = readCases().map((row) => ({
  stages: stagesIn(row, place).map(([command = "", ...args]) => ({ command, args })),
}));

const times = actions.map(() => [] as number[]);
const spawns: number[] = [];
for (let round = -5; round < ROUNDS; round += 1) {
  for (const [i, action] of actions.entries()) {
    const began = performance.now();
    decide(action, policy, world);
    if (round >= 0) times[i]?.push(performance.now() - began);
  }
  const began = performance.now();
  Bun.spawnSync(["/usr/bin/true"]);
  if (round >= 0) spawns.push(performance.now() - began);
}
rmSync(root, { recursive: true, force: true });
const perRow = times.map(median).sort((a, b) => a - b);
printTable("a decision, over the case file", "µs", [
  { name: "start of /usr/bin/true", figure: median(spawns) * 1000 },
  { name: "median row", figure: median(perRow) * 1000 },
  { name: "slowest row", figure: (perRow.at(-1) ?? 0) * 1000 },
]);
