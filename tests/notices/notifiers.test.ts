// What leaves for Discord, ntfy, a signed webhook and a mail server, over real sockets, and what their answers mean.

import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDiscordNotifier } from '../../src/adapters/notifiers/discord.ts';
import { createMailNotifier } from '../../src/adapters/notifiers/mail.ts';
import { createNtfyNotifier } from '../../src/adapters/notifiers/ntfy.ts';
import { createSignedWebhook } from '../../src/adapters/notifiers/signed-webhook.ts';
import { signatureOf } from '../../src/adapters/webhooks/signature.ts';
import { ChannelRefused, type Notice, NotifierError } from '../../src/trading/notifications/notifier.ts';
import {
  MAIL_USER,
  type MailReceiver,
  startMailReceiver,
  startWebReceiver,
  type WebReceiver,
} from '../support/notice-receivers.ts';
import { makeSelfSigned } from '../support/self-signed.ts';

const AT_MS = 1_794_000_000_000;
const notice = (text: string, topic: Notice['topic'] = 'trades'): Notice => ({
  id: `7-${AT_MS}`,
  topic,
  text,
  atMs: AT_MS,
});
const faultOf = async (sending: Promise<void>): Promise<NotifierError> => {
  try {
    await sending;
  } catch (error) {
    if (error instanceof NotifierError) return error;
    throw error;
  }
  throw new Error('it was sent');
};

let web: WebReceiver;
beforeEach(async () => {
  web = await startWebReceiver();
});
afterEach(() => web.close());

describe('Discord', () => {
  const HOOK = '/api/webhooks/123/very-secret-token';
  const discord = () => createDiscordNotifier({ url: `${web.url}${HOOK}` });

  test('gets the text as it is, nobody is called by it, and its answer is waited for', async () => {
    await discord().send(notice('LONG 1 BTCUSDT by my_best_one: Filled\n- @everyone *now*'));
    expect(web.received[0]?.path).toBe(`${HOOK}?wait=true`);
    expect(web.taken(HOOK)).toEqual([
      {
        content: 'LONG 1 BTCUSDT by my\\_best\\_one: Filled\n\\- @everyone \\*now\\*',
        allowed_mentions: { parse: [] },
        flags: 4,
      },
    ]);
  });

  test.each([
    ['a link with another name', '[Confirm here](https://evil.example)', '\\[Confirm here\\](https://evil.example)'],
    ['a mark behind a backslash', '\\*b\\* \\[x](y)', '\\\\\\*b\\\\\\* \\\\\\[x\\](y)'],
    ['somebody who is meant', '<@1> <t:0>', '\\<@1> \\<t:0>'],
  ])('%s stays the text it is', async (_, text, content) => {
    await discord().send(notice(text));
    expect(web.taken(HOOK)[0]?.content).toBe(content);
  });

  test.each([
    ['exactly fits', 'x'.repeat(2000), 'x'.repeat(2000)],
    ['is one too long', 'x'.repeat(2001), `${'x'.repeat(1999)}…`],
    ['would be cut inside a sign', `${'x'.repeat(1998)}🚂🚂`, `${'x'.repeat(1998)}…`],
    ['would be cut inside an escape', `${'x'.repeat(1998)}__`, `${'x'.repeat(1998)}…`],
  ])('a text that %s', async (_, text, content) => {
    await discord().send(notice(text));
    expect(web.taken(HOOK)[0]?.content).toBe(content);
    expect(content.length).toBeLessThanOrEqual(2000);
  });

  test.each([401, 403, 404, 302])('an answer %i is told with the remedy, and not with the address', async (status) => {
    web.answers.set(HOOK, { status, headers: { location: `${web.url}/elsewhere` } });
    const fault = await faultOf(discord().send(notice('x')));
    expect(fault).toBeInstanceOf(ChannelRefused);
    expect(fault.message).toContain(`it answered ${status}`);
    expect(fault.message).toContain('set DISCORD_WEBHOOK_URL');
    expect(fault.message).not.toContain('secret');
    expect(web.received).toHaveLength(1);
  });

  test.each([
    ['the header', { 'retry-after': '3' }, '{}', 3000],
    ['the body, which is exact', { 'retry-after': '1' }, '{"retry_after": 1.337, "global": false}', 1337],
    ['nobody', {}, 'not json', undefined],
    ['no sane clock', { 'retry-after': '999999' }, '{}', 86_400_000],
  ])('too many messages: waits as long as says %s', async (_, headers, body, retryAfterMs) => {
    web.answers.set(HOOK, { status: 429, headers: headers as Record<string, string>, body });
    expect(await faultOf(discord().send(notice('x')))).toMatchObject({ retryable: true, retryAfterMs });
  });

  test.each([
    [400, false],
    [413, false],
    [500, true],
    [503, true],
  ])('an answer %i: worth another try %s', async (status, retryable) => {
    web.answers.set(HOOK, { status });
    expect(await faultOf(discord().send(notice('x')))).toMatchObject({ retryable, message: `it answered ${status}` });
  });

  test('nobody there: the reason holds no address', async () => {
    web.answers.set(HOOK, 'hang up');
    const fault = await faultOf(discord().send(notice('x')));
    expect(fault).toMatchObject({ retryable: true });
    expect(fault.message).toMatch(/^it could not be reached \(\w+\)$/);
    const nowhere = createDiscordNotifier({ url: 'http://127.0.0.1:9/api/webhooks/1/very-secret-token' });
    expect((await faultOf(nowhere.send(notice('x')))).message).not.toContain('secret');
  });
});

