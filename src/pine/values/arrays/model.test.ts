// Property tests of arrays against plain lists: contents after any operations, slices included, and the law of rollback.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ItemArray, Journal, keepThroughTicks, NumberArray, type PineArray } from '../index.ts';
import { reverse, slice, sort } from './functions.ts';

type Step =
  | { readonly do: 'push' | 'unshift'; readonly value: number }
  | { readonly do: 'insert' | 'set'; readonly at: number; readonly value: number }
  | { readonly do: 'remove'; readonly at: number }
  | { readonly do: 'pop' | 'shift' | 'clear' | 'sort' | 'reverse' };

const value = fc.integer({ min: -50, max: 50 });
const at = fc.nat(1000);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('push', 'unshift'), value }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('insert', 'set'), at, value }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove'), at }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('pop', 'shift') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('clear', 'sort', 'reverse') }) },
) as fc.Arbitrary<Step>;
const steps = fc.array(step, { maxLength: 60 });

/** Does the step to the array; steps that need an element are left out when there is none. */
function apply(id: PineArray<number>, one: Step): void {
  const size = id.size();
  if (one.do === 'push') id.push(one.value);
  else if (one.do === 'unshift') id.unshift(one.value);
  else if (one.do === 'insert') id.insert(one.at % (size + 1), one.value);
  else if (one.do === 'clear') id.clear();
  else if (one.do === 'sort') sort(id);
  else if (one.do === 'reverse') reverse(id);
  else if (size === 0) return;
  else if (one.do === 'set') id.set(one.at % size, one.value);
  else if (one.do === 'remove') id.remove(one.at % size);
  else if (one.do === 'pop') id.pop();
  else id.shift();
}

/** Does the same to a plain list, between two places that move with it. */
function applyToModel(model: number[], window: { from: number; size: number }, one: Step): void {
  const { from, size } = window;
  const replace = (values: number[]) => {
    model.splice(from, size, ...values);
    window.size = values.length;
  };
  const own = model.slice(from, from + size);
  if (one.do === 'push') own.push(one.value);
  else if (one.do === 'unshift') own.unshift(one.value);
  else if (one.do === 'insert') own.splice(one.at % (size + 1), 0, one.value);
  else if (one.do === 'clear') own.length = 0;
  else if (one.do === 'sort') own.sort((a, b) => a - b);
  else if (one.do === 'reverse') own.reverse();
  else if (size === 0) return;
  else if (one.do === 'set') own[one.at % size] = one.value;
  else if (one.do === 'remove') own.splice(one.at % size, 1);
  else if (one.do === 'pop') own.pop();
  else own.shift();
  replace(own);
}

const kinds: readonly [string, (journal: Journal, values: number[]) => PineArray<number>][] = [
  ['numbers', (journal, values) => NumberArray.of(journal, values)],
  ['items', (journal, values) => ItemArray.of<number>(journal, values) as unknown as PineArray<number>],
];

describe.each(kinds)('an array of %s', (_name, make) => {
  it('holds what a plain list would hold after any operations', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 40 }), steps, (start, todo) => {
        const id = make(new Journal(), start);
        const model = [...start];
        const window = { from: 0, size: start.length };
        for (const one of todo) {
          apply(id, one);
          applyToModel(model, window, one);
          expect(id.size()).toBe(model.length);
        }
        expect(id.toList()).toEqual(model);
      }),
      { numRuns: 200 },
    );
  });

  it('changes with its slice, and the slice with it', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 4, maxLength: 20 }), steps, (start, todo) => {
        const id = make(new Journal(), start);
        const view = slice(slice(id, 1, start.length), 0, start.length - 2);
        const model = [...start];
        const window = { from: 1, size: start.length - 2 };
        for (const one of todo) {
          apply(view, one);
          applyToModel(model, window, one);
        }
        expect(id.toList()).toEqual(model);
        expect(view.toList()).toEqual(model.slice(window.from, window.from + window.size));
      }),
      { numRuns: 200 },
    );
  });

  it('is after a restore as it was at the save, however often the bar is computed again', () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 3, maxLength: 30 }),
        steps,
        fc.array(steps, { maxLength: 4 }),
        (start, before, ticks) => {
          const journal = new Journal();
          const id = make(journal, start);
          const view = slice(id, 0, 2);
          for (const one of before) apply(view, one);
          journal.save();
          const [saved, savedView] = [id.toList(), view.toList()];
          for (const tick of ticks) {
            for (const [place, one] of tick.entries()) {
              // The window may no longer fit after the parent shrank: that is the script's error, and rolled back too.
              if (place % 2 === 0) apply(id, one);
              else if (view.from + savedView.length <= id.size()) attempt(() => apply(view, one));
            }
            journal.restore();
            expect(id.toList()).toEqual(saved);
            expect(view.toList()).toEqual(savedView);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('keeps what a confirmed bar did', () => {
    const journal = new Journal();
    const id = make(journal, [1]);
    journal.save();
    id.push(2);
    journal.restore();
    id.push(3);
    journal.save();
    id.push(4);
    journal.restore();
    expect(id.toList()).toEqual([1, 3]);
  });

  it('is not rolled back when varip holds it', () => {
    const journal = new Journal();
    const id = keepThroughTicks(make(journal, [1]));
    journal.save();
    id.push(2);
    id.set(0, 9);
    journal.restore();
    expect(id.toList()).toEqual([9, 2]);
    expect(journal.pending).toBe(0);
  });

  it('costs nothing in a batch run, nor when made after the save', () => {
    const journal = new Journal();
    const old = make(journal, [1]);
    old.push(2);
    expect(journal.pending).toBe(0);
    journal.save();
    const young = make(journal, [1]);
    for (let i = 0; i < 100; i += 1) young.push(i);
    expect(journal.pending).toBe(0);
    old.push(3);
    expect(journal.pending).toBe(1);
  });

  it('works as a queue in both directions without growing slower with its length', () => {
    const id = make(
      new Journal(),
      Array.from({ length: 50_000 }, (_, i) => i),
    );
    for (let i = 0; i < 100_000; i += 1) {
      id.push(i);
      id.shift();
    }
    for (let i = 0; i < 100_000; i += 1) {
      id.unshift(i);
      id.pop();
    }
    expect(id.size()).toBe(50_000);
    expect(id.get(0)).toBe(99_999);
    expect(id.get(-1)).toBe(50_000);
  });
});

function attempt(run: () => void): void {
  try {
    run();
  } catch (error) {
    expect(String(error)).toContain('Slice is out of bounds');
  }
}
