// Every signal that showed a good key is in GET /signals with its source and what became of it; others are not.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGateway, type Sent, type TestGateway } from '../support/gateway.ts';
import { eventually, expectFilled, expectRefusal, freshGateway, KEY_1 } from '../webhook/answers.ts';
import { listed, stored } from './records.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

const newest = async (of = gateway) => (await listed(of, { limit: 1 }))[0];
const alert = (fields: Record<string, unknown> = {}) => ({
  apiKey: gateway.apiKey,
  exchange: 'BINANCE',
  ticker: 'BTCUSDT.P',
  action: 'buy',
  contracts: '0.01',
  marketPosition: 'long',
  ...fields,
});

describe('an accepted signal is listed at once', () => {
  it('from the webhook, as the sender spelled it, under its request id', async () => {
    const sent = await gateway.send({ symbol: 'btc/usdt' });
    expectFilled(sent);
    expect(await newest()).toEqual({
      signal_id: sent.body.requestId,
      timestamp: (await gateway.trade(sent.body.requestId)).receivedAt,
      symbol: 'btc/usdt',
      signal_type: 'LONG',
      source: 'webhook',
      decision: 'accepted',
    });
  });

  it('from TradingView, with the action it was read as', async () => {
    const sent = await gateway.request(
      'POST',
      '/webhook/tradingview',
      alert({ action: 'sell', marketPosition: 'flat' }),
    );
    expect(await newest()).toMatchObject({
      signal_id: sent.body.requestId,
      symbol: 'BTCUSDT.P',
      signal_type: 'CLOSE_LONG',
      source: 'tradingview',
      decision: 'accepted',
    });
  });

  it('also in async mode, and when the venue refuses the order', async () => {
    const sent = await gateway.send({ action: 'CLOSE_SHORT' });
    expectRefusal(sent, 'ORDER_REJECTED', 'tradeResult', 'notificationResult');
    expect(await newest()).toMatchObject({ signal_id: sent.body.requestId, decision: 'accepted' });
    const later = await freshGateway({ controls: { queueMode: 'async' } });
    const { status, body } = await later.send();
    expect(status).toBe(202);
    expect(await newest(later)).toMatchObject({ signal_id: body.requestId, decision: 'accepted' });
  });
});

describe('a signal that was refused after its key was recognised is listed with the reason', () => {
  const both = [
    ['/webhook', 'webhook'],
    ['/webhook/tradingview', 'tradingview'],
  ] as const;
  const body = (of: TestGateway, path: string, fields: Record<string, unknown>) =>
    path === '/webhook' ? of.signal(fields) : alert({ apiKey: of.apiKey, ...fields });
  const refusals: [string, (of: TestGateway) => Promise<Record<string, unknown>>][] = [
    ['KEY_OUT_OF_SCOPE', async (of) => ({ apiKey: await of.keyWith('narrow', { symbols: ['ETHUSDT'] }) })],
    ['ADDRESS_BLOCKED', (of) => of.request('PUT', '/admin/allowlist', { entries: ['203.0.113.1'] }).then(() => ({}))],
    ['KILL_SWITCH_ACTIVE', (of) => of.request('PUT', '/admin/kill-switch', { active: true }).then(() => ({}))],
    [
      'RATE_LIMITED',
      (of) =>
        of
          .request('PUT', '/admin/limits', { webhookRatePerMinute: 1 })
          .then(() => of.send())
          .then(() => ({})),
    ],
    ['DUPLICATE_SIGNAL', (of) => of.send({ idempotencyKey: KEY_1 }).then(() => ({ idempotencyKey: KEY_1 }))],
  ];
  const cases = both.flatMap(([path, source]) =>
    refusals.map(([code, prepare]) => [path, code, source, prepare] as const),
  );

  it.each(cases)('%s: %s', async (path, code, source, prepare) => {
    const fresh = await freshGateway();
    const sent = await fresh.request('POST', path, body(fresh, path, await prepare(fresh)));
    expect(sent.body.code).toBe(code);
    expect(await newest(fresh)).toMatchObject({ signal_id: sent.body.requestId, source, decision: code });
  });
});

describe('what showed no good key is not listed', () => {
  it.each([
    ['a wrong key', { apiKey: 'wrong' }, 'AUTHENTICATION_FAILED'],
    ['a body of the wrong shape', { quantity: 0 }, 'INVALID_PAYLOAD'],
  ])('%s', async (_, fields, code) => {
    const before = await listed(gateway, { limit: 100 });
    for (const sent of [
      await gateway.send(fields),
      await gateway.request('POST', '/webhook/tradingview', alert({ ...fields, contracts: 'x' })),
    ])
      expect(sent.body.success).toBe(false);
    expect((await gateway.send(fields)).body.code).toBe(code);
    expect(await listed(gateway, { limit: 100 })).toEqual(before);
  });

  it('a wrong key too many from one address', async () => {
    const fresh = await freshGateway();
    await fresh.request('PUT', '/admin/limits', { failedAuthPerMinute: 1 });
    await fresh.send({ apiKey: 'wrong' });
    expectRefusal(await fresh.send({ apiKey: 'wrong' }), 'TOO_MANY_FAILED_AUTHENTICATIONS');
    expect(await listed(fresh)).toEqual([]);
  });
});

describe('all doors share one list', () => {
  it('in the order of arrival, told apart by source', async () => {
    const fresh = await freshGateway();
    const sent: Sent[] = [];
    const steps = [
      () => fresh.send(),
      () => fresh.request('POST', '/webhook/tradingview', alert({ apiKey: fresh.apiKey })),
      () => fresh.request('POST', '/signals', { symbol: 'BTCUSDT', signal_type: 'NOTE' }),
    ];
    for (const step of [...steps, ...steps]) sent.push(await step());
    const ids = sent.map(({ body }) => body.requestId).reverse();
    expect((await listed(fresh)).map(({ signal_id }) => signal_id)).toEqual(ids);
    for (const source of ['webhook', 'tradingview', 'api'])
      expect((await listed(fresh, { source })).map((record) => record.source)).toEqual([source, source]);
  });

  it('a record stored as "webhook" is still known by its decision', async () => {
    const fresh = await freshGateway();
    await stored(fresh, { source: 'webhook' });
    expect(await listed(fresh, { source: 'webhook' })).toMatchObject([{ decision: 'stored' }]);
  });

  it('a clock that was set back puts new signals where their time says', async () => {
    const fresh = await freshGateway();
    const first = (await fresh.send()).body.requestId;
    fresh.clock.offsetMs = -3_600_000;
    const second = (await fresh.send()).body.requestId;
    await eventually(
      () => listed(fresh),
      (records) => records.length === 2,
    );
    expect((await listed(fresh)).map(({ signal_id }) => signal_id)).toEqual([first, second]);
    expect((await listed(fresh, { before: first })).map(({ signal_id }) => signal_id)).toEqual([second]);
  });
});
