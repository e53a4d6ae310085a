// A key that routes to several accounts: one signal, one acceptance, one trade for each, and each may fail by itself.

import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { expectDuplicateOf, expectRefusal, freshGateway, reopened, tradeCount } from '../webhook/answers.ts';

const KEY = '523e4567-e89b-42d3-a456-4266141740';
let keys = 10;
const freshKey = (): string => `${KEY}${keys++}`;

let gateway: TestGateway;
let apiKey: string;
let keyId: string;
beforeAll(async () => {
  gateway = await freshGateway({ accounts: ['scalp', 'swing'] });
  const routes = [{ account: 'main' }, { account: 'scalp', multiplier: 0.5 }, { account: 'bybit:main', multiplier: 2 }];
  const created = await gateway.request('POST', '/admin/webhook-keys', { label: 'routed', routes });
  expect(created.status).toBe(201);
  ({ apiKey, keyId } = created.body.result);
});
afterEach(async () => {
  await gateway.request('PUT', '/admin/queue-mode', { mode: 'failover' });
});

const send = (signal: object = {}): Promise<Sent> =>
  gateway.send({ apiKey, symbol: 'SOLUSDT', quantity: 4, ...signal });
const resultsOf = ({ body }: Sent): string[] =>
  body.tradeResults.map((each: Record<string, unknown>) =>
    [each.exchange, each.account, each.status, each.executedQty, each.code ?? ''].join(' ').trim(),
  );
const positions = async (): Promise<string[]> =>
  (await gateway.request('GET', '/positions')).body.result.map(
    (row: Record<string, unknown>) => `${row.exchange}:${row.account} ${row.market} ${row.side} ${row.quantity}`,
  );

describe('a signal of a routed key', () => {
  it('is traded on every account with its own size, in one acceptance', async () => {
    const sent = await send();
    expect(sent.status).toBe(200);
    expect(resultsOf(sent)).toEqual(['binance main Filled 4', 'binance scalp Filled 2', 'bybit main Filled 8']);
    expect(sent.body.tradeResult).toMatchObject({ account: 'main', status: 'Filled', executedQty: 4 });
    expect(Object.keys(sent.body.tradeResult)).not.toContain('tradeId');
    const { requestId } = sent.body;
    expect(sent.body.tradeResults.map(({ tradeId }: { tradeId: string }) => tradeId)).toEqual([
      ...[requestId, `${requestId}.2`, `${requestId}.3`],
    ]);
    expect(await positions()).toEqual(
      expect.arrayContaining([
        'binance:main SOLUSDT LONG 4',
        'binance:scalp SOLUSDT LONG 2',
        'bybit:main SOLUSDT LONG 8',
      ]),
    );
    const stored = await gateway.request('GET', '/signals?symbol=SOLUSDT');
    expect(stored.body.result.filter((row: Record<string, unknown>) => row.signal_id === requestId)).toHaveLength(1);
  });

  it('has a story for each account, and the first tells of all', async () => {
    const { requestId } = (await send()).body;
    const first = (await gateway.request('GET', `/trades/${requestId}`)).body.result;
    expect(first.accounts.map(({ account }: { account: string }) => account)).toEqual(['main', 'scalp', 'main']);
    const second = (await gateway.request('GET', `/trades/${requestId}.2`)).body.result;
    expect(second).toMatchObject({ requestId: `${requestId}.2`, account: 'scalp', quantity: 2 });
    const ids = [first, second].map(({ orders }) => orders[0].clientOrderId);
    expect(ids[1]).toBe(`${ids[0].slice(0, -1)}2${ids[0].slice(-1)}`);
    const older = await gateway.request('GET', `/trades?limit=1&before=${requestId}.2`);
    expect(older.body.result[0].requestId).toBe(requestId);
    const plain = (await gateway.send({ symbol: 'SOLUSDT', quantity: 1 })).body.requestId;
    expect((await gateway.request('GET', `/trades/${plain}`)).body.result).not.toHaveProperty('accounts');
  });

  it('that names an account trades on that one alone', async () => {
    const sent = await send({ account: 'swing' });
    expect(sent.body.tradeResult).toMatchObject({ account: 'swing', executedQty: 4 });
    expect(sent.body).not.toHaveProperty('tradeResults');
  });

  it('is a duplicate as a whole', async () => {
    const idempotencyKey = freshKey();
    const first = await send({ idempotencyKey });
    const before = await tradeCount(gateway);
    expectDuplicateOf(await send({ idempotencyKey }), first);
    expect(await tradeCount(gateway)).toBe(before);
  });

  it('is enqueued as a whole in async mode', async () => {
    await gateway.request('PUT', '/admin/queue-mode', { mode: 'async' });
    const sent = await send();
    expect([sent.status, sent.body.status]).toEqual([202, 'Enqueued']);
  });
});

