// The completion script for zsh. Pure.
import { type CommandEntry, type FlagEntry, type Slot, valueFlags } from "./table.ts";

/** A text for the inside of single quotes, without what means something to _arguments and _describe. */
const escaped = (text: string): string => text.replace(/[\\[\]:]/g, "\\$&").replaceAll("'", "'\\''");

function action(slot: Slot): string {
  switch (slot.kind) {
    case "nothing":
      return " ";
    case "files":
      return "_files";
    case "sessions":
      return "_ash_sessions";
    case "words":
      return `(${slot.words.join(" ")})`;
  }
}

function flagSpec({ name, short, help, placeholder, value }: FlagEntry): string {
  const tail = value === null ? "" : `:${escaped(placeholder)}:${action(value)}`;
  const long = `--${name}${value === null ? "" : "="}`;
  const text = `[${escaped(help)}]${tail}`;
  if (short === null) return `'${long}${text}'`;
  return `'(-${short} --${name})'{-${short},${long}}'${text}'`;
}

function commandCase(entry: CommandEntry): string {
  const { name, flags, first, after, rest } = entry;
  const operands =
    after.length === 0
      ? [`'1:word:${action(first)}'`, `'*:word:${action(rest)}'`]
      : [`'1:word:${action(first)}'`, `'*:word:->rest'`];
  const specs = [...flags.map(flagSpec), ...operands].map((spec) => `        ${spec}`).join(" \\\n");
  const state =
    after.length === 0
      ? ""
      : `
      if [[ $state == rest ]]; then
        case \${line[1]} in
${after.map(([word, slot]) => `          ${word}) ${action(slot)} ;;`).join("\n")}
        esac
      fi`;
  return `    ${name})
      _arguments -S \\
${specs}${state} ;;`;
}

/** The script; `source <(ash completion zsh)` puts it on, or a file _ash on the fpath. */
export function zshCompletion(table: readonly CommandEntry[]): string {
  const names = table.map(({ name }) => name);
  const described = table.map(({ name, summary }) => `    '${escaped(name)}:${escaped(summary)}'`).join("\n");
  const ask = table.find(({ name }) => name === "ask");
  const askFlags = (ask?.flags ?? []).map((flag) => `      ${flagSpec(flag)}`).join(" \\\n");
  return `#compdef ash
# Completion of ash for zsh. Made by: ash completion zsh

_ash_sessions() {
  local -a ids
  ids=("\${ASH_HOME:-$HOME/.ash}"/sessions/*.jsonl(N:t:r))
  compadd -V sessions -- last "\${(@Oa)ids}"
}

_ash_commands() {
  local -a commands
  commands=(
${described}
  )
  _describe -t commands command commands
}

_ash() {
  local curcontext=$curcontext state state_descr command= i
  local -a line
  local -A opt_args
  for ((i = 2; i < CURRENT; i++)); do
    case \${words[i]} in
      --) _files; return ;;
      ${valueFlags(table).join("|")}) ((i++)) ;;
      -*) ;;
      ${names.join("|")}) command=\${words[i]}; break ;;
      *) command=ask; ((i--)); break ;;
    esac
  done
  if [[ -z $command ]]; then
    _arguments -S \\
${askFlags} \\
      '1:command:_ash_commands'
    return
  fi
  # From here on the command is the first word of the line.
  shift $((i - 1)) words
  ((CURRENT -= i - 1))
  case $command in
${table.map(commandCase).join("\n")}
  esac
}

if [[ \${funcstack[1]} == _ash ]]; then _ash "$@"; else compdef _ash ash; fi`;
}
