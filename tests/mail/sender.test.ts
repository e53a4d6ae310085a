// Who may send: the list, and the proof by SPF, DKIM and DMARC. Forged mail never trades.

import { createSocket, type Socket } from 'node:dgram';
import { describe, expect, it } from 'vitest';
import { createResolve } from '../../src/adapters/mail/open-mail.ts';
import { tradeCount } from '../webhook/answers.ts';
import { COMMAND, dkimOf, head, ME, openOffice, RECORDS, type Reply, SIGNER } from './post-office.ts';

const office = await openOffice();
const signed = dkimOf('signed.example');

async function expectTraded(reply: Promise<Reply>): Promise<void> {
  expect(await reply).toMatchObject({ code: 250, text: expect.stringContaining('Filled') });
}

async function expectRefused(send: () => Promise<Reply>, code: number, words: string | RegExp): Promise<void> {
  const before = await tradeCount(office.gateway);
  const reply = await send();
  expect(reply).toMatchObject({ code, text: expect.stringMatching(words) });
  expect(await tradeCount(office.gateway)).toBe(before);
}

describe('the list of senders', () => {
  it.each([
    'stranger@elsewhere.example',
    'you@signed.example',
    'me@signed.example.elsewhere.example',
    'me@xspf.example',
    'me@sub.spf.example',
    '"me@spf.example" <stranger@elsewhere.example>',
  ])('does not have %s: 550, and DNS is not even asked', async (from) => {
    office.asked.length = 0;
    await expectRefused(
      () => office.mail({ envelope: { from: ME, to: office.to }, from, text: COMMAND }),
      550,
      /^5\.7\.1 /,
    );
    expect(office.asked).toEqual([]);
  });

  it('cannot be asked about an address that could be read in two ways', () =>
    expectRefused(
      () => office.raw(`${head({ From: 'me@spf.example@elsewhere.example' })}\r\n${COMMAND}\r\n`),
      554,
      /exactly one address/,
    ));

  it('counts the author, not the envelope: mail comes through other servers', async () => {
    await expectTraded(
      office.mail(
        { envelope: { from: 'bounce@elsewhere.example', to: office.to }, from: SIGNER, text: COMMAND },
        signed,
      ),
    );
  });
});

describe('a proven sender', () => {
  it('is one whose server SPF allows', () => expectTraded(office.mail({ text: COMMAND })));

  it('is one whose signature covers the mail', () =>
    expectTraded(office.mail({ from: SIGNER, text: COMMAND }, signed)));

  it('is one whose signature covers HTML, parts and attachments', () =>
    expectTraded(
      office.mail({ from: SIGNER, html: `<p>${COMMAND}</p>`, attachments: [{ filename: 'a', content: 'b' }] }, signed),
    ));

  it('may sign by a domain below his own, where DMARC is relaxed', () =>
    expectTraded(office.mail({ from: SIGNER, text: COMMAND }, dkimOf('mail.signed.example'))));

  it('needs no DMARC record when the very domain signs', () =>
    expectTraded(office.mail({ from: 'me@nodmarc.example', text: COMMAND }, dkimOf('nodmarc.example'))));
});

describe('a forged sender', () => {
  it('who signs nothing and whose server SPF does not allow is 550', () =>
    expectRefused(
      () => office.mail({ from: SIGNER, text: COMMAND }),
      550,
      /^5\.7\.26 .*spf=fail dkim=none dmarc=fail/,
    ));

  it('from a domain that publishes nothing is 550', () =>
    expectRefused(() => office.mail({ from: 'me@nothing.example', text: COMMAND }), 550, /^5\.7\.26 /));

  it('who signs with another domain is 550', () =>
    expectRefused(() => office.mail({ from: SIGNER, text: COMMAND }, dkimOf('other.example')), 550, /dmarc=fail/));

  it('whose envelope passes SPF for another domain is 550', () =>
    expectRefused(
      () => office.mail({ envelope: { from: 'x@other.example', to: office.to }, from: SIGNER, text: COMMAND }),
      550,
      /spf=pass dkim=none dmarc=fail/,
    ));

  it('without a DMARC record is 550 when only a neighbour vouches', () =>
    expectRefused(
      () => office.mail({ from: 'me@nodmarc.example', text: COMMAND }, dkimOf('other.example')),
      550,
      /dmarc=none/,
    ));

  it('who only tests his signatures is 550', () =>
    expectRefused(
      () => office.mail({ from: 'me@testing.example', text: COMMAND }, dkimOf('testing.example')),
      550,
      /^5\.7\.26 /,
    ));

  it('whose key is not published is 550', () =>
    expectRefused(
      () => office.mail({ from: SIGNER, text: COMMAND }, dkimOf('signed.example', { keySelector: 'gone' })),
      550,
      /^5\.7\.26 /,
    ));
});

