// What nearly every test of the compiled binary needs: a place and model servers of its own, cleaned up after it, and
// a way to ask them. Registers hooks, so each function is called once at the top of a file.
import { afterEach, beforeEach, expect } from "bun:test";
import type { Result } from "../../src/schema.ts";
import { type Finished, makePlace, type Place, runAsh } from "./ash.ts";
import { type ModelServer, startModelServer } from "./modelserver.ts";

/** A key every model server of a test takes. */
export const KEY = { ANTHROPIC_API_KEY: "test-key" };

/** An address at which nothing listens. */
const NOWHERE = "http://127.0.0.1:1";

/** The place of the running test. */
export type TestPlace = Place & {
  /** Goes on in an empty place instead. */
  renew(): void;
};

/** A place for each test: made before it, removed after it. */
export function usePlace(): TestPlace {
  let place: Place;
  beforeEach(() => {
    place = makePlace();
  });
  afterEach(() => place.remove());
  return {
    get home() {
      return place.home;
    },
    get ashHome() {
      return place.ashHome;
    },
    get folder() {
      return place.folder;
    },
    remove: () => place.remove(),
    renew() {
      place.remove();
      place = makePlace();
    },
  };
}

/** The newest model server of the running test; without one its address leads nowhere and nothing was requested. */
export type TestServer = ModelServer & {
  /** Starts a server as `startModelServer` does; the test ends with a look at what every one of them was sent. */
  start(...given: Parameters<typeof startModelServer>): ModelServer;
};

/** Model servers for the running test; after it none of them may have seen a request that breaks an invariant. */
export function useServer(): TestServer {
  let started: ModelServer[] = [];
  afterEach(async () => {
    const problems = started.flatMap((server) => server.problems);
    await Promise.all(started.map((server) => server.stop()));
    started = [];
    expect(problems).toEqual([]);
  });
  return {
    get url() {
      return started.at(-1)?.url ?? NOWHERE;
    },
    get requests() {
      return started.at(-1)?.requests ?? [];
    },
    get heard() {
      return started.at(-1)?.heard ?? [];
    },
    get problems() {
      return started.flatMap((server) => server.problems);
    },
    stop: async () => started.at(-1)?.stop(),
    start(...given) {
      const server = startModelServer(...given);
      started.push(server);
      return server;
    },
  };
}

/** The result on the stdout of a run with --json or --jsonl. */
export function resultOf(stdout: string): Result {
  const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  return last.type === "run.end" ? last.result : last;
}

type Environment = Readonly<Record<string, string>>;

/** A place, its servers, and questions to them. */
export type Asking = {
  readonly place: TestPlace;
  readonly server: TestServer;
  /** Runs ash against the newest server. */
  ask(args: readonly string[], env?: Environment): Promise<Finished>;
  /** Runs ash against the newest server with --json, and with a text on stdin. */
  askJson(args: readonly string[], stdin?: string | Uint8Array): Promise<Finished>;
  /** Asks whatever listens at an address a short question with --json. */
  askAt(url: string, args?: readonly string[]): Promise<Finished>;
};

/** A place and model servers for each test of the file, and how to ask them. */
export function useAsking(): Asking {
  const place = usePlace();
  const server = useServer();
  return {
    place,
    server,
    ask: (args, env = KEY) => runAsh(place, ["--base-url", server.url, ...args], { env }),
    askJson: (args, stdin) =>
      runAsh(place, ["--json", "--base-url", server.url, ...args], {
        env: KEY,
        ...(stdin === undefined ? {} : { stdin }),
      }),
    askAt: (url, args = []) => runAsh(place, ["--json", "--base-url", url, ...args, "go"], { env: KEY }),
  };
}
