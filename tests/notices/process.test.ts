// The real program with every channel at once: each notice arrives everywhere, over kills, and a shut channel stops nobody.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foregroundTimers } from '../../src/timing/timers.ts';
import { wait } from '../../src/timing/wait.ts';
import { runCommandHere } from '../cli/command-line.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import type { Sent } from '../support/gateway.ts';
import {
  MAIL_USER,
  type MailReceiver,
  startMailReceiver,
  startWebReceiver,
  type WebReceiver,
} from '../support/notice-receivers.ts';
import { type RunningProcess, startGatewayProcess } from '../support/process.ts';
import { eventually } from '../webhook/answers.ts';

const DISCORD = '/api/webhooks/123/discord-secret-token';
const NTFY = '/';
const WEBHOOK = '/in';
const SECRETS = ['discord-secret-token', 'tk_ntfysecret', MAIL_USER.password, 'webhook-secret-0123456789'];

let web: WebReceiver;
let mail: MailReceiver;
let env: Record<string, string>;
beforeAll(async () => {
  web = await startWebReceiver();
  mail = await startMailReceiver();
  env = {
    DISCORD_WEBHOOK_URL: `${web.url}${DISCORD}`,
    NTFY_URL: web.url,
    NTFY_TOPIC: 'my-topic',
    NTFY_TOKEN: 'tk_ntfysecret',
    NTFY_NOTICES: 'trades,refusals,alarms',
    MAIL_HOST: '127.0.0.1',
    MAIL_PORT: String(mail.port),
    MAIL_TLS: 'none',
    MAIL_USER: MAIL_USER.user,
    MAIL_PASSWORD: MAIL_USER.password,
    MAIL_FROM: 'box@example.com',
    MAIL_TO: 'me@example.com',
    NOTIFY_WEBHOOK_URL: `${web.url}${WEBHOOK}`,
    NOTIFY_WEBHOOK_SECRET: 'webhook-secret-0123456789',
    DAILY_REPORT_AT: '00:00',
    DAILY_REPORT_ZONE: 'Pacific/Auckland',
  };
});
afterAll(() => Promise.all([web.close(), mail.close()]));

const start = async (dataDir?: string): Promise<RunningProcess> => {
  const running = await startGatewayProcess({ env, ...(dataDir && { dataDir }) });
  closeAtEnd(() => running.kill());
  return running;
};
const ask = async (running: RunningProcess, path: string, body?: object): Promise<Sent['body']> => {
  const init = body && { method: 'POST', body: JSON.stringify(body) };
  return (await (await fetch(`${running.url}${path}`, init)).json()) as Sent['body'];
};
const send = (running: RunningProcess, apiKey: string, fields: object = {}) =>
  ask(running, '/webhook', {
    apiKey,
    exchange: 'binance',
    action: 'LONG',
    symbol: 'BTCUSDT',
    quantity: 0.01,
    ...fields,
  });
/** Everything that each channel has taken. */
const told = () => ({
  discord: web.taken(DISCORD).map(({ content }) => String(content)),
  ntfy: web.taken(NTFY).map(({ message }) => String(message)),
  webhook: web.taken(WEBHOOK).map(({ text }) => String(text)),
  mail: mail.mails.map(({ text }) => text),
});
type Told = ReturnType<typeof told>;
const counts = (part: string): Record<string, number> =>
  Object.fromEntries(
    Object.entries(told()).map(([channel, texts]) => [channel, texts.filter((text) => text.includes(part)).length]),
  );
const everywhere = (part: string, times = 1) =>
  eventually(
    () => counts(part),
    (found) => Object.values(found).every((count) => count >= times),
  );
const ONCE = { discord: 1, ntfy: 1, webhook: 1, mail: 1 };

