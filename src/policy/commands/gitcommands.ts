// What each read-only git subcommand accepts. Data only; git.ts judges with it.
import type { Operands, Parsing } from "./rule.ts";
import { NONE, values } from "./rule.ts";

/** One subcommand. */
export type GitCommand = {
  readonly options: string;
  readonly operands: Operands;
  readonly parsing?: Parsing;
  /** Flags put right after the subcommand. */
  readonly forced?: readonly string[];
  /** It prints what files hold: credential files are left out, which it could not open in a jail either. */
  readonly hides?: "always" | "unless-one-file";
  /** What it is asked about when no operand says so. */
  readonly defaultOperand?: string;
  /** An option without which no operand is allowed, because an operand would create something. */
  readonly listsWith?: readonly string[];
};

/** Letters of the diff and log families are arguments of their own. */
const SINGLE: Parsing = { clusters: false, numeric: true };

const DIFF =
  "-p -u -U=count -s -w -b -z -a -R -W -q -S= -G= -M?word -C?word -B?word --patch --no-patch --unified=count --stat?word " +
  "--numstat --shortstat --dirstat?word --summary --compact-summary --name-only --name-status --raw --check " +
  "--ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --ignore-cr-at-eol --word-diff?word " +
  "--color-words? --no-color --color?word --color-moved?word --text --full-index --binary --abbrev?count " +
  "--find-renames?word --find-copies?word --no-renames --diff-filter=word --pickaxe-all --pickaxe-regex --exit-code " +
  "--quiet --minimal --patience --histogram --diff-algorithm=word --function-context --inter-hunk-context=count " +
  "--relative? --src-prefix= --dst-prefix= --no-prefix --indent-heuristic --no-indent-heuristic --ignore-matching-lines= " +
  "--no-ext-diff --no-textconv -t -r --no-color-moved --color-moved-ws=word --stat-width=count --stat-count=count " +
  "--stat-name-width=count --stat-graph-width=count --patch-with-stat --patch-with-raw --cumulative --dirstat-by-file?word " +
  "--ws-error-highlight=word --word-diff-regex= --anchored= --line-prefix= --output-indicator-new= --output-indicator-old= " +
  "--output-indicator-context= --default-prefix --no-relative --irreversible-delete --skip-to= --rotate-to= --no-abbrev";

const LOG =
  "-n=count -i -E -F -P -L= -c -m -g --oneline --graph --all --branches? --tags? --remotes? --decorate?word --no-decorate " +
  "--abbrev-commit --no-abbrev-commit --max-count=count --skip=count --since= --after= --until= --before= --author= " +
  "--committer= --grep= --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp " +
  "--follow --merges --no-merges --first-parent --reverse --topo-order --date-order --author-date-order --date= " +
  "--relative-date --format= --pretty? --left-right --cherry --cherry-pick --cherry-mark --source --full-history " +
  "--simplify-merges --simplify-by-decoration --no-walk?word --boundary --parents --children --walk-reflogs --cc " +
  "--dense --sparse --ancestry-path --log-size --no-notes --clear-decorations --decorate-refs= --decorate-refs-exclude= --not " +
  "--glob= --exclude= --min-parents=count --max-parents=count --no-min-parents --no-max-parents --since-as-filter= " +
  "--show-pulls --mailmap --no-mailmap --use-mailmap --expand-tabs?count --no-expand-tabs --encoding=word --notes? " +
  "--show-notes? --diff-merges=word --no-diff-merges --no-graph --show-linear-break? --exclude-first-parent-only";

const NO_PROGRAMS = ["--no-ext-diff", "--no-textconv"];
/** Looking into a submodule would run git under that submodule's own configuration. */
const NO_SUBMODULES = "--ignore-submodules=dirty";
const ANY = values("text", 0);

