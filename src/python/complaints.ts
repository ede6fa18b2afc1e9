// What pip and uv say when they fail, read for people: one sentence about the cause and one about the fix. Pure. The
// programs say it in no other way than in words, so here, and nowhere else, words are read.
import { sanitize } from "../sanitize.ts";

/** Why packages could not be installed, and what to do about it. */
export type Complaint = { readonly problem: string; readonly fix: string };

type Found = {
  /** The groups of the pattern. */
  readonly groups: readonly string[];
  readonly index: string;
};

type Row = {
  readonly pattern: RegExp;
  readonly read: (found: Found) => Complaint;
  /** Means nothing when the index was not to be asked. */
  readonly online?: true;
};

const ELSEWHERE = "check the network, or name your index in PIP_INDEX_URL and your proxy in HTTPS_PROXY";

function readStatus({ groups, index }: Found): Complaint {
  const [code = ""] = groups.filter(Boolean);
  if (code === "401" || code === "403")
    return {
      problem: `${index} refuses the credentials (${code})`,
      fix: "put user and password into ~/.netrc or into PIP_INDEX_URL",
    };
  if (code === "407") return { problem: "the proxy wants a password (407)", fix: "put it into HTTPS_PROXY" };
  return {
    problem: `${index} answers with an error (${code})`,
    fix: "try again later, or name another index in PIP_INDEX_URL",
  };
}

const package_ = (groups: readonly string[]): string => groups.filter(Boolean)[0] ?? "a package";