describe('the program', () => {
  test('tells every channel once, over a crash, while one of them is shut', async () => {
    const first = await start();
    const apiKey = first.apiKey as string;
    const answer = await send(first, apiKey, { comment: 'the first' });
    expect(answer).toMatchObject({ success: true, notificationResult: null });
    await everywhere('the first');
    expect(counts('the first')).toEqual(ONCE);

    web.answers.set(DISCORD, 'hang up');
    await send(first, apiKey, { comment: 'the second' });
    await eventually(
      () => counts('the second'),
      ({ ntfy, webhook, mail: mailed }) => ntfy === 1 && webhook === 1 && mailed === 1,
    );
    // What the others confirmed must be struck off before the end, or it would rightly come again.
    await eventually(
      () => ask(first, '/admin/notifiers'),
      ({ result }) =>
        result.every(
          ({ channel, waiting }: Told & { channel: string; waiting: number }) =>
            waiting === (channel === 'discord' ? 1 : 0),
        ),
    );
    await first.kill();
    web.answers.delete(DISCORD);

    const second = await start(first.dataDir);
    await everywhere('the second');
    await everywhere('it was not stopped properly');
    expect(counts('the first')).toEqual(ONCE);
    expect(counts('the second')).toEqual(ONCE);
    // Put up by the first process, and found by the second to be there.
    expect(counts('Daily report of')).toEqual({ ...ONCE, ntfy: 0 });
    const { result } = await ask(second, `/trades/${answer.requestId}`);
    expect(
      result.events
        .filter(({ kind }: { kind: string }) => kind === 'notified')
        .map(({ detail }: { detail: string }) => detail)
        .sort(),
    ).toEqual(['discord', 'mail', 'ntfy', 'webhook']);

    expect(await second.stop()).toBe(0);
    const output = first.output() + second.output();
    for (const secret of SECRETS) {
      expect(output).not.toContain(secret);
      for (const file of readdirSync(first.dataDir, { recursive: true, withFileTypes: true }))
        if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name)).includes(secret)).toBe(false);
    }
  });

  test('killed again and again amid trades, every channel is told every trade, and repeats at most what a kill cut off', async () => {
    let running = await start();
    const { dataDir, apiKey } = running;
    const key = apiKey as string;
    const comments: string[] = [];
    for (const afterMs of [0, 250, 700]) {
      for (const number of [1, 2, 3]) {
        const comment = `trade ${number} at ${afterMs} ms`;
        expect((await send(running, key, { comment })).success).toBe(true);
        comments.push(comment);
      }
      await wait(afterMs, { timers: foregroundTimers });
      await running.kill();
      running = await start(dataDir);
    }
    for (const comment of comments) await everywhere(comment);
    await eventually(
      () => ask(running, '/admin/notifiers'),
      ({ result }) => result.every(({ waiting }: { waiting: number }) => waiting === 0),
    );
    // One message of a channel is under way at a time, so a kill can repeat one; it may hold the trades of its life.
    for (const comment of comments)
      for (const count of Object.values(counts(comment))) expect(count).toBeLessThanOrEqual(2);
    expect(await running.stop()).toBe(0);
  });

  test('tells what each channel wants, shows a channel that refuses, and tests all of them', async () => {
    const running = await start();
    const apiKey = running.apiKey as string;
    await send(running, apiKey, { symbol: 'NOSUCHCOIN', action: 'SIDEWAYS' });
    await eventually(
      () => counts('Refused: a signal of'),
      ({ ntfy }) => ntfy === 1,
    );
    expect(counts('Refused: a signal of')).toEqual({ ...ONCE, discord: 0, webhook: 0, mail: 0 });

    await fetch(`${running.url}/admin/kill-switch`, {
      method: 'PUT',
      body: JSON.stringify({ active: true, reason: 'a test of all' }),
    });
    await everywhere('The kill switch is ON (all): every signal is refused (a test of all)');

    web.answers.set(DISCORD, { status: 404, body: '{"message": "Unknown Webhook"}' });
    const tested = await runCommandHere(['notify', 'test'], { ...env, DATA_DIR: running.dataDir });
    expect(tested.code).toBe(1);
    expect(tested.stderr).toContain('discord: NOT delivered: it answered 404. Is the webhook deleted?');
    for (const channel of ['ntfy', 'mail', 'webhook']) expect(tested.stderr).toContain(`${channel}: delivered`);
    expect(mail.mails.at(-1)?.subject).toContain('Signalbox test');

    await fetch(`${running.url}/admin/kill-switch`, { method: 'PUT', body: JSON.stringify({ active: false }) });
    await eventually(
      () => ask(running, '/ready'),
      (ready) =>
        ready.warnings.some((text: string) => text.includes('Notices by discord do not arrive: it answered 404')),
    );
    const { warnings } = await ask(running, '/ready');
    // What the others are told of the switch may still be on its way.
    const seen = await eventually(
      () => runCommandHere(['notify'], { ...env, DATA_DIR: running.dataDir }),
      ({ stdout }) => /ntfy\s+trades, refusals, alarms\s+working\s+0/.test(stdout),
    );
    expect(seen.stdout).toMatch(/discord\s+trades, alarms, report\s+refused/);
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    expect(metrics).toMatch(/notices_total\{channel="ntfy",result="delivered"\} \d/);
    expect(metrics).toMatch(/notices_waiting \d/);
    const doctor = await runCommandHere(['doctor'], { ...env, DATA_DIR: running.dataDir });
    expect(doctor.stdout).toContain('Notices by discord do not arrive');
    expect(doctor.stdout).toContain(
      'notices: told by discord (trades, alarms, report), ntfy (trades, refusals, alarms)',
    );
    for (const secret of SECRETS)
      expect(`${warnings}${seen.stdout}${doctor.stdout}${tested.stderr}${running.output()}`).not.toContain(secret);
    web.answers.delete(DISCORD);
  });
});
