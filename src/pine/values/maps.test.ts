// Tests of `map.*`: order, na, limits, and rollback against a plain model.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Journal, PineMap } from './index.ts';
import { errorOf, openLibrary } from './testing/library.ts';

const { call } = openLibrary();
type Texts = PineMap<string | null, number>;
const prices = () => call<Texts>('map.new', false, true);
const pairsOf = (map: Texts) => map.pairs().keys.map((key, i) => [key, map.pairs().values[i]]);

describe('map', () => {
  it('puts, gets and says what was there before', () => {
    const map = prices();
    expect(call('map.put', map, 'a', 1)).toBeNaN();
    expect(call('map.put', map, 'a', 2)).toBe(1);
    expect(call('map.get', map, 'a')).toBe(2);
    expect(call('map.get', map, 'b')).toBeNaN();
    expect(call('map.contains', map, 'a')).toBe(true);
    expect(call('map.contains', map, 'b')).toBe(false);
    expect(call('map.size', map)).toBe(1);
    expect(call('map.get', call('map.new', true, false), 1)).toBeNull();
  });

  it('keeps the order in which keys were first put', () => {
    const map = prices();
    for (const [key, value] of [
      ['c', 1],
      ['a', 2],
      ['b', 3],
      ['a', 4],
    ])
      call('map.put', map, key, value);
    expect(call<{ toList(): unknown[] }>('map.keys', map).toList()).toEqual(['c', 'a', 'b']);
    expect(call<{ toList(): unknown[] }>('map.values', map).toList()).toEqual([1, 4, 3]);
    expect(call('map.remove', map, 'c')).toBe(1);
    expect(call('map.remove', map, 'c')).toBeNaN();
    call('map.put', map, 'c', 5);
    expect(call<{ toList(): unknown[] }>('map.keys', map).toList()).toEqual(['a', 'b', 'c']);
  });

  it('takes na as a key like any other', () => {
    const map = prices();
    call('map.put', map, null, 1);
    expect(call('map.get', map, null)).toBe(1);
    const byNumber = call('map.new', true, true);
    call('map.put', byNumber, Number.NaN, 2);
    call('map.put', byNumber, -0, 3);
    expect(call('map.get', byNumber, Number.NaN)).toBe(2);
    expect(call('map.get', byNumber, 0)).toBe(3);
  });

  it('copies and puts all, itself included', () => {
    const map = prices();
    call('map.put', map, 'a', 1);
    const copy = call<Texts>('map.copy', map);
    call('map.put', copy, 'b', 2);
    expect(call('map.size', map)).toBe(1);
    call('map.put_all', map, copy);
    call('map.put_all', map, map);
    expect(pairsOf(map)).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    call('map.clear', map);
    expect(call('map.size', map)).toBe(0);
  });

  it('holds 50,000 pairs and not one more, while known keys can still be set', () => {
    const map = call('map.new', true, true);
    for (let i = 0; i < 50_000; i += 1) call('map.put', map, i, i);
    expect(errorOf(() => call('map.put', map, -1, 0))).toContain('Maximum size is 50000');
    expect(call('map.put', map, 7, 8)).toBe(7);
  });

  it('says so when the map is na', () => {
    for (const name of ['map.get', 'map.put', 'map.put_all'])
      expect(errorOf(() => call(name, null, 0, 0))).toBe("Cannot call map methods when ID of map is 'na'.");
    expect(errorOf(() => call('map.put_all', prices(), null))).toContain("'na'");
  });

  const key = fc.integer({ min: 0, max: 60 }).map(String);
  const change = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.constant('put'), key) },
    { weight: 5, arbitrary: fc.tuple(fc.constant('remove'), key) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('clear'), fc.constant('')) },
  );
  const changes = fc.array(change, { maxLength: 200 });

  const apply = (map: Texts, model: Map<string, number>, [what, at]: readonly [string, string], value: number) => {
    if (what === 'put') {
      map.put(at, value);
      model.set(at, value);
    } else if (what === 'remove') {
      expect(map.remove(at)).toEqual(model.get(at) ?? Number.NaN);
      model.delete(at);
    } else {
      map.clear();
      model.clear();
    }
  };

  it('is what a plain map would be, and after a restore what it was at the save', () => {
    fc.assert(
      fc.property(changes, fc.array(changes, { maxLength: 3 }), (before, ticks) => {
        const journal = new Journal();
        const map: Texts = new PineMap(journal, { numberKeys: false, numberValues: true });
        const model = new Map<string, number>();
        for (const [i, one] of before.entries()) apply(map, model, one, i);
        expect(pairsOf(map)).toEqual([...model]);
        journal.save();
        for (const tick of ticks) {
          const tickModel = new Map(model);
          for (const [i, one] of tick.entries()) apply(map, tickModel, one, -i);
          expect(pairsOf(map)).toEqual([...tickModel]);
          journal.restore();
          expect(pairsOf(map)).toEqual([...model]);
          expect(map.size()).toBe(model.size);
          for (const [at, value] of model) expect(map.get(at)).toBe(value);
        }
      }),
      { numRuns: 150 },
    );
  });
});