describe('a failure on one account', () => {
  it('does not stop the others, is told, and the signal stays taken', async () => {
    // Only scalp holds it.
    expect((await gateway.send({ account: 'scalp', symbol: 'LTCUSDT', quantity: 5 })).status).toBe(200);
    const idempotencyKey = freshKey();
    const close = { action: 'CLOSE_LONG', symbol: 'LTCUSDT', quantity: 20, idempotencyKey };
    const sent = await send(close);
    expect(sent.status).toBe(200);
    expect(resultsOf(sent)).toEqual([
      ...['binance main Rejected 0 ORDER_REJECTED', 'binance scalp Filled 5', 'bybit main Rejected 0 ORDER_REJECTED'],
    ]);
    expect(sent.body.tradeResult).toMatchObject({ account: 'main', success: false, status: 'Rejected' });
    expect(sent.body.tradeResults[0].error).toMatch(/no long position/);
    expectDuplicateOf(await send(close), sent);
  });

  it('on all of them is a refusal, and the idempotency key is free again', async () => {
    const close = { action: 'CLOSE_SHORT', symbol: 'LTCUSDT', idempotencyKey: freshKey() };
    for (let times = 0; times < 2; times++) {
      const sent = await send(close);
      expectRefusal(sent, ...(['ORDER_REJECTED', 'tradeResult', 'tradeResults', 'notificationResult'] as const));
      expect(resultsOf(sent)).toHaveLength(3);
    }
  });
});

it('stops are pending and then in force on every account, each with its own close', async () => {
  const { lastPrice } = (await gateway.request('GET', '/positions')).body;
  expect(lastPrice).toBeUndefined();
  const sent = await send({ symbol: 'XRPUSDT', quantity: 100, trailPercent: 50 });
  expect(sent.status).toBe(200);
  const stops = (await gateway.request('GET', '/agent/trailing-stops')).body.result.map(
    (row: { key: string }) => row.key,
  );
  expect(stops).toEqual(
    expect.arrayContaining(['binance:XRPUSDT:LONG', 'binance:scalp:XRPUSDT:LONG', 'bybit:XRPUSDT:LONG']),
  );
});

it('over a restart every trade is there, and each account has its position', async () => {
  const before = [await positions(), await tradeCount(gateway)];
  await gateway.close();
  gateway = await reopened({ accounts: ['scalp', 'swing'], dataDir: gateway.dataDir });
  expect([await positions(), await tradeCount(gateway)]).toEqual(before);
  expect(resultsOf(await send({ symbol: 'ADAUSDT', quantity: 400 }))).toHaveLength(3);
});

