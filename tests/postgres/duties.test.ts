// What only the owner of the desk does, over a take-over: deployments, the chat, mail, orders at an exchange and the stream of
// events each go on with the next owner, and nothing is done twice.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventId } from '../../src/library/deployments/event-id.ts';
import { toText } from '../../src/trading/decimal.ts';
import { deliver } from '../mail/post-office.ts';
import { BOT_TOKEN, startBotApi } from '../support/bot-api-server.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { freePort } from '../support/launched-server.ts';
import { timed } from '../support/lived-time.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startGatewayProcess, startProcess } from '../support/process.ts';
import {
  INTERNAL_TOKEN,
  listAt,
  livedUntilTraded,
  post,
  STANDBY_KEY,
  startStandby,
  TAKE_OVER_MS,
} from '../support/standby.ts';

const ADMIN_TOKEN = 'an-admin-token-of-32-characters!';
const POLL = { timeout: 120_000, interval: 50 };
/** More than are delivered before the kill, so that it meets some. */
const ALERTS = 16;
const QUANTITY = 0.002;

let server: PostgresServer;
let databaseUrl: string;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startPostgres();
});

beforeEach(async () => {
  databaseUrl = await server.newDatabase();
  env = {
    ...{ DATABASE_URL: databaseUrl, WEBHOOK_API_KEYS: STANDBY_KEY, INTERNAL_TOKEN, ADMIN_TOKEN },
    ...{ LOG_LEVEL: 'error', WEBHOOK_RATE_PER_MINUTE: '0', SIGNAL_MAX_AGE_S: '600' },
    SIGNALBOX_MASTER_KEY: 'the-same-master-key-on-both',
  };
});

const rows = (text: string) => server.query(text, databaseUrl);
const isFilled = (trade: Record<string, unknown>): boolean => trade.status === 'Filled';
const tradesOf = async (url: string, source: string) =>
  ((await listAt(url, '/trades?limit=200')) ?? []).filter((trade) => trade.source === source);

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field
async function ask(url: string, path: string, headers: Record<string, string>, body?: object): Promise<any> {
  return (await fetch(url + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })).json();
}

/** Of a script that raises an alert at every bar; its target trades. */
async function deploy(url: string): Promise<string> {
  const { api_key: key } = await ask(url, '/api/keys', { 'x-admin-token': ADMIN_TOKEN }, {});
  const headers = { authorization: `Bearer ${key}` };
  const content = `//@version=6\nindicator("x")\nalert("LONG ${QUANTITY} BTCUSDT on bybit", alert.freq_once_per_bar_close)\nplot(close)`;
  const { script } = await ask(url, '/api/scripts', headers, { name: 'Mine', content });
  const targets = [{ type: 'trade', apiKey: STANDBY_KEY }];
  const asked = { scriptId: script.id, symbol: 'BTCUSDT', interval: '1m', targets };
  const { deployment } = await ask(url, '/api/deployments', headers, asked);
  expect(deployment).toMatchObject({ state: 'running' });
  return deployment.id;
}

/** As runs of bars of the past leave them; due at once. */
async function addAlerts(deployment: string): Promise<void> {
  const events = Array.from({ length: ALERTS }, (_, bar) => ({
    id: eventId(deployment, (bar + 1) * 60_000, 0),
    barTime: (bar + 1) * 60_000,
  }));
  const alert = ({ id, barTime }: (typeof events)[number]) =>
    `('${id}', '${deployment}', ${barTime}, 0, 'LONG ${QUANTITY} BTCUSDT on bybit', 'alert', ${Date.now()})`;
  await rows(`INSERT INTO strangers.deployment_events
      (id, deployment_id, bar_time, ordinal, message, source, created_at) VALUES ${events.map(alert).join()};
    INSERT INTO strangers.deployment_outbox (event_id, deployment_id, target, target_kind, attempts, next_attempt_at)
      VALUES ${events.map(({ id }) => `('${id}', '${deployment}', 0, 'trade', 0, 0)`).join()}`);
}

const undelivered = async (): Promise<number> =>
  Number((await rows('SELECT count(*) AS n FROM strangers.deployment_outbox'))[0]?.n);

