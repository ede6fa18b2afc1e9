// The rule of git: read-only subcommands, each with its own accepted options, and every way a repository's own
// configuration could start a program switched off. The accepted options are data in gitcommands.ts.
//
//   git     = subcommand { option | operand }
//   option  = accepted by the subcommand, in full; formats without %G and %(signature), which start gpg
//   operand = revision | path | revision ":" path | ":(magic)" path ; paths go through the path rule
//
// The subcommand comes first: of the global options only --no-pager, -P and --no-optional-locks are accepted, which are
// forced anyway (never -c, -C, --git-dir, --exec-path, --config-env …).
import { judgePath, type PathFacts } from "../paths.ts";
import { GIT_COMMANDS, type GitCommand } from "./gitcommands.ts";
import { hidingPathspecs } from "./hiding.ts";
import { judgeByOptions } from "./judge.ts";
import { optionTable, splitArguments } from "./options.ts";
import { type Call, type CommandRule, command, type Judged, operandProblem, type Problem } from "./rule.ts";

/** Settings that win over the repository's: nothing of its configuration starts a program or opens a connection. */
const SETTINGS = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.sshCommand=false",
  "core.gitProxy=false",
  "core.askPass=false",
  "core.alternateRefsCommand=false",
  "credential.helper=",
  "diff.external=",
  "diff.submodule=short",
  "diff.ignoreSubmodules=dirty",
  "diff.orderFile=/dev/null",
  "blame.ignoreRevsFile=",
  "log.showSignature=false",
  "gpg.program=false",
  "gpg.openpgp.program=false",
  "gpg.x509.program=false",
  "gpg.ssh.program=false",
  "protocol.allow=never",
  ...["file", "ext", "git", "ssh", "http", "https"].map((name) => `protocol.${name}.allow=never`),
  "status.submoduleSummary=false",
  "submodule.recurse=false",
];
const FORCED = ["--no-pager", "--no-optional-locks", ...SETTINGS.flatMap((setting) => ["-c", setting])];

