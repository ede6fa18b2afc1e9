// What a situation is, and the kinds there are most of.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ErrorType } from "../../../src/errors.ts";
import type { Result } from "../../../src/schema.ts";
import type { Place } from "../ash.ts";
import { KEY } from "../asking.ts";
import { type Answer, calls, type ScriptedReply } from "../modelserver.ts";

/** One situation. */
export type Situation = {
  readonly claim: string;
  readonly args: readonly string[];
  readonly code: number;
  readonly status: Result["status"];
  readonly type: ErrorType | null;
  /** What the server answers, in order; without it there is no server. */
  readonly answers?: readonly (Answer | ScriptedReply)[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  readonly prepare?: (place: Place) => void;
  /** The answer that is printed; null when there is none. */
  readonly result?: string | null;
};

/** Writes a file into the home of ash, before ash runs. */
export const writeHome = (place: Place, name: string, text: string, mode = 0o600): void => {
  mkdirSync(place.ashHome, { recursive: true, mode: 0o700 });
  writeFileSync(join(place.ashHome, name), text, { mode });
  chmodSync(join(place.ashHome, name), mode);
};

/** A call that is wrong: exit code 2. */
export const usage = (claim: string, args: readonly string[], more: Partial<Situation> = {}): Situation => ({
  claim,
  args,
  code: 2,
  status: "error",
  type: "usage",
  env: KEY,
  ...more,
});

/** A setting or a file that is wrong: exit code 3. */
export const config = (claim: string, args: readonly string[], more: Partial<Situation> = {}): Situation => ({
  claim,
  args,
  code: 3,
  status: "error",
  type: "config",
  env: KEY,
  ...more,
});

/** How a run with a server ends. */
export type Served = readonly [code: number, status: Result["status"], type: ErrorType | null];

/** A question a server answers. */
export const served = (
  claim: string,
  [code, status, type]: Served,
  answers: NonNullable<Situation["answers"]>,
  more: Partial<Situation> = {},
): Situation => ({ claim, args: ["go"], code, status, type, answers, env: KEY, ...more });

/** A reply that stops for this reason. */
export const ending = (stop_reason: string, text = "half"): ScriptedReply => ({
  content: text === "" ? [] : [{ type: "text", text }],
  stop_reason,
});

/** So many calls of a tool, one after another. */
export const again = (n: number): readonly ScriptedReply[] =>
  Array.from({ length: n }, (_, i) => calls("uname", [], `toolu_${i}`));
