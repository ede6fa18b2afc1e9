// The ways to make an environment and fill it, best first, and what to tell people when none works.
import { AshError } from "../errors.ts";
import { formatDuration } from "../limits.ts";
import { readComplaint } from "./complaints.ts";
import type { PythonFacts } from "./probe.ts";
import { versionText } from "./probe.ts";
import type { Provisioning } from "./provision.ts";
import type { StepResult } from "./step.ts";
import { venvPython } from "./venv.ts";

/** A way: uv, the interpreter's own venv with pip inside, or a bare venv filled by the interpreter's pip. */
export type Route = "uv" | "venv" | "bare";

/** The routes an interpreter allows, best first. An environment without packages needs no pip. */
export function routesFor(python: PythonFacts, uv: string | null, needsPackages: boolean): readonly Route[] {
  const routes: Route[] = [];
  if (uv !== null) routes.push("uv");
  if (python.venv && python.ensurepip && needsPackages) routes.push("venv");
  if (python.venv && (python.pip || !needsPackages)) routes.push("bare");
  return routes;
}

/** One program to run, and what it does. A route whose making fails leaves the next one to try. */
export type InstallStep = {
  readonly kind: "make" | "install";
  readonly title: string;
  readonly argv: readonly string[];
};

// The pip of another Python fills an environment that has none: run by the environment's Python, which finds that
// one package there and nothing else beside it. `pip --python` would do, but is missing before pip 22.3.
const FOREIGN_PIP = `
import runpy, sys
from importlib.machinery import PathFinder
folder = sys.argv.pop(1)
class OnlyPip:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, [folder], target) if name == "pip" else None
sys.meta_path.insert(0, OnlyPip)
runpy.run_module("pip", run_name="__main__", alter_sys=True)
`;

const PIP = [
  "install",
  "--no-input",
  "--disable-pip-version-check",
  "--progress-bar",
  "off",
  "--only-binary",
  ":all:",
];

function requirementArguments({ requirements }: Provisioning): readonly string[] {
  return [...(requirements.hashed ? ["--require-hashes", "--no-deps"] : []), "-r", requirements.file];
}

function pipArguments(what: Provisioning): readonly string[] {
  return [...PIP, "--log", what.log, ...(what.offline ? ["--no-index"] : []), ...requirementArguments(what)];
}

function uvInstall(uv: string, what: Provisioning, inside: string): readonly string[] {
  return [
    uv,
    "pip",
    "install",
    "--no-progress",
    ...(what.offline ? ["--offline"] : []),
    "--python",
    inside,
    "--only-binary",
    ":all:",
    "--compile-bytecode",
    ...requirementArguments(what),
  ];
}

/** The programs of a route that make the environment at `target`. */
export function installSteps(route: Route, what: Provisioning, target: string): readonly InstallStep[] {
  const { path, version, pipFolder } = what.python;
  const inside = venvPython(target);
  const make = `making an environment with Python ${versionText(version)}`;
  const steps = (how: string, makeArgv: readonly string[], installArgv: readonly string[]) => [
    { kind: "make", title: `${make}${how}`, argv: makeArgv } as const,
    ...(what.requirements.empty
      ? []
      : [{ kind: "install", title: "installing packages", argv: installArgv } as const]),
  ];
  switch (route) {
    case "uv": {
      const uv = what.uv ?? "uv";
      return steps(
        " (uv)",
        [uv, "venv", "--no-progress", "--python", path, target],
        uvInstall(uv, what, inside),
      );
    }
    case "venv":
      return steps(
        "",
        [path, "-I", "-B", "-m", "venv", target],
        [inside, "-I", "-m", "pip", ...pipArguments(what)],
      );
    case "bare":
      return steps(
        " (without pip)",
        [path, "-I", "-B", "-m", "venv", "--without-pip", target],
        [inside, "-I", "-c", FOREIGN_PIP, pipFolder ?? "", ...pipArguments(what)],
      );
  }
}

/** What to install so that an environment can be made. */
export function missingVenv(python: PythonFacts, isDebian: boolean, again: string): AshError {
  const [major, minor] = python.version;
  const packages =
    isDebian && python.path.startsWith("/usr/bin/")
      ? `run: sudo apt install python${major}.${minor}-venv`
      : "install uv, or your system's packages of Python's venv and pip";
  return new AshError(
    "tool_runtime",
    `${python.path} cannot make environments: it has no ${python.venv ? "pip" : "venv module"}`,
    { hint: `${packages}; then ${again}` },
  );
}

/** The error of a step that failed. `log` is what pip wrote besides. */
export function findProblem(
  step: InstallStep,
  result: StepResult,
  log: string,
  { timeoutMs, offline, again }: Provisioning,
): AshError {
  const subject =
    step.kind === "make" ? "the environment could not be made" : "packages could not be installed";
  const failed = (problem: string, fix: string): AshError =>
    new AshError("tool_runtime", `${subject}: ${problem}`, { hint: `${fix}; then ${again}` });
  switch (result.reason) {
    case "aborted":
      return new AshError("interrupted", `stopped while ${step.title}`);
    case "timeout":
      return failed(
        `it took longer than ${formatDuration(timeoutMs)}`,
        "check the network or the package index",
      );
    case "not_started":
      return failed(result.output, "check that the program can be run");
    case "exit": {
      if (result.signal !== null)
        return failed(`the installer was ended by ${result.signal}`, "see whether memory ran out");
      const { problem, fix } = readComplaint(result.output, log, offline);
      return failed(problem, fix);
    }
  }
}
