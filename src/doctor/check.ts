// One finding of `ash doctor`, and how findings are made. It looks at nothing itself.
import { AshError } from "../errors.ts";
import type { Check } from "../schema/reports.ts";

/** Single facts behind a finding. */
export type Facts = Readonly<Record<string, unknown>>;

const make = (
  status: Check["status"],
  id: string,
  said: readonly [string, string | null],
  facts: Facts,
): Check => ({
  id,
  status,
  message: said[0],
  fix: said[1],
  facts: { ...facts },
});

/** Something that works. */
export const ok = (id: string, message: string, facts: Facts = {}): Check =>
  make("ok", id, [message, null], facts);

/** Something that works with less than it could. */
export const warn = (id: string, message: string, fix: string | null, facts: Facts = {}): Check =>
  make("warn", id, [message, fix], facts);

/** Something that does not work. */
export const fail = (id: string, message: string, fix: string | null, facts: Facts = {}): Check =>
  make("fail", id, [message, fix], facts);

/** The finding an error stands for. An error ash did not raise on purpose is thrown on: it is a bug. */
export function failure(id: string, thrown: unknown): Check {
  if (!(thrown instanceof AshError)) throw thrown;
  return fail(id, thrown.message, thrown.details.hint ?? null, { error: thrown.type });
}

/** Runs checks of one thing; what they throw is a finding too. */
export function guarded(id: string, look: () => readonly Check[]): readonly Check[] {
  try {
    return look();
  } catch (thrown) {
    return [failure(id, thrown)];
  }
}

/** A count with its noun. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The owner of a file as people say it. */
export const ownerName = (uid: number, own: number): string =>
  uid === 0 ? "root" : uid === own ? "you" : `user ${uid}`;
