// A call as people write it on the command line: one argv, or stages separated by an argument that is exactly `|`.
import { usageError } from "../errors.ts";
import type { Action, StageCall } from "../policy/policy.ts";

const MOST_STAGES = 16;

function toStage([command, ...args]: readonly string[]): StageCall {
  if (command === undefined)
    throw usageError("a stage of the pipeline is empty", "write the stages as: A '|' B");
  return { command, args };
}

/** The action words stand for. Throws a usage error, which names the subcommand, when there is none. */
export function toAction(words: readonly string[], isPipeline: boolean, subcommand: string): Action {
  if (words.length === 0) throw usageError("there is no tool to run", `write: ${subcommand} -- TOOL ARG…`);
  if (!isPipeline) return { stages: [toStage(words)] };
  const stages: string[][] = [[]];
  for (const word of words) {
    if (word === "|") stages.push([]);
    else stages.at(-1)?.push(word);
  }
  if (stages.length < 2 || stages.length > MOST_STAGES) {
    throw usageError(
      `a pipeline has 2 to ${MOST_STAGES} stages, not ${stages.length}`,
      "separate them by an argument that is exactly '|'",
    );
  }
  return { stages: stages.map(toStage) };
}
