// Feeds for the tests of headlines.py, and how to read them through the tool.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Answered, type Json, listOf, runTool } from "./pythontool.ts";
import { type Reply, status, type WebServer, withWebServer } from "./webserver.ts";

/** A recorded feed. */
export const fixture = (name: string): Uint8Array =>
  readFileSync(join(import.meta.dir, "../fixtures/web", `${name}.xml`));

/** The head of a proper feed. */
export const XML = { "Content-Type": "application/xml" };

/** Runs the tool on the paths of a server whose replies are named by path; other paths are 404. */
export function readFeeds(
  replies: Readonly<Record<string, Reply>>,
  args: readonly string[],
  look: (answered: Answered, server: WebServer) => void,
): Promise<void> {
  return withWebServer(
    (request) => replies[request.path] ?? status(404),
    async (server) => {
      const feeds = Object.keys(replies).flatMap((path) => ["--feed", server.url + path]);
      look(await runTool("headlines.py", [...feeds, ...args]), server);
    },
  );
}

/** The titles of the articles of an answer. */
export const titles = (answer: { readonly [key: string]: Json }): readonly Json[] =>
  listOf(answer.articles).map((article) => article.title ?? null);

/** A feed with these titles. */
export const feedOf = (items: readonly string[]): string =>
  `<rss><channel><title>T</title>${items.map((title) => `<item><title>${title}</title></item>`).join("")}</channel></rss>`;
