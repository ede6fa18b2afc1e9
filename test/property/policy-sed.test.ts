// Properties of the sed grammar: a way out is refused wherever it is put, and harmless text never is.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { judgeArguments } from "../../src/policy/arguments.ts";
import { sedScriptProblem } from "../../src/policy/commands/sedscript.ts";
import { fakeFacts } from "../support/policyfacts.ts";

const facts = fakeFacts();

describe("sed", () => {
  const command = fc.constantFrom(
    "p",
    "$d",
    "1,5p",
    "/x/{s/a/b/g;p}",
    "s/a/b/",
    "s|[^|]*|x|2p",
    "y/ab/cd/",
    "n",
    "$!N",
    "h;G",
    "/e w r/p",
    "s/e/w/",
    "q3",
    "t",
    "=",
    "\\,/w,p",
    "s/x/\\\n/",
    "{p;p}",
    ":a",
    "b",
    "l 3",
  );
  const text = fc.constantFrom("a one", "1i\\\ntwo\\\nthree", "$c\\\ne id", "i w W");
  const line = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.array(command, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(";")),
    },
    { weight: 1, arbitrary: text },
  );
  const script = fc.array(line, { minLength: 1, maxLength: 5 });
  const wayOut = fc.constantFrom(
    "e",
    "e id",
    "1e id",
    "w W",
    "$w W",
    "1,2W W",
    "r /etc/passwd",
    "R x",
    "s/a/b/e",
    "s/a/b/w W",
    "s,a,b,gw W",
    "s/a/b/2e",
    "/x/e id",
    "\\|x|w W",
    "!w W",
  );

  test("what people write is accepted, joined by newlines", () => {
    fc.assert(fc.property(script, (lines) => expect(sedScriptProblem(lines.join("\n"), "gnu")).toBeNull()));
  });

  test("one script and several -e are judged alike", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(line, wayOut), { minLength: 1, maxLength: 5 }), (lines) => {
        const one = judgeArguments("sed", [lines.join("\n"), "f"], facts);
        const several = judgeArguments("sed", [...lines.flatMap((part) => ["-e", part]), "f"], facts);
        expect(several?.ok).toBe(one?.ok === true);
      }),
    );
  });

  test("a way out is refused on any line, in any block, after any separator", () => {
    const wrap = fc.constantFrom(
      (out: string) => out,
      (out: string) => `p;${out}`,
      (out: string) => `/x/{\n${out}\n}`,
      (out: string) => `{{p;${out}\n}}`,
      (out: string) => `; ;\t${out}`,
    );
    fc.assert(
      fc.property(script, fc.nat(), wayOut, wrap, (lines, at, out, around) => {
        const where = at % (lines.length + 1);
        const whole = [...lines.slice(0, where), around(out), ...lines.slice(where)].join("\n");
        expect(sedScriptProblem(whole, "gnu")).not.toBeNull();
        expect(sedScriptProblem(whole, "bsd")).not.toBeNull();
      }),
    );
  });

  test("any text may stand in a pattern and a replacement, once it is escaped", () => {
    const plain = fc.string().map((text) => text.replace(/[^\x20-\x7e]/g, "").replace(/[\\/[\]&]/g, "\\$&"));
    fc.assert(
      fc.property(plain, plain, (from, to) =>
        expect(sedScriptProblem(`s/x${from}/${to}/g;p`, "gnu")).toBeNull(),
      ),
    );
  });

  test("any text is judged without an error", () => {
    const soup = fc
      .array(fc.constantFrom(..."pdsy/\\;{}:ab12,!$#\n eiwrcWR[]~+I".split("")), { maxLength: 20 })
      .map((parts) => parts.join(""));
    fc.assert(fc.property(fc.oneof(soup, fc.string()), (text) => void sedScriptProblem(text, "gnu")));
  });
});
