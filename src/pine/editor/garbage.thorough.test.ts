// Completion and hovers answer at every place of every text: whole scripts, cut ones, and no scripts at all.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../tests/support/thorough.ts';
import { complete, hover } from './index.ts';
import { SHAPES } from './testing/cursor.ts';

const SCRIPT = `//@version=6
indicator("Trend", overlay = true)
import ana/Shapes/2 as shapes
//@type A level.
type Level
    float price = 1.
    array<line> lines
enum Way
    up = "Up"
    down
//@function Adds.
//@param x A number.
add(float x, y = 2) =>
    [a, b] = [x, y]
    a + b[1]
method lift(Level this, Way way = Way.up) =>
    switch way
        Way.up => this.price + 1
        => na
var level = Level.new(close)
m = map.new<string, float>()
for [k, v] in m
    if v > 1 and not na(v)
        level.price := add(v)
once barstate.isfirst
    level.lines.push(line.new(0, 0, 1, 1))
plot(level.lift() + shapes.twice(2), "It's", color = #ff0000, style = plot.style_line)
x = ta.sma(close,
     length = 5)
`;

const LEFTOVER = /_cursor|undefined|\[object/;
/** What Pine is made of, and what it is not: odd spaces, half a surrogate pair, a byte order mark. */
const CHARACTERS = [
  ...'abta.x01 \n\t()[]<>=:+-*/%?,#@"\'_&|!;é漢\u0000\u00a0\ufeff',
  '\ud83d',
  '\ude00',
  '    ',
  '//@',
  '"""',
];
const CHANGES = ['', '.', '(', ')', ',', '"', '=', '\n', '    ', '<', '[', '//@', 'if ', 'é', '\u0000'];

/** One look at all items together: thousands of small expectations would take longer than the answers. */
function answersAt(source: string, offset: number): void {
  const items = complete(source, offset, [SHAPES]);
  expect(items.map(({ label, insertText }) => `${label} ${insertText}`).join('\n')).not.toMatch(LEFTOVER);
  const found = hover(source, offset, [SHAPES]);
  if (found === null) return;
  expect(found.contents).not.toMatch(LEFTOVER);
  expect(found.range.start).toBeLessThanOrEqual(offset);
  expect(found.range.end).toBeGreaterThanOrEqual(offset);
}

describe('answers never fail', () => {
  it('at any place of a real script', () => {
    for (let offset = 0; offset <= SCRIPT.length; offset += 5) answersAt(SCRIPT, offset);
  });

  it('in a script that is cut off, changed or doubled anywhere', () => {
    const place = fc.nat(SCRIPT.length);
    fc.assert(
      fc.property(place, place, fc.constantFrom(...CHANGES), fc.nat(40), (from, cut, text, behind) => {
        const source = SCRIPT.slice(0, from) + text + SCRIPT.slice(cut);
        answersAt(source, Math.min(source.length, from + text.length));
        answersAt(source, Math.min(source.length, from + behind));
      }),
      { numRuns: cases(100) },
    );
  });

  it('in text that is no script', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 60 }),
        fc.integer({ min: -5, max: 70 }),
        (source, offset) => {
          complete(source, offset);
          hover(source, offset);
        },
      ),
      { numRuns: cases(200) },
    );
  });

  it('in a text that lies very deep', () => {
    const deep = `x = ${'('.repeat(3000)}ta.`;
    expect(() => complete(deep, deep.length)).not.toThrow();
    const dots = `x = a${'.b'.repeat(3000)}.`;
    expect(() => complete(dots, dots.length)).not.toThrow();
    expect(() => hover(dots, dots.length - 2)).not.toThrow();
  });
});
