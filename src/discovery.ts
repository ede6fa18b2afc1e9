// What the model is told about the Python tools: one line each, or their whole documentation when the user wants it
// preloaded. Documentation is asked of a tool once and kept by the hash of its script.
import { join } from "node:path";
import { askNobody } from "./approval.ts";
import type { Config } from "./config.ts";
import { systemCode } from "./errors.ts";
import { sha256 } from "./host/assets.ts";
import { makeFolder, readBytes, readTextIfAny, replaceFile } from "./host/files.ts";
import type { Machine } from "./machine.ts";
import { perform } from "./perform.ts";
import { noPlan } from "./plan.ts";
import type { Policy } from "./policy/policy.ts";
import { capabilityOf } from "./python/metadata.ts";
import { sanitize } from "./sanitize.ts";
import { describeCall } from "./toolresult.ts";

/** The Python tools a run may use, in order. */
export function allowedTools(policy: Policy): readonly string[] {
  return [...policy.entries.keys()].filter((name) => name.endsWith(".py") && !policy.denied.has(name)).sort();
}

function scriptBytes(config: Config, name: string): Buffer | null {
  try {
    return readBytes(join(config.home.tools, name));
  } catch (thrown) {
    // A name without a script: the call will say so, the prompt does not offer it.
    if (systemCode(thrown) === undefined) throw thrown;
    return null;
  }
}

/** One line per tool that is there: its name and what it is for. */
export function describeTools(config: Config, policy: Policy): string {
  const lines = allowedTools(policy).flatMap((name) => {
    const bytes = scriptBytes(config, name);
    if (bytes === null) return [];
    const capability = capabilityOf(bytes);
    return [capability === null ? `  ${name}` : `  ${name}: ${capability}`];
  });
  return lines.length === 0 ? "  (none)" : lines.join("\n");
}

/** What asking the tools for their documentation needs. */
export type DocsParts = {
  readonly config: Config;
  readonly policy: Policy;
  readonly machine: Machine;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly tell: (message: string) => void;
};

/** Asks one tool; null when it does not answer with documentation. */
async function askForDocs(name: string, parts: DocsParts): Promise<string | null> {
  const { config, policy, machine, folder, signal, tell } = parts;
  const action = { stages: [{ command: name, args: ["--ai-docs"] }] };
  const done = await perform(action, {
    ...{ machine, policy, folder, signal, tell, remainingMs: config.settings.toolTimeout },
    approve: askNobody,
    plan: noPlan,
    onStart: () => undefined,
  });
  if (done.verdict !== "allow") return null;
  const result = describeCall(done.call, action, done.limits, config.redact);
  if (!result.ok || result.truncated || result.stdout.trim() === "") {
    tell(
      `the documentation of ${name} cannot be preloaded: see ash tools check ${name.replace(/\.py$/, "")}`,
    );
    return null;
  }
  return sanitize(result.stdout).text.trim();
}

async function docsOf(name: string, parts: DocsParts): Promise<string | null> {
  const { config, tell } = parts;
  const bytes = scriptBytes(config, name);
  if (bytes === null) return null;
  const folder = join(config.home.cache, "docs");
  const kept = join(folder, `${name}-${sha256(bytes).slice(0, 16)}.txt`);
  const before = readTextIfAny(kept);
  if (before !== null) return before;
  const docs = await askForDocs(name, parts);
  if (docs === null) return null;
  try {
    makeFolder(folder);
    replaceFile(kept, docs, 0o600);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    tell(`${folder} cannot be written (${systemCode(thrown)}): the documentation is asked for at every run`);
  }
  return docs;
}

/** The whole documentation of every tool; a tool that gives none keeps its one line. */
export async function preloadTools(parts: DocsParts): Promise<string> {
  const names = allowedTools(parts.policy);
  const docs = await Promise.all(names.map((name) => docsOf(name, parts)));
  const blocks = names.map((name, i) =>
    docs[i] === null || docs[i] === undefined ? null : `<docs tool="${name}">\n${docs[i]}\n</docs>`,
  );
  return [describeTools(parts.config, parts.policy), ...blocks.filter((block) => block !== null)].join("\n");
}
