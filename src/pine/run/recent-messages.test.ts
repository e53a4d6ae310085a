// Tests of the bounds on the messages a run keeps.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_CHARACTERS, MAX_MESSAGES, RecentMessages } from './recent-messages.ts';

const texts = (kept: RecentMessages<{ message: string }>, seen?: number) =>
  kept.list(seen).map(({ message }) => message);

describe('recent messages', () => {
  it('are all kept up to the limit; then the oldest makes room', () => {
    const kept = new RecentMessages<{ message: string }>({ messages: 3, characters: 100 });
    for (const message of ['a', 'b', 'c']) kept.add({ message });
    expect([texts(kept), kept.total, kept.dropped]).toEqual([['a', 'b', 'c'], 3, 0]);
    kept.add({ message: 'd' });
    expect([texts(kept), kept.total, kept.dropped]).toEqual([['b', 'c', 'd'], 4, 1]);
  });

  it('are bounded in text too, but the newest stays however long it is', () => {
    const kept = new RecentMessages<{ message: string }>({ messages: 10, characters: 5 });
    for (const message of ['aa', 'bb', 'c']) kept.add({ message });
    expect(texts(kept)).toEqual(['aa', 'bb', 'c']);
    kept.add({ message: 'd' });
    expect(texts(kept)).toEqual(['bb', 'c', 'd']);
    kept.add({ message: 'eeeeeeeee' });
    expect([texts(kept), kept.dropped]).toEqual([['eeeeeeeee'], 4]);
    kept.add({ message: '' });
    expect(texts(kept)).toEqual(['']);
  });

  it('can be asked for since a count, also when some of those are gone', () => {
    const kept = new RecentMessages<{ message: string }>({ messages: 2, characters: 100 });
    const before = kept.total;
    for (const message of ['a', 'b', 'c']) kept.add({ message });
    expect([texts(kept, before), texts(kept, 1), texts(kept, 2), texts(kept, 3), texts(kept, 9)]).toEqual([
      ['b', 'c'],
      ['b', 'c'],
      ['c'],
      [],
      [],
    ]);
  });

  it('behave like a list of which only the end is kept', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 6 })),
        fc.integer({ min: 1, max: 5 }),
        fc.nat(20),
        (all, messages, characters) => {
          const kept = new RecentMessages<{ message: string }>({ messages, characters });
          for (const message of all) kept.add({ message });
          const expected = [...all];
          const isOver = () => expected.length > messages || expected.join('').length > characters;
          while (expected.length > 1 && isOver()) expected.shift();
          expect([texts(kept), kept.dropped]).toEqual([expected, all.length - expected.length]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('of the longest texts there are stay within the limits', () => {
    const kept = new RecentMessages<{ message: string }>();
    const message = 'x'.repeat(40_960);
    for (let i = 0; i < MAX_MESSAGES + 1; i += 1) kept.add({ message });
    expect(kept.list()).toHaveLength(Math.floor(MAX_CHARACTERS / 40_960));
    expect(kept.total).toBe(MAX_MESSAGES + 1);
  });
});
