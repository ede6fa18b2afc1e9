// What fuzzed arguments are made of: options of each program's --help and of its rule, flags known to be dangerous,
// values that would hurt, and pieces of programs for sed, awk, find, jq, sqlite3 and git. Data and extraction only.
import { GIT_COMMANDS } from "../../src/policy/commands/gitcommands.ts";
import { optionTable } from "../../src/policy/commands/options.ts";
import type { CommandRule } from "../../src/policy/commands/rule.ts";
import type { World } from "./world.ts";

/** Words of one command. */
export type Vocabulary = {
  /** Short and long options, with dashes. */
  readonly options: readonly string[];
  /** Options the command has and its rule leaves out: the dangerous ones are among them. */
  readonly unlisted: readonly string[];
  /** Letters for clusters. */
  readonly letters: readonly string[];
  /** Pieces of a program; empty for most commands. */
  readonly pieces: readonly string[];
};

/** Flags that write, start programs, read lists of files or never end, on one program or another. */
export const BAD_FLAGS = (
  "-o -O -i -f -F -x -X -T -S -D -K -R -r -w -W -e -E -c -C -m -M -l -H -P -z -Z -p -s -d -b -n -u --output --output-file " +
  "--compress-program --files0-from --random-source --in-place --file --pre --hostname-bin --exec --exec-batch " +
  "--from-file --to-file --exclude-from --follow --set --reference --pager --html --config-file --local-file " +
  "--dump-variables --profile --include --load --sandbox --posix --check --magic-file --compile --files-from " +
  "--fromfile --infofile --hintro --sysroot --tab-file --kill --diag --filter --events --rawfile --slurpfile " +
  "--ext-diff --textconv --no-index --open-files-in-pager --upload-pack --exec-path --git-dir --contents --vacuum " +
  "-exec -execdir -ok -delete -fprint -fls -fprintf -files0-from -cmd -init -append -safe -batch -ps -cols --pre-glob"
).split(" ");

/** Values that do the most harm: files to write, programs to start, secrets to read. */
export const WEAPONS: readonly string[] = [
  ...[
    "W",
    "{FOLDER}/W",
    "./evil.sh",
    "{FOLDER}/evil.sh",
    "evil.sh",
    "./evil.sh",
    "evil.sh",
    "sh",
    "id",
    "sh -c 'touch W'",
  ],
  ...["{HOME}/.ssh/id_rsa", "link-to-key", ".env", "list", "fifo", "/dev/zero"],
];

/** Values: harmless files, secrets by several names, files to write, programs, numbers, odd texts; see `filledIn`. */
export const DANGEROUS_VALUES: readonly string[] = [
  ...[
    "a.txt",
    "b.txt",
    "a.csv",
    "d.json",
    "a.bin",
    "a.hex",
    "a.zip",
    "a.db",
    "sub",
    ".",
    "c d.txt",
    "a.bc",
    "list",
    "conf",
  ],
  ...[
    "a.txt",
    "b.txt",
    "sub",
    "a.txt",
    "./-o",
    "-o",
    "@args",
    "evil.1",
    "prog",
    "sub/c.txt",
    "sub/deep",
    ".env.example",
  ],
  ...[
    "{HOME}/.ssh/id_rsa",
    "link-to-key",
    "sub/link-to-folder/id_rsa",
    "~/.ssh/id_rsa",
    "sub/../.env",
    ".env",
    "{HOME}",
  ],
  ...[
    "{HOME}/.ssh",
    "{HOME}/.ash/config.toml",
    "/proc/self/environ",
    "fifo",
    "/dev/zero",
    "/dev/stdin",
    "../home/.netrc",
  ],
  ...["file:{FOLDER}/a.db?mode=rwc", ":memory:", "*.zip", "sub/link-to-folder", ".git", "..", "~"],
  ...[
    "W",
    "{FOLDER}/W",
    "./W",
    "sub/W",
    "{FOLDER}/evil.sh",
    "./evil.sh",
    "evil.sh",
    "sh",
    "id",
    "sh -c 'touch W'",
  ],
  ...[
    "0",
    "1",
    "2",
    "3",
    "10",
    "80",
    "-1",
    "+1",
    "1,2",
    "1-3",
    "999999999",
    "1e9",
    "%s",
    "%0999999999d",
    "+%F",
    "x=1",
    ...["+5f", "+!id", "xe", "axe", "1,2e", "a/[b]/c", "%*d", "C", "deadbeef", "../..", "$(id)"],
  ],
  ...[
    "",
    "-",
    "--",
    "a",
    "x",
    "beta",
    "TODO",
    "^a.*b$",
    "[",
    "a|b",
    ":",
    ",",
    "always",
    "json",
    "utf-8",
    "C",
    "name",
    "all",
  ],
  ...[
    "skip",
    "read",
    "recurse",
    "root",
    "nobody",
    "cpu",
    "HEAD",
    "HEAD~1",
    "main",
    "HEAD:a.txt",
    "v1",
    "now",
    "yesterday",
  ],
];

/** Puts a worker's folders in place of {HOME} and {FOLDER}. */
export function filledIn(args: readonly string[], world: World): string[] {
  return args.map((arg) => arg.replaceAll("{HOME}", world.home).replaceAll("{FOLDER}", world.folder));
}

