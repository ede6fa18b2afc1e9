// Rules of the commands that show names, sizes and attributes of files, never their content. Data only.
import { type CommandRule, command, NONE, paths, values } from "./rule.ts";

/** The rules of ls and its like. */
export const FILE_RULES: readonly CommandRule[] = [
  command({
    names: ["ls"],
    does: "Lists folders: names, sizes, times, owners.",
    options:
      "-aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1 -I= -Tw=small --all --almost-all --author --escape --block-size=word " +
      "--ignore-backups --color?word --directory --classify?word --file-type --format=word --full-time " +
      "--group-directories-first --no-group --human-readable --si --dereference-command-line --hide= " +
      "--indicator-style=word --inode --ignore= --kibibytes --dereference --numeric-uid-gid --literal " +
      "--hide-control-chars --show-control-chars --quote-name --quoting-style=word --reverse --recursive --size " +
      "--sort=word --time=word --time-style=format --tabsize=small --width=small --context --zero",
    operands: paths(0),
    bsd: { options: "-aAbBcCdeFfGgHhikLlmnOoPpqRrSsTtuUvWwxy@%1 --color?word" },
    match: [
      "-la",
      "-la ~",
      "-lhS src",
      "-R src",
      ["-la", "a & b (1).txt"],
      "--sort=time -1",
      "-lt --time-style=+%F",
    ],
    notMatch: [
      "-l /proc/self/fd",
      "~/.ssh",
      "-l ~/.gnupg",
      "--time-sty=x",
      "-w 999999999",
      "--hyperlink=always",
    ],
  }),
  command({
    names: ["stat"],
    does: "Shows size, times, owner and mode of files.",
    options:
      "-Lft -c=format --dereference --file-system --format=format --printf=format --terse --cached=word",
    operands: paths(1),
    bsd: { options: "-FLlnqrsx -ft=format" },
    match: ["a.txt", ["-c", "%s %n", "a.txt"]],
    notMatch: ["", "-c %0999999999s a.txt", "/proc/self/mem", "--form=%s a.txt"],
  }),
  command({
    names: ["file"],
    does: "Says what kind of data files hold. It runs no decompressor and reads no list of names.",
    options:
      "-bikLhnNr0 -F= -e=word --brief --mime --mime-type --mime-encoding --keep-going --dereference --no-dereference " +
      "--no-buffer --no-pad --raw --print0 --separator= --exclude=word --extension --apple",
    operands: paths(1),
    bsd: {
      options: "-bikIdLhnNr0 -F= -e=word --brief --mime --mime-type --mime-encoding --keep-going --extension",
    },
    match: ["a.txt", "-b --mime-type a.txt"],
    notMatch: [
      "-C -m magic",
      "-m x a.txt",
      "-f list",
      "-z a.gz",
      "-s /dev/sda",
      "-S a.txt",
      "-p a.txt",
      "fifo /dev/zero",
    ],
  }),
  command({
    names: ["du"],
    does: "Adds up the sizes of folders.",
    options:
      "-0abcDhHklLmPsSx -dBt= --null --all --apparent-size --block-size=word --bytes --total --dereference-args " +
      "--dereference --no-dereference --max-depth= --human-readable --si --inodes --summarize --separate-dirs " +
      "--threshold= --one-file-system --exclude= --time?word --time-style=format --count-links",
    operands: paths(0),
    bsd: { options: "-AacgHhkLlmnPsx -BdIt=" },
    match: ["-sh src", "-h --max-depth=1", "-sh *"],
    notMatch: ["--files0-from=list", "-X list .", "--exclude-from=list", "-sh ~/.ssh", "--max=1"],
  }),
  command({
    names: ["df"],
    does: "Shows free space of file systems.",
    options:
      "-ahHiklPTv -Btx=word --all --block-size=word --human-readable --si --inodes --local --no-sync --output?word " +
      "--portability --print-type --total --type=word --exclude-type=word",
    operands: paths(0),
    bsd: { options: "-abcgHhiklmnPtY -T=word" },
    match: ["-h", "-h .", "--output=source,pcent"],
    notMatch: ["--sync", "--out", "-x"],
  }),
  command({
    names: ["readlink"],
    does: "Shows where links lead.",
    options:
      "-femnsqvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent " +
      "--verbose --zero",
    operands: paths(1),
    bsd: { options: "-fn" },
    match: ["-f a.txt"],
    notMatch: ["/proc/self/exe", ""],
  }),
  command({
    names: ["realpath"],
    does: "Shows paths without links and dots.",
    options:
      "-emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --relative-to=path " +
      "--relative-base=path --strip --no-symlinks --zero --quiet",
    operands: paths(1),
    bsd: { options: "-q", operands: paths(0) },
    match: ["a.txt"],
    notMatch: ["--relative-to=/proc/self a.txt", "-x a.txt"],
  }),
  command({
    names: ["basename"],
    does: "Prints the last part of paths; it opens nothing.",
    options: "-az -s= --multiple --suffix= --zero",
    operands: values("text", 1),
    parsing: { permutes: false },
    bsd: { options: "-a -s=" },
    match: ["/a/b.txt .txt"],
    notMatch: ["", "--mult a"],
  }),
  command({
    names: ["dirname"],
    does: "Prints paths without their last part; it opens nothing.",
    options: "-z --zero",
    operands: values("text", 1),
    match: ["/a/b.txt"],
    notMatch: [""],
  }),
  command({
    names: ["pwd"],
    does: "Prints the current folder.",
    options: "-LP --logical --physical",
    operands: NONE,
    match: ["", "-P"],
    notMatch: ["x"],
  }),
  command({
    names: ["tree"],
    does: "Shows folders as a tree. It cannot write its output to a file.",
    options:
      "-adfilpsughDFqNQrtcUvxACSnJX -LPI= --noreport --dirsfirst --filesfirst --du --si --gitignore --prune --inodes " +
      "--device --ignore-case --matchdirs --metafirst --nolinks --charset=word --filelimit=small --sort=word " +
      "--timefmt=format",
    operands: paths(0),
    // tree takes the value of a letter from the next argument and goes on with the cluster.
    parsing: { attached: false },
    values: { "-L": { pattern: /^\d{1,3}$/, says: "a depth up to 999 is" } },
    match: ["-L 2 src", "-a -I node_modules", "-J -L 1"],
    notMatch: [
      "-o out",
      "-R -L 1 -o out",
      "-Po x out",
      "-L 1 -R",
      "--fromfile list",
      "--infofile x",
      "-H x",
      "-L2 src",
    ],
  }),
  command({
    names: ["namei"],
    does: "Shows every step of a path.",
    options: "-lmonvx --long --modes --owners --nosymlinks --vertical --mountpoints",
    operands: paths(1),
    match: ["-l a.txt"],
    notMatch: ["/proc/self/environ"],
  }),
  command({
    names: ["lsattr"],
    does: "Shows file attributes.",
    options: "-Radvpl",
    operands: paths(0),
    match: ["-d src"],
    notMatch: ["~/.ssh", "-x"],
  }),
  command({
    names: ["getfacl"],
    does: "Shows access control lists.",
    options:
      "-adceEsRPtnp --access --default --omit-header --all-effective --no-effective --skip-base --recursive --physical " +
      "--tabular --numeric --absolute-names --one-file-system",
    operands: paths(1),
    match: ["-p a.txt"],
    notMatch: ["-L -R src", "~/.ssh/id_rsa"],
  }),
  command({
    names: ["pathchk"],
    does: "Says whether names could be file names.",
    options: "-pP --portability",
    operands: paths(1),
    match: ["-p a.txt"],
    notMatch: ["--port a"],
  }),
  command({
    names: ["mdls"],
    does: "Shows what macOS knows about files.",
    options: "-name= -raw -nullMarker=",
    operands: paths(1),
    parsing: { words: true },
    match: ["-name kMDItemKind a.txt"],
    notMatch: ["-plist out a.txt", "~/.ssh/id_rsa"],
  }),
];
