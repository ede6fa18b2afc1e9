// What is read out of --help against what argparse was told: parsers made at random, printed by Python itself.
import { expect, test } from "bun:test";
import { readHelp } from "../../src/python/helpoptions.ts";
import { PYTHON } from "../support/pythontool.ts";

const GENERATOR = `
import argparse, json, random, sys
random.seed(int(sys.argv[1]))
WORDS = "limit city since deep raw-output max-count x11 y lang-code very-long-option-name-that-wraps".split()
PIECES = "reads it; see --since and -x for --city, more {three}, 50%% of --limit [TEXT] -y or so".split()
FORMATTERS = [argparse.HelpFormatter, argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter]

def add_options(target, made, names):
    for name in names:
        flags = ["--" + name] if len(name) > 1 else ["-" + name]
        if random.random() < 0.3:
            flags.insert(0, "-" + name[0].upper())
        if set(flags) & {flag for used in made for flag in used}:
            continue
        kind = random.choice("text choice many maybe switch pair toggle number".split())
        more = {"help": " ".join(random.choices(PIECES, k=random.randint(0, 30)))} if random.random() < 0.8 else {}
        if kind == "choice":
            more["choices"] = ["a", "b-c", "d"]
        elif kind == "many":
            more["nargs"] = random.choice("*+")
        elif kind == "maybe":
            more["nargs"] = "?"
        elif kind == "switch":
            more["action"] = "store_true"
        elif kind == "pair":
            more.update(nargs=2, metavar=("FROM", "TO"))
        elif kind == "number":
            more.update(type=int, metavar="N")
        elif kind == "toggle" and flags[0].startswith("--"):
            more["action"] = argparse.BooleanOptionalAction
        required = random.random() < 0.1
        target.add_argument(*flags, required=required, **more)
        if more.get("action") is argparse.BooleanOptionalAction:
            made.append([flag for flag in flags])
            made.extend([["--no-" + flag[2:]] for flag in flags if flag.startswith("--")])
        else:
            made.append(flags)
        yield required

cases = []
for _ in range(400):
    parser = argparse.ArgumentParser(prog="tool.py", formatter_class=random.choice(FORMATTERS),
                                     description=random.choice([None, "Does things with --city.\\n  --raw is not one."[:24]]),
                                     epilog=random.choice([None, "More."]))
    made, names = [["-h", "--help"]], random.sample(WORDS, random.randint(0, len(WORDS)))
    group = parser.add_argument_group("special", "A group.") if random.random() < 0.3 else parser
    required = list(add_options(parser, made, names[::2])) + list(add_options(group, made, names[1::2]))
    subcommands, form = [], random.random()
    if form < 0.2:
        parser.add_argument("place", nargs=random.choice([None, "?", "*"]))
        required.append(parser._actions[-1].nargs is None)
    elif form < 0.5:
        subcommands = random.sample(["add", "list-all", "rm", "show"], random.randint(1, 4))
        more = random.choice([{}, {"metavar": "COMMAND"}, {"title": "commands", "dest": "command"}])
        commands = parser.add_subparsers(required=True, **more)
        for name in subcommands:
            commands.add_parser(name, help=random.choice(["does it", "does it with --limit"]))
        required.append(True)
    if random.random() < 0.2:
        both = parser.add_mutually_exclusive_group(required=True)
        both.add_argument("--this"), both.add_argument("--that")
        made += [["--this"], ["--that"]]
        required.append(True)
    cases.append({"help": parser.format_help(), "options": made, "subcommands": subcommands, "required": any(required)})
json.dump(cases, sys.stdout)
`;

type Case = {
  readonly help: string;
  readonly options: readonly (readonly string[])[];
  readonly subcommands: readonly string[];
  readonly required: boolean;
};

async function casesOf(seed: number): Promise<readonly Case[]> {
  const child = Bun.spawn([PYTHON, "-I", "-X", "utf8", "-c", GENERATOR, String(seed)], {
    env: { COLUMNS: seed % 2 === 0 ? "80" : "60" },
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return JSON.parse(text) as readonly Case[];
}

const sorted = (groups: readonly (readonly string[])[]): readonly string[] =>
  groups.map((group) => [...group].sort().join(" ")).sort();

test.each([1, 2, 3])("of random argparse parsers (%d) everything is read and nothing else", async (seed) => {
  const cases = await casesOf(seed);
  expect(cases.filter(({ help }) => /^ {10,}-/m.test(help)).length).toBeGreaterThan(50);
  for (const { help, options, subcommands, required } of cases) {
    const read = readHelp(help);
    expect({ help, options: sorted(read.options) }).toEqual({ help, options: sorted(options) });
    expect({ help, subcommands: [...read.subcommands].sort() }).toEqual({
      help,
      subcommands: [...subcommands].sort(),
    });
    expect({ help, required: read.needsArguments }).toEqual({ help, required });
  }
});
