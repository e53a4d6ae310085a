// Delivering mail: the limits, the gates, the same mail again, clients that misbehave, and the end.

import { describe, expect, it } from 'vitest';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { eventually, tradeCount } from '../webhook/answers.ts';
import { COMMAND, deliver, head, hold, ME, openOffice, talk } from './post-office.ts';

const office = await openOffice();

describe('limits', () => {
  const sized = (bytes: number): string => {
    const mail = `${head()}\r\n${COMMAND}\r\n`;
    const padding = `${'x'.repeat(900)}\r\n`.repeat(Math.ceil(bytes / 902));
    return `${(mail + padding).slice(0, bytes - 3)}x\r\n`;
  };

  it('take 256 KiB and not a byte more', async () => {
    expect(await office.raw(sized(262_144))).toMatchObject({ code: 250 });
    expect(await office.raw(sized(262_145))).toMatchObject({ code: 552 });
    expect(await office.raw(sized(3_000_000))).toMatchObject({ code: 552 });
  });

  it('refuse a size that is announced', async () => {
    expect(await talk(office.intake.port, ['EHLO x', `MAIL FROM:<${ME}> SIZE=262145`, 'QUIT'])).toMatch(/\n552 /);
  });

  it('slow an address down with 421', async () => {
    let left = 2;
    const slow = await openOffice({ settings: { admit: () => left-- > 0 } });
    expect(await slow.mail({ text: COMMAND })).toMatchObject({ code: 250 });
    expect(await slow.mail({ to: 'nobody@x.example', text: COMMAND })).toMatchObject({ code: 550 });
    expect(await slow.mail({ text: COMMAND })).toMatchObject({ code: 421, text: expect.stringMatching(/^4\.7\.0 /) });
    expect(slow.entries.map(({ code }) => code)).toEqual([250, 550]);
  });

  it('keep a flood of refusals short, in the session and in the log', async () => {
    let left = 5;
    const flooded = await openOffice({ settings: { admit: () => left-- > 0 } });
    const guesses = Array.from({ length: 50 }, (_, i) => `RCPT TO:<signals+guess${i}@x.example>`);
    const heard = await talk(flooded.intake.port, ['EHLO x', `MAIL FROM:<${ME}>`, ...guesses]);
    expect(heard.match(/\r\n550 /g)).toHaveLength(5);
    expect(heard).toMatch(/421 4\.7\.0 .*\r\n$/);
    await talk(flooded.intake.port, ['EHLO x', ...Array(20).fill('MAIL FROM:<>')]);
    expect(flooded.entries).toHaveLength(5);
  });

  it('slow a key down with 450, like the webhook', async () => {
    const slow = await openOffice({
      gateway: { controls: { limits: { webhookRatePerMinute: 1, failedAuthPerMinute: 30 } } },
    });
    expect(await slow.mail({ text: COMMAND })).toMatchObject({ code: 250 });
    expect(await slow.mail({ text: COMMAND })).toMatchObject({
      code: 450,
      text: expect.stringContaining('1 signal a minute'),
    });
    expect((await slow.gateway.send()).status).toBe(429);
  });

  it('offer neither login nor relaying, and do not name the machine', async () => {
    const heard = await talk(office.intake.port, ['EHLO x', 'AUTH PLAIN AGEAYg==', 'STARTTLS', 'VRFY root', 'QUIT']);
    expect(heard).toMatch(/^220 signalbox ESMTP/);
    expect(heard).not.toMatch(/250[- ](AUTH|STARTTLS)/);
    expect(heard.match(/\r\n50\d /g)?.length).toBeGreaterThanOrEqual(2);
  });

  it('cut a session that never ends', async () => {
    const hurried = await openOffice({ settings: { sessionTimeoutMs: 100 } });
    const startedMs = performance.now();
    expect(
      await talk(hurried.intake.port, ['EHLO x', `MAIL FROM:<${ME}>`, `RCPT TO:<${hurried.to}>`, 'DATA', 'x']),
    ).toMatch(/421 4\.4\.2/);
    expect(performance.now() - startedMs).toBeLessThan(4000);
  });

  it('serve 32 connections at once, tell the next 421, and serve again when one has gone', async () => {
    const crowded = await openOffice();
    const held = [];
    for (let i = 0; i < 32; i++) held.push(await hold(crowded.intake.port));
    expect(held.filter(({ heard }) => heard.startsWith('220'))).toHaveLength(32);
    expect((await hold(crowded.intake.port)).heard).toMatch(/^421 /);
    await held.pop()?.close();
    await eventually(
      () => crowded.mail({ text: COMMAND }),
      ({ code }) => code === 250,
    );
    await Promise.all(held.map(({ close }) => close()));
  });
});