const SIGNATURE = /%G|%\(signature|%\(contents:signature/i;

/** The parts of an operand that may be paths: all of it, what follows a revision, what follows pathspec magic. */
function pathParts(operand: string): readonly string[] {
  const plain = operand.replace(/^:(?:\([^)]*\)|[!^/]+)/, "");
  const colon = plain.lastIndexOf(":");
  return [operand, plain, ...(colon < 0 ? [] : [plain.slice(colon + 1)])].filter((part) => part !== "");
}

function judgeCall(call: Call, git: GitCommand): Problem | null {
  const { options, operands, facts } = call;
  const { listsWith } = git;
  if (
    listsWith !== undefined &&
    operands.length > 0 &&
    !options.some(({ name }) => listsWith.includes(name))
  ) {
    return operandProblem(`an operand is allowed only with ${listsWith.at(-1)}: it would create something`);
  }
  const signed = options.find(({ value }) => SIGNATURE.test(value ?? ""));
  if (signed !== undefined)
    return { rule: "option", reason: `${signed.name} without %G and signatures is allowed; they start gpg` };
  for (const part of operands.flatMap(pathParts)) {
    const reason = judgePath(part, facts);
    if (reason !== null) return { rule: "path", reason };
  }
  return null;
}

/** One file of a revision, such as HEAD:a.txt: it stands alone, without pathspecs. */
const isOneFile = (word: string): boolean => /^[^:-][^:]*:./.test(word) || /^:[^(!^/]/.test(word);
const REVISIONS = new Set(["--all", "--branches", "--tags", "--remotes", "--glob"]);

/** The arguments with what a subcommand is asked about when nothing says so, and without credential files. */
function completed(git: GitCommand, args: readonly string[]): readonly string[] {
  const split = splitArguments(args, optionTable(git.options), git.parsing);
  if ("reason" in split) return args;
  const end = split.dashes < 0 ? args.length : split.dashes;
  const before = split.operands.slice(0, split.operands.length - Math.max(0, args.length - end - 1));
  const named = before.length > 0 || split.options.some(({ name }) => REVISIONS.has(name));
  const asked =
    git.defaultOperand === undefined || named
      ? args
      : [...args.slice(0, end), git.defaultOperand, ...args.slice(end)];
  const hides = git.hides === "always" || (git.hides === "unless-one-file" && !before.some(isOneFile));
  return hides ? [...asked, ...hidingPathspecs()] : asked;
}

/** Words before the subcommand that ask for what is forced anyway. */
const NOTHING_NEW = new Set(["--no-pager", "-P", "--no-optional-locks"]);

/** True when the rule accepts some call of the subcommand. */
export function isGitSubcommand(word: string): boolean {
  return [...GIT_COMMANDS.keys()].some((key) => key === word || key.startsWith(`${word} `));
}

/** The arguments from the subcommand on. */
export function fromSubcommand(args: readonly string[]): readonly string[] {
  const start = args.findIndex((word) => !NOTHING_NEW.has(word));
  return start < 0 ? [] : args.slice(start);
}

function judge(asked: readonly string[], facts: PathFacts, name: string): Judged {
  const args = fromSubcommand(asked);
  // --help would start a viewer.
  if (args.length === 1 && args[0] === "--version") return { ok: true, args };
  const [first = "", second = ""] = args;
  const both = `${first} ${second}`;
  const chosen = GIT_COMMANDS.has(both) ? both : first;
  const git = GIT_COMMANDS.get(chosen);
  if (git === undefined) {
    const known = [...GIT_COMMANDS.keys()].join(", ");
    const said = first === "" ? "a subcommand is needed" : `${JSON.stringify(first)} is not allowed`;
    return {
      ok: false,
      rule: "subcommand",
      reason: `${name}: ${said}; the first argument is one of ${known}`,
    };
  }
  const words = chosen.split(" ");
  const rule = command({
    names: [name],
    does: "",
    options: git.options,
    operands: git.operands,
    ...(git.parsing === undefined ? {} : { parsing: git.parsing }),
    check: (call) => judgeCall(call, git),
    match: [],
    notMatch: [],
  });
  // git reads its own options in the same way everywhere.
  const judged = judgeByOptions(
    rule,
    args.slice(words.length),
    facts.platform === "gnu" ? facts : { ...facts, platform: "gnu" },
    `${name} ${chosen}`,
  );
  if (!judged.ok) return judged;
  return { ok: true, args: [...FORCED, ...words, ...(git.forced ?? []), ...completed(git, judged.args)] };
}

/** The rule of git. */
export const GIT_RULE: CommandRule = {
  kind: "parser",
  names: ["git"],
  does: "Shows the history and the state of a repository. It changes nothing, opens no connection and runs no hook.",
  level: "ask",
  helpers: true,
  judge,
  match: [
    "status -sb",
    "log --oneline -5 -- src",
    "diff --stat HEAD~1",
    "show HEAD:README.md",
    "branch -vv",
    "branch --list feat*",
    "branch --merged main",
    "branch -a --contains HEAD",
    "tag --contains HEAD",
    "--no-pager log -1",
    "-P diff HEAD",
    "remote show origin",
    "blame -p a.txt",
    "log HEAD --not main",
    "symbolic-ref --short HEAD",
    "diff-index --quiet HEAD --",
    "blame -L 1,5 a.txt",
    ["log", "--since", "2 weeks ago", "--format=%h %s"],
    "stash list",
    "grep -n TODO",
    "ls-files",
    "rev-parse HEAD",
    "--version",
  ],
  notMatch: [
    "",
    "--help",
    "-c core.fsmonitor=x status",
    "-C /tmp status",
    "-p status",
    "--config-env=a=B status",
    "--exec-path=/tmp status",
    "fetch origin",
    "push --rece=x",
    "ls-remote --upload-pack=id .",
    "log --output W",
    "log --outp=W",
    "diff --output=W",
    "diff --no-index /dev/null a.txt",
    "diff --ext-diff",
    "log -p --textconv",
    "--no-pager -c a=b log",
    "--no-pager",
    "symbolic-ref HEAD refs/heads/x",
    "symbolic-ref -d HEAD",
    "branch -v new",
    "branch -a new",
    "show-branch --reflog",
    "remote show -x",
    "grep -Oid x",
    "grep --open=id x",
    "blame --contents x a.txt",
    "blame --cont=x a.txt",
    "archive -o W HEAD",
    "difftool -y -x id",
    "config core.fsmonitor x",
    "branch new",
    "branch -D old",
    "tag v1",
    "stash",
    "stash pop",
    "reflog expire",
    "worktree add x",
    "log --format=%G?",
    "show HEAD:.env",
    "log --help",
    "bisect run id",
    "submodule foreach id",
    "remote add x y",
  ],
};
