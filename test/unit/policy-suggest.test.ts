// The lines that would allow what was denied: a line that would not help is not suggested.
import { expect, test } from "bun:test";
import { parseAllowlist } from "../../src/policy/allowlist.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { suggestLines } from "../../src/policy/suggest.ts";

const policy: Policy = {
  entries: parseAllowlist("git log\nkubectl get", "list").entries,
  denied: new Set(),
  strictArguments: false,
  level: "read",
  network: "declared",
};

const lineFor = (command: string, ...args: readonly string[]): string | null | undefined =>
  suggestLines([{ id: "c", command, args, rule: "subcommand" }], policy)[0]?.line;

test.each([
  [["git", "status"], "git log|status"],
  [["git", "--no-pager", "diff", "HEAD"], "git log|diff"],
  [["git", "remote", "get-url", "origin"], "git log|remote"],
  [["git", "push"], "git: unrestricted"],
  [["git", "-c", "a=b", "log"], null],
  [["kubectl", "exec", "x"], "kubectl get|exec"],
] as const)("%j: %p", ([command, ...args], line) => {
  expect(lineFor(command, ...args)).toBe(line);
});
