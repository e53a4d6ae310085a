// What "[]" reads in an operand that may be skipped: worked out before the statement where that is safe, in place otherwise.

import { describe, expect, it } from 'vitest';
import { findingsOf, meaningOf, placesOf } from './testing/checked.ts';

const FIRST = 'up = close > open\n';

/** Whether something is worked out before the last statement of the snippet. */
const movesOut = (snippet: string): boolean =>
  meaningOf(`${FIRST}${snippet}`).split('\n').length > `${FIRST}${snippet}`.split('\n').length;

describe('what is read of the past on one side', () => {
  it.each([
    'x = up ? (close + 1)[1] : na',
    'x = up ? na : math.max(close, open)[2]',
    'x = up and (close > open)[1]',
    'x = up or na(close + open)[1]',
    'x = up ? ta.sma(close, 3)[1] : na',
    'x = up and ta.highest(high, 5)[1] > close',
    'x = up ? not na(time("D"))[1] : false',
  ])('is worked out on every run of the block: %s', (snippet) => {
    expect(movesOut(snippet)).toBe(true);
    expect(findingsOf(`${FIRST}${snippet}`)).toEqual([]);
  });

  it.each([
    'x = up ? array.from(1, 2).get(1)[1] : na',
    'x = up ? math.random()[1] : na',
    'x = up ? str.length("a")[1] : na',
    'x = up ? close[1] : na',
    'x = up ? up[1] : false',
    'x = input.bool(true) ? (close + 1)[1] : na',
    'x = (close + 1)[1]',
  ])('stays where it is when it may fail, has a past of its own or is always read: %s', (snippet) => {
    expect(movesOut(snippet)).toBe(false);
  });

  it('stays where it is when a length that changes could be none', () => {
    // It is then a call that may be skipped like any other.
    expect(placesOf(`${FIRST}x = up ? ta.sma(close, bar_index)[1] : na`)).toEqual(['PE146 2:10']);
    expect(movesOut('x = up ? ta.sma(bar_index, 3)[1] : na')).toBe(true);
  });

  it('stays in the condition of a loop, which is asked again and again', () => {
    const snippet = 'i = 0\nwhile i < 3 and (close + i)[1] > 0\n    i += 1';
    expect(movesOut(snippet)).toBe(false);
  });

  it('of a function is worked out where the function does nothing else', () => {
    const plain = meaningOf(`f(x) => x + 1\n${FIRST}x = up ? f(close)[1] : na`);
    const drawing = meaningOf(`f(x) =>\n    label.new(0, 0)\n    x\n${FIRST}x = up ? f(close)[1] : na`);
    expect(plain.split('\n').length).toBe(drawing.split('\n').length + 1);
  });
});
