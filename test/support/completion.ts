// Asks a real shell what it offers for a line, with the script ash prints for it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASH, environmentOf, type Place } from "./ash.ts";

/** The shells there are scripts for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** One of them. */
export type Shell = (typeof SHELLS)[number];

/** Fills COMP_WORDS the way readline does: words are cut at blanks, and at = as well. */
const BASH = `
source "$SCRIPT"
COMP_WORDS=("$@")
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_ash
printf 'HIT %s\\n' "\${COMPREPLY[@]}"
`;

const FISH = `
source $SCRIPT
for line in (complete -C $argv[1])
    echo HIT (string split \\t -- $line)[1]
end
`;

/** An interactive zsh in a terminal of its own; every candidate goes through compadd, which reports it. */
const ZSH = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; unsetopt prompt_sp; stty -echo; autoload -Uz compinit; compinit -u -D; source $SCRIPT'
zpty -w shell 'zstyle ":completion:*" verbose no'
zpty -w shell 'compadd () { if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi; local -a hits; builtin compadd -A hits "$@"; [[ -z $hits ]] || print -rl -- "" "HIT "\${^hits}; builtin compadd "$@" }'
zpty -w shell 'report-end () { print -r -- ""; print -r -- THE END }; comppostfuncs=(report-end); bindkey "^I" complete-word; print -r -- "IT IS" "READY"'
zpty -r shell out '*IT IS READY*'
zpty -w -n shell "$1"$'\\t'
zpty -r shell out '*THE END*'
print -r -- "$out"
zpty -d shell
`;

const readlineWords = (line: string): readonly string[] =>
  line
    .split(" ")
    .flatMap((word) =>
      word.split(/(=)/).filter((part, i, all) => part !== "" || i === all.length - 1 || all.length === 1),
    );

function command(shell: Shell, line: string): readonly string[] {
  switch (shell) {
    case "bash":
      return ["bash", "--norc", "-c", BASH, "bash", ...readlineWords(line)];
    case "zsh":
      return ["zsh", "-f", "-c", ZSH, "zsh", line];
    case "fish":
      return ["fish", "--no-config", "-c", FISH, line];
  }
}

/** zsh quotes a file name it offers, and fish repeats the flag before an attached value. */
const plain = (hit: string): string =>
  hit
    .replace(/=$/, "")
    .replace(/^--[a-z-]+=/, "")
    .replaceAll("\\ ", " ");

/** What the shell offers for a line whose end is being completed, sorted. */
export async function candidates(shell: Shell, line: string, place: Place): Promise<readonly string[]> {
  const script = join(place.home, `completion.${shell}`);
  const printed = Bun.spawnSync([ASH, "completion", shell], { env: environmentOf(place) });
  writeFileSync(script, printed.stdout);
  const run = Bun.spawn([...command(shell, line)], {
    cwd: place.folder,
    env: environmentOf(place, { SCRIPT: script, TERM: "xterm" }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited]);
  if (stderr !== "") throw new Error(`${shell} complains: ${stderr}`);
  const hits = [...stdout.matchAll(/HIT ([^\r\n]+)/g)].map((match) => plain(match[1] ?? ""));
  return [...new Set(hits)].sort();
}
