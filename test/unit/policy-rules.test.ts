// Every rule carries its own examples; here they are run, and the rules are checked as data.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { parseAllowlist } from "../../src/policy/allowlist.ts";
import { COMMAND_RULES, commandRule, judgeArguments } from "../../src/policy/arguments.ts";
import { GIT_COMMANDS } from "../../src/policy/commands/gitcommands.ts";
import { optionTable } from "../../src/policy/commands/options.ts";
import { type CommandRule, type Example, exampleArguments } from "../../src/policy/commands/rule.ts";
import { fakeFacts } from "../support/policyfacts.ts";

const facts = fakeFacts();
const shown = (example: Example): string => JSON.stringify(exampleArguments(example));

const each = (pick: (rule: CommandRule) => readonly Example[]): [string, string, Example][] =>
  COMMAND_RULES.flatMap((rule) =>
    rule.names.flatMap((name) =>
      pick(rule).map((example): [string, string, Example] => [name, shown(example), example]),
    ),
  );

describe("examples", () => {
  test.each(each((rule) => rule.match))("%s %s is accepted", (name, _shown, example) => {
    expect(judgeArguments(name, exampleArguments(example), facts)).toMatchObject({ ok: true });
  });

  test.each(each((rule) => rule.notMatch))(
    "%s %s is refused with a reason that names the command",
    (name, _shown, example) => {
      const judged = judgeArguments(name, exampleArguments(example), facts);
      expect(judged).toMatchObject({ ok: false });
      if (judged?.ok !== false) return;
      expect(judged.reason.startsWith(name)).toBe(true);
      expect(judged.reason.length).toBeLessThan(700);
    },
  );
});

describe("the rules as data", () => {
  const names = COMMAND_RULES.flatMap((rule) => rule.names);

  test("no name has two rules", () => {
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test("every executable of the bootstrap allowlist has a rule", () => {
    const list = parseAllowlist(
      readFileSync(new URL("../../bootstrap/.ash_tools", import.meta.url), "utf8"),
      "list",
    );
    const bare = [...list.entries.keys()].filter((name) => !name.endsWith(".py"));
    expect(bare.length).toBeGreaterThan(50);
    expect(bare.filter((name) => commandRule(name) === undefined)).toEqual([]);
  });

  test("every rule says what it does and has examples of both kinds, echo aside", () => {
    const thin = COMMAND_RULES.filter(
      ({ names: [name], does, match, notMatch }) =>
        !/^[A-Z].*\.$/.test(does) || match.length < 1 || (notMatch.length < 1 && name !== "echo"),
    );
    expect(thin.map((rule) => rule.names[0])).toEqual([]);
  });

  test("every list of options can be read, on both platforms, without an option listed twice", () => {
    for (const rule of COMMAND_RULES) {
      if (rule.kind !== "options") continue;
      expect(() => optionTable(rule.options, rule.parsing?.words === true)).not.toThrow();
      const parsing = rule.bsd?.parsing ?? rule.parsing;
      if (rule.bsd?.options !== undefined) {
        const { options } = rule.bsd;
        expect(() => optionTable(options, parsing?.words === true)).not.toThrow();
      }
    }
    for (const [, git] of GIT_COMMANDS) expect(() => optionTable(git.options)).not.toThrow();
  });

  test("names that objects have by nature have no rule", () => {
    for (const name of ["constructor", "__proto__", "toString", ""])
      expect(judgeArguments(name, [], facts)).toBeNull();
  });

  test("whatever talks to other machines asks first", () => {
    const silent = COMMAND_RULES.filter((rule) => rule.network === true && rule.level !== "ask");
    expect(silent).toEqual([]);
    for (const name of ["ping", "dig", "host", "nslookup", "git"])
      expect(commandRule(name)?.level).toBe("ask");
  });
});
