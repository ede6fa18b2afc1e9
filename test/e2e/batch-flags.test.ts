// Flags of a single question, given to a whole batch.
import { describe, expect, test } from "bun:test";
import { finish } from "../support/ash.ts";
import { numbered, recordsIn, runBatch, startBatch, useBatch, writePrompts } from "../support/batch.ts";
import { says, streamed } from "../support/modelserver.ts";

const { place, server, answering, echoing } = useBatch();

describe("ash batch", () => {
  test("with --only-if-changed asks nothing again, also without results of an earlier run", async () => {
    echoing();
    const file = writePrompts(place, numbered(10));
    await runBatch(place, server.url, ["--only-if-changed", file]);
    const again = await runBatch(place, server.url, ["--only-if-changed", file]);
    const results = recordsIn(again.stdout).map(({ result }) => [result.turns, result.warnings[0]?.type]);
    expect(results).toEqual(Array(10).fill([0, "answer_again"]));
    expect(server.requests).toHaveLength(10);
  });

  test("with --lock is one of those that name the lock", async () => {
    const asked = Promise.withResolvers<void>();
    const open = Promise.withResolvers<void>();
    answering((prompt) => async (request, signal) => {
      asked.resolve();
      await open.promise;
      return streamed(says(prompt))(request, signal);
    });
    const file = writePrompts(place, numbered(1));
    const first = startBatch(place, server.url, ["--lock", "nightly", file]);
    await asked.promise;
    expect(await runBatch(place, server.url, ["--lock", "nightly", file])).toMatchObject({
      code: 5,
      stdout: "",
    });
    open.resolve();
    expect((await finish(first)).code).toBe(0);
  });
});
