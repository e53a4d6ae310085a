// Tests that every value function of the table of built-ins has an entry here, in both versions.

import { describe, expect, it } from 'vitest';
import { membersOf } from '../builtins/index.ts';
import { createValueLibrary, Journal, VALUE_STATES } from './index.ts';

const market = { timezone: 'UTC', session: '24x7', timeframe: 'D' };

/** Calculated elsewhere: sliding sums are kernels. */
const ELSEWHERE = ['math.sum'];
/** The names with type brackets here, by the static type of their elements. */
const BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  'array.new': ['array.new<number>', 'array.new<item>'],
  'array.from': ['array.from<number>', 'array.from<item>'],
  'matrix.new': ['matrix.new<number>', 'matrix.new<item>', 'matrix.new<bool>'],
};

describe.each([5, 6] as const)('version %i', (version) => {
  const library = createValueLibrary({ version, journal: new Journal(), mintick: 0.01, market });
  const isKnown = (name: string): boolean =>
    library.find(name) !== undefined || Object.hasOwn(VALUE_STATES, name) || ELSEWHERE.includes(name);

  it.each(['array', 'matrix', 'map', 'str', 'color', 'math'])('has every function of %s', (namespace) => {
    const wanted = membersOf(namespace, version)
      .filter(({ kind }) => kind === 'function')
      .flatMap(({ name }) => BY_TYPE[name] ?? [name]);
    expect(wanted.length).toBeGreaterThan(5);
    expect(wanted.filter((name) => !isKnown(name))).toEqual([]);
  });

  it('has the functions of time', () => {
    const parts = ['year', 'month', 'weekofyear', 'dayofmonth', 'dayofweek', 'hour', 'minute', 'second'];
    const wanted = [...parts, 'timestamp', 'time', 'time_close', 'timeframe.in_seconds', 'timeframe.from_seconds'];
    expect(wanted.filter((name) => !isKnown(name))).toEqual([]);
  });

  it.each(['line.new', 'ticker.new', 'array.nothing', 'nothing', 'toString', 'array'])('has no %s', (name) => {
    expect(library.find(name)).toBeUndefined();
  });
});