/** A mail as it was signed, to be changed and delivered again. */
async function captured(more: object = {}, mail: object = {}): Promise<string> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    ...dkimOf('signed.example', more),
  } as object);
  const { message } = (await transport.sendMail({
    from: SIGNER,
    to: office.to,
    subject: 'x',
    text: COMMAND,
    ...mail,
  })) as unknown as { message: Buffer };
  return message.toString('latin1');
}

describe('a signed mail that somebody changed', () => {
  const send = (text: string) => office.raw(text, 'thief@elsewhere.example');

  it('trades as it was, from any server', async () => expectTraded(send(await captured())));

  it.each([
    ['its text', (mail: string) => mail.replace('0.01', '9.99')],
    ['a line below', (mail: string) => `${mail}SHORT 1 ETHUSDT on bybit\r\n`],
    ['its subject', (mail: string) => mail.replace('Subject: x', 'Subject: y')],
    ['its date', (mail: string) => mail.replace(/Date: .*/, `Date: ${new Date(Date.now() + 9000).toUTCString()}`)],
    ['its message id', (mail: string) => mail.replace(/Message-ID: </i, 'Message-ID: <z')],
  ])('in %s is 550', async (_, change) => {
    const mail = await captured();
    expect(change(mail)).not.toBe(mail);
    await expectRefused(() => send(change(mail)), 550, /^5\.7\.26 /);
  });

  it.each(['subject', 'date', 'message-id'])(
    'is 550 when the signature leaves out %s, so that it could be changed',
    async (name) => {
      const mail = await captured({ skipFields: name });
      await expectRefused(() => send(mail), 550, /does not cover the whole text/);
    },
  );

  it('with a second subject on top is 554', async () => {
    const mail = await captured();
    await expectRefused(() => send(`Subject: ${COMMAND}\r\n${mail}`), 554, /subject more than once/);
  });

  it('is 550 when the signature has an end of its own, behind which anything may stand', async () => {
    const { dkimSign } = await import('mailauth');
    const text = `${head({ From: SIGNER })}\r\n${COMMAND}\r\n`.replace(/\r?\n/g, '\r\n');
    const { dkim } = dkimOf('signed.example');
    const options = { signingDomain: 'signed.example', selector: 'sel', privateKey: dkim.privateKey };
    const limited = { ...options, signatureData: [{ ...options, maxBodyLength: COMMAND.length + 2 }] };
    const { signatures } = await dkimSign(text, limited);
    expect(signatures).toMatch(/\bl=\d+/);
    await expectRefused(() => send(`${signatures}${text}`), 550, /does not cover the whole text/);
    await expectRefused(() => send(`${signatures}${text}SHORT 1 ETHUSDT on bybit\r\n`), 550, /^5\.7\.26 /);
  });

  it('is only a second delivery when it was traded before', async () => {
    const mail = await captured();
    await expectTraded(send(mail));
    await expectRefused(() => send(mail), 250, /already taken/);
  });
});

describe('DNS that fails', () => {
  const broken = (resolve: () => Promise<never>, dnsBudgetMs = 2000) =>
    openOffice({ settings: { resolve, dnsBudgetMs } });

  it('is 451, for later it may answer', async () => {
    const place = await broken(() => Promise.reject(Object.assign(new Error('x'), { code: 'ESERVFAIL' })));
    expect(await place.mail({ text: COMMAND })).toMatchObject({ code: 451, text: expect.stringMatching(/^4\.7\.5 /) });
    expect(await place.mail({ from: SIGNER, text: COMMAND }, signed)).toMatchObject({ code: 451 });
    expect(await tradeCount(place.gateway)).toBe(0);
  });

  it('and never answers is 451 after the budget', async () => {
    const place = await broken(() => new Promise(() => {}), 200);
    const startedMs = performance.now();
    expect(await place.mail({ text: COMMAND })).toMatchObject({ code: 451, text: expect.stringContaining('in time') });
    expect(performance.now() - startedMs).toBeLessThan(3000);
    expect(await tradeCount(place.gateway)).toBe(0);
  });

  it('only for DMARC is 451 too: the domain may ask for more', async () => {
    const records: Record<string, string> = { ...RECORDS };
    const place = await openOffice({
      settings: {
        resolve: async (name, type) => {
          if (name.startsWith('_dmarc.')) throw Object.assign(new Error('x'), { code: 'ETIMEOUT' });
          const text = records[`${type} ${name}`];
          if (text === undefined) throw Object.assign(new Error('x'), { code: 'ENOTFOUND' });
          return [[text]];
        },
      },
    });
    expect(await place.mail({ text: COMMAND })).toMatchObject({ code: 451 });
    expect(await place.mail({ from: SIGNER, text: COMMAND }, signed)).toMatchObject({ code: 451 });
  });

  it('with nonsense in it proves nothing', async () => {
    const records = {
      'TXT spf.example': 'v=spf1 ip4:999.0.0.1 include:spf.example',
      'TXT _dmarc.spf.example': 'v=DMARC1; p=purple',
      'TXT sel._domainkey.signed.example': 'v=DKIM1; p=!!!',
    };
    const place = await openOffice({ records });
    expect((await place.mail({ text: COMMAND })).code).toBeGreaterThanOrEqual(400);
    expect((await place.mail({ from: SIGNER, text: COMMAND }, signed)).code).toBeGreaterThanOrEqual(400);
    expect(await tradeCount(place.gateway)).toBe(0);
  });
});

