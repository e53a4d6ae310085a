// The list of senders: every spelling of an address is that address, and nothing else is.

import { expect, test } from 'vitest';
import { createSenderList, plainAddress } from './allowed-senders.ts';

test('an address has one plain form', () => {
  expect(plainAddress('Me@Example.COM')).toBe('me@example.com');
  expect(plainAddress('me@bücher.example')).toBe('me@xn--bcher-kva.example');
  expect(plainAddress('me+tag@example.com.')).toBe('me+tag@example.com');
  for (const none of [
    '',
    'me',
    '@example.com',
    'me@',
    'me@localhost',
    'me@@example.com',
    'a@b@example.com',
    'a b@example.com',
    '"a"@example.com',
    'me@exa mple.com',
  ])
    expect([none, plainAddress(none)]).toEqual([none, undefined]);
});

test('a whole address allows itself alone, a domain everyone in it, and neither allows what is below or beside', () => {
  const isAllowed = createSenderList(['Me@Example.com', '@Desk.example.com', '@xn--bcher-kva.example']);
  for (const yes of ['me@example.com', 'ME@EXAMPLE.COM', 'anyone@desk.example.com', 'x@bücher.example'])
    expect([yes, isAllowed(yes)]).toEqual([yes, true]);
  for (const no of [
    'you@example.com',
    'me@desk.example.com.evil.example',
    'x@sub.desk.example.com',
    'x@xdesk.example.com',
    'me+tag@example.com',
    '@desk.example.com',
    '',
    'x@',
  ])
    expect([no, isAllowed(no)]).toEqual([no, false]);
});

test('an empty list allows nobody', () => {
  expect(createSenderList([])('me@example.com')).toBe(false);
});
