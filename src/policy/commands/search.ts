// Rules of the commands that search text and find files by name. Data only.
import { type CommandRule, command, textThenPaths } from "./rule.ts";

const GREP =
  "-EFGPivwxcLlqnHhZozrRsabUTyI -emABC= --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case " +
  "--no-ignore-case --invert-match --word-regexp --line-regexp --count --color?word --colour?word " +
  "--files-without-match --files-with-matches --max-count= --only-matching --quiet --silent --no-messages " +
  "--byte-offset --with-filename --no-filename --label= --line-number --initial-tab --null --null-data " +
  "--after-context= --before-context= --context= --text --binary --binary-files=word --exclude= --include= " +
  "--exclude-dir= --recursive --dereference-recursive --regexp= --line-buffered --group-separator= --no-group-separator --directories= -d=";

const GREP_BSD =
  "-EFGivwxcLlqnHhosabUrRI -emABC= --extended-regexp --fixed-strings --basic-regexp --ignore-case --invert-match " +
  "--word-regexp --line-regexp --count --color?word --colour?word --files-without-match --files-with-matches " +
  "--max-count= --only-matching --quiet --silent --no-messages --byte-offset --no-filename --line-number --null " +
  "--after-context= --before-context= --context?count --text --exclude= --include= --exclude-dir= --include-dir= " +
  "--recursive --regexp= --line-buffered --label=";

const THREADS = { pattern: /^\d{1,2}$/, says: "a number up to 99 is" };
const SKIP_OR_READ = { pattern: /^(?:skip|read)$/, says: "skip and read are; -r searches folders" };

const grep = (names: readonly string[], does: string, helpers?: true): CommandRule =>
  command({
    names,
    does: `${does} Credential files in folders are left out, and links are not followed.`,
    options: GREP,
    operands: textThenPaths("-e", "--regexp"),
    values: { "-d": SKIP_OR_READ, "--directories": SKIP_OR_READ },
    parsing: { numeric: true },
    // Following links would leave the folders that were judged.
    readAs: { "-R": "-r", "--dereference-recursive": "--recursive" },
    recursion: { options: ["-r", "--recursive"], hides: "grep" },
    bsd: { options: GREP_BSD },
    ...(helpers === true ? { helpers } : {}),
    match: [
      "-rn TODO src",
      "-Rn TODO src",
      ["-E", "foo|bar", "a.txt"],
      ["-nF", "$(id)", "a.txt"],
      ["-c", "a;b && c", "a.txt"],
      "-- -x a.txt",
      "-3 beta a.txt",
      "-e a -e b a.txt",
      "-A2 -B 2 beta a.txt",
    ],
    notMatch: [
      "-f list a.txt",
      "--file=list a.txt",
      "-rD read x .",
      "-R x ~",
      "-d recurse x src",
      "--exclude-from=list x a.txt",
      "-r x ~",
      "-r . ~/.ssh",
      "--recurs x src",
      "x /proc/self/environ",
    ],
  });

/** The rules of grep and its like. */
export const SEARCH_RULES: readonly CommandRule[] = [
  grep(["grep"], "Searches text for a pattern."),
  grep(["egrep", "fgrep"], "Searches text for a pattern, as grep -E and grep -F do.", true),
  command({
    names: ["rg"],
    does:
      "Searches folders for a pattern. Its configuration file, preprocessors and decompressors are switched off; " +
      "credential files are left out, and links are not followed.",
    options:
      "-acFHhiIlLnNoPqsSUvVwxpub0. -ABCEegjmMrtTd= --after-context= --before-context= --context= --binary --byte-offset " +
      "--case-sensitive --color=word --column --count --count-matches --crlf --encoding= --engine=word --files " +
      "--files-with-matches --files-without-match --fixed-strings --follow --no-follow --no-config --glob= --glob-case-insensitive --heading " +
      "--no-heading --hidden --iglob= --ignore-case --include-zero --invert-match --json --line-buffered " +
      "--line-number --no-line-number --line-regexp --max-columns= --max-columns-preview --max-count= --max-depth= " +
      "--max-filesize= --multiline --multiline-dotall --no-filename --no-ignore --no-ignore-dot --no-ignore-exclude " +
      "--no-ignore-files --no-ignore-global --no-ignore-parent --no-ignore-vcs --no-messages --no-unicode --null " +
      "--null-data --one-file-system --only-matching --passthru --pcre2 --pretty --quiet --regexp= --replace= " +
      "--smart-case --sort=word --sortr=word --stats --text --threads= --trim --type= --type-add= --type-list --type-not= " +
      "--unrestricted --vimgrep --with-filename --word-regexp --context-separator= --field-context-separator= " +
      "--field-match-separator=",
    operands: textThenPaths("-e", "--regexp", "--files", "--type-list"),
    parsing: { dashValues: ["-e", "--regexp"] },
    values: { "-j": THREADS, "--threads": THREADS },
    forced: ["--no-config"],
    recursion: { options: null, hides: "glob" },
    match: [
      ["-n", "--hidden", "-g", "!node_modules", "foo", "src"],
      ["-tpy", "def |class ", "src"],
      "--files src",
    ],
    notMatch: [
      "--pre cat x src",
      "--pre=./evil x src",
      "--hostname-bin=x y src",
      "-z x src",
      "-iz x src",
      "-f list src",
      "--search-z x src",
      "-g --pre=x y src",
      "x ~",
      "--ignore-file=x y src",
    ],
  }),
  command({
    names: ["fd", "fdfind"],
    does: "Finds files by name. It cannot start a program for them.",
    options:
      "-HIusigFapLq01 -dteESocj= --hidden --no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted " +
      "--case-sensitive --ignore-case --glob --regex --fixed-strings --and= --absolute-path --follow --full-path " +
      "--print0 --max-depth= --min-depth= --exact-depth= --exclude= --prune --type= --extension= --size= " +
      "--changed-within= --changed-before= --owner= --color=word --threads= --max-results= --quiet " +
      "--path-separator= --strip-cwd-prefix --one-file-system --show-errors",
    operands: { ...textThenPaths(), min: 0 },
    parsing: { dashValues: [] },
    values: { "-j": THREADS, "--threads": THREADS },
    match: ["-e ts . src", ["-H", "-t", "f", "^a.*|b$"], "pattern src --max-depth 2"],
    notMatch: [
      "x . -x id",
      "x . -X id",
      "-Hx id",
      "--exec=id x",
      "-l x",
      "--list-details x",
      "-E -x id",
      "--base-directory=/ x",
      "--ignore-file=list x",
      "x ~/.ssh",
    ],
  }),
];
