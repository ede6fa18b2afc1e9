// What every question to the policy needs, and how answers are printed.
import type { OutputMode } from "../argv.ts";
import type { Config } from "../config.ts";
import { usageError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Decision, Policy, World } from "../policy/policy.ts";
import { sanitize } from "../sanitize.ts";

/** What a question is asked with. */
export type PolicyContext = {
  readonly config: Config;
  readonly host: Host;
  readonly mode: OutputMode;
  readonly policy: Policy;
  readonly world: World;
  readonly folder: string;
};

/** Prints an answer: one object, or clean text. */
export async function printAnswer(
  { host, mode }: PolicyContext,
  object: object,
  text: string,
): Promise<void> {
  await host.stdout.write(mode === "text" ? sanitize(text).text : `${JSON.stringify(object)}\n`);
}

/** Refuses words a subcommand does not take. */
export function refuseWords(subcommand: string, words: readonly string[], most: number): void {
  const extra = words[most];
  if (extra !== undefined)
    throw usageError(`ash policy ${subcommand} takes no further word: ${extra}`, `see: ash policy --help`);
}

/** What a decision means where nobody can be asked: a yes that is needed is a no. */
export const isAllowed = (decision: Decision): boolean => decision.verdict === "allow";

/** A path below the home folder as people write it. */
export const shortPath = ({ config }: PolicyContext, path: string): string => {
  const { userHome } = config.surroundings;
  return path.startsWith(`${userHome}/`) ? `~${path.slice(userHome.length)}` : path;
};
