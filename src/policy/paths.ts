// The path rule: which files and folders tools may read. It judges the path as it is written and the path it really
// leads to, and refuses when either is secret. It asks the machine only through the facts it is given.
import { posix } from "node:path";
import { CREDENTIAL_PLACES, isCredentialName, isPublicKey, SYSTEM_SECRETS } from "./secrets.ts";

/** Facts about paths, asked of the machine. */
export type PathFacts = {
  /** The user's home folder. */
  readonly home: string;
  /** Every folder that is a home: credential folders below each of them are secret. */
  readonly homes: readonly string[];
  /** The folder of ash's own files. */
  readonly ashHome: string;
  /** The current folder. */
  readonly folder: string;
  readonly platform: "gnu" | "bsd";
  /** Only these trees may be read in this run, as real paths; null means all. */
  readonly onlyRead: readonly string[] | null;
  /** Trees that may not be read in this run, as real paths. */
  readonly neverRead: readonly string[];
  /** The file system takes `.ENV` for `.env`. */
  readonly caseInsensitive: boolean;
  /** The absolute path without links, or null when nothing is there. */
  readonly realPath: (path: string) => string | null;
  /** What is there, links followed. */
  readonly kind: (path: string) => "file" | "directory" | "other" | "missing";
};

/** Folder names that mean credentials wherever they are. */
const SECRET_FOLDERS = [".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store"];

const HARMLESS = [
  /^\/dev\/null$/,
  /^\/proc\/(?:cpuinfo|meminfo|version|loadavg|uptime|stat|filesystems|mounts|partitions|swaps|vmstat|diskstats)$/,
  /^\/proc\/(?:interrupts|softirqs|devices|misc|modules|buddyinfo|cgroups|pressure\/(?:cpu|io|memory))$/,
  /^\/proc\/(?:mdstat|zoneinfo|cmdline|crypto|consoles|locks|schedstat|iomem|ioports|slabinfo|pagetypeinfo|fb|dma)$/,
  // Numbers about a process; what it was told and what it holds open stay closed.
  /^\/proc\/(?:self|\d{1,9})\/(?:status|stat|statm|limits|cgroup|comm|io|sched|schedstat|oom_score|oom_score_adj|wchan)$/,
  // What sysctl shows.
  /^\/proc\/sys\/(?:vm|net|fs|kernel|dev|user|abi)\/[A-Za-z0-9_./-]+$/,
  /^\/proc\/net\/(?:dev|route|tcp6?|udp6?|arp|snmp|netstat|sockstat6?|if_inet6|wireless)$/,
  /^\/sys\/(?:class\/(?:net|power_supply|thermal|hwmon|backlight)|devices\/system\/cpu|block|fs\/cgroup)(?:\/|$)/,
  /^\/sys\/(?:kernel\/mm\/(?:transparent_hugepage|ksm|hugepages)|class\/(?:dmi\/id|drm|nvme|rtc|cpuid))(?:\/|$)/,
  /^\/run\/(?:systemd\/resolve|NetworkManager|resolvconf)\/(?:stub-)?resolv\.conf$/,
  /^\/run\/media(?:\/|$)/,
];
const SYSTEM_ROOT = /^\/(proc|dev|sys|run)(?:\/|$)/;
const SAID: Readonly<Record<string, string>> = {
  proc: "of /proc only cpuinfo, meminfo, loadavg, uptime, stat, mounts, net/dev and the like are readable for tools",
  sys: "of /sys only class/net, class/power_supply, class/thermal, block and the like are readable for tools",
  dev: "of /dev only /dev/null is readable for tools; use - for standard input",
  run: "of /run only resolv.conf and media are readable for tools",
};

const inside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);

const trimmed = (path: string): string => (path.length > 1 ? path.replace(/\/+$/, "") || "/" : path);

/** The form paths are compared in; macOS keeps /etc, /var and /tmp under /private. */
function comparable(path: string, facts: PathFacts): string {
  const plain = trimmed(path.replace(/^\/private(?=\/(?:etc|var|tmp)(?:\/|$))/, ""));
  if (!facts.caseInsensitive) return plain;
  return plain
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase();
}

/** Follows links component by component: `..` after a link leaves the folder the link leads to. */
function followed(path: string, facts: PathFacts): string {
  let current = "/";
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") current = posix.dirname(current);
    else {
      const next = posix.join(current, part);
      current = facts.realPath(next) ?? next;
    }
  }
  return current;
}

/** A path as it is written and as it really is, both absolute. */
type Place = { readonly written: string; readonly real: string };