describe('ntfy', () => {
  const ntfy = (token?: string) => createNtfyNotifier({ server: `${web.url}/`, topic: 'my-topic', token });

  test('gets title, priority and tag by what it is about', async () => {
    await ntfy().send(notice('Größe 🚂'));
    await ntfy().send(notice('the venue is down', 'alarms'));
    await ntfy().send(notice('a good day', 'report'));
    expect(web.taken('/')).toEqual([
      { topic: 'my-topic', message: 'Größe 🚂', title: 'Signalbox', priority: 3, tags: ['chart_with_upwards_trend'] },
      {
        topic: 'my-topic',
        message: 'the venue is down',
        title: 'Signalbox: alarm',
        priority: 5,
        tags: ['rotating_light'],
      },
      { topic: 'my-topic', message: 'a good day', title: 'Signalbox: daily report', priority: 2, tags: ['bar_chart'] },
    ]);
  });

  test('is shown the token, and only where there is one', async () => {
    await ntfy().send(notice('x'));
    await ntfy('tk_12345678').send(notice('x'));
    expect(web.received.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer tk_12345678']);
  });

  test('never gets more than it takes as a message, counted in bytes', async () => {
    await ntfy().send(notice('ä'.repeat(2048)));
    await ntfy().send(notice('ä'.repeat(2049)));
    const sizes = web.taken('/').map(({ message }) => Buffer.byteLength(message as string));
    expect(sizes).toEqual([4096, 4095]);
  });

  test('refuses the token: told with the remedy', async () => {
    web.answers.set('/', { status: 403 });
    expect((await faultOf(ntfy('tk_12345678').send(notice('x')))).message).toBe(
      'it answered 403. Look at NTFY_URL, NTFY_TOPIC and NTFY_TOKEN: may this token write to this topic?',
    );
  });
});

test('a signed webhook can be checked as the guide says, and carries the same id again', async () => {
  const secret = 'a-secret-of-sixteen-characters';
  const webhook = createSignedWebhook({
    url: `${web.url}/in?tenant=1`,
    sign: (body) => signatureOf(secret, AT_MS + 5, body),
  });
  await webhook.send(notice('Filled "here"', 'alarms'));
  const [{ path, headers, body }] = web.received as [WebReceiver['received'][number]];
  expect(path).toBe('/in?tenant=1');
  expect(JSON.parse(body)).toEqual({ id: `7-${AT_MS}`, topic: 'alarms', text: 'Filled "here"', at: AT_MS });
  expect(headers['idempotency-key']).toBe(`7-${AT_MS}`);
  const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['signalbox-signature'])) ?? [];
  expect(time).toBe(String(AT_MS + 5));
  expect(signature).toBe(createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'));
  expect(webhook.sharedUnits).toBe(0);
});

