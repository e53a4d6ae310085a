// The diff of two texts, by its promise: its lines give back both of them, and it says no more than differs.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DiffLine, lineDiff } from './line-diff.ts';

const marks = { same: ' ', removed: '-', added: '+' };
const told = (lines: readonly DiffLine[]) => lines.map(({ kind, text }) => `${marks[kind]}${text}`);
const side = (lines: readonly DiffLine[], left: DiffLine['kind']) =>
  lines.filter(({ kind }) => kind !== left).map(({ text }) => text);

test('tells what was removed and what was added, with the numbers of both', () => {
  const lines = lineDiff('a\nb\nc\nd\n', 'a\nx\nc\nd\ne\n');
  expect(told(lines)).toEqual([' a', '-b', '+x', ' c', ' d', '+e']);
  expect(lines.at(-1)).toMatchObject({ before: undefined, after: 5 });
  expect(lines[1]).toMatchObject({ before: 2, after: undefined });
});

test('says nothing of the same text, of ends of lines of another system, and of nothing at all', () => {
  expect(told(lineDiff('a\nb', 'a\r\nb\r\n'))).toEqual([' a', ' b']);
  expect(lineDiff('', '')).toEqual([]);
  expect(told(lineDiff('', 'a'))).toEqual(['+a']);
});

test('gives back both texts, whatever they are', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(`${before.join('\n')}\n`, `${after.join('\n')}\n`);
      const whole = (part: readonly string[]) => (part.length === 0 ? [''] : part);
      expect(side(lines, 'added')).toEqual(whole(before));
      expect(side(lines, 'removed')).toEqual(whole(after));
    }),
  );
});

test('a text that is too large for the search is told as a whole', () => {
  const many = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word}${index}`).join('\n');
  const lines = lineDiff(`head\n${many('a')}\nfoot`, `head\n${many('b')}\nfoot`);
  expect(lines).toHaveLength(6002);
  expect([lines[0]?.kind, lines[1]?.kind, lines[3001]?.kind, lines.at(-1)?.kind]).toEqual([
    ...['same', 'removed', 'added', 'same'],
  ]);
});
