// The table of calls that must be denied, allowed or bounded, and the folders its rows speak of.
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** One row. `stages` has one argv for a command, more for a pipeline. */
export type Case = {
  readonly id: string;
  readonly kind: string;
  readonly command: string;
  /** What `argv` holds: arguments, or the stages of a pipeline. */
  readonly input: readonly unknown[];
  readonly expected: "allow" | "deny" | "bounded";
  readonly why: string;
};

/** Every row of the table. */
export function readCases(): readonly Case[] {
  const text = readFileSync(join(import.meta.dir, "../fixtures/policy-cases.tsv"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => {
      const [id = "", kind = "", command = "", argv = "[]", expected = "", why = ""] = line.split("\t");
      const name = command.startsWith('"') ? (JSON.parse(command) as string) : command;
      return {
        id,
        kind,
        command: name,
        input: JSON.parse(argv) as unknown[],
        expected: expected as Case["expected"],
        why,
      };
    });
}

/** The folders a row speaks of. */
export type CasePlace = { readonly folder: string; readonly home: string; readonly ashHome: string };

/** A text that stands in every secret file and nowhere else. */
export const CANARY = "canary-5f0c9a71d2";

/** Puts the folders of a place into a text. */
export function placed(text: string, { folder, home, ashHome }: CasePlace): string {
  return text.replaceAll("{CWD}", folder).replaceAll("{HOME}", home).replaceAll("{ASH}", ashHome);
}

/** The argvs of a row in a place; what is no list of texts is dropped. */
export function stagesIn(row: Case, place: CasePlace): readonly (readonly string[])[] {
  const texts = (list: unknown): string[] =>
    Array.isArray(list)
      ? list.filter((item) => typeof item === "string").map((item) => placed(item, place))
      : [];
  if (row.command === "run_unix_pipeline") return row.input.map(texts);
  return [[row.command, ...texts(row.input)]];
}

/** Makes everything the rows speak of. */
export function furnish({ folder, home, ashHome }: CasePlace): void {
  const put = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
    writeFileSync(path, text);
    chmodSync(path, mode);
  };
  put(join(folder, "a.txt"), "alpha\nbeta\ngamma\n");
  put(join(folder, "b.csv"), "name,size\nx,3\ny,7\n");
  put(join(folder, "d.json"), '{"a": [{"b": 1}], "c": "d"}\n');
  put(join(folder, "a & b (1).txt"), "odd name\n");
  put(join(folder, "sub/c.txt"), "sub\n");
  put(join(folder, ".env"), `KEY=${CANARY}\n`);
  put(join(folder, ".env.example"), "KEY=\n");
  put(join(folder, "evil.sh"), `#!/bin/sh\ntouch ${folder}/MARKER\n`, 0o755);
  put(join(folder, "rc"), `output = "${folder}/W"\nurl = "http://127.0.0.1:1/"\n`);
  put(join(folder, "man.conf"), `DEFINE pager ${folder}/evil.sh\n`);
  put(join(folder, "evil.1"), `.so ${home}/.ssh/id_rsa\n`);
  put(join(folder, "evilrepo/.git/config"), `[core]\n\tfsmonitor = ${folder}/evil.sh\n`);
  put(join(folder, "z.zip"), `PK\u0005\u0006${"\0".repeat(18)}`);
  put(join(home, ".ssh/id_rsa"), `-----BEGIN OPENSSH PRIVATE KEY-----\n${CANARY}\n`, 0o600);
  put(join(home, ".mozilla/firefox/x/cookies.sqlite"), CANARY, 0o600);
  put(join(home, ".config/gcloud/credentials.db"), CANARY, 0o600);
  put(join(home, "notes.txt"), "nothing secret\n");
  put(join(ashHome, "config.json"), CANARY, 0o600);
  put(join(ashHome, "config.toml"), `api_key = "${CANARY}"\n`, 0o600);
  mkdirSync(join(ashHome, "tools"), { recursive: true });
  symlinkSync(join(home, ".ssh/id_rsa"), join(folder, "link-to-key"));
  Bun.spawnSync(["mkfifo", join(folder, "fifo")]);
}

/** Every path below some folders with its kind, mode, size, time and content: equal before and after means unchanged. */
export function snapshot(folders: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const walk = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const below = join(path, entry.name);
      if (entry.isDirectory()) {
        found.set(below, `d ${statSync(below).mode}`);
        walk(below);
      } else if (entry.isFile()) {
        const { mode, mtimeMs, uid } = statSync(below);
        found.set(below, `f ${mode} ${uid} ${mtimeMs} ${readFileSync(below, "latin1")}`);
      } else found.set(below, "other");
    }
  };
  folders.forEach(walk);
  return found;
}