describe('mail', () => {
  let mail: MailReceiver;
  const open = async (options: Partial<Parameters<typeof createMailNotifier>[0]> = {}) => {
    mail = await startMailReceiver();
    return createMailNotifier({
      ...{
        host: '127.0.0.1',
        port: mail.port,
        tls: 'none',
        from: 'box@example.com',
        to: ['me@example.com', 'us@example.com'],
      },
      ...MAIL_USER,
      ...options,
    });
  };
  afterEach(() => mail.close());

  test('has a subject that tells it, the whole text, and an id that stays', async () => {
    const notifier = await open();
    await notifier.send(notice('LONG 1 BTCUSDT: Filled\n.\nGröße 🚂\r\nBcc: x@y', 'alarms'));
    expect(mail.mails[0]).toMatchObject({
      subject: 'Signalbox alarm: LONG 1 BTCUSDT: Filled',
      text: 'LONG 1 BTCUSDT: Filled\n.\nGröße 🚂\nBcc: x@y',
      messageId: `<7-${AT_MS}@signalbox>`,
      from: 'box@example.com',
      to: ['me@example.com', 'us@example.com'],
    });
    expect(mail.mails[0]?.headers).toMatchObject({ 'auto-submitted': 'auto-generated' });
    expect(mail.mails[0]?.headers).not.toHaveProperty('bcc');
  });

  test('a wrong password is told with the remedy and without the password', async () => {
    const notifier = await open({ password: 'wrong-secret' });
    const fault = await faultOf(notifier.send(notice('x')));
    expect(fault).toBeInstanceOf(ChannelRefused);
    expect(fault.message).toBe('the mail server does not take the password (535). Set MAIL_USER and MAIL_PASSWORD');
  });

  test.each([
    ['recipient', 550, { name: 'ChannelRefused' }],
    ['recipient', 451, { retryable: true, name: 'NotifierError' }],
    ['data', 552, { retryable: false }],
    ['data', 452, { retryable: true, name: 'NotifierError' }],
  ] as const)('the server refuses at %s with %i', async (at, code, expected) => {
    const notifier = await open();
    mail.refusal = { at, code };
    const fault = await faultOf(notifier.send(notice('x')));
    expect(fault).toMatchObject(expected);
    expect(fault.message).toContain(String(code));
  });

  test('nothing is said without the encryption that was asked for', async () => {
    const notifier = await open({ tls: 'starttls' });
    expect(await faultOf(notifier.send(notice('x')))).toBeInstanceOf(ChannelRefused);
    expect(mail.mails).toEqual([]);
  });

  test('a certificate that nobody vouches for is refused', async () => {
    const { certificate: cert, privateKey: key } = makeSelfSigned();
    mail = await startMailReceiver({ cert, key });
    const notifier = createMailNotifier({
      ...{ host: 'localhost', port: mail.port, tls: 'starttls', from: 'box@example.com', to: ['me@example.com'] },
      ...MAIL_USER,
    });
    const fault = await faultOf(notifier.send(notice('x')));
    expect(fault).toBeInstanceOf(ChannelRefused);
    expect(fault.message).toContain('no secure connection to the mail server');
  });

  test('no server at all is worth another try', async () => {
    const notifier = await open();
    await mail.close();
    expect(await faultOf(notifier.send(notice('x')))).toMatchObject({ retryable: true, name: 'NotifierError' });
    mail = await startMailReceiver();
  });
});
