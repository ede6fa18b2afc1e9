// Makes random arguments: fresh ones from a command's vocabulary, and changed ones from arguments that were accepted.
import type { Random } from "./random.ts";
import { BAD_FLAGS, type Vocabulary, WEAPONS } from "./vocabulary.ts";

/** What one command's arguments are made from. */
export type Source = {
  readonly vocabulary: Vocabulary;
  readonly values: readonly string[];
  /** Arguments the rule itself gives as accepted. */
  readonly examples: readonly (readonly string[])[];
  /** Arguments that were accepted in this run. */
  readonly seeds: string[][];
};

const MOST_SEEDS = 300;
const PROGRAM_PIECES = 9;

function abbreviation(random: Random, option: string): string {
  return option.length > 5 ? option.slice(0, 4 + random.below(option.length - 4)) : option;
}

function cluster(random: Random, letters: readonly string[]): string {
  const count = 2 + random.below(3);
  return `-${Array.from({ length: count }, () => random.pick(letters)).join("")}`;
}

/** One option in one of the spellings programs understand, with its value attached, apart or missing. */
function optionTokens(random: Random, { vocabulary, values }: Source): string[] {
  const { options, letters, unlisted } = vocabulary;
  const usual = random.chance(0.6) && options.length > 0;
  const name = random.pick(usual ? options : random.chance(0.6) ? unlisted : BAD_FLAGS);
  const value = random.pick(!usual && random.chance(0.6) ? WEAPONS : values);
  if (letters.length > 0 && random.chance(0.2)) {
    const group = cluster(random, random.chance(0.4) ? [...letters, ..."oifxeRTD"] : letters);
    return random.chance(0.5) ? [group, value] : [random.chance(0.2) ? group + value : group];
  }
  const spelled = name.startsWith("--") && random.chance(0.15) ? abbreviation(random, name) : name;
  if (random.chance(0.45)) return [spelled];
  if (random.chance(0.5)) return [spelled, value];
  return [name.startsWith("--") ? `${spelled}=${value}` : spelled + value];
}

function programText(random: Random, pieces: readonly string[]): string {
  const joint = random.pick(["", " ", " ", ";", "\n", "; "]);
  const count = 1 + random.below(PROGRAM_PIECES);
  return Array.from({ length: count }, () => random.pick(pieces)).join(joint);
}

function tokens(random: Random, source: Source): string[] {
  const { pieces } = source.vocabulary;
  if (pieces.length > 0 && random.chance(0.5)) {
    return random.chance(0.5) ? [programText(random, pieces)] : [random.pick(pieces), random.pick(pieces)];
  }
  if (random.chance(0.45)) return [random.pick(source.values)];
  return random.chance(0.06) ? ["--"] : optionTokens(random, source);
}

function fresh(random: Random, source: Source): string[] {
  return Array.from({ length: 1 + random.below(4) }, () => tokens(random, source)).flat();
}

/** Inserts, removes, replaces, swaps or splices pieces of accepted arguments. */
function changed(random: Random, source: Source): string[] {
  const { examples, seeds } = source;
  const args = [...random.pick(seeds.length === 0 || random.chance(0.5) ? examples : seeds)];
  const at = random.below(args.length + 1);
  switch (random.below(6)) {
    case 0:
      args.splice(at, 0, ...tokens(random, source));
      return args;
    case 1:
      args.splice(at, 1);
      return args;
    case 2:
      args.splice(at, 1, ...tokens(random, source));
      return args;
    case 3:
      return [...args.slice(at), ...args.slice(0, at)];
    case 4: {
      const text = args[at] ?? "";
      const cut = random.below(text.length + 1);
      const piece = random.pick(
        source.vocabulary.pieces.length > 0 ? source.vocabulary.pieces : source.values,
      );
      if (at < args.length) args[at] = text.slice(0, cut) + piece + text.slice(cut);
      return args;
    }
    default:
      return [...args, ...tokens(random, source)];
  }
}

/** Random arguments for a command. */
export function generate(random: Random, source: Source): string[] {
  return random.chance(0.5) ? changed(random, source) : fresh(random, source);
}

/** Keeps accepted arguments as a start for others. */
export function keep(random: Random, source: Source, args: readonly string[]): void {
  if (args.length > 12) return;
  if (source.seeds.length < MOST_SEEDS) source.seeds.push([...args]);
  else source.seeds[random.below(MOST_SEEDS)] = [...args];
}