const PIECES: Readonly<Record<string, string>> = {
  awk:
    `{ } ( ) [ ] ; , print printf getline system( system close( $1 $0 NR NF FS x y "a" "W" "./evil.sh" "sh" > >> < | || |& && & ! ~ !~ / /a/ /[/]/ /[^]]/
    /\\// == = += ++ -- + - * % ^ ? : in if( else return length length( index( split( substr( BEGIN END next exit delete ARGV ARGV[1] ARGC ENVIRON
    @ @f( #c \\ 1 2.5 1e3 .5 "\\"" "a\\\\" 'x' \` func f( ) {` + "\n",
  sed: `p d q = n N g G h H x D P l y/a/b/ y/ s/a/b/ s/a/b/w s/.*/./evil.sh/e s|a|b| s,a,b,g s/[/]/x/ s/[^/]*/x/ s/\\(a\\)/\\1/ s/a/\\
    s/[/]w/W/ s/[/]/e/ s/[/]g/w/W/ /[/]/p /[/w/W/]/ s,[,],x,e s/a[/]b/w/W/ [ ] [^ /beta/ /a/I /[/]/ \\,a, \\|b| 1 2 $ 0 1,2 1,+1 1~2 1,~2 , ! !! { } ; ;; : :a :b b ba bb t ta T a\\ i\\ c\\ a i c atext \\ # #n #x
    e e./evil.sh 1e w wW w W WW r ra.txt R link-to-key F z v I M g w`,
  find: `. sub a.txt -name -iname *.txt -path -regex a.* -type f d l -size +0 -1k -mtime 0 -newer -newermt -newermc 2020-01-01 -perm 644 -print -print0 -ls -printf %p\\n
    %0999999999s -exec -execdir -ok -okdir id ./evil.sh {} ; + -delete -fprint -fprint0 -fprintf -fls W -prune -quit -o -a -not ! ( ) , -maxdepth 1 2 -mindepth
    -depth -empty -true -false -H -L -P -O2 -D -files0-from list -samefile link-to-key -regextype posix-extended -user root -links 1 -inum`,
  jq: `. .a .a[] .a[0].b | , // map(.b) @csv @json $ENV env input inputs input_filename import "x" as include ; def f: f 1 length keys
    select(.b>1) { } [ ] ( ) $x $__loc__ $__prog_args get_search_list modulemeta limit(3;range(9)) tojson debug stderr "a\\(1)" # == and or not`,
  sqlite3: `select * from t ; where x>1 .tables .schema .shell .system .output .once .read .import .log .trace .backup .open .cd .dump .excel
    W |id attach 'W' as w vacuum into readfile('.env') writefile('W','x') fsdir('.') zipfile('a.zip') load_extension('x') edit(1,'./evil.sh') pragma table_info(t)
    journal_mode=wal select data from fsdir insert into values(1) create table z(a) create temp ( ) , 1 count(*) group by x`,
  git: `${[...GIT_COMMANDS.keys()].join(" ")} fetch push pull config commit add checkout clone init gc archive bundle difftool mergetool bisect submodule
    ls-remote fsck filter-branch rebase -c core.fsmonitor=./evil.sh -C --git-dir=.git --exec-path=. HEAD HEAD~1 main v1 -- a.txt b.txt sub show list get-url origin
    -p -5 --oneline --stat --format=%G? --format=%h --output=W --ext-diff --textconv -Oevil.sh --all -n 3 --graph x --list --contents evil.sh`,
  ps: `aux axe e auxe -aux -auxe -ef -e -o pid,args environ pid,environ axo u x w ww -u -U x xe nobody root -p 1 -C sh --sort=-pid --forest f -E eww -L -f -l`,
};

const LIKE: Readonly<Record<string, string>> = {
  gawk: "awk",
  mawk: "awk",
  "original-awk": "awk",
  nawk: "awk",
};

/** Options that a help text names. */
function optionsInHelp(help: string): readonly string[] {
  const long = help.match(/--[a-zA-Z][a-zA-Z0-9-]*/g) ?? [];
  const short = [...help.matchAll(/(?:^|[\s,[|(])(-[A-Za-z0-9])(?=[\s,=[\]|)<A-Z]|$)/gm)].map(
    (found) => found[1] ?? "",
  );
  const grouped = [...help.matchAll(/\[-([A-Za-z0-9]{2,})\]/g)].flatMap((found) =>
    [...(found[1] ?? "")].map((c) => `-${c}`),
  );
  return [...new Set([...long, ...short, ...grouped])].filter(
    (name) => !/^--?(?:help|version|h|V)$/.test(name),
  );
}

function helpOf(path: string, env: Readonly<Record<string, string>>): string {
  const done = Bun.spawnSync([path, "--help"], { stdin: "ignore", timeout: 3000, env: { ...env } });
  return `${done.stdout}${done.stderr}`;
}

/** Builds the words of a command from its help text, its rule and the lists above. */
export function vocabularyOf(
  name: string,
  path: string,
  rule: CommandRule,
  env: Readonly<Record<string, string>>,
): Vocabulary {
  const listed =
    rule.kind === "options" ? [...optionTable(rule.options, rule.parsing?.words === true).keys()] : [];
  const options = [...new Set([...optionsInHelp(helpOf(path, env)), ...listed])];
  const letters = options.filter((option) => option.length === 2).map((option) => option.slice(1));
  const pieces = (PIECES[LIKE[name] ?? name] ?? "").split(/\s+/).filter((piece) => piece !== "");
  const left = options.filter((option) => !listed.includes(option));
  return { options, unlisted: left.length > 0 ? left : BAD_FLAGS, letters, pieces };
}
