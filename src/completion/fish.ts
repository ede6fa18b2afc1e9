// The completion script for fish. Pure.
import { type CommandEntry, type FlagEntry, type Slot, valueFlags } from "./table.ts";

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function offer(slot: Slot): string {
  switch (slot.kind) {
    case "nothing":
      return "-f";
    case "files":
      return "-F";
    case "sessions":
      return `-f -k -a '(__ash_sessions)'`;
    case "words":
      return `-f -a ${quoted(slot.words.join(" "))}`;
  }
}

function flagLine(command: string, { name, short, help, value }: FlagEntry): string {
  const letter = short === null ? "" : ` -s ${short}`;
  const takes = value === null ? "" : ` -r ${offer(value)}`;
  return `complete -c ash -n '__ash_in ${command}' -l ${name}${letter}${takes} -d ${quoted(help)}`;
}

function operandLines({ name, first, after, rest }: CommandEntry): readonly string[] {
  const lines: string[] = [];
  if (first.kind !== "nothing") lines.push(`complete -c ash -n '__ash_at ${name} 0' ${offer(first)}`);
  for (const [word, slot] of after)
    lines.push(`complete -c ash -n '__ash_after ${name} ${word}' ${offer(slot)}`);
  if (rest.kind !== "nothing")
    lines.push(`complete -c ash -n 'not __ash_at ${name} 0; and __ash_in ${name}' ${offer(rest)}`);
  return lines;
}

/** The script; it goes into ~/.config/fish/completions/ash.fish. */
export function fishCompletion(table: readonly CommandEntry[]): string {
  const names = table.map(({ name }) => name);
  const commands = table.map(
    ({ name, summary }) => `complete -c ash -n '__ash_at "" 0' -f -a ${name} -d ${quoted(summary)}`,
  );
  const flags = table.flatMap((entry) => entry.flags.map((flag) => flagLine(entry.name, flag)));
  return `# Completion of ash for fish. Made by: ash completion fish

# Prints the command of the line and its operands, one a line; -- when everything that follows is text.
function __ash_line
    set -l skip 0
    set -l command
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case --
                echo --
                return
            case ${valueFlags(table).join(" ")}
                set skip 1
            case '-*'
            case '*'
                if test -z "$command"
                    if contains -- $word ${names.join(" ")}
                        set command $word
                        echo $word
                        continue
                    end
                    set command ask
                    echo ask
                end
                echo $word
        end
    end
end

function __ash_at
    set -l line (__ash_line)
    if test -z "$argv[1]"
        test (count $line) = 0
    else
        test "$line[1]" = "$argv[1]"; and test (math (count $line) - 1) = $argv[2]
    end
end

function __ash_after
    set -l line (__ash_line)
    test "$line[1]" = "$argv[1]"; and test "$line[2]" = "$argv[2]"
end

function __ash_in
    set -l line (__ash_line)
    contains -- -- $line; and return 1
    test "$line[1]" = "$argv[1]"; and return 0
    test -z "$line[1]"; and test "$argv[1]" = ask
end

function __ash_sessions
    set -l home $HOME/.ash
    set -q ASH_HOME; and set home $ASH_HOME
    echo last
    set -l files $home/sessions/*.jsonl
    for file in $files[-1..1]
        string replace -r '.*/(.*)\\.jsonl$' '$1' -- $file
    end
end

complete -c ash -f
complete -c ash -n 'contains -- -- (__ash_line)' -F
${[...commands, ...flags, ...table.flatMap(operandLines)].join("\n")}`;
}
