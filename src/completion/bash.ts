// The completion script for bash, 3.2 and newer: no associative arrays, no helper packages. Pure.
import { type CommandEntry, type FlagEntry, type Slot, valueFlags } from "./table.ts";

function reply(slot: Slot): string {
  switch (slot.kind) {
    case "nothing":
      return ":";
    case "files":
      return "_ash_files";
    case "sessions":
      return '_ash_reply "last $(_ash_sessions)"';
    case "words":
      return `_ash_reply "${slot.words.join(" ")}"`;
  }
}

const forms = ({ name, short }: FlagEntry): string => (short === null ? `--${name}` : `--${name}|-${short}`);

function valueCases(table: readonly CommandEntry[]): string {
  const byName = new Map(table.flatMap(({ flags }) => flags).map((flag) => [flag.name, flag] as const));
  return [...byName.values()]
    .flatMap((flag) => (flag.value === null ? [] : [`    ${forms(flag)}) ${reply(flag.value)}; return 0 ;;`]))
    .join("\n");
}

const flagWords = ({ flags }: CommandEntry): string =>
  flags.flatMap(({ name, short }) => [`--${name}`, ...(short === null ? [] : [`-${short}`])]).join(" ");

function operandCase(entry: CommandEntry): string {
  const after = entry.after.map(([word, slot]) => `        ${word}) ${reply(slot)} ;;`);
  const rest = [...after, `        *) ${reply(entry.rest)} ;;`].join("\n");
  return `    ${entry.name})
      if ((count == 0)); then ${reply(entry.first)}; else
        case $first in
${rest}
        esac
      fi ;;`;
}

/** The script; `source <(ash completion bash)` puts it on. */
export function bashCompletion(table: readonly CommandEntry[]): string {
  const names = table.map(({ name }) => name);
  const flags = table.map((entry) => `      ${entry.name}) _ash_reply "${flagWords(entry)}" ;;`).join("\n");
  return `# Completion of ash for bash. Made by: ash completion bash

_ash_reply() {
  local IFS=$' \\t\\n'
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_ash_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$cur"))
}

_ash_sessions() {
  local file
  for file in "\${ASH_HOME:-$HOME/.ash}"/sessions/*.jsonl; do
    file=\${file##*/}
    [[ $file == \\** ]] || printf '%s ' "\${file%.jsonl}"
  done
}

_ash() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local flag= command= first= count=0 i word
  COMPREPLY=()
  # bash cuts a word at =, so that a value comes as a word of its own.
  if [[ $cur == = ]]; then flag=$prev cur=
  elif [[ $prev == = ]]; then flag=\${COMP_WORDS[COMP_CWORD-2]}
  elif [[ $prev == -* ]]; then flag=$prev
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      --) _ash_files; return 0 ;;
      =) ((i++)) ;;
      ${valueFlags(table).join("|")}) [[ \${COMP_WORDS[i+1]} == = ]] || ((i++)) ;;
      -*) ;;
      *)
        if [[ -z $command ]]; then
          case $word in
            ${names.join("|")}) command=$word ;;
            *) command=ask count=1 ;;
          esac
        else
          ((count == 0)) && first=$word
          ((count++))
        fi ;;
    esac
  done
  case $flag in
${valueCases(table)}
  esac
  if [[ $cur == -* ]]; then
    case \${command:-ask} in
${flags}
    esac
    return 0
  fi
  case $command in
    "") _ash_reply "${names.join(" ")}" ;;
${table.map(operandCase).join("\n")}
  esac
  return 0
}

complete -F _ash ash`;
}
