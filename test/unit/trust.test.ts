// What other users could change of a file or a folder, and how that is closed.
import { describe, expect, test } from "bun:test";
import { type FileFacts, userId } from "../../src/host/files.ts";
import { exposureOf } from "../../src/host/trust.ts";

const mine: FileFacts = {
  ...{ kind: "file", mode: 0o644, uid: userId(), device: 1, inode: 1, size: 1, modifiedMs: 0 },
};

describe("what others could change", () => {
  test.each<[string, Partial<FileFacts>]>([
    ["a file of one's own", {}],
    ["a file of the system", { uid: 0 }],
    ["a link, whose mode says nothing", { kind: "other", mode: 0o777 }],
  ])("is not %s", (_, facts) => {
    expect(exposureOf("/a", { ...mine, ...facts })).toBeNull();
  });

  test("is a file others can write, and closing it helps", () => {
    expect(exposureOf("/a", { ...mine, mode: 0o664 })).toEqual({
      problem: "/a can be written by other users",
      fix: "run: chmod go-w '/a'",
    });
  });

  test("is a file of somebody else, and only owning it helps", () => {
    expect(exposureOf("/a", { ...mine, uid: 4242, mode: 0o666 })).toEqual({
      problem: "/a belongs to another user",
      fix: `run: chown ${userId()} '/a'`,
    });
  });
});
