// Properties of the awk screen: a way out is refused wherever it is put, and harmless text never is.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { awkProgramProblem } from "../../src/policy/commands/awkprogram.ts";

describe("awk", () => {
  const quoted = fc
    .string({ unit: "binary" })
    .map((text) => `"${text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n")}"`);
  const token = fc.constantFrom(
    "x",
    "$1",
    "NR",
    "1",
    "2.5",
    '"s"',
    "(x + 1)",
    "a[1]",
    "f(2)",
    "length(x)",
    "-x",
    "!x",
  );
  const sum = fc.array(token, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(" + "));
  const statement = fc.oneof(
    sum.map((value) => `y = ${value}`),
    sum.map((value) => `print ${value}, "a|b > c"`),
    sum.map((value) => `if ((${value}) > 3) print; else next`),
    sum.map((value) => `printf("%s\\n", ${value})`),
    fc.constantFrom(
      "n++",
      'gsub(/[^/]>|x/, "")',
      "x = y || z",
      "print (x > 2)",
      "# > | system\n",
      "a[$1] = /re|x/ ? 1 : 2",
    ),
  );
  const program = fc.array(statement, { minLength: 1, maxLength: 5 });
  const wayOut = fc.constantFrom(
    'system("id")',
    "system( x )",
    'print > "W"',
    'print x >> "W"',
    'printf("x") > "W"',
    'print | "sh"',
    'print |& "sh"',
    '"id" | getline',
    "getline",
    "getline x < y",
    "ARGV[1] = x",
    "ARGC = 3",
    "@f(1)",
    "PROCINFO[1] = 2",
    "SYMTAB[1] = 2",
    'print x,\n y > "W"',
  );

  test("programs that calculate and print are accepted", () => {
    fc.assert(
      fc.property(program, (parts) => expect(awkProgramProblem(`{ ${parts.join("\n")} }`)).toBeNull()),
    );
  });

  test("a way out is refused between any two statements", () => {
    fc.assert(
      fc.property(program, fc.nat(), wayOut, (parts, at, out) => {
        const where = at % (parts.length + 1);
        const whole = [...parts.slice(0, where), out, ...parts.slice(where)];
        expect(awkProgramProblem(`{ ${whole.join("\n")} }`)).not.toBeNull();
        expect(awkProgramProblem(`BEGIN { ${whole.join("\n;")} }`)).not.toBeNull();
      }),
    );
  });

  test("a string may hold anything", () => {
    fc.assert(
      fc.property(quoted, quoted, (a, b) =>
        expect(awkProgramProblem(`BEGIN { x = ${a}; print ${b} }`)).toBeNull(),
      ),
    );
  });

  test("what follows a string is still seen", () => {
    fc.assert(
      fc.property(quoted, (text) =>
        expect(awkProgramProblem(`BEGIN { x = ${text}; system(x) }`)).not.toBeNull(),
      ),
    );
  });

  test("any text is judged without an error", () => {
    const pieces = [
      "print",
      "/",
      "[",
      "]",
      '"',
      "\\",
      "\n",
      "(",
      ")",
      "{",
      "}",
      ">",
      "|",
      "x",
      "1",
      "++",
      "if",
      "#",
      ";",
      ",",
      " ",
    ];
    const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 20 }).map((parts) => parts.join(""));
    fc.assert(fc.property(fc.oneof(soup, fc.string()), (text) => void awkProgramProblem(text)));
  });
});
