// The rule of sed: its options are data, its scripts are read by the grammar of sedscript.ts. All -e parts are one
// script, joined by newlines, as sed itself does it.
import { type Call, type CommandRule, command, type Problem, textThenPaths } from "./rule.ts";
import { sedScriptProblem } from "./sedscript.ts";

function scriptProblem({ options, operands, facts }: Call): Problem | null {
  const given = options
    .filter(({ name }) => name === "-e" || name === "--expression")
    .map(({ value }) => value ?? "");
  const parts = given.length > 0 ? given : operands.slice(0, 1);
  const refuse = (reason: string): Problem => ({ rule: "program-text", reason });
  // Programs disagree about what a backslash at the end of a part does to the next one.
  if (parts.some((part) => part.endsWith("\\"))) return refuse("a script may not end with a backslash");
  const reason = sedScriptProblem(parts.join("\n"), facts.platform);
  return reason === null ? null : refuse(reason);
}

/** The rule of sed. */
export const SED_RULE: CommandRule = command({
  names: ["sed"],
  does: "Edits text on its way to standard output. It edits no file in place, writes no file and starts nothing.",
  options:
    "-nErsuz -e= -l=small --quiet --silent --regexp-extended --expression= --separate --unbuffered --null-data " +
    "--line-length=small",
  operands: textThenPaths("-e", "--expression"),
  forced: ["--sandbox"],
  check: scriptProblem,
  bsd: { options: "-nEra -e=", forced: [] },
  match: [
    ["-n", "1,5p", "a.txt"],
    ["-E", "s/(a)(l)/\\2\\1/", "a.txt"],
    ["-n", "$p", "a.txt"],
    ["-n", "1,5p;/x/{s/a/b/g;p}", "a.txt"],
    [":a;N;$!ba;s/\\n/ /g", "a.txt"],
    ["-e", "/x/{", "-e", "p", "-e", "}"],
    ["/^#/d; s|/usr|/opt|g", "a.txt"],
    ["1i\\\nhello\n$a world", "a.txt"],
    ["y/abc/xyz/", "a.txt"],
  ],
  notMatch: [
    "-i s/a/b/ a.txt",
    "-ni p a.txt",
    "--in-place s/a/b/ a.txt",
    "--in-pl p a.txt",
    "-f script a.txt",
    ["1e id", "a.txt"],
    ["s/.*/id/e", "a.txt"],
    ["s/a/b/gw W", "a.txt"],
    ["s/a/b/ w W", "a.txt"],
    ["1w W", "a.txt"],
    ["1W W", "a.txt"],
    ["1r /etc/passwd", "a.txt"],
    ["R /etc/passwd", "a.txt"],
    ["-e", "1p", "-e", "1e id", "a.txt"],
    ["/x/{\ne id\n}", "a.txt"],
    ["s|a|b|;1e id", "a.txt"],
    ["a\\ \n1e id", "a.txt"],
    ["s/[/]/;1e id #/", "a.txt"],
    ["--posix", "p", "a.txt"],
    ["p", "~/.ssh/id_rsa"],
  ],
});
