// When a spell goes on, and when a new one begins.

import { expect, test } from 'vitest';
import { type Spell, seenAgain } from './spell.ts';

test('a spell goes on while it is seen again and again, and begins anew after a break', () => {
  let spell: Spell | undefined;
  const since = [0, 9, 18, 28, 37].map((nowMs) => {
    spell = seenAgain(spell, nowMs, 10);
    return spell.sinceMs;
  });
  expect(since).toEqual([0, 0, 0, 28, 28]);
});
