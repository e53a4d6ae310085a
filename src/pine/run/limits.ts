// Limits on what a running script may do.

/** Turns of loops on one bar; a script that needs more has lost its way, and nobody waits for it. */
export const MAX_LOOP_TURNS = 10_000_000;
