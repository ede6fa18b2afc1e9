// `ash doctor` about ASH_HOME: who may write it, what ash installed, the files that steer a run, and room for more.
import { savedSessions } from "../archive.ts";
import type { Config } from "../config.ts";
import { checkHome, readManifest, readOwnFile } from "../home.ts";
import { freeBytes, isWritable } from "../host/disk.ts";
import { linkFacts, userId } from "../host/files.ts";
import type { Check } from "../schema/reports.ts";
import { planUpgrade, type UpgradeStep } from "../upgrade.ts";
import { counted, fail, failure, guarded, ok, ownerName, warn } from "./check.ts";

const octal = (mode: number): string => (mode & 0o777).toString(8);

function homeCheck({ home }: Config): readonly Check[] {
  const facts = linkFacts(home.root);
  if (facts === null)
    return [
      warn("home", `${home.root} is not there yet; the first question makes it`, "run: ash init", {
        path: home.root,
      }),
    ];
  checkHome(home);
  const owner = facts.uid === userId() ? "you" : ownerName(facts.uid, userId());
  const seen = { path: home.root, mode: octal(facts.mode), owner };
  const text = `${home.root}, mode ${seen.mode}, owner ${owner}`;
  if (!isWritable(home.root))
    return [
      warn(
        "home",
        `${text}, cannot be written: sessions are not kept`,
        "make it writable, or set ASH_HOME",
        seen,
      ),
    ];
  if ((facts.mode & 0o077) !== 0)
    return [warn("home", `${text}: others can look into it`, `run: chmod 700 '${home.root}'`, seen)];
  return [ok("home", text, seen)];
}

const DRIFT: Readonly<Record<Exclude<UpgradeStep["action"], "unchanged">, string>> = {
  installed: "missing",
  updated: "outdated",
  kept: "edited",
  replaced: "edited",
};

function filesCheck({ home }: Config): readonly Check[] {
  if (linkFacts(home.root) === null) return [];
  const steps = planUpgrade(home, false);
  const known = readManifest(home);
  const drift = steps.flatMap(({ path, action }) =>
    action === "unchanged" ? [] : [{ path, state: DRIFT[action] }],
  );
  const facts = { installed_by: known?.version ?? null, drift };
  const named = (state: string): readonly string[] =>
    drift.filter((file) => file.state === state).map(({ path }) => path);
  if (known === null)
    return [
      warn(
        "files",
        `${home.manifest} is missing or unreadable: ash cannot tell its own files from yours`,
        "run: ash init",
        facts,
      ),
    ];
  const said = ["edited", "outdated", "missing"].flatMap((state) =>
    named(state).length === 0 ? [] : [`${state}: ${named(state).join(", ")}`],
  );
  const message = `${counted(steps.length, "file")} by ash ${known.version}${said.length === 0 ? ", unchanged" : `; ${said.join("; ")}`}`;
  // A file that is edited or was removed is the user's choice; an outdated one only waits for an upgrade.
  return [
    named("outdated").length > 0
      ? warn("files", message, "run: ash init", facts)
      : ok("files", message, facts),
  ];
}

function configFileCheck(config: Config): readonly Check[] {
  const { home, origins } = config;
  const facts = linkFacts(home.config);
  if (facts === null)
    return [ok("config", `no ${home.config}: defaults hold`, { path: home.config, settings: [] })];
  readOwnFile(home.config);
  const settings = Object.entries(origins).flatMap(([name, origin]) =>
    origin === home.config ? [name] : [],
  );
  const seen = { path: home.config, mode: octal(facts.mode), settings };
  const holdsKey = settings.some((name) => name === "apiKey" || name === "authToken");
  if (holdsKey && (facts.mode & 0o077) !== 0)
    return [
      warn(
        "config",
        `${home.config} holds a key and others can read it`,
        `run: chmod 600 '${home.config}'`,
        seen,
      ),
    ];
  return [ok("config", `${home.config}, ${counted(settings.length, "setting")} in force`, seen)];
}

function systemCheck({ home }: Config): readonly Check[] {
  const text = readOwnFile(home.system);
  if (text === null) return [ok("system-prompt", "the built-in one", { path: null })];
  const facts = { path: home.system, bytes: Buffer.byteLength(text) };
  if (text.trim() === "")
    return [
      warn(
        "system-prompt",
        `${home.system} is empty: the model is told nothing`,
        "remove it, or run: ash init --force",
        facts,
      ),
    ];
  return [ok("system-prompt", `${home.system}, ${facts.bytes} bytes`, facts)];
}

function sessionsCheck({ home }: Config): readonly Check[] {
  const sessions = savedSessions(home);
  const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
  const size = bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KiB` : `${Math.round(bytes / 1024 ** 2)} MiB`;
  const facts = { count: sessions.length, bytes };
  const message =
    sessions.length === 0 ? "none saved" : `${counted(sessions.length, "session")} saved, ${size}`;
  return [
    bytes > 1024 ** 3
      ? warn("sessions", message, "remove old ones: ash sessions rm --older-than 30d", facts)
      : ok("sessions", message, facts),
  ];
}

const LITTLE = 100 * 1024 ** 2;

/** The nearest folder above a path that exists. */
function existing(path: string): string {
  return path === "/" || linkFacts(path) !== null ? path : existing(path.replace(/\/[^/]*$/, "") || "/");
}

function diskCheck({ home }: Config): readonly Check[] {
  const place = existing(home.root);
  const free = freeBytes(place);
  const facts = { path: place, free_bytes: free };
  if (free === null) return [warn("disk", `how much room there is at ${place} cannot be told`, null, facts)];
  const mebibytes = Math.floor(free / 1024 ** 2);
  const text =
    mebibytes < 10_240
      ? `${mebibytes} MiB free at ${place}`
      : `${Math.floor(mebibytes / 1024)} GiB free at ${place}`;
  if (free === 0) return [fail("disk", text, "make room, or set ASH_HOME to another disk", facts)];
  return [
    free < LITTLE
      ? warn("disk", text, "make room: an environment needs 100 MiB and more", facts)
      : ok("disk", text, facts),
  ];
}

/** Everything about the home. `problems` are errors of the configuration that were found before. */
export function homeChecks(config: Config, problems: readonly unknown[]): readonly Check[] {
  return [
    ...guarded("home", () => homeCheck(config)),
    ...guarded("files", () => filesCheck(config)),
    ...(problems.length > 0
      ? problems.map((problem) => failure("config", problem))
      : guarded("config", () => configFileCheck(config))),
    ...guarded("system-prompt", () => systemCheck(config)),
    ...guarded("sessions", () => sessionsCheck(config)),
    ...guarded("disk", () => diskCheck(config)),
  ];
}
