// What pip and uv complain of, in one sentence with its fix.
import { describe, expect, test } from "bun:test";
import { readComplaint } from "../../src/python/complaints.ts";

const NO_MATCH =
  "ERROR: Could not find a version that satisfies the requirement tinypkg (from versions: none)\nERROR: No matching distribution found for tinypkg\n";
const unread = (why: string): string =>
  `2026-11-30T20:59:47,500 Could not fetch URL http://127.0.0.1:38797/simple/tinypkg/: ${why} - skipping\n2026-11-30T20:59:47,501 Link requires a different Python (3.11.2 not in: '>=3.12')\n`;
const pool = (why: string): string =>
  `HTTPConnectionPool(host='127.0.0.1', port=38797): Max retries exceeded with url: /simple/tinypkg/ (Caused by ${why})`;
const REFUSED =
  "NewConnectionError('<pip._vendor.urllib3.connection.HTTPConnection object at 0x7f910cb58210>: Failed to establish a new connection: [Errno 111] Connection refused')";
const INDEX = "the package index http://127.0.0.1:38797";
const uv = (...causes: readonly string[]): string =>
  `Using CPython 3.11.2 interpreter at: /usr/bin/python3\nerror: Request failed after 1 retry in 1.1s\n  cause: Failed to fetch: http://127.0.0.1:38797/simple/tinypkg/\n${causes.map((cause) => `  cause: ${cause}\n`).join("")}`;

type Row = readonly [claim: string, output: string, log: string, problem: string];

