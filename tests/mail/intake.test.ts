// Mail as real programs send it: every encoding and form trades, once, and what is not for us is refused with its code.

import { describe, expect, it } from 'vitest';
import { tradeCount } from '../webhook/answers.ts';
import { COMMAND, head, ME, openOffice, talk } from './post-office.ts';

const LINES = ['exchange: binance', 'action: LONG', 'symbol: BTCUSDT', 'quantity: 0.01'];
const office = await openOffice();
const hello = ['EHLO x', `MAIL FROM:<${ME}>`, `RCPT TO:<${office.to}>`];

describe('a mail that trades', () => {
  const encoded = (charset: string, bytes: Buffer, encoding = '8bit'): Buffer =>
    Buffer.concat([
      Buffer.from(
        `${head({ 'Content-Type': `text/plain; charset=${charset}`, 'Content-Transfer-Encoding': encoding })}\r\n`,
      ),
      bytes,
      Buffer.from('\r\n'),
    ]);
  const utf16 = (text: string): Buffer => Buffer.from(Buffer.from(text, 'utf16le').toString('base64'));
  // "こんにちは" in Shift-JIS, "Привет" in KOI8-R, "你好" in GBK.
  const SHIFT_JIS = Buffer.from([0x82, 0xb1, 0x82, 0xf1, 0x82, 0xc9, 0x82, 0xbf, 0x82, 0xcd]);
  const KOI8 = Buffer.from([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]);
  const GBK = Buffer.from([0xc4, 0xe3, 0xba, 0xc3]);
  const greeting = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.from(`\r\n${COMMAND}`)]);

  it.each([
    ['plain', () => office.mail({ text: COMMAND })],
    ['in the subject alone', () => office.mail({ subject: COMMAND })],
    ['lines', () => office.mail({ text: LINES.join('\n') })],
    [
      'JSON',
      () =>
        office.mail({
          text: JSON.stringify({ exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 }, null, 2),
        }),
    ],
    [
      'HTML alone',
      () => office.mail({ html: `<html><body><p>Hi</p><p><b>LONG</b> 0.01&nbsp;BTCUSDT on binance</p></body></html>` }),
    ],
    ['text and HTML', () => office.mail({ text: COMMAND, html: `<p>${COMMAND}</p>` })],
    [
      'a polite text beside HTML',
      () => office.mail({ text: 'Please view this in HTML.', html: `<div>${COMMAND}</div>` }),
    ],
    ['base64', () => office.mail({ text: `Grüße\n${COMMAND}`, textEncoding: 'base64' })],
    [
      'quoted-printable',
      () => office.mail({ text: `Grüße ${'x'.repeat(200)}\n${COMMAND}`, textEncoding: 'quoted-printable' }),
    ],
    [
      'with attachments, which are ignored',
      () => office.mail({ text: COMMAND, attachments: [{ filename: 'a.txt', content: 'SHORT 9 ETHUSDT on bybit' }] }),
    ],
    [
      'with a mail attached, which is ignored',
      () =>
        office.mail({
          text: COMMAND,
          attachments: [{ contentType: 'message/rfc822', content: `Subject: x\r\n\r\nSHORT 9 ETHUSDT on bybit` }],
        }),
    ],
    ['with a subject in another script', () => office.mail({ subject: 'Сигнал – 信号', text: COMMAND })],
    [
      'with a quoted reply and a signature',
      () => office.mail({ text: `${COMMAND}\n\nOn Monday Ann wrote:\n> SHORT 9 ETHUSDT on bybit\n-- \nMe` }),
    ],
    ['with a long line of dots', () => office.mail({ text: `.\n..\n${COMMAND}\n.` })],
    ['utf-8', () => office.raw(encoded('utf-8', greeting(Buffer.from('Grüße 你好'))))],
    ['iso-8859-1', () => office.raw(encoded('iso-8859-1', greeting(Buffer.from('Grüße', 'latin1'))))],
    ['utf-16', () => office.raw(encoded('utf-16', utf16(`\uFEFFGrüße\r\n${COMMAND}`), 'base64'))],
    ['utf-16le', () => office.raw(encoded('utf-16le', utf16(COMMAND), 'base64'))],
    ['shift_jis', () => office.raw(encoded('shift_jis', greeting(SHIFT_JIS)))],
    ['koi8-r', () => office.raw(encoded('koi8-r', greeting(KOI8)))],
    ['gbk', () => office.raw(encoded('gbk', greeting(GBK)))],
    ['iso-2022-jp', () => office.raw(encoded('iso-2022-jp', greeting(Buffer.from('\x1b$B$3$s\x1b(B'))))],
    ['a character set nobody knows', () => office.raw(encoded('x-martian', greeting(Buffer.from('hello'))))],
    ['no content type at all', () => office.raw(`${head()}\r\n${COMMAND}\r\n`)],
    [
      'flowed',
      () =>
        office.raw(
          `${head({ 'Content-Type': 'text/plain; format=flowed' })}\r\nHello my \r\nfriend\r\n\r\n${COMMAND}\r\n`,
        ),
    ],
    [
      'with an encoded subject that holds the command',
      () => office.raw(`${head({ Subject: `=?utf-8?B?${Buffer.from(COMMAND).toString('base64')}?=` })}\r\n`),
    ],
    [
      'with a folded subject that holds the command',
      () => office.raw(`${head({ Subject: 'LONG 0.01\r\n BTCUSDT\r\n\ton binance' })}\r\n`),
    ],
    [
      'with a name in raw UTF-8',
      () => office.raw(Buffer.from(`${head({ From: 'Jürgen 你好 <me@spf.example>' })}\r\n${COMMAND}\r\n`)),
    ],
    ['from a name with an address', () => office.mail({ from: '"Me, myself" <me@spf.example>', text: COMMAND })],
    ['from an address in capitals', () => office.mail({ from: 'ME@SPF.EXAMPLE', text: COMMAND })],
    [
      'for a label in capitals',
      () => office.mail({ to: office.to.replace('signals+test', 'SIGNALS+TEST'), text: COMMAND }),
    ],
  ])('%s', async (_, send) => {
    const before = await tradeCount(office.gateway);
    const reply = await send();
    expect(reply).toMatchObject({ code: 250, text: expect.stringMatching(/^2\.0\.0 Filled [0-9a-f-]{36}$/) });
    expect(await tradeCount(office.gateway)).toBe(before + 1);
    const trade = await office.gateway.trade(reply.text.split(' ').at(-1) as string);
    expect(trade).toMatchObject({
      source: 'email',
      action: 'LONG',
      market: 'BTCUSDT',
      quantity: 0.01,
      status: 'Filled',
    });
    expect(trade.keyLabel).toMatch(/^test-/);
  });
});

