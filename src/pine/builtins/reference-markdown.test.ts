// What the table looks like in words: signatures and the reference page.

import { describe, expect, it } from 'vitest';
import { allEntries, allWords, findFunction } from './index.ts';
import { referenceMarkdown } from './reference-markdown.ts';
import { methodTypeOf, signatureText } from './signature-text.ts';
import { scalar } from './types.ts';

const signature = (name: string, index: number, version: 5 | 6 = 6) =>
  signatureText(name, findFunction(name)!.overloads[index]!, version);

describe('a signature in words', () => {
  it.each([
    ['ta.sma', 0, 'ta.sma(source: series float, length: series int) → series float'],
    ['ta.stdev', 0, 'ta.stdev(source: series float, length: series int, biased: series bool = true) → series float'],
    ['ta.supertrend', 0, 'ta.supertrend(factor: series float, atrPeriod: simple int) → [series float, series float]'],
    ['math.max', 0, 'math.max(...number: series int/float) → const…series int/float'],
    [
      'array.new',
      0,
      'array.new<any type except collections>(size: series int = 0, initial_value: series any type except collections = na) → array<any type except collections>',
    ],
    [
      'map.keys',
      0,
      'map.keys(id: map<int/float/bool/string/color/enum, any type except collections>) → array<int/float/bool/string/color/enum>',
    ],
    ['ta.vwap', 0, 'ta.vwap(source: series float, anchor: series bool = (a new trading day)) → series float'],
    ['strategy.cancel', 0, 'strategy.cancel(id: series string) → void'],
  ])('of %s is complete', (name, index, expected) => {
    expect(signature(name, index)).toBe(expected);
  });

  it('shows what the version has', () => {
    expect(signature('strategy.cancel', 0, 5)).toBe(
      'strategy.cancel(id: series string, when: series bool = true) → void',
    );
    expect(signature('label.set_size', 0, 5)).toBe('label.set_size(id: series label, size: series string) → void');
    expect(signature('strategy', 0, 5)).toContain('margin_long: const float = 0,');
    expect(signature('strategy', 0, 6)).toContain('margin_long: const float = 100,');
  });

  it('knows under which name the methods of a value are found', () => {
    expect(methodTypeOf({ kind: 'array', element: scalar('int') })).toBe('array');
    expect(methodTypeOf({ kind: 'object', name: 'chart.point' })).toBe('chart.point');
    expect(methodTypeOf(scalar('string'))).toBeNull();
    expect(methodTypeOf({ kind: 'user', name: 'Pivot' })).toBeNull();
  });
});

describe('the reference page', () => {
  const page = referenceMarkdown();

  it('names every built-in with its doc line', () => {
    const missing = allEntries().filter(({ name, doc, kind }) => {
      const heading = kind === 'function' ? `### ${name}()` : `| \`${name}\` |`;
      return !page.includes(heading) || !page.includes(doc.replaceAll('|', '\\|'));
    });
    expect(missing.map(({ name }) => name)).toEqual([]);
    expect(allWords().filter(({ doc }) => !page.includes(doc.replaceAll('|', '\\|')))).toEqual([]);
  });

  it('says what is special about a function', () => {
    const section = (name: string) => page.split(`### ${name}()`)[1]!.split('\n##')[0]!;
    expect(section('ta.sma')).toContain('Keeps its own state at every place it is called from');
    expect(section('plot')).toContain('Only in the global scope.');
    expect(section('array.push')).toContain('Can be called as a method of an array.');
    expect(section('request.footprint')).toContain('Since v6.');
    expect(section('strategy.entry')).toContain('- `when`: only in v5; since v6 put the call in an if block.');
    expect(section('plotshape')).toContain('- `style`: one of `shape.*`.');
    expect(section('array.sort')).toContain('// v6 only');
  });

  it('is tidy: one title, no trailing spaces, no empty double lines, one line break at its end', () => {
    expect(page.match(/^# /gm)).toHaveLength(1);
    expect(page).not.toMatch(/[ \t]$/m);
    expect(page).not.toContain('\n\n\n');
    expect(page).toMatch(/[^\n]\n$/);
  });

  it('says that we are independent', () => {
    expect(page).toContain('trademarks of TradingView, Inc.');
  });
});
