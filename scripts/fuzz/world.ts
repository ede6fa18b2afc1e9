// Throw-away folders the fuzzed programs run in: harmless files, secrets with canaries, links to them, a hostile
// repository, programs that leave a mark when they are started. It sees what changed and what was read.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { PathFacts } from "../../src/policy/arguments.ts";

/** Text that stands in every secret file. */
export const CANARY = "CANARYSECRETCANARYSECRET";
/** Value of a variable in the environment of a process that runs beside. */
export const ENVIRONMENT_CANARY = "CANARYENVIRONMENT";

/** Folders of one worker. */
export type World = {
  readonly root: string;
  readonly folder: string;
  readonly home: string;
  readonly ashHome: string;
  readonly traps: string;
  /** Where programs may write what they keep: TMPDIR and XDG_CONFIG_HOME. */
  readonly temporary: string;
  readonly facts: PathFacts;
};

const HELPERS = (
  "evil.sh sh bash dash id ls cat pr less more gzip gunzip zcat bzip2 xz man groff troff vi ed curl wget ssh nc perl python3 gpg " +
  "true false env xargs cp mv rm touch tee git awk sed sort dig host stty tput clear tar zip unzip iconv"
).split(" ");

const SECRETS = [
  ".ssh/id_rsa",
  ".ssh/config",
  ".aws/credentials",
  ".netrc",
  ".env",
  ".bash_history",
  ".config/gh/hosts.yml",
  ".ash/config.toml",
];

const evil = (mark: string): string => `#!/bin/sh\n: > "${mark}"\n`;

const FILES: Readonly<Record<string, string>> = {
  "a.txt": "alpha 1 beta\nbeta 22 x\n\ngamma:3:y\nalpha 1 beta\n",
  "b.txt": "beta 22 x\ndelta 4\n",
  "c d.txt": "spaced name\n",
  "a.csv": "id,n,s\n1,5,x\n2,7,y\n",
  "d.json": '{"a":[{"b":1},{"b":2}],"c":"x"}\n',
  "a.hex": "00000000: 6869 0a\n",
  "a.bc": "2^10\n",
  list: "a.txt\0link-to-key\0W\n",
  conf: "pager evil.sh\nDEFINE pager evil.sh\n",
  "evil.1": ".TH X 1\n.sy touch W\n.so link-to-key\n",
  prog: 'BEGIN{system("./evil.sh")}\n',
  // The examples of the rules name these.
  "src/a.ts": "export const foo = 1; // TODO pre def class\n",
  "b.csv": "1,5\n2,7\n",
  "sub/c.txt": "deep TODO\n",
  "sub/deep/e.ts": "export const TODO = 1;\n",
  "-o": "a file named like an option\n",
  "@args": "--target=x\n-o W\n",
  ".env.example": "KEY=\n",
};

const HOSTILE_CONFIG = (evilPath: string): string =>
  `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = ${evilPath}\n\tpager = ${evilPath}\n\thooksPath = hooks\n` +
  `[diff]\n\texternal = ${evilPath}\n\tsubmodule = diff\n[diff "x"]\n\ttextconv = ${evilPath}\n\tcommand = ${evilPath}\n` +
  `[gpg]\n\tprogram = ${evilPath}\n[log]\n\tshowSignature = true\n[alias]\n\tx = !${evilPath}\n\tst = !${evilPath}\n` +
  `[pager]\n\tlog = ${evilPath}\n[remote "origin"]\n\turl = ext::${evilPath}\n\tpromisor = true\n[format]\n\tpretty = %H %G?\n`;

const NO_GLOBAL = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", PATH: "/usr/bin:/bin" };

function makeRepository(folder: string): void {
  if (Bun.which("git") === null) return;
  const identity = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "init.defaultBranch=main"];
  const git = (...args: string[]): void => {
    Bun.spawnSync(["git", ...identity, ...args], { cwd: folder, env: NO_GLOBAL });
  };
  writeFileSync(join(folder, ".gitattributes"), "*.txt diff=x\n");
  git("init", "-q");
  git("add", "a.txt", "b.txt", "sub", "src", ".gitattributes");
  git("commit", "-qm", "one");
  writeFileSync(join(folder, "b.txt"), "changed\n");
  git("commit", "-qam", "two");
  git("tag", "v1");
  writeFileSync(join(folder, ".git/config"), HOSTILE_CONFIG(join(folder, "evil.sh")));
}