/** From the most to the least telling; the first that matches is the one. */
const ROWS: readonly Row[] = [
  {
    pattern: /No space left on device|os error 28\b|Disk quota exceeded/,
    read: () => ({ problem: "the disk is full", fix: "make room for ASH_HOME" }),
  },
  {
    pattern: /Could not find a suitable TLS CA certificate bundle(?:, invalid path: (\S+))?/,
    read: ({ groups }) => ({
      problem: `there is no CA file ${groups[0] ?? ""}`.trimEnd(),
      fix: "correct PIP_CERT, REQUESTS_CA_BUNDLE or SSL_CERT_FILE",
    }),
  },
  {
    pattern: /repository located at (\S+) is not a trusted or secure host/,
    read: ({ groups }) => ({
      problem: `${groups[0]} is not reached by https`,
      fix: "use https, or name the host in PIP_TRUSTED_HOST",
    }),
    online: true,
  },
  {
    pattern: /CERTIFICATE_VERIFY_FAILED|certificate verify failed|invalid peer certificate|UnknownIssuer/i,
    read: ({ index }) => ({
      problem: `the certificate of ${index} is not trusted`,
      fix: "name the file of your company's CA in SSL_CERT_FILE",
    }),
    online: true,
  },
  {
    pattern: /Tunnel connection failed: (\d{3})|proxy authentication required/i,
    read: (found) => readStatus({ ...found, groups: [found.groups[0] ?? "407"] }),
    online: true,
  },
  {
    pattern: /ProxyError|Cannot connect to proxy|Unable to connect to proxy|tunnel error/i,
    read: () => ({ problem: "the proxy cannot be reached", fix: "correct HTTPS_PROXY or HTTP_PROXY" }),
    online: true,
  },
  {
    pattern:
      /too many (5\d\d) error responses|\b(401|403|407|429|5\d\d) (?:Client|Server) Error|HTTP status \w+ error \((401|403|407|429|5\d\d)|returned a (40[13])|\((401) Unauthorized\)/,
    read: readStatus,
    online: true,
  },
  {
    pattern:
      /not enough bytes|incomplete-download|IncompleteRead|Connection interrupted|RemoteDisconnected|without a reply|Connection reset|ConnectionResetError|connection closed before|end of file before message|error decoding response body|invalid package format/i,
    read: ({ index }) => ({ problem: `${index} broke the connection off`, fix: "try again" }),
    online: true,
  },
  {
    pattern: /timed out|didn't respond within|connection-timeout/i,
    read: ({ index }) => ({ problem: `${index} does not answer in time`, fix: ELSEWHERE }),
    online: true,
  },
  {
    pattern:
      /NewConnectionError|NameResolutionError|Failed to establish a new connection|Name or service not known|name resolution|dns error|client error \(Connect\)|Network is unreachable|Connection refused|No route to host/i,
    read: ({ index }) => ({ problem: `${index} cannot be reached`, fix: ELSEWHERE }),
    online: true,
  },
  {
    pattern:
      /DO NOT MATCH THE HASHES[\s\S]*?^ +(\S+) from |Hash mismatch for `([^`]+)`|DO NOT MATCH THE HASHES/m,
    read: ({ groups, index }) => ({
      problem: `${package_(groups)} is not the file its hash stands for`,
      fix: `try again: a download that was cut looks the same; when it stays, ${index} serves another file`,
    }),
  },
  {
    pattern: /requires a different Python|does not satisfy Python/i,
    read: () => ({
      problem: "a package does not support this Python",
      fix: "install a newer Python, or set ASH_PYTHON",
    }),
  },
  {
    pattern: /ResolutionImpossible|conflicting dependencies|dependency conflict/i,
    read: () => ({ problem: "the dependencies exclude each other", fix: "loosen their versions" }),
  },
  {
    pattern:
      /No matching distribution found for ([^\s;]+)|Because ([A-Za-z0-9._-]+)[^,]*? was not found in the|there (?:is|are) no versions? of ([^\s,]+)|Because only ([A-Za-z0-9._-]+)/,
    read: ({ groups, index }) => ({
      problem: `${index} has no wheel of ${package_(groups)} for this Python and system`,
      fix: "correct the name or the version (packages are never built from source), or name an index that has it in PIP_INDEX_URL",
    }),
    online: true,
  },
];

const ADDRESS = /(https?:\/\/)(?:[^\s/@'"]*@)?([A-Za-z0-9.-]+(?::\d+)?|\[[0-9a-f:]+\](?::\d+)?)/g;
const POOL = /Pool\(host='([^']+)', port=(\d+)\)/;

/** The index that was asked, without a password: the last address that is named. */
function indexIn(text: string): string {
  const [scheme, host] = [...text.matchAll(ADDRESS)].at(-1)?.slice(1) ?? [];
  if (host !== undefined) return `the package index ${scheme}${host}`;
  const [, name, port] = POOL.exec(text) ?? [];
  return name === undefined ? "the package index" : `the package index ${name}:${port}`;
}

const MISSING =
  /No matching distribution found for ([^\s;]+)|Because ([A-Za-z0-9._-]+)[^,]*? was not found in the/;

function offlineComplaint(text: string): Complaint {
  const match = MISSING.exec(text);
  if (match === null) return { problem: lastWord(text), fix: "leave --offline out" };
  return {
    problem: `${package_(match.slice(1))} is not among the packages that are already here`,
    fix: "leave --offline out, or name a folder with its wheel in PIP_FIND_LINKS",
  };
}

/** The last line that looks like an error, else the last line. */
function lastWord(text: string): string {
  const lines = sanitize(text)
    .text.split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const telling = lines.filter(
    (line) => /error|could not|cannot|fail/i.test(line) && !/^(note|hint):/i.test(line),
  );
  return (telling.at(-1) ?? lines.at(-1) ?? "it said nothing").replace(/^(error|ERROR): /, "").slice(0, 300);
}

/** What was said last about the failure: the errors, and why the index could not be read, which pip only logs. */
function tellingPart(output: string, log: string): string {
  const start = output.search(/^ *(?:ERROR|error|×)/m);
  const unread = log.match(/^.*Could not fetch URL .*$/gm)?.at(-1) ?? "";
  const ignored = output.match(/^.*not a trusted or secure host.*$/gm)?.at(-1) ?? "";
  return `${ignored}\n${unread}\n${start < 0 ? output : output.slice(start)}`;
}

/** Reads what an installer printed and logged before it failed. `offline`: it was not to ask an index. */
export function readComplaint(output: string, log: string, offline: boolean): Complaint {
  const text = tellingPart(output, log);
  for (const { pattern, read, online } of ROWS) {
    const match = offline && online ? null : pattern.exec(text);
    if (match !== null) return read({ groups: match.slice(1), index: indexIn(text) });
  }
  return offline ? offlineComplaint(text) : { problem: lastWord(text), fix: ELSEWHERE };
}