/** The accepted subcommands by name; those with two words come with a space. */
export const GIT_COMMANDS: ReadonlyMap<string, GitCommand> = new Map<string, GitCommand>(
  Object.entries({
    status: {
      options:
        "-sbz -u?word --short --branch --porcelain?word --untracked-files?word --ignored?word --long --show-stash " +
        "--ahead-behind --no-ahead-behind --renames --no-renames --null",
      operands: ANY,
      forced: [NO_SUBMODULES],
    },
    log: { options: `${DIFF} ${LOG}`, operands: ANY, parsing: SINGLE, forced: NO_PROGRAMS },
    show: { options: `${DIFF} ${LOG}`, operands: ANY, parsing: SINGLE, forced: NO_PROGRAMS },
    diff: {
      options: `${DIFF} --cached --staged --merge-base --ours --theirs --base`,
      operands: ANY,
      parsing: SINGLE,
      forced: [...NO_PROGRAMS, NO_SUBMODULES],
      hides: "unless-one-file",
    },
    "diff-tree": {
      options: `${DIFF} -m -c --root --cc --no-commit-id --pretty? --format= --always`,
      operands: ANY,
      parsing: SINGLE,
      forced: NO_PROGRAMS,
    },
    blame: {
      options:
        "-l -s -w -e -t -f -n -b -p -c --ignore-rev= --minimal --score-debug --show-stats --color-lines --color-by-age -M?word -C?word -L= --porcelain --line-porcelain --date= --root --show-email --show-name " +
        "--show-number --since= --abbrev=count --first-parent --reverse",
      operands: values("text", 1),
      parsing: SINGLE,
      forced: ["--no-textconv"],
    },
    branch: {
      options:
        "-arvil --list --all --remotes --show-current --verbose --no-color --color?word --merged? --no-merged? --contains? " +
        "--no-contains? --points-at= --sort= --format= --abbrev?count --no-abbrev --ignore-case --column?word --no-column",
      operands: ANY,
      listsWith: ["-l", "--merged", "--no-merged", "--contains", "--no-contains", "--points-at", "--list"],
    },
    tag: {
      options:
        "-l -n?count -i --list --sort= --format= --contains? --no-contains? --merged? --no-merged? --points-at= " +
        "--ignore-case --column?word --no-column --color?word",
      operands: ANY,
      listsWith: [
        "-l",
        "-n",
        "--merged",
        "--no-merged",
        "--contains",
        "--no-contains",
        "--points-at",
        "--list",
      ],
    },
    remote: { options: "-v --verbose", operands: NONE },
    // Without -n it would ask the other side.
    "remote show": { options: "-n", operands: values("word", 0, 4), forced: ["-n"] },
    "remote get-url": { options: "--all --push", operands: values("word", 1, 1) },
    "stash list": { options: `${DIFF} ${LOG}`, operands: ANY, parsing: SINGLE, forced: NO_PROGRAMS },
    "stash show": { options: DIFF, operands: values("text", 0, 1), parsing: SINGLE, forced: NO_PROGRAMS },
    reflog: { options: `${DIFF} ${LOG}`, operands: NONE, parsing: SINGLE, forced: NO_PROGRAMS },
    "reflog show": { options: `${DIFF} ${LOG}`, operands: ANY, parsing: SINGLE, forced: NO_PROGRAMS },
    "worktree list": { options: "-vz --verbose --porcelain", operands: NONE },
    "ls-files": {
      options:
        "-cdmoistvzu -x= --cached --deleted --modified --others --ignored --stage --unmerged --directory --eol --full-name " +
        "--exclude-standard --exclude= --error-unmatch --abbrev?count --no-empty-directory --deduplicate",
      operands: ANY,
    },
    "ls-tree": {
      options:
        "-drtlz --long --name-only --name-status --full-name --full-tree --abbrev?count --object-only --format=",
      operands: values("text", 1),
    },
    "rev-parse": {
      options:
        "-q --abbrev-ref?word --short?count --show-toplevel --is-inside-work-tree --is-inside-git-dir --is-bare-repository " +
        "--is-shallow-repository --git-dir --git-common-dir --absolute-git-dir --show-prefix --show-cdup --verify --quiet " +
        "--symbolic --symbolic-full-name --all --branches? --tags? --remotes?",
      operands: ANY,
    },
    "diff-index": {
      options: `${DIFF} -m --cached --merge-base`,
      operands: values("text", 1),
      parsing: SINGLE,
      forced: [...NO_PROGRAMS, NO_SUBMODULES],
      hides: "unless-one-file",
    },
    "diff-files": {
      options: `${DIFF} --cc -c --base --ours --theirs`,
      operands: ANY,
      parsing: SINGLE,
      forced: [...NO_PROGRAMS, NO_SUBMODULES],
      hides: "unless-one-file",
    },
    // A second operand would change the reference.
    "symbolic-ref": { options: "-q --quiet --short --recurse", operands: values("word", 1, 1) },
    cherry: { options: "-v --verbose --abbrev?count", operands: values("text", 0, 3) },
    "show-branch": {
      options:
        "-ar --all --remotes --current --topo-order --date-order --list --no-name --sha1-name --no-color",
      operands: ANY,
    },
    "check-attr": { options: "-a --all --cached", operands: values("text", 1) },
    "rev-list": {
      options: `${LOG} --count --objects --disk-usage --left-only --right-only --timestamp --header --quiet`,
      operands: values("text", 0),
      parsing: SINGLE,
    },
    "merge-base": {
      options: "-a --all --octopus --is-ancestor --independent --fork-point",
      operands: values("text", 1),
    },
    "name-rev": {
      options: "--tags --refs= --name-only --always --no-undefined",
      operands: values("text", 1),
    },
    describe: {
      options:
        "--tags --all --always --long --abbrev?count --match= --exclude= --contains --first-parent --exact-match " +
        "--candidates=count",
      operands: ANY,
    },
    shortlog: {
      options:
        "-s -n -e -c --summary --numbered --email --group= --since= --until= --after= --before= --author= --no-merges --merges --all --branches? --tags? --date= --format=",
      operands: ANY,
      // Without a revision it would read a log from standard input.
      defaultOperand: "HEAD",
    },
    "cat-file": { options: "-t -s -p -e", operands: values("text", 1, 2) },
    "show-ref": {
      options:
        "-dqs --branches --heads --tags --head --verify --dereference --hash?count --abbrev?count --quiet",
      operands: ANY,
    },
    "for-each-ref": {
      options:
        "--count=count --sort= --format= --points-at= --merged? --no-merged? --contains? --no-contains? --ignore-case",
      operands: ANY,
    },
    "count-objects": { options: "-vH --verbose --human-readable", operands: NONE },
    "check-ignore": {
      options: "-qvn --quiet --verbose --non-matching --no-index",
      operands: values("text", 1),
    },
    grep: {
      options:
        "-EFGPivwxclLnhHopWqIza -e= -ABCm=count --extended-regexp --basic-regexp --fixed-strings --perl-regexp --ignore-case " +
        "--invert-match --word-regexp --count --files-with-matches --files-without-match --name-only --line-number " +
        "--column --only-matching --show-function --function-context --heading --break --no-color --color?word --cached " +
        "--after-context=count --before-context=count --context=count --max-depth=count --full-name --text --null --quiet " +
        "--and --or --not --all-match --max-count=count",
      operands: { kinds: ["text"], min: 1, max: 256, givenBy: ["-e"] },
      parsing: { numeric: true },
      forced: ["--no-textconv"],
      hides: "always",
    },
    version: { options: "", operands: NONE },
  }),
);