/** Fills the current folder. Programs that are not installed leave their files out. */
function fillFolder(folder: string, home: string): void {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  writeFileSync(
    join(folder, "a.bin"),
    new Uint8Array(600).map((_, index) => index % 251),
  );
  writeFileSync(join(folder, ".env"), `KEY=${CANARY}\n`);
  writeFileSync(join(folder, "evil.sh"), evil(join(folder, "MARK")));
  chmodSync(join(folder, "evil.sh"), 0o755);
  Bun.spawnSync(["python3", "-m", "zipfile", "-c", "a.zip", "a.txt", "sub"], { cwd: folder });
  symlinkSync(join(home, ".ssh/id_rsa"), join(folder, "link-to-key"));
  symlinkSync(join(home, ".ssh"), join(folder, "sub/link-to-folder"));
  Bun.spawnSync(["mkfifo", join(folder, "fifo")]);
  Bun.spawnSync([
    "sqlite3",
    join(folder, "a.db"),
    "create table t(x,y); insert into t values(1,'a'),(2,'b');",
  ]);
  makeRepository(folder);
  writeFileSync(join(folder, "sub/key.pem"), `${CANARY}\n`);
}

/** Makes the folders of one worker under `root`, from nothing. */
export function makeWorld(root: string): World {
  rmSync(root, { recursive: true, force: true });
  const [folder, home, traps] = [join(root, "folder"), join(root, "home"), join(root, "traps")];
  const ashHome = join(home, ".ash");
  const temporary = join(root, "temporary");
  mkdirSync(temporary, { recursive: true });
  for (const name of SECRETS) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), `${CANARY}\n`.repeat(4));
  }
  mkdirSync(join(ashHome, "tools"), { recursive: true });
  writeFileSync(join(ashHome, "tools/x.py"), "print(1)\n");
  writeFileSync(join(home, "notes.txt"), "harmless\n");
  writeFileSync(join(home, ".sqliterc"), `.shell touch ${join(root, "MARK-sqliterc")}\n`);
  mkdirSync(folder, { recursive: true });
  mkdirSync(traps, { recursive: true });
  for (const name of HELPERS) {
    writeFileSync(join(traps, name), evil(join(root, `MARK-${name}`)));
    chmodSync(join(traps, name), 0o755);
  }
  fillFolder(folder, home);
  const world: World = {
    root,
    folder,
    home,
    ashHome,
    traps,
    temporary,
    facts: factsOf(folder, home, ashHome),
  };
  hideReading(world);
  return world;
}

function factsOf(folder: string, home: string, ashHome: string): PathFacts {
  return {
    home,
    homes: [home, "/root"],
    ashHome,
    folder,
    platform: "gnu",
    caseInsensitive: false,
    onlyRead: null,
    neverRead: [],
    realPath: (path) => {
      try {
        return realpathSync(path);
      } catch {
        return null;
      }
    },
    kind: (path) => {
      try {
        const facts = statSync(path);
        return facts.isFile() ? "file" : facts.isDirectory() ? "directory" : "other";
      } catch {
        return "missing";
      }
    },
  };
}

const secretFiles = (world: World): readonly string[] => [
  ...SECRETS.map((name) => join(world.home, name)),
  join(world.folder, ".env"),
  join(world.folder, "sub/key.pem"),
];

/** Sets access times into the past: the next reading moves them, also on file systems that update them rarely. */
function hideReading(world: World): void {
  for (const file of secretFiles(world)) utimesSync(file, 1000, 2000);
}

/** The secret files that were read since the last call. */
export function readSecrets(world: World): readonly string[] {
  const read = secretFiles(world).filter((file) => lstatSync(file).atimeMs !== 1_000_000);
  if (read.length > 0) hideReading(world);
  return read;
}

/** Everything below the root that can change, as one text. */
export function snapshot(world: World): string {
  const lines: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (path === world.temporary) continue;
      if (entry.isDirectory()) walk(path);
      const facts = lstatSync(path);
      lines.push(`${path} ${facts.mode} ${entry.isDirectory() ? "" : `${facts.size} ${facts.mtimeMs}`}`);
    }
  };
  walk(world.root);
  return lines.sort().join("\n");
}
