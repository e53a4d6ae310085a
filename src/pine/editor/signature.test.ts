// Signature help at a bar in the text that stands for the cursor.

import { describe, expect, test } from 'vitest';
import { signatureAt } from './signature.ts';

const HEAD = '//@version=6\nindicator("t")\n';

function at(text: string) {
  const offset = HEAD.length + text.indexOf('|');
  return signatureAt(HEAD + text.replace('|', ''), offset);
}

describe('signature help', () => {
  test.each([
    ['plot(ta.sma(|', 'ta.sma', 'source'],
    ['plot(ta.sma(close, |', 'ta.sma', 'length'],
    ['plot(ta.sma(close, 1|4))', 'ta.sma', 'length'],
    ['plot(ta.sma(math.max(open, close)|, 14))', 'ta.sma', 'source'],
    ['plot(ta.sma(length = 3, source = |', 'ta.sma', 'source'],
    ['plot(ta.sma(close, 14)|', 'plot', 'series'],
    ['f(float first, int second) => first * second\nplot(f(close, |', 'f(', 'second'],
    ['a = array.new<float>(3, 0.)\na.push(|', 'push', 'value'],
    ['type Point\n    float x\n    float y\np = Point.new(1, |', 'Point.new', 'y'],
  ])('%s', (text, name, parameter) => {
    const found = at(text);
    const form = found?.forms[found.active];
    expect(form?.signature).toContain(name);
    expect(form?.parameter).toBe(parameter);
  });

  test.each(['x = close|', 'x = (close + |', 'x = close[|', '// ta.sma(|', 'nothing(|', 'plot(ta.sma(close, 3))|'])(
    'says nothing of %s',
    (text) => expect(at(text)).toBeNull(),
  );

  test('stays with the first form where no parameter is left', () => {
    expect(at('plot(ta.sma(close, 3, |')).toMatchObject({ active: 0, forms: [{ parameter: null }] });
  });
});
