// What is kept of a body that was refused: never a secret, whatever the sender made of it.

import { expect, test } from 'vitest';
import { createSecretStriker } from './strike-secrets.ts';

const KNOWN = 'correct-horse-battery';
const striker = createSecretStriker([KNOWN]);
const kept = (body: string | Buffer): string => striker.body(Buffer.from(body));

test.each([
  ['a passphrase in JSON', '{"passphrase":"hunter2hunter2"}'],
  ['a name that only contains the word', '{"webhookSecret":"hunter2hunter2"}'],
  ['an auth field', '{"a":{"auth":"hunter2hunter2"}}'],
  ['a broken body', '{"apiKey":"hunter2hunter2"'],
  ['many blanks behind the name', `key${' '.repeat(5000)}=${' '.repeat(2000)}hunter2hunter2`],
  ['a line of its own', 'token\n\n\nhunter2hunter2'],
  ['escapes', '{"apiKey":"\\u0068unter2hunter2"'],
  ['UTF-16', Buffer.from('{"apiKey":"hunter2hunter2"}', 'utf16le')],
])('strikes out %s', (_, body) => {
  expect(kept(body)).not.toMatch(/hunter2/);
});

test('strikes out what is known by heart, also in UTF-16', () => {
  expect(kept(`{"note":"${KNOWN}"}`)).toBe('{"note":"***"}');
  expect(kept(Buffer.from(`{"note":"${KNOWN}"`, 'utf16le'))).not.toContain(KNOWN);
});

test('keeps what a trader looks for', () => {
  const body = '{"symbol":"BTCUSDT","quantity":0.01,"idempotencyKey":"123e4567-e89b-42d3-a456-426614174000"}';
  expect(kept(body)).toBe(body);
});
