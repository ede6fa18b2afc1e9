// Which proxy a server is reached through, from the variables every program reads. Pure: it is given the variables.
import { type AshError, configError } from "../errors.ts";
import { Secret } from "../secret.ts";

/** A proxy; its address may hold a password. */
export type HttpProxy = {
  readonly url: Secret;
  /** Host and port, fit to be shown. */
  readonly shown: string;
  /** The variable that names it. */
  readonly variable: string;
};

type Variables = Readonly<Record<string, string>>;

/** True for a host name that leads to this machine itself. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || host.endsWith(".localhost") || /^127(\.\d+){3}$/.test(host);

/** The first variable that is set; programs differ in which case they write, and the small one wins as with curl. */
function firstSet(variables: Variables, names: readonly string[]): readonly [string, string] | null {
  for (const name of names.flatMap((upper) => [upper.toLowerCase(), upper])) {
    const value = variables[name]?.trim();
    if (value !== undefined && value !== "") return [name, value];
  }
  return null;
}

const toNumber = (address: string): number | null => {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return null;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
};

function isInNetwork(host: string, network: string): boolean {
  const [base = "", bits = ""] = network.split("/");
  const [address, start] = [toNumber(host), toNumber(base)];
  if (address === null || start === null || !/^\d{1,2}$/.test(bits) || Number(bits) > 32) return false;
  const size = 2 ** (32 - Number(bits));
  return Math.floor(address / size) === Math.floor(start / size);
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const actual = port || DEFAULT_PORTS[protocol];
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true;
      if (entry.includes("/")) return isInNetwork(hostname, entry);
      const [, name = "", only] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (only !== undefined && only !== actual) return false;
      const domain = name.replace(/^\*?\./, "");
      return hostname === domain || hostname.endsWith(`.${domain}`);
    });
}

const unusable = (variable: string, why: string): AshError =>
  configError(`${variable} ${why}`, "write http://host:port, or unset it, or name the server in NO_PROXY");

/**
 * The proxy for an address, or null for a direct connection. A server on this machine is always reached directly: its
 * key must not travel to a proxy in the clear. Throws a configuration error for a proxy ash cannot use.
 */
export function proxyFor(address: string, variables: Variables): HttpProxy | null {
  const url = new URL(address);
  if (isLoopback(url.hostname)) return null;
  const exempt = firstSet(variables, ["NO_PROXY"]);
  if (exempt !== null && isExempt(url, exempt[1])) return null;
  const set = firstSet(variables, [url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY", "ALL_PROXY"]);
  if (set === null) return null;
  const [variable, value] = set;
  const text = value.includes("://") ? value : `http://${value}`;
  if (!URL.canParse(text)) throw unusable(variable, "is not the address of a proxy");
  const proxy = new URL(text);
  if (proxy.protocol !== "http:" && proxy.protocol !== "https:") {
    throw unusable(variable, `names a ${proxy.protocol.slice(0, -1)} proxy, which ash cannot use`);
  }
  return { url: new Secret(proxy.href), shown: proxy.host, variable };
}
