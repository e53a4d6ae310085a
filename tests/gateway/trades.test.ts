// GET /trades, GET /trades/{requestId} and GET /positions through the front door.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGateway, type Sent, type TestGateway } from '../support/gateway.ts';
import { expectEnvelope, expectRefusal, freshGateway, KEY_1 } from '../webhook/answers.ts';

let gateway: TestGateway;
/** Request ids, oldest first: three filled, one rejected. */
const ids: string[] = [];
beforeAll(async () => {
  gateway = await openGateway();
  const signals = [
    { symbol: 'BTC/USDT', leverage: 5, idempotencyKey: KEY_1 },
    { exchange: 'bybit', action: 'SHORT', symbol: 'ETHUSDT', quantity: 0.1 },
    { action: 'CLOSE_SHORT', symbol: 'SOLUSDT', price: 150 },
    { exchange: 'bybit', quantity: 0.02 },
  ];
  for (const fields of signals) ids.push((await gateway.send(fields)).body.requestId);
});
afterAll(() => gateway.close());

const list = (query = ''): Promise<Sent> => gateway.request('GET', `/trades${query}`);
const idsOf = ({ body }: Sent): string[] => body.result.map((trade: { requestId: string }) => trade.requestId);
const pick = (...positions: number[]): string[] => positions.map((position) => ids[position] as string);

