// A spell: how long something has gone on. It is noted whenever it is seen, and what is seen again only after a break is a new one.

/** Times are of a clock that never jumps. */
export interface Spell {
  readonly sinceMs: number;
  readonly lastMs: number;
}

/** The spell as it is when it is seen now. */
export const seenAgain = (spell: Spell | undefined, nowMs: number, breakMs: number): Spell => ({
  sinceMs: spell !== undefined && nowMs - spell.lastMs < breakMs ? spell.sinceMs : nowMs,
  lastMs: nowMs,
});
