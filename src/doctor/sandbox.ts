// `ash doctor` about the locks around tools: which mode holds, and what a probe that runs as a tool could do all the
// same.
import type { Config } from "../config.ts";
import { sandboxOf } from "../effective.ts";
import { AshError, systemCode } from "../errors.ts";
import { SYSTEM_PATH } from "../exec/environment.ts";
import { availableModes, probeSandbox } from "../exec/sandbox.ts";
import { type SelfTest, testSandbox } from "../exec/selftest.ts";
import { findProgram } from "../host/executables.ts";
import { isReadable, linkFacts } from "../host/files.ts";
import { writeBytes } from "../limits.ts";
import { openMachine } from "../machine.ts";
import type { Check } from "../schema/reports.ts";
import type { Sandbox } from "../schema.ts";
import { limitsOf } from "../settingviews.ts";
import { fail, failure, ok, warn } from "./check.ts";

type Report = Extract<SelfTest, { ok: true }>["report"];
type Outcome = { readonly mode: Sandbox; readonly report: Report; readonly executed: boolean };

const STRONGER = "use Linux 5.13 or newer with Landlock, or install bubblewrap";
const ABOVE = "a stronger sandbox, see above";

/** A lock that should hold and does not is a failure; where the mode has none it is a warning. */
function judge(id: string, mode: Sandbox, holds: boolean, said: readonly [good: string, bad: string]): Check {
  const isStrong = mode === "jail" || mode === "bwrap";
  if (holds) return ok(id, said[0]);
  return isStrong ? fail(id, said[1], "report this as a bug") : warn(id, said[1], ABOVE);
}

function modeCheck(mode: Sandbox, config: Config): Check {
  const probe = probeSandbox();
  const available = availableModes(probe);
  const facts = {
    mode,
    available,
    chosen_by: config.origins.sandbox,
    landlock: probe.landlock,
    seccomp: probe.seccomp,
    bwrap: probe.bwrap,
  };
  const locks =
    mode === "jail"
      ? `Landlock ${probe.landlock}, seccomp, kernel limits`
      : mode === "bwrap"
        ? `bubblewrap (${probe.bwrap}), kernel limits`
        : mode === "rlimits"
          ? "kernel limits only"
          : "nothing but time and output limits";
  const message = `${mode}: ${locks}`;
  if (mode === "jail" || mode === "bwrap") return ok("sandbox", message, facts);
  const isChosen = config.origins.sandbox !== "default";
  return warn("sandbox", message, isChosen ? `take it away: ${config.origins.sandbox}` : STRONGER, facts);
}

const DONE = "done";
/** A file that is not there has not been read either. */
const isRefused = (outcome: string | undefined): boolean => outcome !== DONE;

function filesCheck({ mode, report }: Outcome): Check {
  const { read, write, parentEnvironment } = report;
  const open = [
    ...(isRefused(read.secret) ? [] : ["read a secret file"]),
    ...(isRefused(read.own) ? [] : ["read config.toml"]),
    ...(isRefused(parentEnvironment) ? [] : ["read the environment of ash"]),
    ...(isRefused(write.outside) ? [] : ["write outside its own folder"]),
  ];
  const good = "a tool could not read a secret file, nor write outside its own folder";
  const check = judge("lock-files", mode, open.length === 0, [good, `a tool could ${open.join(" and ")}`]);
  const works = read.plain === DONE && write.scratch === DONE;
  if (!works)
    return fail(
      "lock-files",
      `a tool could not even do what it may: read ${read.plain}, write ${write.scratch}`,
      "check the temporary folder (TMPDIR)",
      { read, write },
    );
  return { ...check, facts: { read, write, parent_environment: parentEnvironment } };
}

function networkCheck({ mode, report }: Outcome): Check {
  const { network, localSocket } = report;
  const check = judge("lock-network", mode, isRefused(network), [
    "a tool that does not declare the network could not use it",
    "a tool could use the network",
  ]);
  return { ...check, facts: { internet: network, local_socket: localSocket } };
}

