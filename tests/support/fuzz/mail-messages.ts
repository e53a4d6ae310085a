// Mails at random: heads and parts as mail programs write them, with boundaries, encodings and character sets that lie.

import type { Random } from '../random.ts';
import { ODD_TEXTS } from './odd-values.ts';

export const SENDER = 'me@spf.example';

const TYPES = [
  'text/plain',
  'text/html',
  'text/plain; charset=utf-8',
  'text/plain; charset=utf-7',
  'text/plain; charset=iso-2022-jp',
  'text/plain; charset="nonsense',
  'text/html; charset=windows-1252',
  'multipart/mixed',
  'multipart/alternative',
  'multipart/related; type=text/html',
  'message/rfc822',
  'message/delivery-status',
  'application/octet-stream; name="=?utf-8?B?////?="',
  'application/ms-tnef',
  'text/calendar; method=REQUEST',
  'text/plain; format=flowed; delsp=yes',
  '/',
  '',
] as const;
const ENCODINGS = ['7bit', '8bit', 'base64', 'quoted-printable', 'binary', 'x-uuencode', 'BASE64 ', ''] as const;
const COMMANDS = [
  'LONG 0.01 BTCUSDT on binance',
  'exchange: binance\naction: LONG\nsymbol: BTCUSDT\nquantity: 0.01',
  '{"exchange":"binance","action":"CLOSE_LONG","symbol":"BTCUSDT","quantity":0.01}',
  'SHORT 1e400 BTCUSDT on binance',
  '<p>LONG 0.01 <b>BTCUSDT</b> on binance</p>',
  '<table><tr><td>'.repeat(50),
  'LONG 0.01 BTCUSDT on binance\r\n'.repeat(20),
  'nothing',
  '',
] as const;
const DEEPEST = 60;

export function randomMail(random: Random): Buffer {
  const text = `${head(random)}${random.chance(3) ? nested(random.between(2, DEEPEST)) : part(random, 0)}`;
  const bytes = Buffer.from(
    random.chance(90) ? text.replace(/\r?\n/g, '\r\n') : text,
    random.chance(80) ? 'utf8' : 'latin1',
  );
  if (random.chance(8)) return bytes.subarray(0, random.between(0, bytes.length));
  if (random.chance(8)) bytes[random.between(0, bytes.length - 1)] = random.between(0, 255);
  return bytes;
}

function head(random: Random): string {
  const from = random.of([SENDER, `Me <${SENDER}>`, `"a, b" <${SENDER}>`, `=?utf-8?Q?M=C3=A9?= <${SENDER}>`]);
  const fields = [
    `From: ${random.chance(90) ? from : random.of(['', '<', `${SENDER}, other@x.example`, `(${'('.repeat(200)}`, 'a@b@c', random.of(ODD_TEXTS)])}`,
    `Date: ${random.chance(90) ? new Date().toUTCString() : random.of(['yesterday', '', '99 Foo 99999', 'Mon, 3 Nov 2025 10:00:00 +9999'])}`,
    `Message-ID: <${random.between(0, 1e9)}@x.example>`,
    `Subject: ${random.of(['signal', '=?utf-8?Q?=', '=?x?B?!!!?=', '=?utf-8?B?TE9ORw==?= '.repeat(20), COMMANDS[0], random.of(ODD_TEXTS)])}`,
  ];
  if (random.chance(10)) fields.push(fields[random.between(0, fields.length - 1)] ?? '');
  if (random.chance(10)) fields.push(`X-Long: ${'a'.repeat(random.between(1, 5000))}`, ' folded', '\tfolded');
  if (random.chance(5))
    fields.push(
      random.of(['no colon', ': x', 'X-Nul: \0', 'DKIM-Signature: v=1; a=rsa-sha256; b=', 'MIME-Version: 9']),
    );
  return random
    .shuffled(fields)
    .map((line) => `${line}\n`)
    .join('');
}

/** A part in a part in a part, deeper than any mail program makes them. */
function nested(depth: number): string {
  const starts = Array.from(
    { length: depth },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
  );
  return `${starts.join('')}Content-Type: text/plain\n\n${COMMANDS[0]}\n`;
}

/** With its own head, and for a multipart with its parts. */
function part(random: Random, depth: number): string {
  const type = random.of(TYPES);
  const boundary = random.of(['b', '', '--', 'a b', '='.repeat(60), `b${depth}`]);
  const isParts = type.startsWith('multipart') && depth < DEEPEST;
  const lines = [
    `Content-Type: ${type}${isParts && random.chance(90) ? `; boundary="${boundary}"` : ''}`,
    `Content-Transfer-Encoding: ${random.of(ENCODINGS)}`,
    ...(random.chance(15) ? [`Content-Disposition: attachment; filename*=utf-8''%ff%fe; filename=a`] : []),
  ];
  const start = `${lines.join('\n')}\n\n`;
  if (!isParts) return `${start}${content(random)}\n`;
  const parts = Array.from({ length: random.between(0, 3) }, () => `--${boundary}\n${part(random, depth + 1)}`);
  return `${start}${parts.join('\n')}\n${random.chance(80) ? `--${boundary}--\n` : ''}`;
}

function content(random: Random): string {
  const text = random.of([...COMMANDS, random.of(ODD_TEXTS)]);
  return random.of([
    () => text,
    () => text,
    () => Buffer.from(text).toString('base64'),
    () => Array.from(Buffer.from(text), (byte) => `=${byte.toString(16).toUpperCase()}`).join(''),
    () => `=${text}=\n=ZZ=`,
    () => `${text}&#x110000;&nbsp;<!--`,
    () => `<style>${'*{}'.repeat(200)}</style>${text}<script>`,
  ])();
}