describe('routes', () => {
  const change = (routes: unknown): Promise<Sent> =>
    gateway.request('PUT', `/admin/webhook-keys/${keyId}/routes`, { routes });

  it.each([
    [[{ account: 'nowhere' }], 'INVALID_KEY_REQUEST', 'there is no account "nowhere"; there are binance:main,'],
    [[{ account: 'main' }, { account: 'main' }], 'INVALID_KEY_REQUEST', 'main is there twice'],
    [[{ account: 'main', multiplier: 0 }], 'INVALID_PAYLOAD', 'multiplier'],
    [[{ account: 'main', multiplier: 1001 }], 'INVALID_PAYLOAD', 'multiplier'],
    [[{ account: 'main', multipler: 2 }], 'INVALID_PAYLOAD', 'multipler'],
    [Array.from({ length: 17 }, () => ({ account: 'main' })), 'INVALID_PAYLOAD', 'routes'],
  ] as const)('%j is refused', async (routes, code, words) => {
    const sent = await change(routes);
    expect([sent.status, sent.body.code]).toEqual([400, code]);
    expect(sent.body.error).toContain(words);
  });

  it('of an account that the exchange of the signal does not have refuse the whole signal', async () => {
    expect((await change([{ account: 'main' }, { account: 'scalp' }])).status).toBe(200);
    const before = await tradeCount(gateway);
    expectRefusal(await send({ exchange: 'mexc' }), 'UNKNOWN_ACCOUNT');
    expect(await tradeCount(gateway)).toBe(before);
  });

  it.each([
    ['main is the main account of the exchange, named again in full', ['main', 'binance:main=0.5'], {}, ['main 2']],
    ['the full name counts, whichever stands first', ['bybit:main=2', 'main'], { exchange: 'bybit' }, ['main 8']],
    ['for another exchange they are two accounts', ['main', 'bybit:main=2'], {}, ['main 4', 'main 8']],
  ])('never trade a signal twice on one account: %s', async (_, names, signal, traded) => {
    const routes = names.map((name) => {
      const [account, multiplier = '1'] = name.split('=');
      return { account, multiplier: Number(multiplier) };
    });
    expect((await change(routes)).status).toBe(200);
    const { requestId } = (await send({ symbol: 'DOTUSDT', ...signal })).body;
    const { accounts, ...only } = (await gateway.request('GET', `/trades/${requestId}`)).body.result;
    const stories = accounts ?? [only];
    const ids = stories.map((_each: unknown, at: number) => (at === 0 ? requestId : `${requestId}.${at + 1}`));
    const trades = await Promise.all(ids.map((id: string) => gateway.request('GET', `/trades/${id}`)));
    expect(trades.map(({ body }) => `${body.result.account} ${body.result.quantity}`)).toEqual(traded);
  });

  it('that are one account for every signal of the key are refused when they are set', async () => {
    const routes = [{ account: 'main' }, { account: 'binance:main' }];
    const wanted = { label: 'double', exchanges: ['binance'], routes };
    const refused = await gateway.request('POST', '/admin/webhook-keys', wanted);
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_KEY_REQUEST']);
    expect(refused.body.error).toContain('main and binance:main are the same account for every signal of this key');
    const plain = (await gateway.request('POST', '/admin/webhook-keys', { ...wanted, routes: [] })).body.result;
    const changed = await gateway.request('PUT', `/admin/webhook-keys/${plain.keyId}/routes`, { routes });
    expect([changed.status, changed.body.code]).toEqual([400, 'INVALID_KEY_REQUEST']);
    const everywhere = await change([
      { account: 'main' },
      ...['binance', 'bybit', 'mexc'].map((exchange) => ({ account: `${exchange}:main` })),
    ]);
    expect(everywhere.body.code).toBe('INVALID_KEY_REQUEST');
  });

  it('to an exchange that is not in the scope of the key are refused with the signal', async () => {
    const wanted = { label: 'narrow', exchanges: ['binance'], routes: [{ account: 'bybit:main' }] };
    const narrow = (await gateway.request('POST', '/admin/webhook-keys', wanted)).body.result;
    expectRefusal(await send({ apiKey: narrow.apiKey }), 'KEY_OUT_OF_SCOPE');
  });

  it('can be taken away, are listed and audited', async () => {
    expect((await change([])).body.result.routes).toBeNull();
    const sent = await send();
    expect(sent.body).not.toHaveProperty('tradeResults');
    const [latest] = (await gateway.request('GET', '/admin/audit?limit=1')).body.result;
    expect(latest).toMatchObject({ setting: 'webhookKey', after: { routes: null } });
    expect(latest.before.routes).toHaveLength(2);
  });
});
