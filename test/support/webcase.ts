// A case of a misbehaving web server and how it is checked, whichever bundled tool is asked.
import { expect } from "bun:test";
import type { Answered } from "./pythontool.ts";
import { type Answering, withWebServer } from "./webserver.ts";

/** A tool as the table needs it. */
export type Subject = {
  /** Runs the tool against a server with this address, within so many seconds. */
  run(url: string, seconds: string): Promise<Answered>;
  /** The proper answer to every request. */
  good: Answering;
};

/** One way to misbehave. */
export type Case = {
  readonly claim: string;
  readonly seconds?: string;
  /** The server; `good` answers properly. */
  server(good: Answering): Answering;
  /** What the answer must hold, besides `status`, which follows from `error`. */
  readonly expected: Readonly<Record<string, unknown>>;
  readonly code: number;
  /** How many requests the tool may and must make. */
  readonly requests?: number;
};

/** Runs one case and checks the answer, the exit code and the number of requests. */
export async function check(subject: Subject, item: Case): Promise<void> {
  await withWebServer(item.server(subject.good), async (server) => {
    const { code, answer } = await subject.run(server.url, item.seconds ?? "6");
    expect(answer).toMatchObject({ status: "error" in item.expected ? "error" : "ok", ...item.expected });
    expect(code).toBe(item.code);
    if (item.requests !== undefined && "error" in item.expected)
      expect(server.requests.length).toBe(item.requests);
  });
}
