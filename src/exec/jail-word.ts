// The first argument of an ash that is a jail and not an agent. Apart, so that the entry need not load the jail.

/** Followed by the mark of the run and its temporary folder; the order comes on descriptor 3. */
export const JAIL_WORD = "__jail";