describe('GET /trades', () => {
  it('lists trades newest first, in the success shape', async () => {
    const sent = await list();
    expect(sent.status).toBe(200);
    expectEnvelope(sent);
    expect(Object.keys(sent.body)).toEqual(['success', 'requestId', 'result']);
    expect(sent.body.success).toBe(true);
    expect(idsOf(sent)).toEqual(pick(3, 2, 1, 0));
  });

  it('shows a trade with every field, null where there is nothing', async () => {
    const [rejected] = (await list('?status=Rejected')).body.result;
    expect(rejected).toEqual({
      requestId: ids[2],
      receivedAt: expect.any(Number),
      source: 'webhook',
      keyLabel: 'test-0',
      exchange: 'binance',
      mode: 'paper',
      account: 'main',
      action: 'CLOSE_SHORT',
      symbol: 'SOLUSDT',
      market: 'SOLUSDT',
      quantity: 0.01,
      quantityType: 'base',
      price: 150,
      timeInForce: 'GTC',
      postOnly: false,
      cancelAfterSeconds: null,
      leverage: null,
      strategy: null,
      comment: null,
      idempotencyKey: null,
      alertId: null,
      prevMarketPosition: null,
      prevMarketPositionSize: null,
      status: 'Rejected',
      orderId: null,
      executedQty: 0,
      averagePrice: null,
      error: 'there is no short position in SOLUSDT on binance to close',
      realizedPnl: 0,
      fees: 0,
      note: null,
      tags: [],
    });
    const [filled] = (await list('?exchange=binance&status=Filled')).body.result;
    expect(filled).toMatchObject({ leverage: 5, idempotencyKey: KEY_1, price: null, executedQty: 0.01, error: null });
  });

  it.each([
    ['?exchange=bybit', [3, 1]],
    ['?exchange=mexc', []],
    ['?symbol=BTCUSDT', [3, 0]],
    ['?symbol=BINANCE:BTCUSDT.P', [3, 0]],
    ['?symbol=eth_usdt', [1]],
    ['?status=Filled', [3, 1, 0]],
    ['?status=Rejected', [2]],
    ['?status=Unknown', []],
    ['?exchange=bybit&symbol=BTCUSDT&status=Filled', [3]],
    ['?limit=1', [3]],
    ['?limit=2', [3, 2]],
    ['?limit=500', [3, 2, 1, 0]],
  ])('%s filters', async (query, positions) => {
    expect(idsOf(await list(query))).toEqual(pick(...positions));
  });

  it('has every field that a single trade has, but for its lists, and what its fills have made', async () => {
    const { gateway: own } = { gateway: await openGateway() };
    await own.send({ symbol: 'ETHUSDT', quantity: 2 });
    await own.send({ symbol: 'ETHUSDT', action: 'CLOSE_LONG', quantity: 1 });
    await own.send({ symbol: 'ETHUSDT', action: 'SHORT', quantity: 3 });
    const { result } = (await own.request('GET', '/trades')).body;
    expect(result).toHaveLength(3);
    for (const listed of result) {
      const { orders, fills, events, protection, ...single } = await own.trade(listed.requestId);
      expect(listed).toEqual(single);
      const sum = (name: string) =>
        fills.reduce((all: number, fill: Record<string, number>) => all + (fill[name] ?? 0), 0);
      expect(listed.realizedPnl).toBeCloseTo(sum('realizedPnl'), 7);
      expect(listed.fees).toBeCloseTo(sum('fee'), 7);
      expect(listed.fees).toBeGreaterThan(0);
    }
    expect(result.map(({ realizedPnl }: { realizedPnl: number }) => realizedPnl !== 0)).toEqual([true, true, false]);
  });

  it('goes back page by page with before', async () => {
    expect(idsOf(await list(`?limit=2&before=${ids[2]}`))).toEqual(pick(1, 0));
    expect(idsOf(await list(`?before=${ids[0]}`))).toEqual([]);
    expect(idsOf(await list(`?before=${KEY_1}`))).toEqual([]);
  });

  it.each([
    ['?limit=0', 'limit'],
    ['?limit=501', 'limit'],
    ['?limit=-1', 'limit'],
    ['?limit=abc', 'limit'],
    ['?limit=', 'limit'],
    ['?limit=1.5', 'limit'],
    ['?limit=1e1', 'limit'],
    ['?limit=%201', 'limit'],
    ['?limit=99999999999999999999', 'limit'],
    ['?limit=1&limit=2', 'limit'],
    ['?before=abc', 'before'],
    ['?exchange=kraken', 'exchange'],
    ['?status=filled', 'status'],
    ['?symbol=', 'symbol'],
    ['?symbol=BTC%20USDT', 'symbol'],
    ["?symbol='%20OR%201=1", 'symbol'],
    ['?symbol=%3A', 'symbol'],
    ['?colour=red', 'colour'],
    ['?__proto__=x', '__proto__'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const sent = await list(query);
    expectRefusal(sent, 'INVALID_QUERY');
    expect(sent.body.error).toContain(name);
  });
});

describe('GET /trades/{requestId}', () => {
  it('shows orders, fills and the whole history', async () => {
    const trade = await gateway.trade(ids[1] as string);
    expect(trade).toMatchObject({ requestId: ids[1], status: 'Filled', executedQty: 0.1 });
    expect(trade.orders).toEqual([
      {
        clientOrderId: expect.stringMatching(/^sbx[0-9a-z]{27}$/),
        leg: 'open',
        side: 'SELL',
        positionSide: 'SHORT',
        reduceOnly: false,
        quantity: 0.1,
        price: null,
        status: 'Filled',
        orderId: trade.orderId,
        executedQty: 0.1,
        averagePrice: trade.averagePrice,
        reason: null,
      },
    ]);
    expect(trade.fills).toEqual([
      {
        fillId: expect.any(String),
        clientOrderId: trade.orders[0].clientOrderId,
        quantity: 0.1,
        price: trade.averagePrice,
        fee: expect.any(Number),
        realizedPnl: 0,
        at: expect.any(Number),
      },
    ]);
    expect(trade.events.map((event: { kind: string }) => event.kind)).toEqual(['accepted', 'sending', 'filled']);
  });

  it.each([KEY_1, 'abc', '%00', '..%2f..%2fetc', 'x'.repeat(300)])('is 404 for %s', async (id) => {
    expectRefusal(await gateway.request('GET', `/trades/${id}`), 'TRADE_NOT_FOUND');
  });
});

describe('GET /positions', () => {
  const positions = async () => (await gateway.request('GET', '/positions')).body.result;

  it('shows what is open, with the arithmetic of its profit', async () => {
    const open = await positions();
    expect(open.map((p: { exchange: string; market: string }) => `${p.exchange} ${p.market}`)).toEqual([
      'binance BTCUSDT',
      'bybit BTCUSDT',
      'bybit ETHUSDT',
    ]);
    for (const position of open) {
      expect(position).toMatchObject({ mode: 'paper', realizedPnl: 0, prices: 'simulated' });
      const perUnit = (position.markPrice - position.entryPrice) * (position.side === 'LONG' ? 1 : -1);
      expect(position.unrealizedPnl).toBeCloseTo(perUnit * position.quantity, 8);
    }
  });

  it.each([
    ['exchange=bybit', ['bybit BTCUSDT', 'bybit ETHUSDT']],
    ['symbol=BTC/USDT', ['binance BTCUSDT', 'bybit BTCUSDT']],
    ['exchange=bybit&symbol=ETHUSDT&account=main', ['bybit ETHUSDT']],
    ['exchange=mexc', []],
    ['strategy=', ['binance BTCUSDT', 'bybit BTCUSDT', 'bybit ETHUSDT']],
    ['strategy=nobody', []],
  ])('filters by %s', async (query, shown) => {
    const { status, body } = await gateway.request('GET', `/positions?${query}`);
    expect(status).toBe(200);
    expect(body.result.map((p: { exchange: string; market: string }) => `${p.exchange} ${p.market}`)).toEqual(shown);
  });

  it('filters by the shares of strategies', async () => {
    const own = await freshGateway();
    await own.send({ strategy: 'trend' });
    await own.send({ symbol: 'ETHUSDT', quantity: 0.1 });
    const markets = async (strategy: string) =>
      (await own.request('GET', `/positions?strategy=${strategy}`)).body.result.map(
        (p: { market: string }) => p.market,
      );
    expect([await markets('trend'), await markets('')]).toEqual([['BTCUSDT'], ['ETHUSDT']]);
  });

  it.each([
    ['account=nope', 'UNKNOWN_ACCOUNT'],
    ['symbol=BTC', 'UNKNOWN_SYMBOL'],
  ] as const)('tells a name that is not there: %s', async (query, code) => {
    expectRefusal(
      await gateway.request('GET', `/positions?${query}`),
      code,
      ...(code === 'UNKNOWN_SYMBOL' ? ['nearest' as const] : []),
    );
  });

  it.each(['/positions', '/protections', '/accounts', '/admin/restrictions'])(
    'and %s refuse a filter that they do not have',
    async (path) => {
      const sent = await gateway.request('GET', `${path}?exchnage=bybit`);
      expect([sent.status, sent.body.code]).toEqual([400, 'INVALID_QUERY']);
      expect(sent.body.error).toContain('exchnage');
    },
  );

  it('averages the entry, counts the fees and books the profit of what is closed', async () => {
    const trade = async (fields: Record<string, unknown>) => {
      const { body } = await gateway.send({ exchange: 'mexc', symbol: 'ETHUSDT', ...fields });
      return (await gateway.trade(body.requestId)).fills[0];
    };
    const first = await trade({ quantity: 1 });
    const second = await trade({ quantity: 3 });
    const closing = await trade({ quantity: 2, action: 'CLOSE_LONG' });
    const entry = (first.price + 3 * second.price) / 4;
    const position = (await positions()).find((p: { exchange: string }) => p.exchange === 'mexc');
    expect(position).toMatchObject({ side: 'LONG', quantity: 2 });
    expect(position.entryPrice).toBeCloseTo(entry, 8);
    expect(position.realizedPnl).toBeCloseTo(2 * (closing.price - entry), 8);
    expect(closing.realizedPnl).toBeCloseTo(position.realizedPnl, 10);
    expect(position.fees).toBeCloseTo(first.fee + second.fee + closing.fee, 10);
    expect(position.fees).toBeGreaterThan(0);
  });

  it('no longer shows what is closed', async () => {
    await gateway.send({ exchange: 'mexc', symbol: 'ETHUSDT', action: 'CLOSE_LONG', quantity: 100 });
    expect((await positions()).some((p: { exchange: string }) => p.exchange === 'mexc')).toBe(false);
  });
});