describe('a mail that does not trade', () => {
  it.each([
    ['two signals', { text: `${COMMAND}\nSHORT 1 ETHUSDT on bybit` }, 554, /two signals/],
    ['another signal in the subject', { subject: 'SHORT 1 ETHUSDT on bybit', text: COMMAND }, 554, /two signals/],
    ['no quantity', { text: 'LONG BTCUSDT on binance' }, 554, /quantity: is missing/],
    ['no exchange', { text: 'LONG 1 BTCUSDT' }, 554, /exchange: is missing/],
    ['prose', { subject: 'Hello', text: 'we are long BTCUSDT 2 years on binance' }, 554, /holds no signal/],
    [
      'solution selling',
      { subject: 'Solution selling', text: 'Close more deals with solution selling.' },
      554,
      /holds no signal/,
    ],
    ['a reply', { subject: `Re: ${COMMAND}`, text: `ok\n> ${COMMAND}` }, 554, /holds no signal/],
    [
      'only an attachment',
      { text: 'see file', attachments: [{ filename: 'a.txt', content: COMMAND }] },
      554,
      /holds no signal/,
    ],
    [
      'a hidden signal',
      { html: `<p>Hello<span style="display:none"><br>${COMMAND}</span></p>` },
      554,
      /holds no signal/,
    ],
    ['a comma', { text: 'LONG 0,5 BTCUSDT on binance' }, 554, /plain number/],
    [
      'a stop for what is being closed',
      { text: 'close long 0.01 BTCUSDT on binance\nstopLoss: 1' },
      554,
      /stopLoss: protects a new position/,
    ],
    ['a stop that is no price', { text: `${LINES.join('\n')}\nstopLoss: soon` }, 554, /stopLoss/],
    ['an order the venue refuses', { text: 'close long SOLUSDT 1 mexc' }, 554, /^5\.0\.0 /],
  ])('%s', async (_, mail, code, words) => {
    const filled = async () =>
      (await office.gateway.request('GET', '/trades?limit=100&status=Filled')).body.result.length;
    const before = await filled();
    expect(await office.mail(mail)).toMatchObject({ code, text: expect.stringMatching(words) });
    expect(await filled()).toBe(before);
  });

  it.each([
    ['two From lines', `From: a@spf.example\r\n${head()}`],
    ['two subjects', `Subject: x\r\n${head()}`],
    ['two message ids', `Message-ID: <x@y>\r\n${head()}`],
    ['two dates', `Date: ${new Date().toUTCString()}\r\n${head()}`],
    ['two authors', head({ From: 'me@spf.example, you@spf.example' })],
    ['no author', head({ From: undefined })],
    ['an author without address', head({ From: 'Somebody' })],
    ['no date', head({ Date: undefined })],
    ['a date that is none', head({ Date: 'yesterday' })],
    ['no message id', head({ 'Message-ID': undefined })],
    ['an empty message id', head({ 'Message-ID': '<>' })],
    ['more signatures than any mail has', 'DKIM-Signature: v=1\r\n'.repeat(9) + head()],
    ['a header without end', `X-A: ${'x'.repeat(70_000)}\r\n${head()}`],
    ['a line that is no field', `${head()}this is no field\r\n`],
    ['a folded line before the first field', ` folded\r\n${head()}`],
    ['an author longer than any', head({ From: `"${'x'.repeat(2000)}" <me@spf.example>` })],
    ['a header of very many lines', `${head()}X-A: a\r\n${' a\r\n'.repeat(1000)}`],
  ])('554 for %s', async (_, header) => {
    const before = await tradeCount(office.gateway);
    expect(await office.raw(`${header}\r\n${COMMAND}\r\n`)).toMatchObject({
      code: 554,
      text: expect.stringMatching(/^5\.\d\.\d /),
    });
    expect(await tradeCount(office.gateway)).toBe(before);
  });

  it('554 for header lines that end in a way programs disagree about', async () => {
    const before = await tradeCount(office.gateway);
    for (const end of ['\r', '\n', '\0', '\n\n', '\r\r']) {
      const mail = `X-A: a${end}Subject: x\r\n${head({ Subject: undefined })}\r\n${COMMAND}\r\n.`;
      const heard = await talk(office.intake.port, [...hello, 'DATA', mail, 'QUIT']);
      expect(heard).toMatch(/\r\n554 5\.6\.0 a header line does not end with CR LF/);
    }
    expect(await tradeCount(office.gateway)).toBe(before);
  });

  it('554 for parts nested without end', async () => {
    let body = `Content-Type: text/plain\r\n\r\n${COMMAND}\r\n`;
    for (let i = 0; i < 40; i++)
      body = `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n${body}\r\n--b${i}--\r\n`;
    const { code, text } = await office.raw(head() + body);
    expect([code, text]).toEqual([554, expect.stringMatching(/^5\.6\.0 /)]);
  });

  it('is logged with who, for what label, the code and the reason, but without a word of it', async () => {
    office.entries.length = 0;
    await office.mail({
      subject: 'PRIVATE',
      text: `LONG 0.01 BTCUSDT on binance PRIVATE\napiKey: whk_${'s'.repeat(43)}`,
    });
    expect(office.entries).toMatchObject([
      { code: 554, from: ME, keyLabel: 'test-0', clientAddress: '127.0.0.1', requestId: expect.any(String) },
    ]);
    expect(JSON.stringify(office.entries)).not.toMatch(/PRIVATE|whk_/);
  });
});

