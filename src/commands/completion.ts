// `ash completion SHELL`: prints the completion script for a shell. It reads nothing but the tables.
import { type Invocation, type OutputMode, operands } from "../argv.ts";
import { bashCompletion } from "../completion/bash.ts";
import { fishCompletion } from "../completion/fish.ts";
import { completionTable } from "../completion/table.ts";
import { zshCompletion } from "../completion/zsh.ts";
import { EXIT, usageError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { subcommandsOf } from "../spec.ts";

type Shell = "bash" | "zsh" | "fish";

function scriptFor(shell: Shell): string {
  const table = completionTable();
  switch (shell) {
    case "bash":
      return bashCompletion(table);
    case "zsh":
      return zshCompletion(table);
    case "fish":
      return fishCompletion(table);
  }
}

function shellOf(invocation: Invocation): Shell {
  const [word, ...more] = operands(invocation);
  const known = subcommandsOf("completion").join(", ");
  if (word === undefined || more.length > 0)
    throw usageError("ash completion takes the name of one shell", `write one of: ${known}`);
  if (word === "bash" || word === "zsh" || word === "fish") return word;
  throw usageError(`there is no completion for ${word}`, `there is one for: ${known}`);
}

/** Prints the script. Resolves to 0; throws a usage error for an unknown shell. */
export async function completion(invocation: Invocation, host: Host, mode: OutputMode): Promise<number> {
  const shell = shellOf(invocation);
  const script = scriptFor(shell);
  const object = { schema: "ash.completion/1", shell, script };
  await host.stdout.write(mode === "text" ? `${script}\n` : `${JSON.stringify(object)}\n`);
  return EXIT.ok;
}
