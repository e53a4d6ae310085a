// Tests of user objects, enums and the journal that rolls them back.

import { describe, expect, it } from 'vitest';
import { defineEnum, fieldOfNa, ItemArray, Journal, keepThroughTicks, PineObject } from './index.ts';
import { openLibrary } from './testing/library.ts';

/** As the emitter writes it. */
class Pivot extends PineObject {
  f0: number;
  f1: ItemArray<Pivot> | null;
  constructor(journal: Journal, price: number, children: ItemArray<Pivot> | null) {
    super(journal);
    this.f0 = price;
    this.f1 = children;
  }
  override copy(): Pivot {
    return new Pivot(this.journal, this.f0, this.f1);
  }
}

const setPrice = (pivot: Pivot, price: number) => {
  pivot.remember('f0');
  pivot.f0 = price;
};

describe('objects', () => {
  it('go back to their fields at the save, through whatever holds them', () => {
    const journal = new Journal();
    const children = new ItemArray<Pivot>(journal);
    const parent = new Pivot(journal, 1, children);
    const child = new Pivot(journal, 2, null);
    children.push(child);
    journal.save();
    setPrice(parent, 10);
    setPrice(parent, 11);
    setPrice(child, 20);
    children.push(new Pivot(journal, 3, null));
    parent.remember('f1');
    parent.f1 = null;
    journal.restore();
    expect([parent.f0, child.f0, parent.f1, children.toList()]).toEqual([1, 2, children, [child]]);
    journal.restore();
    expect(parent.f0).toBe(1);
  });

  it('keep what a tick wrote into a varip field or into a varip object', () => {
    const journal = new Journal();
    const pivot = new Pivot(journal, 1, null);
    const kept = keepThroughTicks(new Pivot(journal, 1, null));
    journal.save();
    pivot.f0 = 5;
    setPrice(kept, 6);
    journal.restore();
    expect([pivot.f0, kept.f0]).toEqual([5, 6]);
  });

  it('copy the fields but not what the fields refer to', () => {
    const journal = new Journal();
    const pivot = new Pivot(journal, 1, new ItemArray<Pivot>(journal));
    const copy = pivot.copy();
    setPrice(copy, 2);
    expect([pivot.f0, copy.f1 === pivot.f1]).toEqual([1, true]);
  });

  it('name the type and the field when the object is na', () => {
    expect(fieldOfNa('pivot', 'price').message).toBe(
      "Cannot access the 'pivot.price' field of an undefined object. The object is 'na'.",
    );
  });
});

describe('enums', () => {
  it('show their title, or their name, and are compared by identity', () => {
    const [fast, slow] = defineEnum('speed', [{ name: 'fast', title: 'Very fast' }, { name: 'slow' }]);
    const { call } = openLibrary();
    expect([call('str.tostring', fast), call('str.tostring', slow)]).toEqual(['Very fast', 'slow']);
    expect(fast).not.toBe(slow);
    expect([fast?.ordinal, slow?.ordinal, slow?.enumName]).toEqual([0, 1, 'speed']);
    expect(Object.isFrozen(fast)).toBe(true);
  });
});
