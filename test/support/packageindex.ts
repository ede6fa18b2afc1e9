// A package index on loopback (the simple repository API, with hashes) that records who asks for what, and can
// misbehave where a test says so.
import { ok, type Reply, startWebServer, status, type WebRequest, type WebServer } from "./webserver.ts";
import type { Wheel } from "./wheel.ts";

/** What an index does instead of what it should; null means it behaves. `part` says what was asked for. */
export type Misbehaving = (part: "page" | "wheel", request: WebRequest) => Reply | null;

/** A running index. */
export type PackageIndex = {
  /** What PIP_INDEX_URL takes. */
  readonly url: string;
  readonly server: WebServer;
  /** Paths of all requests so far. */
  paths(): readonly string[];
  /** How often a wheel was asked for. */
  fetched(wheel: Wheel): number;
  /** Changes how it misbehaves; null makes it behave. */
  misbehave(how: Misbehaving | null): void;
  stop(): void;
};

const HTML = { "Content-Type": "text/html; charset=utf-8" };

function pageOf(project: string, wheels: readonly Wheel[]): Reply {
  const links = wheels
    .filter((wheel) => wheel.project === project)
    .map((wheel) => `<a href="/files/${wheel.file}#sha256=${wheel.sha256}">${wheel.file}</a>`);
  if (links.length === 0) return status(404, HTML, "no such project");
  return ok(
    `<!DOCTYPE html><html><head><title>${project}</title></head><body>${links.join("\n")}</body></html>`,
    HTML,
  );
}

/** What a well-behaved index answers. */
export function answerAsIndex(wheels: readonly Wheel[], request: WebRequest): Reply {
  const [, project] = /^\/simple\/([^/]+)\/$/.exec(request.path) ?? [];
  if (project !== undefined) return pageOf(project, wheels);
  const wheel = wheels.find(({ file }) => request.path === `/files/${file}`);
  return wheel === undefined ? status(404) : ok(wheel.bytes, { "Content-Type": "application/octet-stream" });
}

/** Starts an index that serves these wheels. */
export function startPackageIndex(wheels: readonly Wheel[], how: Misbehaving | null = null): PackageIndex {
  let misbehaving = how;
  const server = startWebServer((request) => {
    const part = request.path.startsWith("/files/") ? "wheel" : "page";
    return misbehaving?.(part, request) ?? answerAsIndex(wheels, request);
  });
  return {
    url: `${server.url}/simple/`,
    server,
    paths: () => server.requests.map(({ path }) => path),
    fetched: ({ file }) => server.requests.filter(({ path }) => path === `/files/${file}`).length,
    misbehave(next) {
      misbehaving = next;
    },
    stop: () => server.stop(),
  };
}