describe('the recipient', () => {
  it.each([
    ['another name', 'postmaster@trade.example'],
    ['no label', 'signals@trade.example'],
    ['an empty label', 'signals+@trade.example'],
    ['a label nobody has', 'signals+nobody@trade.example'],
    ['another machine', 'victim@elsewhere.example'],
    ['a percent hack', 'signals+test-0%elsewhere@trade.example'],
  ])('with %s is 550', async (_, to) => {
    expect(await office.mail({ to, text: COMMAND })).toMatchObject({
      code: 550,
      text: expect.stringMatching(/^5\.1\.1 /),
    });
  });

  it('with a revoked key is 550', async () => {
    const { key } = await office.gateway.keys.create({ label: 'ended' });
    const to = 'signals+ended@trade.example';
    expect(await office.mail({ to, text: COMMAND })).toMatchObject({ code: 250 });
    await office.gateway.keys.revoke(key.keyId);
    expect(await office.mail({ to, text: COMMAND })).toMatchObject({ code: 550 });
  });

  it('with a key of a narrower scope is 550 for what it may not trade', async () => {
    await office.gateway.keyWith('narrow', { venues: ['binance'], symbols: ['BTCUSDT'] });
    const to = 'signals+narrow@trade.example';
    expect(await office.mail({ to, text: COMMAND })).toMatchObject({ code: 250 });
    expect(await office.mail({ to, text: 'LONG 1 ETHUSDT on binance' })).toMatchObject({
      code: 550,
      text: expect.stringContaining('may trade BTCUSDT only'),
    });
    expect(await office.mail({ to, text: 'LONG 1 BTCUSDT on bybit' })).toMatchObject({ code: 550 });
  });

  it('is one at a time: the second is told to come later', async () => {
    const heard = await talk(office.intake.port, [
      'EHLO x',
      `MAIL FROM:<${ME}>`,
      `RCPT TO:<${office.to}>`,
      'RCPT TO:<signals+narrow@x.example>',
      'QUIT',
    ]);
    expect(heard).toMatch(/250 Accepted\r\n452 4\.5\.3 /);
  });

  it('of a bounce is 550', async () => {
    expect(await talk(office.intake.port, ['EHLO x', 'MAIL FROM:<>', 'QUIT'])).toMatch(/550 5\.7\.1 bounces/);
  });

  it('must be the owner of a key that stands in the text', async () => {
    const { apiKey } = await office.gateway.keys.create({ label: 'keyed' });
    const text = `${COMMAND}\napiKey: ${apiKey}`;
    expect(await office.mail({ to: 'signals+keyed@x.example', text })).toMatchObject({ code: 250 });
    expect(await office.mail({ text })).toMatchObject({ code: 550, text: expect.not.stringContaining(apiKey) });
    expect(await office.mail({ text: `${COMMAND}\napiKey: wrong` })).toMatchObject({ code: 550 });
  });
});
