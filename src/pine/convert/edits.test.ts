// Edits of a text: what lies inside each other, what goes with a stretch that is taken out, and the way back of every place.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Edits } from './edits.ts';

describe('edits', () => {
  it('that are put around the same place lie in each other in the order they were made', () => {
    const edits = new Edits('a+b');
    edits.before(0, '(');
    edits.after(3, ')');
    edits.before(0, 'f(');
    edits.after(3, ', 1)');
    expect(edits.apply().text).toBe('f((a+b), 1)');
  });

  it('between two neighbours close the one before they open the next', () => {
    const edits = new Edits('ab');
    edits.before(1, '<');
    edits.after(1, '>');
    expect(edits.apply().text).toBe('a><b');
  });

  it('go with what is taken out, but not those of its neighbours', () => {
    const edits = new Edits('f(a, b, c)');
    edits.after(3, '!');
    edits.replace({ start: 5, end: 6 }, 'B');
    edits.after(6, '?');
    edits.before(8, '#');
    edits.remove({ start: 3, end: 6 });
    expect(edits.apply().text).toBe('f(a!, #c)');
  });

  it('can be read for a stretch before they are applied', () => {
    const edits = new Edits('x = max(a)');
    edits.replace({ start: 4, end: 7 }, 'math.max');
    edits.before(0, 'float ');
    expect(edits.textOf({ start: 4, end: 10 })).toBe('math.max(a)');
  });
});

describe('the way back', () => {
  it.each([
    [0, 0],
    [6, 0],
    [10, 4],
    [18, 7],
    [20, 9],
    [21, 10],
    [99, 10],
  ])('of the place %i is %i', (now, before) => {
    const edits = new Edits('x = max(a)');
    edits.replace({ start: 4, end: 7 }, 'math.max');
    edits.before(0, 'float ');
    expect(edits.apply().text).toBe('float x = math.max(a)');
    expect(Math.min(edits.apply().offsetBefore(now), 10)).toBe(before);
  });

  it('of every character that stayed is where it was, and places never change their order', () => {
    const parts = fc.array(
      fc.record({
        kept: fc.string({ maxLength: 4 }),
        gone: fc.string({ maxLength: 3 }),
        put: fc.string({ maxLength: 3 }),
      }),
    );
    fc.assert(
      fc.property(parts, (pieces) => {
        const source = pieces.map(({ kept, gone }) => kept + gone).join('');
        const edits = new Edits(source);
        const pairs: [number, number][] = [];
        let at = 0;
        let now = 0;
        for (const { kept, gone, put } of pieces) {
          for (let i = 0; i < kept.length; i += 1) pairs.push([now + i, at + i]);
          at += kept.length;
          now += kept.length;
          edits.replace({ start: at, end: at + gone.length }, put);
          at += gone.length;
          now += put.length;
        }
        const edited = edits.apply();
        expect(edited.text).toHaveLength(now);
        for (const [after, before] of pairs) expect(edited.offsetBefore(after)).toBe(before);
        let last = 0;
        for (let offset = 0; offset <= now; offset += 1) {
          const before = edited.offsetBefore(offset);
          expect(before).toBeGreaterThanOrEqual(last);
          last = before;
        }
      }),
    );
  });
});
