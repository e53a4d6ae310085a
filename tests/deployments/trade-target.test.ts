// A deployed script's alert trades through the gateway's gates under a webhook key, once, and only while that key may.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAlertSender } from '../../src/library/deployments/index.ts';
import { processSignal } from '../../src/services/gateway/process-signal.ts';
import { readEmail } from '../../src/services/gateway/read-email.ts';
import { type AlertTrader, createAlertTrader } from '../../src/services/gateway/trade-alert.ts';
import { decimal } from '../../src/trading/decimal.ts';
import { acceptFrom } from '../../src/trading/intake/accept-signal.ts';
import type { Sender } from '../../src/trading/intake/gates.ts';
import type { TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { freshGateway, tradeCount } from '../webhook/answers.ts';

const MESSAGE = '{"exchange":"binance","action":"LONG","symbol":"BTCUSDT","quantity":0.01}';

const traderOf = (gateway: TestGateway, maxAgeMs = 60_000): AlertTrader =>
  createAlertTrader({
    signal: gateway.webhook,
    senderOf: (keyId) => gateway.keys.find(keyId),
    journal: gateway.data.journal,
    nextRequestId: randomUUID,
    maxAgeMs,
  });

/** As the script process sends: one event, one target. */
function senderOf(gateway: TestGateway, keyId: string, keyLabel = 'test-0', barsFrom = 'simulated') {
  const trader = traderOf(gateway);
  const sender = createAlertSender({
    webhook: { faultOf: () => undefined, post: async () => ({ status: 200 }) },
    trades: { trade: (alert) => trader.trade(alert) },
  });
  const target = { type: 'trade', keyId, keyLabel } as const;
  return (id: string, message = MESSAGE, createdAtMs = Date.now()): Promise<string> =>
    sender.send({ id, message, createdAtMs } as never, target, { barsFrom } as never);
}

const freshQuote = async () => ({ bid: decimal(100), ask: decimal(101), atMs: Date.now() });

/** What somebody does to stop it, and a word of the refusal. */
const STOPS: readonly (readonly [string, (gateway: TestGateway, keyId: string) => unknown, RegExp])[] = [
  ['a revoked key', (gateway, keyId) => gateway.keys.revoke(keyId), /revoked/],
  [
    'a paused key',
    (gateway, keyId) => gateway.request('PUT', `/admin/restrictions/key/${keyId}/pause`, { paused: true }),
    /paused/,
  ],
  [
    'the kill switch',
    (gateway) => gateway.controls.set('killSwitch', { active: true, scope: 'all' }, 'test'),
    /kill switch/,
  ],
];

async function opened(options: Parameters<typeof freshGateway>[0] = {}) {
  const gateway = await freshGateway(options);
  const { keyId, label } = gateway.keys.list()[0] as { keyId: string; label: string };
  return { gateway, keyId, label, send: senderOf(gateway, keyId, label) };
}

describe('an alert', () => {
  it.each([
    ['a signal as JSON', MESSAGE],
    ['a line', 'LONG 0.01 BTCUSDT on binance'],
    [
      'the fields of a strategy',
      '{"exchange":"BINANCE","ticker":"BTCUSDT.P","action":"buy","contracts":"0.01","marketPosition":"long"}',
    ],
  ])('trades: %s', async (_, message) => {
    const { gateway, keyId, label, send } = await opened();
    const id = randomUUID();
    expect(await send(id, message)).toMatch(/^Filled as /);
    const [trade] = (await gateway.request('GET', '/trades')).body.result;
    const idempotencyKey = `script/${id}/${keyId}`;
    expect(trade).toMatchObject({ source: 'script', keyLabel: label, action: 'LONG', idempotencyKey });
  });

  it('sent twenty times at one instant, again, and after a restart, trades once', async () => {
    const { gateway, keyId, send } = await opened();
    const id = randomUUID();
    const said = await Promise.all(Array.from({ length: 20 }, () => send(id)));
    expect(said.filter((words) => words.startsWith('traded already as '))).toHaveLength(19);
    await gateway.close();
    const again = await freshGateway({ dataDir: gateway.dataDir });
    expect(await senderOf(again, keyId)(id)).toMatch(/^traded already as /);
    expect(await tradeCount(again)).toBe(1);
    expect(await senderOf(again, keyId)(randomUUID())).toMatch(/^Filled/);
  });

  it('that met prices which were too old may be sent again, and trades once they are fresh', async () => {
    let ageMs = 60_000;
    const quote = async () => ({ bid: decimal(100), ask: decimal(101), atMs: Date.now() - ageMs });
    const venue = Object.assign(createScriptedVenue(), { mode: 'live', quote });
    const { gateway, keyId, label } = await opened({ venues: [venue] });
    const send = senderOf(gateway, keyId, label, 'binance');
    const id = randomUUID();
    await expect(send(id)).rejects.toMatchObject({
      retryable: true,
      message: expect.stringContaining('STALE_QUOTE_S'),
    });
    expect(venue.sent).toEqual([]);
    ageMs = 0;
    expect(await send(id)).toMatch(/^Filled as /);
    expect(await send(id)).toMatch(/^traded already as /);
    expect(venue.sent).toHaveLength(1);
  });

  it.each(STOPS)('that traded is told as traded when it is sent again with %s', async (_, stop) => {
    const { gateway, keyId, send } = await opened();
    const id = randomUUID();
    const [, requestId] = /^Filled as (.*)$/.exec(await send(id)) as unknown as [string, string];
    await stop(gateway, keyId);
    expect(await send(id)).toBe(`traded already as ${requestId}`);
    // As after a stop of the whole product that took longer than a signal may be old.
    expect(await send(id, MESSAGE, Date.now() - 61_000)).toBe(`traded already as ${requestId}`);
    expect(await tradeCount(gateway)).toBe(1);
  });

  it.each(STOPS)('is not traded, now or later, with %s', async (_, stop, words) => {
    const { gateway, keyId, send } = await opened();
    await stop(gateway, keyId);
    await expect(send(randomUUID())).rejects.toMatchObject({
      message: expect.stringMatching(words),
      retryable: false,
    });
    expect(await tradeCount(gateway)).toBe(0);
  });

  it.each([
    ['nothing', 'live', 'simulated', false],
    ['nothing', 'live', undefined, false],
    ['nothing', 'live', 'bybit', false],
    ['nothing', 'live', 'binance testnet', false],
    ['what it says', 'live', 'binance', true],
    ['nothing', 'testnet', 'bybit testnet', false],
    ['what it says', 'testnet', 'binance testnet', true],
    ['what it says', 'testnet', 'binance', true],
  ] as const)(
    'opens %s on a %s account of binance that was raised on bars of %s',
    async (_, mode, barsFrom, isTraded) => {
      const binance = { ...createScriptedVenue('binance'), mode, quote: freshQuote } as const;
      const { gateway, keyId, label } = await opened({ venues: [binance] });
      const trader = traderOf(gateway);
      const trade = (message: string) =>
        trader.trade({ keyId, keyLabel: label, eventId: randomUUID(), message, createdAtMs: Date.now(), barsFrom });
      expect(await trade(MESSAGE)).toMatchObject(
        isTraded
          ? { status: 200, tradeStatus: 'Filled' }
          : { status: 409, code: 'FOREIGN_BARS', error: expect.stringContaining('(BINANCE:BTCUSDT) when you deploy') },
      );
      // A close goes through in any case; so does everything on paper.
      await gateway.request('POST', '/webhook', gateway.signal({ quantity: 0.01 }));
      expect(await trade('CLOSE_LONG 0.01 BTCUSDT on binance')).toMatchObject({ status: 200, tradeStatus: 'Filled' });
      expect(await trade('LONG 0.01 BTCUSDT on mexc')).toMatchObject({ status: 200, tradeStatus: 'Filled' });
    },
  );

  it('opens nothing where a route of its key leads to a live account of another venue', async () => {
    const binance = { ...createScriptedVenue('binance'), mode: 'live' } as const;
    const { gateway, keyId, label } = await opened({ venues: [binance] });
    await gateway.keys.route(keyId, [
      { account: 'bybit:main', multiplier: 1 },
      { account: 'binance:main', multiplier: 1 },
    ]);
    const alert = {
      keyId,
      keyLabel: label,
      eventId: randomUUID(),
      message: 'LONG 0.01 BTCUSDT on bybit',
      barsFrom: 'bybit',
    };
    expect(await traderOf(gateway).trade(alert)).toMatchObject({ status: 409, code: 'FOREIGN_BARS' });
    expect(await tradeCount(gateway)).toBe(0);
  });

  it('is not traded when it is no signal, holds another key, or is stale', async () => {
    const { gateway, send } = await opened();
    const other = (await gateway.keys.create({ label: 'other' })).apiKey;
    const refusal = (message: RegExp) => ({ message: expect.stringMatching(message), retryable: false });
    await expect(send(randomUUID(), 'close above 100')).rejects.toMatchObject(refusal(/holds no signal/));
    const foreign = JSON.stringify({ ...JSON.parse(MESSAGE), apiKey: other });
    await expect(send(randomUUID(), foreign)).rejects.toMatchObject(refusal(/not the key of the target/));
    await expect(send(randomUUID(), MESSAGE, Date.now() - 61_000)).rejects.toMatchObject(refusal(/SIGNAL_MAX_AGE_S/));
    expect(await send(randomUUID(), JSON.stringify({ ...JSON.parse(MESSAGE), apiKey: gateway.apiKey }))).toMatch(
      /^Filled/,
    );
    expect(await tradeCount(gateway)).toBe(1);
  });

  it('of a strategy that only closes a position trades however old it is; one that opens does not', async () => {
    const { gateway, keyId } = await opened();
    const trader = traderOf(gateway);
    const sender = createAlertSender({
      webhook: { faultOf: () => undefined, post: async () => ({ status: 200 }) },
      trades: { trade: (alert) => trader.trade(alert) },
    });
    const send = (order: object, ageMs: number): Promise<string> =>
      sender.send(
        { id: randomUUID(), source: 'order', order, createdAtMs: Date.now() - ageMs } as never,
        { type: 'trade', keyId, keyLabel: 'test-0', exchange: 'binance' },
        { id: 'd', symbol: 'BTCUSDT', scriptType: 'strategy', mode: 'trade' } as never,
      );
    const bracket = { id: 'o', price: 100, stopLoss: null, takeProfit: null };
    const entry = { ...bracket, action: 'buy', contracts: 0.01, before: 0, after: 0.01 };
    await expect(send(entry, 61_000)).rejects.toMatchObject({ retryable: false });
    expect(await send(entry, 0)).toMatch(/^Filled/);
    expect(await send({ ...bracket, action: 'sell', contracts: 0.01, before: 0.01, after: 0 }, 61_000)).toMatch(
      /^Filled/,
    );
    expect((await gateway.request('GET', '/positions')).body.result).toEqual([]);
  });

  it('is tried again where that may help, and then trades once', async () => {
    const venue = createScriptedVenue('binance');
    const { gateway, send } = await opened({ venues: [venue], controls: { queueMode: 'direct' } });
    venue.down = 'not-sent';
    const id = randomUUID();
    await expect(send(id)).rejects.toMatchObject({ retryable: true });
    venue.down = undefined;
    expect(await send(id)).toMatch(/^Filled/);
    expect(await send(id)).toMatch(/^traded already/);
    expect(venue.sent).toHaveLength(1);
    expect((await gateway.request('GET', '/positions')).body.result[0].quantity).toBe(0.01);
  });
});

const withField = (field: object): string => JSON.stringify({ ...JSON.parse(MESSAGE), ...field });

/** As the version before took an alert: its bare id was the idempotency key, whatever the target. */
function tradeAsBefore({ webhook }: TestGateway, sender: Sender, eventId: string) {
  const { order, warnings } = readEmail({ text: MESSAGE });
  const candidate = {
    ...{ requestId: randomUUID(), receivedAtMs: Date.now(), source: 'script' as const, warnings },
    order: { ...order, idempotencyKey: eventId },
  };
  return processSignal(candidate, acceptFrom(sender, candidate, webhook.keepers), webhook);
}

describe('the trade of an alert', () => {
  it('is one under each key of its targets, however often they are sent and after a restart', async () => {
    const { gateway, keyId, send } = await opened();
    const second = (await gateway.keys.create({ label: 'second' })).key;
    const id = randomUUID();
    const sendSecond = senderOf(gateway, second.keyId, 'second');
    const said = await Promise.all([send(id), sendSecond(id), send(id), sendSecond(id)]);
    expect(said.filter((words) => words.startsWith('Filled as '))).toHaveLength(2);
    await gateway.close();
    const again = await freshGateway({ dataDir: gateway.dataDir });
    expect(await senderOf(again, keyId)(id)).toMatch(/^traded already as /);
    expect(await senderOf(again, second.keyId, 'second')(id)).toMatch(/^traded already as /);
    const labels = (await again.request('GET', '/trades')).body.result.map(
      (trade: { keyLabel: string }) => trade.keyLabel,
    );
    expect(labels.toSorted()).toEqual(['second', 'test-0']);
  });

  it('cannot be taken away by a sender who knows its id', async () => {
    const { gateway, keyId, send } = await opened();
    const { key: thief, apiKey } = await gateway.keys.create({ label: 'thief' });
    const id = randomUUID();
    const body = (idempotencyKey: string) => ({ ...JSON.parse(MESSAGE), apiKey, idempotencyKey });
    expect((await gateway.request('POST', '/webhook', body(id))).status).toBe(200);
    for (const path of ['/webhook', '/webhook/tradingview'])
      expect((await gateway.request('POST', path, body(`script/${id}/${keyId}`))).status).toBe(400);
    // By a script of its own, too: what stands in a message is a sender's key.
    const other = randomUUID();
    const sendAsThief = senderOf(gateway, thief.keyId, 'thief');
    expect(await sendAsThief(randomUUID(), withField({ idempotencyKey: other }))).toMatch(/^Filled as /);
    for (const event of [id, other]) {
      expect(await send(event)).toMatch(/^Filled as /);
      expect(await send(event)).toMatch(/^traded already as /);
    }
    expect(await tradeCount(gateway)).toBe(4);
  });

  it('made by the version before is its trade still, and that of no other target', async () => {
    const { gateway, keyId, send } = await opened();
    const second = (await gateway.keys.create({ label: 'second' })).key;
    const id = randomUUID();
    await tradeAsBefore(gateway, gateway.keys.find(keyId) as Sender, id);
    expect(await send(id)).toMatch(/^traded already as /);
    expect(await tradeCount(gateway)).toBe(1);
    const sendSecond = senderOf(gateway, second.keyId, 'second');
    expect(await sendSecond(id)).toMatch(/^Filled as /);
    expect(await sendSecond(id)).toMatch(/^traded already as /);
    await gateway.keys.revoke(keyId);
    expect(await send(id)).toMatch(/^traded already as /);
    expect(await tradeCount(gateway)).toBe(2);
  });

  it.each([
    ['an idempotencyKey', { idempotencyKey: randomUUID() }],
    ['an alertId', { alertId: 'cross' }],
  ])('is not that of another alert with %s of the same value', async (_, field) => {
    const { gateway, send } = await opened();
    const message = withField(field);
    const [first, second] = [randomUUID(), randomUUID()];
    const [, requestId] = /^Filled as (.*)$/.exec(await send(first, message)) as unknown as [string, string];
    await expect(send(second, message)).rejects.toMatchObject({
      message: expect.stringMatching(`not traded under the key "test-0": .* as ${requestId}`),
      retryable: false,
    });
    expect(await send(first, message)).toBe(`traded already as ${requestId}`);
    expect(await tradeCount(gateway)).toBe(1);
  });
});

it('two targets that store signals store one row each, however often they are sent', async () => {
  const { gateway } = await opened();
  const { signals } = gateway.data;
  const sender = createAlertSender({
    webhook: { faultOf: () => undefined, post: async () => ({ status: 200 }) },
    signals,
  });
  const targets = [
    { type: 'signals', signalType: 'AAA' },
    { type: 'signals', signalType: 'BBB' },
    { type: 'signals' },
  ] as const;
  const event = { id: randomUUID(), message: 'AAA', barTimeMs: 0, createdAtMs: 1, title: null } as never;
  for (let turn = 0; turn < 2; turn += 1)
    for (const target of targets)
      expect(await sender.send(event, target, { symbol: 'BTCUSDT', timeframeMs: 1, targets } as never)).toBe('stored');
  const rows = (await gateway.request('GET', '/signals')).body.result;
  expect(rows.map((row: { signal_type: string }) => row.signal_type).toSorted()).toEqual(['AAA', 'AAA', 'BBB']);
});

it('a webhook target may send the message alone', async () => {
  const bodies: unknown[] = [];
  const sender = createAlertSender({
    webhook: { faultOf: () => undefined, post: async ({ body }) => ({ status: bodies.push(body) && 200 }) },
  });
  const event = { id: 'e', message: MESSAGE, title: null } as never;
  await sender.send(event, { type: 'webhook', url: 'https://example.com', body: 'message' }, {} as never);
  await sender.send(event, { type: 'webhook', url: 'https://example.com' }, {} as never);
  expect(bodies).toEqual([MESSAGE, expect.objectContaining({ message: MESSAGE })]);
});

it('tells whose money a key moves: its routes, the main account without any, and none once it is revoked', async () => {
  const { gateway, keyId } = await opened({ accounts: ['scalp'] });
  const trader = traderOf(gateway);
  const main = { exchange: 'binance', account: 'main', mode: 'paper' };
  expect(await trader.accountsOf({ keyId, exchange: 'binance' })).toEqual([main]);
  const routes = [{ account: 'scalp' }, { account: 'bybit:main' }, { account: 'main' }];
  await gateway.request('PUT', `/admin/webhook-keys/${keyId}/routes`, { routes });
  expect(await trader.accountsOf({ keyId, exchange: 'binance' })).toEqual([
    { ...main, account: 'scalp' },
    { ...main, exchange: 'bybit' },
    main,
  ]);
  await gateway.keys.revoke(keyId);
  expect(await trader.accountsOf({ keyId, exchange: 'binance' })).toEqual([]);
});
