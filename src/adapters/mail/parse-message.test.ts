// The head of a mail is what a stranger can send us without being known: any bytes are read quickly and without an error.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readHead, readText } from './parse-message.ts';

const DATE = 'Mon, 3 Nov 2025 10:00:00 +0000';
const HEAD = `From: Me <Me@Example.com>\r\nDate: ${DATE} (UTC)\r\nMessage-ID: <a@b>\r\nSubject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\n`;

test('a head says who wrote, when, and what about', () => {
  expect(readHead(Buffer.from(`${HEAD}\r\nFrom: other@example.com\r\n`))).toEqual({
    from: 'me@example.com',
    messageId: 'a@b',
    sentAtMs: Date.parse(DATE),
    subject: 'Grüße',
    fields: new Set(['from', 'date', 'message-id', 'subject']),
  });
});

test('a mail may be a head alone', () => {
  for (const end of ['', '\r\n']) expect(readHead(Buffer.from(HEAD + end))).toMatchObject({ from: 'me@example.com' });
});

test('any bytes make a head or a fault', async () => {
  const line = fc.oneof(
    fc.constantFrom(
      'From: a@b.c',
      `Date: ${DATE}`,
      ' folded',
      '\tx',
      'Subject: =?x?Q?',
      '',
      ':',
      'a:',
      'From: <',
      'Content-Type: multipart/mixed; boundary=""',
    ),
    fc.string({ unit: 'binary', maxLength: 30 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 20 }), fc.constantFrom('\r\n', '\n'), async (lines, end) => {
      const raw = Buffer.from(lines.join(end));
      const head = readHead(raw);
      expect('fault' in head ? head.fault : head.from).toBeTruthy();
      expect(Object.keys(await readText(raw)).length).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
});