test('deployments, the chat, mail and a resting order go on with the next owner, each once', async () => {
  const [bot, venue, smtpPort] = [await startBotApi(), await startBinance(), await freePort()];
  closeAtEnd(() => Promise.all([bot.close(), venue.close()]));
  const { market } = venue;
  market.setPrice('BTCUSDT', '50000');
  Object.assign(env, {
    ...{ SERVICES: 'gateway,analysis,scripts', TELEGRAM_BOT_TOKEN: BOT_TOKEN, TELEGRAM_API_ROOT: bot.root },
    ...{ TELEGRAM_DEFAULT_CHAT: '42', SMTP_PORT: `${smtpPort}`, SMTP_ALLOWED_SENDERS: 'me@example.com' },
    ...{ SMTP_AUTH_POLICY: 'off', BINANCE_MODE: 'live', BINANCE_BASE_URL: venue.baseUrl },
    ...{ BINANCE_API_KEY: venue.credentials.apiKey, BINANCE_API_SECRET: venue.credentials.secret },
    CONFIRM_FIRST_LIVE_ORDER: 'no',
  });
  const owner = await startProcess({ env });
  const standby = await startStandby(env);
  const texts = (part: string): string[] => bot.messages.map(({ text }) => text).filter((text) => text.includes(part));
  const mail = { from: 'me@example.com', to: 'signals+static-1@trade.example', text: 'LONG 0.1 ETHUSDT on bybit' };
  const mailed = (messageId: string) => deliver({ port: smtpPort }, { ...mail, messageId });

  const deployment = await deploy(standby.url);
  bot.say('/status');
  await expect.poll(() => texts('Trading: binance'), POLL).toHaveLength(1);
  expect(await mailed('<first@example.com>')).toMatchObject({ code: 250, text: expect.stringContaining('Filled') });
  const resting = { exchange: 'binance', symbol: 'BTCUSDT', quantity: 0.01, price: 49_000, comment: 'the resting one' };
  expect(await post(standby.url, 'resting', resting)).toBe(200);
  await expect.poll(() => market.openOrders('BTCUSDT').length, POLL).toBe(1);
  await addAlerts(deployment);
  await expect.poll(undelivered, POLL).toBeLessThan(ALERTS);
  await owner.kill();

  // Meanwhile nobody is there: the market comes to the order, and somebody writes to the bot.
  market.setPrice('BTCUSDT', '48900');
  bot.say('/positions');
  const sent = livedUntilTraded(standby.url, 'the first', { exchange: 'bybit' });
  const { livedMs: mailMs } = await timed(() =>
    expect.poll(() => mailed('<first@example.com>'), POLL).toMatchObject({ code: 250 }),
  );
  const { livedMs: chatMs } = await timed(() => expect.poll(() => texts('BTCUSDT:LONG'), POLL).toHaveLength(1));
  for (const livedMs of [await sent, mailMs, chatMs]) {
    expect(livedMs).toBeLessThan(TAKE_OVER_MS);
  }
  await expect.poll(async () => (await tradesOf(standby.url, 'webhook')).filter(isFilled).length, POLL).toBe(2);
  expect(await mailed('<second@example.com>')).toMatchObject({ code: 250, text: expect.stringContaining('Filled') });
  expect(await tradesOf(standby.url, 'email')).toHaveLength(2);
  expect(market.orders.map(({ side, executed }) => `${side} ${toText(executed)}`)).toEqual(['BUY 0.01']);

  await expect.poll(undelivered, POLL).toBe(0);
  const raised = await rows('SELECT id FROM strangers.deployment_events ORDER BY id');
  expect(raised.length).toBeGreaterThanOrEqual(ALERTS);
  const alerts = await tradesOf(standby.url, 'script');
  const names = alerts.map(({ idempotencyKey }) => String(idempotencyKey).split('/')[1]).sort();
  expect(names).toEqual(raised.map(({ id }) => id));
  expect(alerts.every(isFilled)).toBe(true);
  // The owner's chat is told of the fill once, and each thing that was said was answered once.
  await expect.poll(() => texts('Filled 0.01 at 49000').length, POLL).toBe(1);
  expect([texts('Trading: binance').length, texts('BTCUSDT:LONG').length]).toEqual([1, 1]);
  await standby.stop();
});

