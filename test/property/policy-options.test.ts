// Properties of taking arguments apart: the special words -- - "" -1 + = and the order of operands.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { COMMAND_RULES, judgeArguments } from "../../src/policy/arguments.ts";
import { optionTable, splitArguments } from "../../src/policy/commands/options.ts";
import { exampleArguments } from "../../src/policy/commands/rule.ts";
import { judgePath } from "../../src/policy/paths.ts";
import { fakeFacts } from "../support/policyfacts.ts";

const facts = fakeFacts();
const table = optionTable("-abc -n= -w?small --all --lines= --color?");

const option = fc.constantFrom(
  ["-a"],
  ["-bc"],
  ["-n", "5"],
  ["-n-"],
  ["-acn", "--"],
  ["-w3"],
  ["--all"],
  ["--lines=x"],
  ["--lines", "-"],
  ["--color"],
);
const operand = fc
  .oneof(fc.constantFrom("-", "", "+", "=", "+5", "@x", "a=b", "x"), fc.string({ maxLength: 6 }))
  .filter((text) => text === "-" || !text.startsWith("-"));
const odd = fc.oneof(
  operand,
  fc.constantFrom("--", "-1", "-x", "--al", "--all=", "-", "---", "-é"),
  fc.string({ maxLength: 8 }),
);

describe("taking arguments apart", () => {
  test("options and operands in any order give the same options and the same operands", () => {
    fc.assert(
      fc.property(fc.array(option), fc.array(operand), fc.array(fc.nat()), (options, operands, cuts) => {
        const mixed: string[] = [];
        const left = [...operands];
        for (const [index, words] of options.entries()) {
          const count = (cuts[index] ?? 0) % (left.length + 1);
          mixed.push(...left.splice(0, count), ...words);
        }
        mixed.push(...left);
        const apart = splitArguments([...options.flat(), "--", ...operands], table);
        const together = splitArguments(mixed, table);
        expect("operands" in together && together.operands).toEqual(operands);
        expect("options" in together && together.options).toEqual("options" in apart ? apart.options : []);
      }),
    );
  });

  test("after -- everything is an operand, whatever it looks like", () => {
    fc.assert(
      fc.property(fc.array(option), fc.array(odd), (options, rest) => {
        const split = splitArguments([...options.flat(), "--", ...rest], table);
        expect("operands" in split && split.operands).toEqual(rest);
      }),
    );
  });

  test("every argument is accounted for: an accepted list is options, their values, one -- at most, and operands", () => {
    fc.assert(
      fc.property(fc.array(odd), (args) => {
        const split = splitArguments(args, table);
        if (!("operands" in split)) return;
        const names = split.options.map(({ name }) => name);
        expect(names.every((name) => table.has(name))).toBe(true);
        for (const text of split.operands) expect(args).toContain(text);
        const before = split.dashes < 0 ? args : args.slice(0, split.dashes);
        const dashed = before.filter((text) => text.length > 1 && text.startsWith("-"));
        expect(dashed.length).toBeLessThanOrEqual(
          names.length + split.options.filter(({ value }) => value !== null).length,
        );
      }),
    );
  });

  test("when the first operand ends the options, the rest is operands", () => {
    fc.assert(
      fc.property(operand, fc.array(odd), (first, rest) => {
        const split = splitArguments([first, ...rest], table, { permutes: false });
        expect(split).toMatchObject({ operands: [first, ...rest] });
      }),
    );
  });
});

/** Spellings a rule gives back as another that means less. */
const SAFER = new Map([
  ["-P", "--no-pager"],
  ["--dereference-recursive", "--recursive"],
]);

/** True when an argument is the one that was given, or follows fewer links than it. */
const isKept = (given: string, got: string): boolean =>
  got === given ||
  got === SAFER.get(given) ||
  (/^-[A-Za-z]*R/.test(given) && got === given.replace("R", "r"));

describe("every rule", () => {
  const examples = COMMAND_RULES.flatMap((rule) =>
    rule.match.map((example) => ({ name: rule.names[0] ?? "", args: exampleArguments(example) })),
  );
  const known = fc.constantFrom(...examples);

  test("refuses an accepted call with an option nobody has put in front", () => {
    const raw = new Set(["echo", "printf", "expr", "test"]);
    fc.assert(
      fc.property(known, fc.stringMatching(/^--zq[a-z]{1,6}(=.{0,3})?$/), ({ name, args }, added) => {
        fc.pre(!raw.has(name));
        expect(judgeArguments(name, [added, ...args], facts)).toMatchObject({ ok: false });
      }),
    );
  });

  test("never throws, never changes what it was given, and keeps it inside what it gives back", () => {
    fc.assert(
      fc.property(known, fc.array(odd, { maxLength: 4 }), fc.nat(9), ({ name, args }, added, at) => {
        const given = [...args.slice(0, at), ...added, ...args.slice(at)];
        const judged = judgeArguments(name, Object.freeze([...given]), facts);
        expect(judged).not.toBeNull();
        if (judged?.ok !== true) return;
        const left = [...given];
        for (const arg of judged.args) if (isKept(left[0] ?? "", arg)) left.shift();
        expect(left).toEqual([]);
      }),
    );
  });

  test("refuses a credential file as the last operand of whatever reads files", () => {
    const readers =
      "cat head tail wc cut sort uniq nl rev od xxd hexdump base64 strings sha256sum file stat du ls less tac".split(
        " ",
      );
    const secret = fc.constantFrom(
      "~/.ssh/id_rsa",
      "/home/v/.aws/x",
      ".env",
      "sub/../.netrc",
      "/proc/self/environ",
      "/dev/zero",
    );
    fc.assert(
      fc.property(fc.constantFrom(...readers), secret, fc.boolean(), (name, path, dashes) => {
        expect(judgeArguments(name, dashes ? ["--", path] : [path], facts)).toMatchObject({
          ok: false,
          rule: "path",
        });
      }),
    );
  });
});

describe("the path rule", () => {
  const part = fc.constantFrom(".", "..", "", "a", "b c", "x.txt");
  test("a secret stays secret however its path is written", () => {
    fc.assert(
      fc.property(fc.array(part.filter((text) => text !== "..")), fc.nat(3), (parts, slashes) => {
        const detour = parts.flatMap((text) => (text === "" || text === "." ? [text] : [text, ".."]));
        const path = `/home/u/${[...detour, ".ssh", "config"].join("/".repeat(1 + slashes))}`;
        expect(judgePath(path, facts)).not.toBeNull();
      }),
    );
  });

  test("any path is judged without an error", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (path) => {
        const reason = judgePath(path, facts);
        expect(reason === null || reason.startsWith(`${path}: `)).toBe(true);
      }),
    );
  });
});
