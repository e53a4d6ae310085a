// Any text before the converter: it never throws, its answers are whole, and what it converts can be read again.

import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cases } from '../../../tests/support/thorough.ts';
import { compile } from '../index.ts';
import { convert } from './index.ts';

const RUNS = { numRuns: cases(400) };
const folder = new URL('../../../tests/pine/old-scripts/', import.meta.url);
const scripts = readdirSync(folder)
  .filter((name) => name.endsWith('.pine') && !name.endsWith('.expected.pine'))
  .map((name) => readFileSync(new URL(name, folder), 'utf8'));

const pieces = [
  ...[
    'study(',
    'input(',
    'security(',
    'iff(',
    'offset(',
    'rsi(',
    'plot(',
    'fill(',
    'strategy.entry(',
    'x',
    'type',
    'n',
  ],
  ...['(', ')', '[', ']', ',', '=', ':=', '=>', '?', ':', '+', '-', '/', 'and', 'not', 'if', 'else', 'for', 'var'],
  ...['1', '2.5', '"s"', "'", '#ff0000', '#zz', 'na', 'true', 'close', 'red', 'transp=', 'type=', 'color=', 'when='],
  ...['\n', '\n    ', '\n  ', '\r\n', '\t', ' ', '//', '//@version=2\n', 'é', ';', '.', '..'],
];

/** What must hold of any text at all. */
function checkAny(source: string): void {
  const outcome = convert(source);
  if (outcome.kind === 'not-old') {
    expect(outcome.message).not.toBe('');
    return;
  }
  if (outcome.kind === 'unreadable') {
    expect(outcome.diagnostics.length).toBeGreaterThan(0);
    for (const { span } of outcome.diagnostics) expect(span.end <= source.length && span.start <= span.end).toBe(true);
    return;
  }
  const lines = source.split(/\r\n|\r|\n/).length;
  for (const { line, what, why } of outcome.changes)
    expect(line >= 1 && line <= lines && what !== '' && why.endsWith('.')).toBe(true);
  for (let offset = 0; offset <= outcome.text.length; offset += 7) {
    const before = outcome.offsetBefore(offset);
    expect(before >= 0 && before <= source.length).toBe(true);
  }
  expect(convert(outcome.text).kind).toBe('not-old');
  for (const { span } of compile(source).diagnostics) expect(span.start <= span.end).toBe(true);
}

it('old scripts with a piece taken out, put in or doubled anywhere are answered without a throw', () => {
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(12),
    piece: fc.constantFrom('', ...pieces),
  });
  const property = fc.property(
    fc.constantFrom(...scripts),
    fc.array(edit, { minLength: 1, maxLength: 4 }),
    (script, edits) => {
      let text = script;
      for (const { at, length, piece } of edits) {
        const from = Math.floor(at * text.length);
        text = text.slice(0, from) + piece + text.slice(from + length);
      }
      checkAny(text);
    },
  );
  fc.assert(property, RUNS);
});

it('a soup of words below a version line is answered without a throw', () => {
  const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(fc.constantFrom(1, 2, 3, 4), soup, (version, text) => checkAny(`//@version=${version}\n${text}`)),
    RUNS,
  );
});

it('a text of any characters is answered without a throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => checkAny(`//@version=3\n${text}`)),
    RUNS,
  );
});

it('chains of thousands of variables, each made of the next or of the one before, are converted', () => {
  const count = 12_000;
  const upwards = Array.from({ length: count }, (_, n) => `x${n} = ${n === 0 ? 'close' : `x${n - 1} + 1`}`);
  const downwards = Array.from({ length: count }, (_, n) => `y${n} = nz(y${n + 1}[1])`);
  const colors = Array.from({ length: count }, (_, n) => `c${n} = ${n === 0 ? 'red' : `c${n - 1}`}`);
  const plots = [`plot(x${count - 1}, color=c${count - 1}, transp=40)`, `plot(y0)`];
  const source = ['study("x")', ...upwards, ...downwards, `y${count} = sma(close, 2)`, ...colors, ...plots].join('\n');
  expect(convert(source).kind).toBe('converted');
});
