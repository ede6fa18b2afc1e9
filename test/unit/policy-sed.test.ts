// The sed grammar: what people write passes, what could be read in another way does not.
import { describe, expect, test } from "bun:test";
import { judgeArguments } from "../../src/policy/arguments.ts";
import { sedScriptProblem } from "../../src/policy/commands/sedscript.ts";
import { fakeFacts } from "../support/policyfacts.ts";

describe("accepted scripts", () => {
  test.each([
    "p",
    "1,5p",
    "$!N",
    "1~2d",
    "2,~4p",
    "/x/,+2d",
    "0,/x/s//y/",
    "/a/I,/b/M p",
    "\\,/usr/,d",
    "1 , 3 p",
    "/x/ ! d",
    "/x/{s/a/b/g;p}",
    "/x/{\ns/a/b/g\np\n}",
    "{p};{p}",
    "s/a/b/",
    "s/a\\/b/c/2g",
    "s|/usr|/opt|gI",
    "s,a,b,;s#c#d#p",
    "s/[^\\/]*$//",
    "s/[^/]*$//",
    "s/\\([^/]*\\)\\/x/\\1/",
    "/[/]/p",
    "s,[^,]*,,2",
    "s/[[:space:]]*$//",
    "s/[]x]/y/",
    "s/x/a\\\nb/",
    "s/a/b/ ; p # done",
    "y/abc/xyz/",
    "y,a/b,x_y,",
    "a text to the end; p",
    "a\\\nline one\\\nline two\np",
    "1i hello",
    "$a\\\nbye",
    "c\\new",
    ":a;N;$!ba;s/\\n/ /g",
    ":top\n/x/b top\n$!{N;b top\n}",
    "t;T;b",
    "/x/{n;ba};:a",
    "l 5;q",
    "q5",
    "=;F;z",
    "#n\np",
    "# a comment\np",
    "",
    "s/e/w/;s/w e r/x/",
    "/w file/p",
    "s/a/w W/",
  ])("%j", (script) => {
    expect(sedScriptProblem(script, "gnu")).toBeNull();
  });
});

describe("refused scripts", () => {
  test.each([
    ["e", "command"],
    ["1e id", "command"],
    ["w W", "command"],
    ["1W W", "command"],
    ["r x", "command"],
    ["R x", "command"],
    ["v", "command"],
    ["p;e id", "command"],
    ["p\ne id", "command"],
    ["{e id}", "command"],
    ["$!{e id\n}", "command"],
    ["s/a/b/e", "flag"],
    ["s/a/b/ge", "flag"],
    ["s/a/b/w W", "flag"],
    ["s/a/b/2w W", "flag"],
    ["s/a/b/ w W", "after a command"],
    ["s/a/b/ e", "after a command"],
    ["s/a/b/;;;e id", "command"],
    ["p e id", "after a command"],
    ["pe id", "after a command"],
    ["}e id", "too many"],
    ["{p}e id", "after a command"],
    ["y/a/b/e", "after a command"],
    ["s/[/]/;e id #/", "clear end"],
    ["s/[\\]/]/x/", "clear end"],
    ["s/a[/b]/w W/", "clear end"],
    ["s/[/]/e/", "clear end"],
    ["s/[/]x/ g/", "clear end"],
    ["/a[/w b]/p", "clear end"],
    ["s/a\nb/c/", "clear end"],
    ["s/a/b\nc/", "no end"],
    ["/a/b/c", "letters"],
    ["sxaxbx", "one of"],
    ["s\\a\\b\\", "one of"],
    ["s/a/b", "no end"],
    ["y/a/b", "three marks"],
    ["\\aea", "one of"],
    ["1,p", "after the comma"],
    ["1,2,3p", "command"],
    ["!!p", "command"],
    ["1!!p", "command"],
    ["{p", "missing"],
    ["p}", "too many"],
    ["1}", "too many"],
    ["a", "text"],
    ["a\n", "text"],
    ["a\\", "text"],
    ["a\\ \ne id", "blank"],
    ["a\\\t\ne id", "blank"],
    ["a\\\\\ne id", "backslash"],
    ["a\\\n\\\ne id", "backslash"],
    ["#x\\\ne id", "backslash"],
    [":a #x;e id", "label"],
    [":a b;e id", "label"],
    [":", "label"],
    ["1:a", "address"],
    ["b a #x;e id", "label"],
    ["b #x;e id", "label"],
    ["l e", "after a command"],
    ["q e", "after a command"],
    ["1", "missing"],
    ["\re id", "command"],
    ["M", "command"],
  ])("%j: %s", (script, part) => {
    expect(sedScriptProblem(script, "gnu")).toContain(part);
  });

  test("on BSD a label goes up to the end of its line", () => {
    expect(sedScriptProblem(":x;a\\\n1w W", "bsd")).toContain("newline");
    expect(sedScriptProblem(":x\nN\n$!bx\ns/a/b/", "bsd")).toBeNull();
    expect(sedScriptProblem("b;p", "bsd")).toContain("newline");
  });
});

describe("several -e", () => {
  const judge = (...args: readonly string[]) => judgeArguments("sed", args, fakeFacts());

  test("are one script, joined by newlines", () => {
    expect(judge("-e", "/x/{", "-e", "p", "-e", "}", "f")).toMatchObject({ ok: true });
    expect(judge("-e", "/x/{", "f")).toMatchObject({ ok: false });
    expect(judge("--expression=p", "-ne", "=")).toMatchObject({ ok: true });
  });

  test("may not end with a backslash, which would swallow the next", () => {
    expect(judge("-e", "a\\", "-e", "1e id")).toMatchObject({ ok: false, rule: "program-text" });
  });

  test("leave every operand a file", () => {
    expect(judge("-e", "p", "1e id")).toMatchObject({ ok: true });
    expect(judge("-e", "p", "~/.ssh/id_rsa")).toMatchObject({ ok: false, rule: "path" });
  });
});