describe('the gates', () => {
  it('ask no address: the list of senders stands in its place', async () => {
    const listed = await openOffice({ gateway: { controls: { allowlist: ['203.0.113.1'] } } });
    expect(await listed.mail({ text: COMMAND })).toMatchObject({ code: 250 });
    expect((await listed.gateway.send()).body.code).toBe('ADDRESS_BLOCKED');
  });

  it('obey the kill switch for good, so that no server trades when it is off again', async () => {
    const stopped = await openOffice({
      gateway: { controls: { killSwitch: { active: true, scope: 'entries', reason: 'news' } } },
    });
    expect(await stopped.mail({ text: COMMAND })).toMatchObject({
      code: 550,
      text: expect.stringContaining('kill switch (news)'),
    });
    expect(await stopped.mail({ text: 'close long BTCUSDT 1 binance' })).toMatchObject({ code: 554 });
  });

  it('take a trade that is slow or queued: it is on disk', async () => {
    const queued = await openOffice({ gateway: { controls: { queueMode: 'async' } } });
    const reply = await queued.mail({ text: COMMAND });
    expect(reply).toMatchObject({ code: 250, text: expect.stringMatching(/^2\.0\.0 Enqueued /) });
    await queued.gateway.until(reply.text.split(' ').at(-1) as string, 'Filled');
  });

  it('451 when the disk fails or the venue is gone in direct mode: later it may work', async () => {
    const venue = createScriptedVenue();
    const direct = await openOffice({ gateway: { venues: [venue], controls: { queueMode: 'direct' } } });
    venue.down = 'not-sent';
    const mail = { messageId: '<again@spf.example>', text: COMMAND };
    expect(await direct.mail(mail)).toMatchObject({ code: 451, text: expect.stringMatching(/^4\.4\.1 /) });
    venue.down = undefined;
    expect(await direct.mail(mail)).toMatchObject({ code: 250 });
    expect(await direct.mail(mail)).toMatchObject({ code: 250, text: expect.stringContaining('already taken') });
    expect(venue.sent).toHaveLength(1);
    await direct.gateway.close();
    expect(await direct.mail({ text: COMMAND })).toMatchObject({ code: 451, text: expect.stringMatching(/^4\.3\.0 /) });
  });
});

describe('a mail delivered again', () => {
  const again = { messageId: '<one@spf.example>', text: COMMAND };

  it('is taken, but trades once', async () => {
    const before = await tradeCount(office.gateway);
    const first = await office.mail(again);
    expect(first).toMatchObject({ code: 250, text: expect.stringContaining('Filled') });
    const id = first.text.split(' ').at(-1);
    expect(await office.mail(again)).toEqual({ code: 250, text: `2.0.0 already taken as ${id}; not traded again` });
    expect(await tradeCount(office.gateway)).toBe(before + 1);
  });

  it('at the same instant on many connections trades once', async () => {
    const before = await tradeCount(office.gateway);
    const mail = { messageId: '<crowd@spf.example>', text: COMMAND };
    const replies = await Promise.all(Array.from({ length: 20 }, () => office.mail(mail)));
    expect(replies.map(({ code }) => code)).toEqual(Array(20).fill(250));
    expect(replies.filter(({ text }) => text.includes('already taken'))).toHaveLength(19);
    expect(await tradeCount(office.gateway)).toBe(before + 1);
  });

  it('to another label is another signal, and so is another mail with the same words', async () => {
    await office.gateway.keys.create({ label: 'second' });
    const before = await tradeCount(office.gateway);
    expect(await office.mail({ ...again, to: 'signals+second@x.example' })).toMatchObject({
      text: expect.stringContaining('Filled'),
    });
    expect(await office.mail({ ...again, messageId: '<two@spf.example>' })).toMatchObject({
      text: expect.stringContaining('Filled'),
    });
    expect(await tradeCount(office.gateway)).toBe(before + 2);
  });

  it('over a new process on the same folder trades once', async () => {
    const first = await openOffice();
    const mail = { to: 'signals+test-0@x.example', messageId: '<restart@spf.example>', text: COMMAND };
    expect(await first.mail(mail)).toMatchObject({ code: 250 });
    await first.intake.stop(0);
    await first.gateway.close();
    const second = await openOffice({ gateway: { dataDir: first.gateway.dataDir } });
    expect(await second.mail(mail)).toMatchObject({ code: 250, text: expect.stringContaining('already taken') });
    expect(await tradeCount(second.gateway)).toBe(1);
  });

  it('is known by the idempotency key in its text, where it has one', async () => {
    const text = `${COMMAND}\nidempotencyKey: 523e4567-e89b-42d3-a456-426614174000`;
    expect(await office.mail({ text })).toMatchObject({ text: expect.stringContaining('Filled') });
    expect(await office.mail({ text })).toMatchObject({ code: 250, text: expect.stringContaining('already taken') });
  });

  it('later than it may trade is too old, also when the journal has forgotten it', async () => {
    const quick = await openOffice({ gateway: { idempotencyWindowMs: 2000 }, maxAgeMs: 600_000 });
    const date = new Date();
    const mail = { messageId: '<kept@spf.example>', date, text: COMMAND };
    quick.gateway.clock.offsetMs = date.getTime() - (date.getTime() % 1000) - Date.now();
    expect(await quick.mail(mail)).toMatchObject({ code: 250 });
    quick.gateway.clock.offsetMs += 5000;
    expect(await quick.mail(mail)).toMatchObject({ code: 554, text: expect.stringContaining('SMTP_MAX_AGE_S') });
    expect(await tradeCount(quick.gateway)).toBe(1);
  });
});

