// The ways to make an environment and fill it, best first, and what to tell people when none works.
import { AshError } from "../errors.ts";
import { formatDuration } from "../limits.ts";
import type { PythonFacts } from "./probe.ts";
import { versionText } from "./probe.ts";
import type { Provisioning } from "./provision.ts";
import type { StepResult } from "./step.ts";
import { venvPython } from "./venv.ts";

/** A way: uv, the interpreter's own venv with pip inside, or a bare venv filled by the interpreter's pip. */
export type Route = "uv" | "venv" | "bare";

/** The routes an interpreter allows, best first. */
export function routesFor(python: PythonFacts, uv: string | null): readonly Route[] {
  const routes: Route[] = [];
  if (uv !== null) routes.push("uv");
  if (python.venv && python.ensurepip) routes.push("venv");
  if (python.venv && python.pip) routes.push("bare");
  return routes;
}

/** One program to run, and what it does. */
export type InstallStep = { readonly title: string; readonly argv: readonly string[] };

const PIP = [
  "--isolated",
  "--no-input",
  "--disable-pip-version-check",
  "--progress-bar",
  "off",
  "--only-binary",
  ":all:",
];

function pinned({ requirements }: Provisioning): readonly string[] {
  return [...(requirements.hashed ? ["--require-hashes", "--no-deps"] : []), "-r", requirements.file];
}

/** `--isolated` keeps pip from the user's settings; the index of a company is given on purpose. */
function pipIndex({ environment, offline }: Provisioning): readonly string[] {
  const index = environment.PIP_INDEX_URL;
  const more = environment.PIP_EXTRA_INDEX_URL;
  const trusted = environment.PIP_TRUSTED_HOST;
  const links = environment.PIP_FIND_LINKS;
  return [
    ...(offline ? ["--no-index"] : index === undefined ? [] : ["--index-url", index]),
    ...(more === undefined || offline ? [] : more.split(/\s+/).flatMap((url) => ["--extra-index-url", url])),
    ...(trusted === undefined ? [] : trusted.split(/\s+/).flatMap((host) => ["--trusted-host", host])),
    ...(links === undefined ? [] : links.split(/\s+/).flatMap((place) => ["--find-links", place])),
  ];
}

/** The programs of a route that make the environment at `target`. */
export function installSteps(route: Route, what: Provisioning, target: string): readonly InstallStep[] {
  const { path } = what.python;
  const inside = venvPython(target);
  const make = `making an environment with Python ${versionText(what.python.version)}`;
  const install = "installing packages";
  switch (route) {
    case "uv": {
      const uv = what.uv ?? "uv";
      const shared = ["--no-config", "--no-progress", ...(what.offline ? ["--offline"] : [])];
      return [
        {
          title: `${make} (uv)`,
          argv: [uv, "venv", ...shared, "--no-python-downloads", "--python", path, target],
        },
        {
          title: install,
          argv: [
            uv,
            "pip",
            "install",
            ...shared,
            "--python",
            inside,
            "--only-binary",
            ":all:",
            "--compile-bytecode",
            ...pinned(what),
          ],
        },
      ];
    }
    case "venv":
      return [
        { title: make, argv: [path, "-I", "-m", "venv", target] },
        {
          title: install,
          argv: [inside, "-I", "-m", "pip", "install", ...PIP, ...pipIndex(what), ...pinned(what)],
        },
      ];
    case "bare":
      return [
        { title: `${make} (without pip)`, argv: [path, "-I", "-m", "venv", "--without-pip", target] },
        {
          title: install,
          argv: [
            path,
            "-I",
            "-m",
            "pip",
            "--python",
            inside,
            "install",
            ...PIP,
            ...pipIndex(what),
            ...pinned(what),
          ],
        },
      ];
  }
}

/** What to install so that an environment can be made. */
export function missingVenv(python: PythonFacts, isDebian: boolean): AshError {
  const [major, minor] = python.version;
  const packages = isDebian
    ? `sudo apt install python${major}.${minor}-venv`
    : "install your system's package of Python's venv module, or uv";
  return new AshError(
    "tool_runtime",
    `${python.path} cannot make virtual environments: it has no venv with pip`,
    {
      hint: `${packages}; then: ash init`,
    },
  );
}

/** The error of a step that failed. */
export function findProblem(title: string, step: StepResult, { timeoutMs, offline }: Provisioning): AshError {
  const last =
    step.tail
      .split("\n")
      .filter((line) => /error|no matching|could not|fail/i.test(line))
      .at(-1) ??
    step.tail.split("\n").at(-1) ??
    "";
  switch (step.reason) {
    case "aborted":
      return new AshError("interrupted", `stopped while ${title}`, { hint: "run ash init again to go on" });
    case "timeout":
      return new AshError("tool_runtime", `${title} took longer than ${formatDuration(timeoutMs)}`, {
        hint: "check the network or the package index, then: ash init",
      });
    case "not_started":
    case "exit":
      return new AshError("tool_runtime", `${title} failed: ${last}`, {
        hint: offline
          ? "without --offline the packages come from the index"
          : "check the network or the package index, then: ash init",
      });
  }
}
