// Findings as people see them: the place, the line, the mark under it, and nothing that could move the cursor.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeFrames, type Finding } from './code-frame.ts';
import { createPaint } from './paint.ts';

const plain = createPaint(false);
const frame = (source: string, finding: Finding) => codeFrames('my.pine', source, [finding], plain).split('\n');
const at = (line: number, column: number, endColumn = column + 1, more: Partial<Finding> = {}): Finding => ({
  line,
  column,
  endLine: line,
  endColumn,
  severity: 'error',
  code: 'PE016',
  message: 'This is wrong.',
  ...more,
});

describe('a code frame', () => {
  it('shows file, line and column, the line, a mark below the place, and the remedy', () => {
    expect(frame('//@version=6\nplot(clos)', at(2, 6, 10, { remedy: 'Did you mean "close"?' }))).toEqual([
      'my.pine:2:6: error PE016: This is wrong.',
      '   2 | plot(clos)',
      '     |      ^^^^',
      '     = Did you mean "close"?',
    ]);
  });

  it('marks at least one place, also behind the end of the line', () => {
    expect(frame('plot(', at(1, 6, 6))[2]).toBe('     |      ^');
    expect(frame('plot(', at(1, 9, 9))[2]).toBe('     |      ^');
  });

  it('marks what lies on several lines up to the end of the first', () => {
    expect(frame('f(a,  \n  b)', { ...at(1, 2), endLine: 2, endColumn: 5 })[2]).toBe('     |  ^^^');
  });

  it('keeps the mark below the place behind tabs and wide letters', () => {
    const [, shown = '', mark = ''] = frame('\tx = "价格" + clos', at(1, 13, 17));
    expect(shown).toBe('   1 |     x = "价格" + clos');
    // Two letters of the line take two columns each.
    expect(mark.indexOf('^')).toBe(shown.indexOf('clos') + 2);
  });

  it('cuts a long line around the place', () => {
    const [, shown = '', mark = ''] = frame(`${'a'.repeat(500)}XY${'b'.repeat(500)}`, at(1, 501, 503));
    expect(shown.length).toBeLessThan(140);
    expect(shown).toMatch(/… ?a+XYb+…$|^.*\| …a+XYb+…$/);
    expect([mark.indexOf('^'), mark.lastIndexOf('^')]).toEqual([shown.indexOf('X'), shown.indexOf('Y')]);
  });

  it('leaves the line out where there is none', () => {
    expect(frame('one', at(7, 1))).toEqual(['my.pine:7:1: error PE016: This is wrong.']);
    expect(frame('', at(1, 1))).toEqual(['my.pine:1:1: error PE016: This is wrong.']);
  });

  it('counts lines as the compiler does, whatever ends them', () => {
    for (const end of ['\n', '\r\n', '\r']) expect(frame(`a${end}b${end}c`, at(3, 1))[1]).toBe('   3 | c');
  });

  it('separates several findings by a blank line', () => {
    expect(codeFrames('f', 'a b', [at(1, 1), at(1, 3)], plain)).toContain('^\n\nf:1:3:');
  });

  it('colours errors and warnings on a terminal only', () => {
    expect(codeFrames('f', 'a', [at(1, 1)], createPaint(true))).toContain('\u001b[31merror PE016');
    expect(codeFrames('f', 'a', [at(1, 1, 2, { severity: 'warning' })], createPaint(true))).toContain(
      '\u001b[33mwarning',
    );
  });

  it('never prints what could move the cursor, and never fails', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '\t', '\n', '\r', '\u001b[2J', '\u202e', '界', '😀', '"'),
      maxLength: 40,
    });
    const place = fc.integer({ min: 1, max: 50 });
    fc.assert(
      fc.property(text, text, place, place, place, place, (source, message, line, column, endLine, endColumn) => {
        const shown = codeFrames(
          message,
          source,
          [{ line, column, endLine, endColumn, message, remedy: message }],
          plain,
        );
        for (const control of ['\u001b', '\u202e', '\r', '\t']) expect(shown).not.toContain(control);
        expect(shown.split('\n').length).toBeLessThanOrEqual(4);
      }),
      { numRuns: 500 },
    );
  });
});