function programsCheck({ mode, report, executed }: Outcome): Check {
  const facts = { executed, seccomp: report.seccomp, no_new_privs: report.noNewPrivs };
  if (!report.noNewPrivs)
    return {
      ...judge("lock-programs", mode, false, ["", "a tool could gain privileges: no_new_privs is off"]),
      facts,
    };
  if (!executed)
    return ok(
      "lock-programs",
      "a tool could not start another program (seccomp), nor gain privileges (no_new_privs)",
      facts,
    );
  const message =
    "a tool could start another program, under the same locks; it cannot gain privileges (no_new_privs)";
  return mode === "bwrap"
    ? ok("lock-programs", message, facts)
    : { ...judge("lock-programs", mode, false, ["", message]), facts };
}

/** The kernel's names of the limits a call has. */
const LIMITS = ["cpu time", "data size", "file size", "open files", "processes", "core file size"] as const;

function limitsCheck({ mode, report }: Outcome, config: Config): Check {
  const { toolFileMax, toolMemoryMax, toolProcessMax } = config.settings;
  const open = LIMITS.filter(
    (name) => report.limits[name] === undefined || report.limits[name] === "unlimited",
  );
  const facts = { limits: report.limits };
  const text = `CPU ${report.limits["cpu time"]} s, files ${writeBytes(toolFileMax)}, memory ${writeBytes(toolMemoryMax)}, processes ${toolProcessMax}`;
  if (open.length === 0) return ok("lock-limits", `${text}: put on by the kernel`, facts);
  const message = `no kernel limit on ${open.join(", ")}`;
  return mode === "none"
    ? warn("lock-limits", message, ABOVE, facts)
    : fail("lock-limits", message, "report this", facts);
}

function groupCheck({ mode, report }: Outcome): Check {
  const isInGroup = /\/ash-[0-9a-f]/.test(report.groups);
  const facts = { groups: report.groups.split("\n") };
  if (isInGroup)
    return ok("lock-cgroup", "a call and all it starts share one limit on memory and processes", facts);
  if (mode === "none") return warn("lock-cgroup", "none in this mode", ABOVE, facts);
  return ok("lock-cgroup", "not for this user: ash watches the memory and processes of a call itself", facts);
}

function environmentCheck({ report }: Outcome): Check {
  const leaked = report.environment.filter((name) => /KEY|TOKEN|SECRET|PASSWORD|^ANTHROPIC_/.test(name));
  const facts = { names: report.environment };
  if (leaked.length > 0)
    return fail("lock-environment", `a tool was given ${leaked.join(", ")}`, "report this", facts);
  return ok(
    "lock-environment",
    `a tool gets ${report.environment.length} variables made for it, and no key`,
    facts,
  );
}

async function tryOut(mode: Sandbox, config: Config, signal: AbortSignal): Promise<readonly Check[]> {
  const own = config.home.config;
  const harmless = findProgram("true", SYSTEM_PATH);
  const test = await testSandbox({
    openEngine: (folder) => openMachine(config, folder).engine,
    secretFile: linkFacts(own) !== null && isReadable(own) ? own : null,
    harmless: harmless.ok ? harmless.located.path : null,
    limits: limitsOf(config.settings),
    signal,
  });
  if (!test.ok) return [fail("engine", test.problem, "report this with the output of: ash doctor --json")];
  const outcome = { mode, report: test.report, executed: test.executed };
  return [
    ok("engine", `a probe ran as a tool in ${Math.round(test.durationMs)} ms`, {
      duration_ms: test.durationMs,
    }),
    filesCheck(outcome),
    networkCheck(outcome),
    programsCheck(outcome),
    limitsCheck(outcome, config),
    groupCheck(outcome),
    environmentCheck(outcome),
  ];
}

/** Everything about the sandbox; the locks are tried, not believed. */
export async function sandboxChecks(config: Config, signal: AbortSignal): Promise<readonly Check[]> {
  const mode = sandboxOf(config);
  if (mode instanceof AshError) return [failure("sandbox", mode)];
  const first = modeCheck(mode, config);
  try {
    return [first, ...(await tryOut(mode, config, signal))];
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) return [first, failure("engine", thrown)];
    return [
      first,
      fail(
        "engine",
        `there is no place for temporary files (${code})`,
        "set TMPDIR to a folder you may write",
      ),
    ];
  }
}
