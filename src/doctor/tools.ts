// `ash doctor` about what the model may run: the allowlist, the program behind every name, and where programs are
// looked for.
import type { Config } from "../config.ts";
import { currentPolicy } from "../effective.ts";
import { SYSTEM_PATH } from "../exec/environment.ts";
import { assetNames } from "../host/assets.ts";
import { findProgram } from "../host/executables.ts";
import { fileFacts, linkFacts, userId } from "../host/files.ts";
import { exposureOf } from "../host/trust.ts";
import type { Policy } from "../policy/policy.ts";
import { alwaysRunsPrograms } from "../policy/programs.ts";
import type { Check } from "../schema/reports.ts";
import { findTool } from "../world.ts";
import { counted, fail, guarded, ok, ownerName, warn } from "./check.ts";

function allowlistCheck(config: Config, policy: Policy, warnings: readonly string[]): Check {
  const allowed = [...policy.entries.keys()].filter((name) => !policy.denied.has(name));
  const origin = config.origins.toolAllowlist;
  const file = linkFacts(config.home.allowlist) === null ? "the built-in list" : config.home.allowlist;
  const source = origin === "default" ? file : origin;
  const facts = { source, allowed, denied: [...policy.denied], problems: warnings };
  const message = `${counted(allowed.length, "name")} by ${source}`;
  if (warnings.length > 0)
    return warn("allowlist", `${message}; ${warnings.join("; ")}`, "correct these lines", facts);
  if (allowed.length === 0)
    return warn(
      "allowlist",
      `${message}: nothing may run`,
      "add a name a line, or run: ash init --force",
      facts,
    );
  return ok("allowlist", message, facts);
}

type Found = { readonly name: string; readonly path: string; readonly owner: string };
type Lost = { readonly name: string; readonly rule: string; readonly reason: string };

function lookUp(name: string, { home, settings }: Config): Found | Lost {
  const found = name.endsWith(".py")
    ? findTool(home.tools, name)
    : findProgram(name, [...SYSTEM_PATH, ...settings.toolPath]);
  if (!found.ok) return { name, rule: found.rule, reason: found.reason };
  const { path } = found.located;
  return { name, path, owner: ownerName(fileFacts(path)?.uid ?? 0, userId()) };
}

const isFound = (item: Found | Lost): item is Found => "path" in item;

function programsCheck(config: Config, policy: Policy): Check {
  const entries = [...policy.entries.values()].filter(({ name }) => !policy.denied.has(name));
  const homeIsThere = linkFacts(config.home.root) !== null;
  const coming = homeIsThere ? [] : assetNames("tools");
  const looked = entries.filter(({ name }) => !coming.includes(name)).map(({ name }) => lookUp(name, config));
  const found = looked.filter(isFound);
  const lost = looked.filter((item): item is Lost => !isFound(item));
  const untrusted = lost.filter(({ rule }) => rule === "not-trusted");
  const missing = lost.filter(({ rule }) => rule !== "not-trusted").map(({ name }) => name);
  const refused = entries
    .filter((entry) => !entry.unrestricted && alwaysRunsPrograms(entry.name))
    .map(({ name }) => name);
  const facts = { found, missing, untrusted, refused };
  const message = [
    `${found.length} of ${looked.length} found`,
    ...(missing.length === 0 ? [] : [`not installed: ${missing.join(", ")}`]),
    ...untrusted.map(({ reason }) => reason),
    ...(refused.length === 0
      ? []
      : [`listed but refused, because they start other programs: ${refused.join(", ")}`]),
  ].join("; ");
  if (lost.length === 0 && refused.length === 0) return ok("programs", message, facts);
  const fixes = [
    ...(missing.length === 0 ? [] : ["install them, or take them off the list"]),
    ...(refused.length === 0 ? [] : ["write `name: unrestricted`, if you mean it"]),
  ];
  return warn("programs", message, fixes.length === 0 ? null : fixes.join("; "), facts);
}

function pathCheck({ settings }: Config): Check {
  const folders = [...SYSTEM_PATH, ...settings.toolPath].map((path) => {
    const facts = fileFacts(path);
    const exposure = facts === null ? null : exposureOf(path, facts);
    const state = facts?.kind !== "directory" ? "missing" : exposure === null ? "ok" : "untrusted";
    return { path, state, exposure };
  });
  const exposures = folders.flatMap(({ state, exposure }) =>
    state === "untrusted" && exposure !== null ? [exposure] : [],
  );
  const facts = { folders: folders.map(({ path, state }) => ({ path, state })) };
  const message = folders.map(({ path }) => path).join(":");
  if (exposures.length > 0) {
    const problems = exposures.map(({ problem }) => problem).join("; ");
    const fixes = exposures.map(({ fix }) => fix.replace(/^run: /, "")).join("; ");
    return warn("path", `${message}; ${problems}`, `run: ${fixes}`, facts);
  }
  const missing = settings.toolPath.filter((path) =>
    folders.some((folder) => folder.path === path && folder.state === "missing"),
  );
  if (missing.length > 0)
    return fail(
      "path",
      `tool_path names ${missing.join(", ")}, which is no folder`,
      "correct tool_path in config.toml",
      facts,
    );
  return ok("path", message, facts);
}

/** Everything about what may run. */
export function toolChecks(config: Config): readonly Check[] {
  return [
    ...guarded("allowlist", () => {
      const { policy, warnings } = currentPolicy(config);
      return [allowlistCheck(config, policy, warnings), programsCheck(config, policy)];
    }),
    pathCheck(config),
  ];
}
