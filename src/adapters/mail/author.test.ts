// Who wrote a mail: exactly one address, or nobody.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { authorOf } from './author.ts';

test.each([
  ['me@example.com', 'me@example.com'],
  [' Me@Example.COM ', 'me@example.com'],
  ['<me@example.com>', 'me@example.com'],
  ['Me <me@example.com>', 'me@example.com'],
  ['Me Q. Public <me@example.com>', 'me@example.com'],
  ['"Public, Me (work)" <me@example.com>', 'me@example.com'],
  ['"you@example.com" <me@example.com>', 'me@example.com'],
  ['"<you@example.com>" <me@example.com>', 'me@example.com'],
  ['"a \\" <you@example.com>" <me@example.com>', 'me@example.com'],
  ['=?utf-8?Q?you=40example.com?= <me@example.com>', 'me@example.com'],
  ['Bücher <me@bücher.example>', 'me@xn--bcher-kva.example'],
  ['me+tag@sub.example.com', 'me+tag@sub.example.com'],
])('%s is %s', (line, address) => {
  expect(authorOf(line)).toBe(address);
});

test.each([
  '',
  'me',
  '<me@example.com> <evil@example.com>',
  '<me@example.com><evil@example.com>',
  '<me@example.com>\t<evil@example.com>',
  'me@example.com <evil@example.com>',
  '<me@example.com> evil@example.com',
  'me@example.com, evil@example.com',
  'me@example.com; evil@example.com',
  '<me@example.com>, <evil@example.com>',
  'Team: me@example.com;',
  'Team: me@example.com, evil@example.com;',
  'me@example.com (evil@example.com)',
  '(evil@example.com) me@example.com',
  'Me (<evil@example.com>) <me@example.com>',
  'me@example.com@evil.example',
  '<@evil.example:me@example.com>',
  '<me%example.com@evil.example>',
  '"me@example.com" evil@example.com',
  '"me@example.com',
  '"me"@example.com',
  '<me @example.com>',
  '<me@example.com',
  'me@example.com>',
  '<<me@example.com>>',
  '<>',
  'me@[127.0.0.1]',
  'me@localhost',
  'me@example.com/evil.example',
  'me\\@evil.example@example.com',
  '=?utf-8?Q?me=40example.com?=',
  'Me =?utf-8?Q?=3Cme=40example.com=3E?=',
  `${'x'.repeat(2000)} <me@example.com>`,
])('%j is nobody', (line) => {
  expect(authorOf(line)).toBeUndefined();
});

test('whatever stands around them, of two addresses the first never counts', () => {
  const between = fc.string({ unit: fc.constantFrom(...' ,;:\t"()<>ab\\@.') });
  fc.assert(
    fc.property(between, between, between, fc.constantFrom('<me@a.example>', 'me@a.example'), (a, b, c, mine) => {
      const line = `${a}${mine}${b}<evil@b.example>${c}`;
      // Inside quotes an address is a name; what counts is the last one, never mine.
      expect(authorOf(line)).not.toBe('me@a.example');
    }),
    { numRuns: 2000 },
  );
});
