// Properties of find and git: no word that is not listed passes, and no global option of git does.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { judgeArguments } from "../../src/policy/arguments.ts";
import { GIT_COMMANDS } from "../../src/policy/commands/gitcommands.ts";
import { fakeFacts } from "../support/policyfacts.ts";

const facts = fakeFacts();

describe("find", () => {
  const listed = fc.constantFrom(
    ["-name", "*.ts"],
    ["-type", "f"],
    ["-print0"],
    ["-size", "+1M"],
    ["-o"],
    ["!"],
    ["-printf", "%p\\n"],
    ["-newermt", "now"],
    ["-prune"],
  );
  const path = fc.constantFrom(".", "src", "a b", "/usr/share");
  const unlisted = fc.oneof(
    fc.constantFrom(
      "-exec",
      "-execdir",
      "-ok",
      "-okdir",
      "-delete",
      "-fprint",
      "-fprint0",
      "-fprintf",
      "-fls",
      "-files0-from",
      "-exe",
      "--delete",
      "-D",
      "-context",
    ),
    fc.stringMatching(/^-z[a-z]{1,8}$/),
  );

  test("tests and prints after paths are accepted", () => {
    fc.assert(
      fc.property(fc.array(path), fc.array(listed), (paths, tests) => {
        expect(judgeArguments("find", [...paths, ...tests.flat()], facts)).toEqual({
          ok: true,
          args: [...paths, ...tests.flat()],
        });
      }),
    );
  });

  test("no other word is accepted where a test may stand", () => {
    fc.assert(
      fc.property(
        fc.array(path),
        fc.array(listed),
        fc.array(listed),
        unlisted,
        (paths, before, after, word) => {
          const args = [...paths, ...before.flat(), word, ...after.flat(), ";"];
          expect(judgeArguments("find", args, facts)).toMatchObject({ ok: false });
        },
      ),
    );
  });

  test("as a value of -name, any word is harmless", () => {
    fc.assert(
      fc.property(unlisted, (word) =>
        expect(judgeArguments("find", [".", "-name", word, "-print"], facts)).toMatchObject({ ok: true }),
      ),
    );
  });
});

/** What changes nothing about the command after it. */
const HARMLESS = ["--no-pager", "-P", "--no-optional-locks"];

describe("git", () => {
  const subcommand = fc.constantFrom(...GIT_COMMANDS.keys());
  const global = fc.oneof(
    fc.constantFrom(
      "-c",
      "-C",
      "-p",
      "--paginate",
      "--git-dir=x",
      "--work-tree=x",
      "--exec-path=x",
      "--config-env=a=b",
      "--bare",
      "-h",
      "--help",
      "--version",
    ),
    fc.stringMatching(/^--?[a-z-]{1,12}(=x)?$/).filter((option) => !HARMLESS.includes(option)),
  );

  test("nothing that starts with a dash is accepted before the subcommand", () => {
    fc.assert(
      fc.property(global, subcommand, (option, command) => {
        const args = [option, ...command.split(" ")];
        expect(judgeArguments("git", args, facts)).toMatchObject({ ok: false, rule: "subcommand" });
      }),
    );
  });

  test("a word that is no listed subcommand is refused", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-z-]{0,11}$/), fc.array(fc.string()), (word, rest) => {
        fc.pre(![...GIT_COMMANDS.keys()].some((known) => known.split(" ")[0] === word));
        expect(judgeArguments("git", [word, ...rest], facts)).toMatchObject({
          ok: false,
          rule: "subcommand",
        });
      }),
    );
  });

  test("options that write or start programs are accepted by no subcommand, in full or in part", () => {
    const bad = fc.constantFrom(
      "--output",
      "--output-directory",
      "--ext-diff",
      "--textconv",
      "--no-index",
      "--contents",
      "--open-files-in-pager",
      "--upload-pack",
      "--exec",
      "--help",
      "--show-signature",
    );
    fc.assert(
      fc.property(subcommand, bad, fc.nat(), fc.boolean(), (command, option, cut, attached) => {
        const short = option.slice(0, 5 + (cut % (option.length - 4)));
        const args = [...command.split(" "), attached ? `${short}=x` : short, "x"];
        // --text is an option of its own, and check-ignore has a --no-index that reads nothing.
        fc.pre(command !== "check-ignore" && short !== "--text");
        expect(judgeArguments("git", args, facts)).toMatchObject({ ok: false });
      }),
    );
  });
});