interface Frame {
  readonly type: string;
  readonly cursor: string;
  readonly gap?: boolean;
  readonly kind?: string;
}

/** Follows the events, and goes on from its cursor whenever it is cut off, as a page does. */
class Follower {
  readonly events: string[] = [];
  readonly gaps: boolean[] = [];
  cuts = 0;
  #socket: WebSocket | undefined;
  #isOver = false;

  constructor(url: string) {
    void this.#follow(`${url.replace('http', 'ws')}/events`);
    closeAtEnd(async () => this.close());
  }

  async #follow(address: string): Promise<void> {
    for (let cursor = ''; !this.#isOver; await sleep(100)) {
      const headers = { authorization: `Bearer ${INTERNAL_TOKEN}` };
      const socket = new WebSocket(`${address}${cursor && `?after=${cursor}`}`, { headers });
      this.#socket = socket;
      socket.on('error', () => {});
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data)) as Frame;
        cursor = frame.cursor;
        if (frame.type === 'hello') this.gaps.push(frame.gap ?? false);
        if (frame.type === 'event') this.events.push(frame.cursor);
      });
      await once(socket, 'close').catch(() => {});
      this.cuts += 1;
    }
  }

  close(): void {
    this.#isOver = true;
    this.#socket?.terminate();
  }
}

const eventsAfter = async (url: string, cursor: string): Promise<string[]> => {
  const headers = { authorization: `Bearer ${INTERNAL_TOKEN}` };
  const { result } = await ask(url, `/events?limit=500&after=${cursor}`, headers);
  return (result.events as Frame[]).map((event) => event.cursor);
};

test('a page that follows the events through the standby misses none over a take-over, and hears none twice', async () => {
  const owner = await startGatewayProcess({ env });
  const standby = await startStandby(env);
  const headers = { authorization: `Bearer ${INTERNAL_TOKEN}` };
  const { cursor } = (await ask(standby.url, '/events', headers)).result as { cursor: string };
  const follower = new Follower(standby.url);
  await expect.poll(() => follower.gaps, POLL).toEqual([false]);
  for (let number = 0; number < 5; number += 1) expect(await post(standby.url, `before ${number}`)).toBe(200);
  const sending = Array.from({ length: 20 }, (_, number) => post(owner.url, `amid ${number}`).catch(() => 0));
  await Promise.race(sending);
  await owner.kill();
  await Promise.all(sending);
  expect(await livedUntilTraded(standby.url, 'after')).toBeLessThan(TAKE_OVER_MS);
  await expect
    .poll(async () => follower.events.at(-1) === (await eventsAfter(standby.url, cursor)).at(-1), POLL)
    .toBe(true);
  expect(follower.cuts).toBeGreaterThan(0);
  expect(follower.gaps.every((gap) => !gap)).toBe(true);
  expect(follower.events).toEqual(await eventsAfter(standby.url, cursor));
  await standby.stop();
});

test('of three processes one owns the desk, whichever dies, and each passes on to it', async () => {
  const owner = await startGatewayProcess({ env });
  const others = [await startStandby(env), await startStandby(env)];
  const traded = async (alertId: string, urls: readonly string[]): Promise<void> => {
    for (const url of urls) expect(await livedUntilTraded(url, alertId)).toBeLessThan(TAKE_OVER_MS);
  };
  await traded('a', [owner.url, ...others.map(({ url }) => url)]);
  await owner.kill();
  await traded(
    'b',
    others.map(({ url }) => url),
  );
  const lists = await Promise.all(others.map(({ url }) => tradesOf(url, 'webhook')));
  expect(lists[0]).toEqual(lists[1]);
  const [{ holder } = {}] = await rows(`SELECT address AS holder FROM trading.leases WHERE name = 'desk'`);
  const second = others.find(({ url }) => url === holder);
  const third = others.find(({ url }) => url !== holder);
  expect([second, third]).not.toContain(undefined);
  await second?.kill();
  await traded('c', [third?.url ?? '']);
  expect((await tradesOf(third?.url ?? '', 'webhook')).map(({ alertId }) => alertId)).toEqual(['c', 'b', 'a']);
  await third?.stop();
});
