// The second word of a command that has several forms, and the flags each form has of its own.
import { hasFlag, type Invocation } from "./argv.ts";
import { usageError } from "./errors.ts";
import { closest } from "./suggest.ts";

/** The form of a command that `word` names exactly. Throws a usage error with what there is. */
export function subcommandOf<Name extends string>(
  command: string,
  names: readonly Name[],
  word: string | undefined,
): Name {
  const found = names.find((name) => name === word);
  if (found !== undefined) return found;
  const hint = `write one of: ash ${command} ${names.join(", ")}`;
  if (word === undefined) throw usageError(`ash ${command} needs a subcommand`, hint);
  const near = closest(word, names);
  throw usageError(
    `there is no ash ${command} ${word}`,
    near === undefined ? hint : `did you mean: ash ${command} ${near}?`,
  );
}

/** Throws a usage error for a flag that belongs to another form; `owners` says which form a flag belongs to. */
export function refuseForeignFlags(
  invocation: Invocation,
  command: string,
  subcommand: string,
  owners: Readonly<Record<string, string>>,
): void {
  const foreign = Object.entries(owners).find(
    ([flag, owner]) => owner !== subcommand && hasFlag(invocation, flag),
  );
  if (foreign === undefined) return;
  const [flag, owner] = foreign;
  throw usageError(
    `ash ${command} ${subcommand} has no flag --${flag}`,
    `it belongs to: ash ${command} ${owner}`,
  );
}
