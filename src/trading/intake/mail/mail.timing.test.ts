// The largest mail costs in proportion to its length, whatever it is made of.

import { expect, test } from 'vitest';
import { growthOf, MOST_GROWTH } from '../../../../tests/support/growth.ts';
import { htmlToText } from './html-text.ts';
import { ownLines } from './mail-text.ts';

const LARGEST_CHARS = 262_144;

function growthOfReading(read: (text: string) => unknown, piece: string): number {
  const work = (size: number) => {
    const text = piece.repeat(Math.ceil(size / piece.length));
    return () => read(text);
  };
  return growthOf(work, LARGEST_CHARS);
}

test.each(['- ', '_*', 'wrote ', '> ', 'From: \n', 'a\n', '\u00a0 '])('plain text made of %j', (piece) => {
  expect(growthOfReading(ownLines, piece)).toBeLessThan(MOST_GROWTH);
});

test.each([
  ...['<a "', '<', '<div>', '<div hidden>', '<!--', '<script>', '&#1;', '<blockquote>'],
  ...['<b x=\'">', '</p>', '<p hidden></p>', '<b></i>', '<form>', '<svg>', '<a b=1 ', '&amp', '<pre>\n', '<br>\n'],
])('HTML made of %j', (piece) => {
  expect(growthOfReading(htmlToText, piece)).toBeLessThan(MOST_GROWTH);
});