describe('the date', () => {
  it('may be up to the limit old, and a little ahead', async () => {
    const at = (offsetMs: number) => office.mail({ date: new Date(Date.now() + offsetMs), text: COMMAND });
    expect(await at(-590_000)).toMatchObject({ code: 250 });
    expect(await at(-602_000)).toMatchObject({
      code: 554,
      text: expect.stringMatching(/60[2-5] s old and may be 600 s/),
    });
    expect(await at(290_000)).toMatchObject({ code: 250 });
    expect(await at(310_000)).toMatchObject({ code: 554, text: expect.stringContaining('future') });
  });
});

describe('a client that misbehaves', () => {
  it('and hangs up in the middle does not trade, and nothing is left behind', async () => {
    office.entries.length = 0;
    const before = await tradeCount(office.gateway);
    await talk(
      office.intake.port,
      ['EHLO x', `MAIL FROM:<${ME}>`, `RCPT TO:<${office.to}>`, 'DATA', `${head()}\r\n${COMMAND}`],
      1000,
    );
    await eventually(
      () => office.entries.length,
      (count) => count > 0,
    );
    expect(office.entries).toMatchObject([{ code: 451, text: expect.stringContaining('the connection broke') }]);
    expect(office.entries[0]).not.toHaveProperty('fault');
    expect(await tradeCount(office.gateway)).toBe(before);
  });

  it('and speaks no SMTP is let go', async () => {
    expect(await talk(office.intake.port, Array(12).fill('GET / HTTP/1.1'))).toMatch(/421 /);
    expect(await talk(office.intake.port, [`EHLO ${'x'.repeat(20_000)}`])).toMatch(/421 |501 /);
  });

  it('does not keep the others waiting: one of many connections still trades', async () => {
    const idle = Array.from({ length: 20 }, () => talk(office.intake.port, ['EHLO x', 'MAIL'], 1500));
    expect(await office.mail({ text: COMMAND })).toMatchObject({ code: 250 });
    await Promise.all(idle);
  });
});

describe('stopping', () => {
  it('lets the mail under way end, and tells new ones to come later', async () => {
    const venue = createScriptedVenue();
    const place = await openOffice({ gateway: { venues: [venue] } });
    let release = (): void => {};
    const { placeOrder } = venue;
    venue.placeOrder = async (request) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return placeOrder(request);
    };
    const sent = place.mail({ text: COMMAND });
    await eventually(
      () => tradeCount(place.gateway),
      (count) => count === 1,
    );
    const idle = talk(place.intake.port, ['EHLO x'], 4000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const stopped = place.intake.stop(3000);
    release();
    expect(await sent).toMatchObject({ code: 250 });
    await stopped;
    await idle;
    expect(await deliver(place.intake, { from: ME, to: place.to, text: COMMAND })).toMatchObject({ code: 0 });
  });
});
