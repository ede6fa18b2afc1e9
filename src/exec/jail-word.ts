// The first arguments of an ash that is no agent but a part of its own sandbox. Apart, so that the entry need not load
// either part.

/** Followed by the mark of the run and its temporary folder; the order comes on descriptor 3. */
export const JAIL_WORD = "__jail";

/** Followed by what `ash doctor` wants tried inside a sandbox, as JSON. */
export const PROBE_WORD = "__probe";