/** What pip 23 and 26 and uv 0.13 really print. */
const ONLINE: readonly Row[] = [
  [
    "pip cannot connect",
    NO_MATCH,
    unread(`connection error: ${pool(REFUSED)}`),
    `${INDEX} cannot be reached`,
  ],
  [
    "a new pip cannot connect",
    NO_MATCH,
    unread("connection error: [Errno 111] Connection refused"),
    `${INDEX} cannot be reached`,
  ],
  [
    "pip is told 500",
    NO_MATCH,
    unread(pool("ResponseError('too many 500 error responses')")),
    `${INDEX} answers with an error (500)`,
  ],
  [
    "pip is told 401",
    NO_MATCH,
    unread("401 Client Error: Status for url: http://127.0.0.1:38797/simple/tinypkg/"),
    `${INDEX} refuses the credentials (401)`,
  ],
  [
    "pip is told 404",
    NO_MATCH,
    unread("404 Client Error: Status for url: http://127.0.0.1:38797/simple/tinypkg/"),
    `${INDEX} has no wheel of tinypkg for this Python and system`,
  ],
  ["pip finds nothing", NO_MATCH, "", "the package index has no wheel of tinypkg for this Python and system"],
  [
    "pip waits for a page in vain",
    NO_MATCH,
    unread(`connection error: ${pool('ReadTimeoutError("Read timed out. (read timeout=2.0)")')}`),
    `${INDEX} does not answer in time`,
  ],
  [
    "a new pip waits in vain",
    "error: connection-timeout\n\n× Unable to fetch http://127.0.0.1:38797/files/t.whl\n╰─> 127.0.0.1 didn't respond within 2.0 seconds\n",
    "",
    `${INDEX} does not answer in time`,
  ],
  [
    "the server hangs up on pip",
    NO_MATCH,
    unread("connection error: the connection was closed without a reply from the server."),
    `${INDEX} broke the connection off`,
  ],
  [
    "a new pip gets too little",
    "  WARNING: Connection interrupted while downloading.\nerror: incomplete-download\n\n× Download failed after 6 attempts because not enough bytes were received (2 bytes/100 kB)\n╰─> URL: http://127.0.0.1:38797/files/t.whl#sha256=00\n",
    "",
    `${INDEX} broke the connection off`,
  ],
  [
    "pip gets another file",
    "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated\n    otherpkg from http://127.0.0.1:38797/files/o.whl#sha256=0000 (from tinypkg):\n        Expected sha256 0000\n",
    "",
    "otherpkg is not the file its hash stands for",
  ],
  [
    "pip asks a proxy that is not there",
    NO_MATCH,
    unread(`connection error: ${pool(`ProxyError('Cannot connect to proxy.', ${REFUSED})`)}`),
    "the proxy cannot be reached",
  ],
  [
    "pip asks a proxy that wants a password",
    NO_MATCH,
    unread(
      `connection error: ${pool("ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 407 Proxy Authentication Required'))")}`,
    ),
    "the proxy wants a password (407)",
  ],
  [
    "pip does not trust the server",
    NO_MATCH,
    unread(
      "There was a problem confirming the ssl certificate: HTTPSConnectionPool(host='index.example', port=443): (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: unable to get local issuer certificate')))",
    ),
    `the certificate of ${INDEX} is not trusted`,
  ],
  [
    "pip misses its CA file",
    "ERROR: Could not install packages due to an OSError: Could not find a suitable TLS CA certificate bundle, invalid path: /no/ca.pem\n",
    "",
    "there is no CA file /no/ca.pem",
  ],
  [
    "pip's dependencies conflict",
    "ERROR: Cannot install a and b because these package versions have conflicting dependencies.\nERROR: ResolutionImpossible: for help visit https://pip.pypa.io\n",
    "",
    "the dependencies exclude each other",
  ],
  [
    "the disk is full",
    "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n",
    "",
    "the disk is full",
  ],
  [
    "uv cannot connect",
    uv(
      "error sending request for url (http://127.0.0.1:38797/simple/tinypkg/)",
      "client error (Connect)",
      "tcp connect error",
    ),
    "",
    `${INDEX} cannot be reached`,
  ],
  ["uv finds no name", uv("client error (Connect)", "dns error"), "", `${INDEX} cannot be reached`],
  [
    "uv is told 500",
    uv("HTTP status server error (500 Status) for url (http://127.0.0.1:38797/simple/tinypkg/)"),
    "",
    `${INDEX} answers with an error (500)`,
  ],
  [
    "uv is told 401",
    "error: No solution found when resolving dependencies\n  cause: Because tinypkg was not found in the package registry and you require tinypkg, we can conclude\n\nhint: An index URL (http://127.0.0.1:38797/simple/) could not be queried due to a lack of valid authentication credentials (401 Unauthorized)\n",
    "",
    `${INDEX} refuses the credentials (401)`,
  ],
  [
    "uv is told 403",
    "error: No solution found\n  cause: Because tinypkg was not found in the package registry\n\nhint: An index (http://127.0.0.1:38797/simple/) returned a 403 Forbidden error.\n",
    "",
    `${INDEX} refuses the credentials (403)`,
  ],
  [
    "uv waits in vain",
    uv("error sending request for url (x)", "operation timed out"),
    "",
    `${INDEX} does not answer in time`,
  ],
  [
    "the server hangs up on uv",
    uv("client error (SendRequest)", "connection closed before message completed"),
    "",
    `${INDEX} broke the connection off`,
  ],
  [
    "uv finds nothing",
    "error: No solution found when resolving dependencies\n  cause: Because otherpkg was not found in the package registry and all versions of tinypkg depend on otherpkg\n",
    "",
    "the package index has no wheel of otherpkg for this Python and system",
  ],
  [
    "uv finds no such version",
    "error: No solution found when resolving dependencies\n  cause: Because there is no version of tinypkg==2.0 and you require tinypkg==2.0\n",
    "",
    "the package index has no wheel of tinypkg==2.0 for this Python and system",
  ],
  [
    "uv gets another file",
    "error: Failed to download `otherpkg==1.0`\n  cause: Hash mismatch for `otherpkg==1.0`\n",
    "",
    "otherpkg==1.0 is not the file its hash stands for",
  ],
  [
    "uv asks a proxy that is not there",
    uv("client error (Connect)", "tunnel error: failed to create underlying connection", "tcp connect error"),
    "",
    "the proxy cannot be reached",
  ],
  ["it says something unheard of", "some line\nerror: the moon is full\n", "", "the moon is full"],
  ["it says nothing", "", "", "it said nothing"],
];

describe("what an installer says when", () => {
  test.each(ONLINE)("%s is told in one sentence with its fix", (_, output, log, problem) => {
    const complaint = readComplaint(output, log, false);
    expect(complaint.problem).toBe(problem);
    expect(complaint.fix).not.toBe("");
    expect(`${complaint.problem}${complaint.fix}`).not.toContain("\n");
  });

  test("it was offline and misses a package is not blamed on the network", () => {
    const asked = "was not found in the cache and you require tinypkg";
    for (const said of [NO_MATCH, `error: No solution found\n  cause: Because tinypkg ${asked}\n`]) {
      expect(readComplaint(said, "", true)).toEqual({
        problem: "tinypkg is not among the packages that are already here",
        fix: "leave --offline out, or name a folder with its wheel in PIP_FIND_LINKS",
      });
    }
  });

  test("an early warning was overcome is not the reason", () => {
    const warned =
      "WARNING: Retrying after connection broken by 'ReadTimeoutError(\"Read timed out.\")': /simple/x/\n";
    expect(readComplaint(`${warned}${NO_MATCH}`, "", false).problem).toContain("has no wheel of tinypkg");
  });

  test("an address holds a password never repeats it", () => {
    const log = "Could not fetch URL http://me:hunter2@index.example:81/simple/x/: 403 Client Error: no";
    const { problem } = readComplaint(NO_MATCH, log, false);
    expect(problem).toBe("the package index http://index.example:81 refuses the credentials (403)");
  });
});
