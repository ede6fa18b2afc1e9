// Where packages come from and how they are reached: the few settings companies make, translated so that each means
// the same to pip and to uv, and the environment both run in. It starts nothing.
import { isAbsolute, join } from "node:path";
import { AshError } from "../errors.ts";
import { CALL_MARK, SYSTEM_PATH } from "../exec/environment.ts";
import type { Home } from "../home.ts";
import { sha256 } from "../host/assets.ts";
import { fileFacts } from "../host/files.ts";

/** The only variables of the user that reach pip and uv: indexes, proxies, certificates, patience. */
export const PACKAGE_SETTINGS: readonly string[] = [
  "PIP_INDEX_URL",
  "PIP_EXTRA_INDEX_URL",
  "PIP_TRUSTED_HOST",
  "PIP_FIND_LINKS",
  "PIP_CERT",
  "PIP_DEFAULT_TIMEOUT",
  "PIP_RETRIES",
  "UV_INDEX_URL",
  "UV_DEFAULT_INDEX",
  "UV_EXTRA_INDEX_URL",
  "UV_INDEX",
  "UV_FIND_LINKS",
  "UV_INSECURE_HOST",
  "UV_NATIVE_TLS",
  "UV_HTTP_TIMEOUT",
  "UV_HTTP_RETRIES",
  "NETRC",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "REQUESTS_CA_BUNDLE",
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]),
];

/** Variables of the user that reach pip and uv, by name. */
export type PackageSettings = Readonly<Record<string, string>>;

const words = (text: string | undefined): readonly string[] => (text ?? "").split(/\s+/).filter(Boolean);
const listed = (text: string | undefined): readonly string[] => (text ?? "").split(",").filter(Boolean);

/** An index of uv may have a name in front, which pip does not know. */
const withoutName = (index: string): string => index.replace(/^[A-Za-z0-9._-]+=/, "");

const joined = (list: readonly string[], separator: string): string | undefined =>
  list.length === 0 ? undefined : list.join(separator);

/** The settings, each under the names pip and uv know it by. A tool's own name wins over its neighbour's. */
export function translateSettings(settings: PackageSettings): PackageSettings {
  const index = settings.UV_DEFAULT_INDEX ?? settings.UV_INDEX_URL;
  const more = [...words(settings.UV_INDEX), ...words(settings.UV_EXTRA_INDEX_URL)];
  const pipMore = words(settings.PIP_EXTRA_INDEX_URL);
  const links = words(settings.PIP_FIND_LINKS);
  const authority = settings.PIP_CERT ?? settings.REQUESTS_CA_BUNDLE ?? settings.SSL_CERT_FILE;
  const translated = {
    PIP_INDEX_URL: settings.PIP_INDEX_URL ?? (index === undefined ? undefined : withoutName(index)),
    PIP_EXTRA_INDEX_URL: settings.PIP_EXTRA_INDEX_URL ?? joined(more.map(withoutName), " "),
    PIP_FIND_LINKS: settings.PIP_FIND_LINKS ?? joined(listed(settings.UV_FIND_LINKS), " "),
    PIP_TRUSTED_HOST: settings.PIP_TRUSTED_HOST ?? joined(words(settings.UV_INSECURE_HOST), " "),
    PIP_CERT: authority,
    UV_DEFAULT_INDEX: index ?? settings.PIP_INDEX_URL,
    UV_INDEX: joined(more.length > 0 ? more : pipMore, " "),
    UV_FIND_LINKS: settings.UV_FIND_LINKS ?? joined(links, ","),
    UV_INSECURE_HOST: settings.UV_INSECURE_HOST ?? joined(words(settings.PIP_TRUSTED_HOST), " "),
    SSL_CERT_FILE: settings.SSL_CERT_FILE ?? authority,
    // What uv called them before October 2024.
    UV_INDEX_URL: index === undefined ? settings.PIP_INDEX_URL : withoutName(index),
    UV_EXTRA_INDEX_URL: joined(more.length > 0 ? more.map(withoutName) : pipMore, " "),
  };
  const all: Readonly<Record<string, string | undefined>> = { ...settings, ...translated };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

const PATH_NAMES = ["PIP_CERT", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"];
const isAddress = (place: string): boolean => /^[a-z]+:\/\//.test(place);

/**
 * Throws tool_runtime when a setting names a place relative to the current directory, which is never read: what lies
 * there could be anybody's.
 */
export function refuseRelativePlaces(settings: PackageSettings): void {
  const places = [
    ...PATH_NAMES.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]] as const])),
    ...words(settings.PIP_FIND_LINKS).map((place) => ["PIP_FIND_LINKS", place] as const),
    ...listed(settings.UV_FIND_LINKS).map((place) => ["UV_FIND_LINKS", place] as const),
  ];
  const relative = places.find(([, place]) => !isAbsolute(place) && !isAddress(place));
  if (relative === undefined) return;
  const [name, place] = relative;
  throw new AshError("tool_runtime", `${name} names '${place}'`, { hint: "give an absolute path" });
}

/** The mark of every process that makes environments for a home: what a killed ash left running is found by it. */
export const provisionMark = (home: Home): string => `provision-${sha256(home.root).slice(0, 12)}`;

/** What the environment of pip and uv is built from. */
export type InstallerFacts = {
  readonly home: Home;
  readonly settings: PackageSettings;
  readonly userHome: string;
  /** Absolute folders of the user's PATH. */
  readonly path: readonly string[];
};

/**
 * The environment pip and uv run in, built from nothing. Their home is the cache of ash: the user's own settings of
 * pip and uv are not read, and nothing is written outside ASH_HOME. Passwords of indexes stay out of any argv.
 */
export function installerEnvironment({ home, settings, userHome, path }: InstallerFacts): PackageSettings {
  const netrc = join(userHome, ".netrc");
  return {
    PIP_RETRIES: "2",
    PIP_DEFAULT_TIMEOUT: "15",
    ...(fileFacts(netrc)?.kind === "file" ? { NETRC: netrc } : {}),
    ...translateSettings(settings),
    PATH: [...SYSTEM_PATH, ...path].join(":"),
    HOME: home.cache,
    LANG: "C.UTF-8",
    PIP_CACHE_DIR: join(home.cache, "pip"),
    UV_CACHE_DIR: join(home.cache, "uv"),
    UV_PYTHON_DOWNLOADS: "never",
    [CALL_MARK]: `${provisionMark(home)}.${process.pid}`,
  };
}
