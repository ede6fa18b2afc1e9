// `--only-if-changed`: complete answers kept below ASH_HOME, found again by everything that was asked. What tools
// print is not part of the key. A kept answer that cannot be read, or is not one, counts as none.
import { join } from "node:path";
import { version } from "../package.json";
import { hasFlag, type Invocation } from "./argv.ts";
import type { Config } from "./config.ts";
import { EXIT, systemCode, usageError } from "./errors.ts";
import type { Home } from "./home.ts";
import { sha256 } from "./host/assets.ts";
import { wallClock } from "./host/clock.ts";
import {
  fileFacts,
  linkFacts,
  listFolder,
  makeFolder,
  readBytes,
  readText,
  removeTree,
  replaceFile,
  userId,
} from "./host/files.ts";
import type { Policy } from "./policy/policy.ts";
import type { Provider } from "./provider.ts";
import type { Question } from "./question.ts";
import { redactAll } from "./redact.ts";
import { check, type Result, ResultSchema, type Warning } from "./schema.ts";

/** Answers kept at most; the oldest goes first. */
export const ANSWERS_MAX = 256;

const EXTENSION = ".json";

/** What was asked, of whom, and with which tools. */
export type Asked = {
  readonly invocation: Invocation;
  readonly question: Question;
  /** What the answer must follow, beyond the flags themselves. */
  readonly demands: string | null;
  readonly policy: Policy;
  readonly provider: Provider;
  /** The system prompt without what changes by itself, the date. */
  readonly system: () => string;
  readonly folder: string;
};

/** An answer of an earlier run. */
export type KeptAnswer = { readonly at: string; readonly result: Result };

/** Flags that change how an answer is shown, limited or kept, and those whose effect is in the key anyway. */
const NOT_ASKED: ReadonlySet<string> = new Set([
  ...["json", "jsonl", "deltas", "include-output", "no-color", "output", "no-save", "no-stdin"],
  ...["lock", "only-if-changed", "deadline", "max-turns", "max-tool-calls", "max-tokens", "max-cost"],
  ...["model", "provider", "base-url", "allow-run", "deny-run"],
]);

function scriptHash(home: Home, name: string): string | null {
  const path = join(home.tools, name);
  return fileFacts(path)?.kind === "file" ? sha256(readBytes(path)) : null;
}

function toolsOf(policy: Policy, home: Home): readonly unknown[] {
  return [...policy.entries.values()]
    .filter(({ name }) => !policy.denied.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ source: _, ...entry }) => [
      entry,
      entry.name.endsWith(".py") ? scriptHash(home, entry.name) : null,
    ]);
}

/** Equal exactly when prompt, data, tools, system prompt, model and server are. */
function answerKey(asked: Asked, { settings, home }: Config): string {
  const { invocation, question, demands, policy, provider, system, folder } = asked;
  const { entries: _entries, denied: _denied, ...rules } = policy;
  const flags = [...invocation.flags].filter(([name]) => !NOT_ASKED.has(name)).sort();
  const parts = [
    version,
    [question.prompt, question.context, question.files, demands, system(), folder],
    [provider.name, provider.model, settings.baseUrl],
    [toolsOf(policy, home), rules],
    flags,
  ];
  return sha256(JSON.stringify(parts));
}

const pathOf = (home: Home, key: string): string => join(home.answers, `${key}${EXTENSION}`);

function readAnswer(home: Home, key: string): KeptAnswer | null {
  const path = pathOf(home, key);
  const facts = linkFacts(path);
  if (facts?.kind !== "file" || facts.uid !== userId() || (facts.mode & 0o022) !== 0) return null;
  try {
    const data = JSON.parse(readText(path)) as { schema?: unknown; at?: unknown; result?: unknown } | null;
    const checked = check(ResultSchema, data?.result);
    if (data?.schema !== "ash.answer/1" || typeof data.at !== "string" || !checked.ok) return null;
    return checked.value.exit_code === EXIT.ok ? { at: data.at, result: checked.value } : null;
  } catch {
    return null;
  }
}

/** Where the answer to a question is kept, and the answer when there is one that can be trusted and read. */
export type Found = { readonly key: string; readonly answer: KeptAnswer | null };

const EXCLUDED = ["continue", "session", "replay", "record", "plan", "approve-plan"];

/** Throws a usage error when --only-if-changed stands beside a flag with which it makes no sense. */
export function checkOnlyIfChanged(invocation: Invocation): void {
  if (!hasFlag(invocation, "only-if-changed")) return;
  const other = EXCLUDED.find((name) => hasFlag(invocation, name));
  if (other !== undefined) throw usageError(`--only-if-changed and --${other} exclude each other`);
}

/** Looks for the kept answer; null without --only-if-changed. */
export function findAnswer(asked: Asked, config: Config): Found | null {
  if (!hasFlag(asked.invocation, "only-if-changed")) return null;
  const key = answerKey(asked, config);
  return { key, answer: readAnswer(config.home, key) };
}

function dropOldest(home: Home): void {
  const names = (listFolder(home.answers) ?? []).filter((name) => name.endsWith(EXTENSION));
  if (names.length <= ANSWERS_MAX) return;
  const byAge = names
    .map((name) => ({ name, modifiedMs: fileFacts(join(home.answers, name))?.modifiedMs ?? 0 }))
    .sort((a, b) => a.modifiedMs - b.modifiedMs);
  for (const { name } of byAge.slice(0, names.length - ANSWERS_MAX)) removeTree(join(home.answers, name));
}

/**
 * Keeps a complete answer, without secrets, whole or not at all; anything else is not kept. `warn` hears when the
 * home cannot be written.
 */
export function keepAnswer(
  { home, redact }: Config,
  key: string,
  result: Result,
  warn: (type: string, message: string) => void,
): void {
  if (result.exit_code !== EXIT.ok) return;
  const kept = {
    schema: "ash.answer/1",
    at: new Date(wallClock()).toISOString(),
    result: redactAll(redact, result),
  };
  try {
    makeFolder(home.answers);
    replaceFile(pathOf(home, key), `${JSON.stringify(kept)}\n`, 0o600);
    dropOldest(home);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    warn("answer_not_kept", `the answer is not kept: ${home.answers} cannot be written (${code})`);
  }
}

/** A kept result as the result of a run that asked nothing. */
export function answerAgain(
  kept: Result,
  facts: { readonly durationMs: number; readonly warnings: readonly Warning[] },
): Result {
  return {
    ...kept,
    turns: 0,
    usage: {
      input_tokens: 0,
      output_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    },
    cost_usd: 0,
    duration_ms: Math.round(facts.durationMs),
    warnings: [...facts.warnings],
  };
}
