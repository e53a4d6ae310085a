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

const KEY = `whk_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7'.repeat(2).slice(0, 43)}`;
const CUTS = ['\n', '\r\n1f\r\n', '\\"', '\\n', '\\', '"', "' + '", '\\/', '%', '\t'];

/** Every piece of eight characters that a text still has of a secret. */
const piecesIn = (text: string, secret: string): string[] =>
  Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8)).filter((piece) =>
    text.includes(piece),
  );

test.each(CUTS.map((cut) => [JSON.stringify(cut), cut] as const))(
  'leaves no piece of a secret that is split in two by %s, wherever it is split',
  (_, cut) => {
    for (const [secret, forms] of [
      [KEY, ['{"apiKey":"?","exchange":"binance"', 'key: ?\nexchange: binance', '? BTCUSDT', '{"text":"?"}']],
      [KNOWN, ['{"apiKey":"?","exchange":"binance"', 'word ?\nexchange: binance', '{"text":"?"}']],
      ['hunter2hunter2hunter2', ['{"secret":"?","exchange":"binance"', 'secret: ?\nexchange: binance']],
    ] as const)
      for (const form of forms)
        for (let at = 1; at < secret.length; at += 1) {
          const text = kept(form.replace('?', () => `${secret.slice(0, at)}${cut}${secret.slice(at)}`));
          expect(piecesIn(text, secret), `${form} at ${at}: ${text}`).toEqual([]);
          if (form.includes('binance')) expect(text).toContain('binance');
        }
  },
);

test('a key that is too short takes no other field with it', () => {
  expect(kept('{"apiKey":"whk_abcdefghij","exchange":"binance"')).toBe('{"apiKey":"***","exchange":"binance"');
});

test('keeps what a trader looks for', () => {
  const body = '{"symbol":"BTCUSDT","quantity":0.01,"idempotencyKey":"123e4567-e89b-42d3-a456-426614174000"}';
  expect(kept(body)).toBe(body);
});
