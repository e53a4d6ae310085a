// The largest head of a mail costs in proportion to its length, whatever it is made of.

import { expect, test } from 'vitest';
import { growthOf, MOST_GROWTH } from '../../../tests/support/growth.ts';
import { readHead } from './parse-message.ts';

const PIECES = [
  ...['<', 'a@b.c,', '"a" ', '(', 'a:', '=?utf-8?Q?a?= ', '=?utf-8?Q?', 'x;'],
  ...['\r\n ', '\r\na:b', '\0'],
];

test.each(['From', 'To', 'Subject', 'Date', 'Message-ID', 'Content-Type'])('in the field %s', (name) => {
  for (const piece of PIECES) {
    const work = (size: number) => {
      const head = Buffer.from(`${name}: ${piece.repeat(Math.floor(size / piece.length))}\r\n\r\n`);
      return () => readHead(head);
    };
    expect([piece, growthOf(work, 64_000) < MOST_GROWTH]).toEqual([piece, true]);
  }
});
