// The settings of the owner's channels and of the daily report.

import { describe, expect, it } from 'vitest';
import { faultsOf, load } from './testing/load.ts';

const MAIL = { MAIL_HOST: 'smtp.example.com', MAIL_FROM: 'box@example.com', MAIL_TO: 'me@example.com' };
const HOOK = 'https://discord.com/api/webhooks/1/secret-token';

describe('channels', () => {
  it('are off unless they are set', () => {
    const { discord, ntfy, mail, webhook, report } = load({}).notices;
    expect([discord, ntfy, mail, webhook]).toEqual([undefined, undefined, undefined, undefined]);
    expect(report).toEqual({ atMinutes: undefined, zone: 'UTC' });
  });

  it('are read, each with what it is told', () => {
    const { notices, warnings } = load({
      ...{
        ...MAIL,
        DISCORD_WEBHOOK_URL: HOOK,
        DISCORD_NOTICES: 'alarms',
        NTFY_TOPIC: 'mine',
        NTFY_URL: 'https://push.example',
      },
      ...{ NOTIFY_WEBHOOK_URL: 'http://127.0.0.1:9/in?x=1', NOTIFY_WEBHOOK_SECRET: 's'.repeat(16) },
    });
    const topics = ['trades', 'alarms', 'report'];
    expect(notices.discord).toEqual({ url: HOOK, topics: ['alarms'] });
    expect(notices.ntfy).toEqual({ server: 'https://push.example/', topic: 'mine', token: undefined, topics });
    expect(notices.mail).toMatchObject({
      host: 'smtp.example.com',
      port: 587,
      tls: 'starttls',
      to: ['me@example.com'],
      topics,
    });
    expect(notices.webhook).toEqual({ url: 'http://127.0.0.1:9/in?x=1', secret: 's'.repeat(16), topics });
    expect(warnings).toEqual([]);
  });

  it.each([
    [{ MAIL_HOST: 'smtp.example.com' }, ['MAIL_FROM: is empty', 'MAIL_TO: is empty']],
    [{ ...MAIL, MAIL_FROM: 'Box <box@example.com>' }, ['MAIL_FROM: "Box <box@example.com>" is no mail address']],
    [{ ...MAIL, MAIL_FROM: 'a@b.c,d@e.f' }, ['MAIL_FROM: names several addresses']],
    [{ ...MAIL, MAIL_TO: 'me@example.com, you' }, ['MAIL_TO: "you" is no mail address']],
    [{ ...MAIL, MAIL_PORT: '0' }, ['MAIL_PORT: "0" does not fit']],
    [{ ...MAIL, MAIL_TLS: 'yes' }, ['MAIL_TLS: "yes" is not known; use one of starttls, tls, none']],
    [{ NTFY_TOPIC: 'a topic' }, ['NTFY_TOPIC: is no topic of ntfy']],
    [
      { DISCORD_NOTICES: 'trade' },
      ['DISCORD_NOTICES: "trade" is not known; use one of trades, refusals, alarms, report'],
    ],
    [{ NOTIFY_WEBHOOK_URL: 'https://example.com' }, ['NOTIFY_WEBHOOK_SECRET: is not set']],
    [{ NOTIFY_WEBHOOK_SECRET: 'short' }, ['NOTIFY_WEBHOOK_SECRET: is too weak']],
    [
      { NOTIFY_WEBHOOK_URL: 'https://example.com', NOTIFY_WEBHOOK_SECRET: 'short' },
      ['NOTIFY_WEBHOOK_SECRET: is too weak'],
    ],
  ])('%j is told with its remedy', (env, words) => {
    const faults = faultsOf(env);
    expect(faults).toHaveLength(words.length);
    for (const [index, word] of words.entries()) expect(faults[index]).toContain(word);
  });

  it.each([
    'discord.com/api/webhooks/1/secret-token',
    'ftp://x/secret-token',
    'https://me:secret-token@x',
    `${HOOK}#x`,
  ])('an address that is none is refused and not repeated: %s', (url) => {
    for (const name of ['DISCORD_WEBHOOK_URL', 'NOTIFY_WEBHOOK_URL']) {
      const [fault] = faultsOf({ [name]: url, NOTIFY_WEBHOOK_SECRET: 's'.repeat(16) });
      expect(fault).toContain(`${name}: is no web address`);
      expect(fault).not.toContain('secret-token');
    }
  });

  it.each([
    [{ DISCORD_WEBHOOK_URL: 'http://example.com/x' }, 'DISCORD_WEBHOOK_URL is not https'],
    [{ NTFY_TOPIC: 'mine', NTFY_URL: 'http://example.com' }, 'NTFY_URL is not https'],
    [{ NTFY_TOKEN: 'tk_12345678' }, 'NTFY_TOKEN is set but NTFY_TOPIC is not'],
    [{ ...MAIL, MAIL_TLS: 'none' }, 'MAIL_TLS is none'],
    [{ DAILY_REPORT_AT: '18:00' }, 'nobody would get the report'],
    [{ DAILY_REPORT_AT: '18:00', ...MAIL, MAIL_NOTICES: 'alarms' }, 'nobody would get the report'],
  ])('%j warns', (env, words) => {
    const { warnings } = load(env);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(words);
  });
});

describe('the daily report', () => {
  it('has an hour and a zone', () => {
    const env = { ...MAIL, DAILY_REPORT_AT: '18:30', DAILY_REPORT_ZONE: 'Europe/Berlin' };
    expect(load(env).notices.report).toEqual({ atMinutes: 1110, zone: 'Europe/Berlin' });
    expect(load(env).warnings).toEqual([]);
    expect(load({ ...MAIL, DAILY_REPORT_AT: '00:00' }).notices.report.atMinutes).toBe(0);
    expect(load({ ...MAIL, DAILY_REPORT_AT: '23:59' }).notices.report.atMinutes).toBe(1439);
  });

  it.each(['24:00', '6:00', '18.00', '18:60', '6pm', '18:00:00'])('%s is no time of day', (text) => {
    expect(faultsOf({ DAILY_REPORT_AT: text })[0]).toContain('is no time of day');
  });

  it.each(['Berlin', 'CET+1', 'Mars/Olympus'])('%s is no zone', (text) => {
    expect(faultsOf({ DAILY_REPORT_ZONE: text })[0]).toContain('is no time zone; write it like Europe/Berlin');
  });
});
