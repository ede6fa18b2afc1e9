// What a person sees of a batch.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ASH, environmentOf } from "../support/ash.ts";
import { KEY } from "../support/asking.ts";
import { numbered, recordsOf, useBatch, writePrompts } from "../support/batch.ts";

const { place, server, echoing } = useBatch();

describe("on a terminal, a batch", () => {
  /** What the terminal got, with stdout in a file. */
  async function onTerminal(env: Readonly<Record<string, string>>, flags = ""): Promise<string> {
    let shown = "";
    const ended = Promise.withResolvers<void>();
    const decoder = new TextDecoder();
    const running = Bun.spawn(
      ["sh", "-c", `"$ASH" batch ${flags} --base-url "$URL" prompts.jsonl >out.jsonl`],
      {
        cwd: place.folder,
        env: environmentOf(place, {
          ...KEY,
          ASH,
          URL: server.url,
          TERM: "xterm",
          ...env,
        }),
        terminal: {
          data(_, chunk) {
            shown += decoder.decode(chunk, { stream: true });
          },
          exit: () => ended.resolve(),
        },
      },
    );
    await running.exited;
    await ended.promise;
    return shown;
  }

  test("shows one line that is drawn again, and the summary last", async () => {
    echoing();
    writePrompts(place, numbered(20));
    const shown = await onTerminal({});
    expect(shown).toMatch(
      /^(\r\x1b\[K\d+ answered, \d running, \d+% read)+\r\x1b\[Kash: 20 prompts: 20 answered in [^\r\n]+\r\n$/,
    );
    expect(recordsOf(join(place.folder, "out.jsonl"))).toHaveLength(20);
  });

  test.each([
    ["NO_COLOR", { NO_COLOR: "1" }, ""],
    ["TERM=dumb", { TERM: "dumb" }, ""],
    ["--no-color", {}, "--no-color"],
  ] as const)("shows the summary alone with %s", async (_, env, flags) => {
    echoing();
    writePrompts(place, numbered(3));
    expect(await onTerminal(env, flags)).toMatch(/^ash: 3 prompts: 3 answered in [^\r\n]+\r\n$/);
  });
});