function placesOf(path: string, facts: PathFacts): readonly Place[] {
  // No shell expands ~, but a program may: both readings must be harmless.
  const expanded = path === "~" || path.startsWith("~/") ? [facts.home + path.slice(1)] : [];
  return [path, ...expanded].map((spelled) => {
    const absolute = spelled.startsWith("/") ? spelled : `${facts.folder}/${spelled}`;
    const written = trimmed(posix.normalize(absolute));
    const direct = /(?:^|\/)\.\.(?:\/|$)/.test(absolute) ? null : facts.realPath(written);
    return { written, real: direct ?? followed(absolute, facts) };
  });
}

const isHarmless = (path: string): boolean => HARMLESS.some((pattern) => pattern.test(path));

function systemReason({ written, real }: Place): string | null {
  const wrongRoot = (path: string): string | null => SYSTEM_ROOT.exec(path)?.[1] ?? null;
  const root = wrongRoot(written);
  if (root !== null && !isHarmless(written)) return SAID[root] ?? null;
  const realRoot = wrongRoot(real);
  // /proc/mounts and /sys/class/net/eth0 are links to places that are not on the list themselves.
  if (realRoot === null || realRoot === root || isHarmless(real)) return null;
  return SAID[realRoot] ?? null;
}

type Secrets = {
  readonly homes: readonly string[];
  readonly places: readonly string[];
  readonly ashHome: string;
  readonly tools: string;
};

const prepared = new WeakMap<PathFacts, Secrets>();

/** The secret places of a machine in comparable form; built once for all calls of a run. */
function secretsOf(facts: PathFacts): Secrets {
  const before = prepared.get(facts);
  if (before !== undefined) return before;
  const inHomes = facts.homes.flatMap((home) => CREDENTIAL_PLACES.map((item) => posix.join(home, item)));
  const form = (path: string): string => comparable(path, facts);
  const secrets = {
    homes: facts.homes.map(form),
    places: [...SYSTEM_SECRETS, ...inHomes].map(form),
    ashHome: form(facts.ashHome),
    tools: form(`${facts.ashHome}/tools`),
  };
  prepared.set(facts, secrets);
  return secrets;
}

function secretReason(path: string, facts: PathFacts): string | null {
  const at = comparable(path, facts);
  const { places, ashHome, tools } = secretsOf(facts);
  if (
    at.split("/").some((part) => SECRET_FOLDERS.includes(part)) ||
    places.some((place) => inside(at, place))
  ) {
    return "it is a place for credentials, which tools may not read; other files, and names in a home folder, are fine";
  }
  if (!inside(at, ashHome) || inside(at, tools)) return null;
  return "ash's own files are not readable for tools, except its tools folder";
}

function nameReason(path: string, facts: PathFacts): string | null {
  const name = posix.basename(facts.caseInsensitive ? comparable(path, facts) : path);
  if (!isCredentialName(name) || isPublicKey(path)) return null;
  return "it looks like a file of credentials; .example, .sample, .template, .dist and .pub files are fine";
}

/** Why a path is closed by the permissions of this run, or null. */
function scopeReason({ written, real }: Place, facts: PathFacts): string | null {
  const within = (trees: readonly string[], path: string): boolean =>
    trees.some((tree) => inside(comparable(path, facts), comparable(tree, facts)));
  const { onlyRead, neverRead } = facts;
  if (within(neverRead, real) || within(neverRead, written)) return "it is closed for this run (--deny-read)";
  if (onlyRead === null || within(onlyRead, real) || isHarmless(real)) return null;
  return `readable in this run is only ${onlyRead.join(", ")} (--allow-read)`;
}

/** Why tools may not read the path, or null when they may. A missing file is fine unless its name is secret. */
export function judgePath(path: string, facts: PathFacts): string | null {
  if (path === "-" || path === "") return null;
  for (const place of placesOf(path, facts)) {
    const kind = facts.kind(place.real);
    const reasons = [place.written, place.real].map(
      (at) => secretReason(at, facts) ?? (kind === "directory" ? null : nameReason(at, facts)),
    );
    const reason = systemReason(place) ?? scopeReason(place, facts) ?? reasons.find((item) => item !== null);
    if (reason !== null && reason !== undefined) return `${path}: ${reason}`;
    if (kind === "other" && place.real !== "/dev/null") {
      return `${path}: only regular files and folders are readable for tools, not pipes, sockets or devices`;
    }
  }
  return null;
}

const TREES = ["/etc", "/root", "/home", "/proc", "/sys", "/dev", "/run"];

/** Why tools may not read everything below the path, or null when they may. */
export function judgeRecursion(path: string, facts: PathFacts): string | null {
  const { homes, places, ashHome } = secretsOf(facts);
  const closed = facts.neverRead.map((path) => comparable(path, facts));
  const covers = placesOf(path, facts)
    .flatMap(({ written, real }) => [comparable(written, facts), comparable(real, facts)])
    .some((at) => [...TREES, ...homes, ...places, ...closed, ashHome].some((place) => inside(place, at)));
  if (!covers) return null;
  return `${path}: everything below it would be read, credentials and system state too; name a narrower folder, or - for standard input`;
}