describe('SMTP_AUTH_POLICY=off', () => {
  it('believes the list alone, and asks DNS nothing', async () => {
    const place = await openOffice({ settings: { authPolicy: 'off' } });
    expect(await place.mail({ from: SIGNER, text: COMMAND })).toMatchObject({ code: 250 });
    expect(await place.mail({ from: 'stranger@elsewhere.example', text: COMMAND })).toMatchObject({ code: 550 });
    expect(place.asked).toEqual([]);
  });

  it.each([
    `From: <${SIGNER}> <evil@elsewhere.example>`,
    `From: <evil@elsewhere.example> <${SIGNER}>`,
    `From: ${SIGNER} <evil@elsewhere.example>`,
    `From: ${SIGNER}, evil@elsewhere.example`,
    `From: Team: ${SIGNER};`,
    `From: ${SIGNER} (evil@elsewhere.example)`,
    `From: <${SIGNER}>\r\n <evil@elsewhere.example>`,
    `From: ${SIGNER}\r\nFrom: evil@elsewhere.example`,
    `From: ${SIGNER}\r\nFROM : evil@elsewhere.example`,
  ])('takes no mail whose author could be another: %j', async (line) => {
    const place = await openOffice({ settings: { authPolicy: 'off' } });
    const mail = `${head({ From: SIGNER }).replace(/^From: .*$/m, line)}\r\n${COMMAND}\r\n`;
    expect(mail).toContain(line);
    expect(await place.raw(mail)).toMatchObject({
      code: 554,
      text: expect.stringMatching(/exactly one address|more than once/),
    });
    expect(await tradeCount(place.gateway)).toBe(0);
  });

  it('does not read a mail of nothing but lines', async () => {
    const place = await openOffice({ settings: { authPolicy: 'off' } });
    const lines = (count: number) => `${head({ From: SIGNER })}\r\n${'\r\n'.repeat(count)}`;
    expect(await place.raw(lines(120_000))).toMatchObject({ code: 554, text: expect.stringContaining('5000 lines') });
    expect(await place.raw(lines(5001))).toMatchObject({ code: 554, text: expect.stringContaining('5000 lines') });
    expect(await place.raw(`${lines(1000)}${COMMAND}\r\n`)).toMatchObject({ code: 250 });
  });
});

/** A name server that knows the records of the test, or keeps silent about every name. */
async function nameServer(silent: boolean): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    if (silent) return;
    let name = '';
    let at = 12;
    for (; question[at] !== 0; at += (question[at] as number) + 1)
      name += `${name && '.'}${question.toString('latin1', at + 1, at + 1 + (question[at] as number))}`;
    const text = question.readUInt16BE(at + 1) === 16 ? RECORDS[`TXT ${name}`] : undefined;
    const parts = (text?.match(/.{1,255}/g) ?? []).map((part) =>
      Buffer.concat([Buffer.from([part.length]), Buffer.from(part)]),
    );
    const data = Buffer.concat(parts);
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(text === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(text === undefined ? 0 : 1, 6);
    head.writeUInt32BE(0, 8);
    const answer = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 255]);
    const whole = [head, question.subarray(12, at + 5), ...(text === undefined ? [] : [answer, data])];
    socket.send(Buffer.concat(whole), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return socket;
}

describe('a real name server', () => {
  it('is asked for every record, and proves or does not', async () => {
    const server = await nameServer(false);
    const place = await openOffice({ settings: { resolve: createResolve([`127.0.0.1:${server.address().port}`]) } });
    await expectTraded(place.mail({ text: COMMAND }));
    await expectTraded(place.mail({ from: SIGNER, text: COMMAND }, signed));
    expect(await place.mail({ from: SIGNER, text: COMMAND })).toMatchObject({ code: 550 });
    expect(await place.mail({ from: 'me@nothing.example', text: COMMAND })).toMatchObject({ code: 550 });
    server.close();
  });

  it('that keeps silent is given up within its budget', async () => {
    const server = await nameServer(true);
    const resolve = createResolve([`127.0.0.1:${server.address().port}`]);
    const place = await openOffice({ settings: { resolve, dnsBudgetMs: 500 } });
    expect(await place.mail({ text: COMMAND })).toMatchObject({ code: 451 });
    server.close();
  });
});
