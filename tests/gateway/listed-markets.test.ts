// Only markets that exist: a signal for a name that is not on the list is refused before anything is accepted; what was opened
// before there was a list can still be closed.

import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { createSimulatedMarket } from '../../src/adapters/market-data/simulated/simulated-market.ts';
import { openPaperVenue } from '../../src/adapters/venues/paper/paper-venue.ts';
import { createMemoryLedger } from '../../src/adapters/venues/paper/testing/memory-ledger.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { freshDataDir } from '../support/process.ts';

const LEGACY = 'OLDTOKENUSDT';

async function tradesOf(gateway: TestGateway): Promise<readonly unknown[]> {
  return (await gateway.request('GET', '/trades')).body.result;
}

describe('a symbol that is not listed', async () => {
  const gateway = await openGateway();
  afterAll(() => gateway.close());

  it.each([
    ['BTCUSD', ['BTCUSDT']],
    ['SOLLUSDT', ['SOLUSDT']],
    ['BINANCE:ETHHUSDT.P', ['ETHUSDT']],
    ['QQQQQQQQUSDT', []],
  ])('%s is 422 with the nearest names, and nothing is accepted', async (symbol, nearest) => {
    const { status, body } = await gateway.send({ symbol, idempotencyKey: randomUUID() });
    expect([status, body.code, body.nearest]).toEqual([422, 'UNKNOWN_SYMBOL', nearest]);
    expect(body.error).toContain(
      nearest.length > 0 ? `did you mean ${nearest.join(', ')}?` : 'GET /markets lists them',
    );
    expect(body.tradeResult).toBeUndefined();
    expect(await tradesOf(gateway)).toEqual([]);
  });

  it('keeps no claim: the same idempotency key trades once the symbol is right', async () => {
    const idempotencyKey = randomUUID();
    expect((await gateway.send({ symbol: 'BTCUSD', idempotencyKey })).status).toBe(422);
    expect((await gateway.send({ symbol: 'BTCUSDT', idempotencyKey })).status).toBe(200);
    expect((await gateway.send({ symbol: 'BTCUSDT', idempotencyKey })).body.code).toBe('DUPLICATE_SIGNAL');
  });

  it('is told in async mode too, where nobody waits for the venue', async () => {
    await gateway.request('PUT', '/admin/queue-mode', { mode: 'async' });
    expect(await gateway.send({ symbol: 'BTCUSD' })).toMatchObject({ status: 422, body: { code: 'UNKNOWN_SYMBOL' } });
    await gateway.request('PUT', '/admin/queue-mode', { mode: 'failover' });
  });

  it('is 422 for a close as well, where nothing is held', async () => {
    const sent = await gateway.send({ symbol: LEGACY, action: 'CLOSE_LONG' });
    expect([sent.status, sent.body.code]).toEqual([422, 'UNKNOWN_SYMBOL']);
  });

  it.each(['btcusdt', 'BTC/USDT', 'BTC/USDT:USDT', 'BTC_USDT', 'BINANCE:BTCUSDT.P', 'BTC-USDT-SWAP'])(
    'listed markets are found in every spelling: %s',
    async (symbol) => {
      expect((await gateway.send({ symbol })).status).toBe(200);
    },
  );
});

it('SIMULATED_SYMBOLS adds markets around their price, which trade like any other', async () => {
  const added = [{ market: 'NEWUSDT', price: 0.5 }];
  const prices = createSimulatedMarket({ seed: 7, nowMs: Date.now, added });
  const gateway = await openGateway({ prices });
  const { status, body } = await gateway.send({ symbol: 'NEWUSDT', quantity: 100 });
  expect([status, body.tradeResult.status]).toEqual([200, 'Filled']);
  expect(body.tradeResult.price).toBeGreaterThan(0.25);
  expect(body.tradeResult.price).toBeLessThan(1);
  const { result } = (await gateway.request('GET', '/markets?symbol=NEWUSDT&exchange=binance')).body;
  expect(result).toMatchObject([{ symbol: 'NEWUSDT', tickSize: expect.any(Number), maxQuantity: expect.any(Number) }]);
  expect((await gateway.send({ symbol: 'NEWWUSDT' })).body.nearest).toEqual(['NEWUSDT']);
  await gateway.close();
});

describe('a market that only one of several exchanges has', async () => {
  const prices = createSimulatedMarket({ seed: 7, nowMs: Date.now, added: [{ market: 'NEWUSDT', price: 0.5 }] });
  const poor = { ledger: createMemoryLedger(), prices: createSimulatedMarket({ seed: 7, nowMs: Date.now }) };
  const paper = { account: 'main', nowMs: Date.now, startingBalance: '100000' };
  const bybit = await openPaperVenue({ exchange: 'bybit', ...poor, ...paper, positionMode: () => 'one-way' });
  const gateway = await openGateway({ prices, venues: [bybit] });
  afterAll(() => gateway.close());
  const routed = async (...accounts: string[]): Promise<string> => {
    const routes = accounts.map((account) => ({ account }));
    const label = accounts.join('-and-').replaceAll(':', '-');
    return (await gateway.request('POST', '/admin/webhook-keys', { label, routes })).body.result.apiKey;
  };

  it.each([
    ['binance:main', 'bybit:main'],
    ['bybit:main', 'binance:main'],
  ])('is traded there, and the other account tells why not: %s and %s', async (...accounts) => {
    const apiKey = await routed(...accounts);
    const { status, body } = await gateway.send({ apiKey, symbol: 'NEWUSDT', quantity: 100 });
    expect(status).toBe(200);
    const told = body.tradeResults.map((each: Record<string, unknown>) => [each.exchange, each.status, each.code]);
    expect(told.sort()).toEqual([
      ['binance', 'Filled', null],
      ['bybit', 'Rejected', 'UNKNOWN_SYMBOL'],
    ]);
    const { error } = body.tradeResults.find((each: Record<string, unknown>) => each.exchange === 'bybit');
    expect(error).toContain('bybit has no market NEWUSDT');
  });

  it('is 422 where no account of the signal has it, and nothing is accepted', async () => {
    const before = await tradesOf(gateway);
    const sent = await gateway.send({ apiKey: await routed('bybit:main'), symbol: 'NEWUSDT', quantity: 100 });
    expect([sent.status, sent.body.code, sent.body.tradeResult]).toEqual([422, 'UNKNOWN_SYMBOL', undefined]);
    expect(await tradesOf(gateway)).toEqual(before);
  });
});

describe('a position in a market that has left the list', async () => {
  const dataDir = freshDataDir();
  // As an earlier version traded it, which took any name.
  const before = await openGateway({
    dataDir,
    prices: createSimulatedMarket({ seed: 7, nowMs: Date.now, added: [{ market: LEGACY, price: 3 }] }),
  });
  expect((await before.send({ symbol: LEGACY, quantity: 10, leverage: 7 })).status).toBe(200);
  await before.close();
  const gateway = await openGateway({ dataDir });
  afterAll(() => gateway.close());

  it('is shown with a price', async () => {
    const [position] = (await gateway.request('GET', '/positions')).body.result;
    expect(position).toMatchObject({ market: LEGACY, quantity: 10, leverage: 7, markPrice: expect.any(Number) });
  });

  it('cannot be added to', async () => {
    const sent = await gateway.send({ symbol: LEGACY, quantity: 10 });
    expect([sent.status, sent.body.code]).toEqual([422, 'UNKNOWN_SYMBOL']);
  });

  it('is closed by a signal, in parts and whole', async () => {
    expect((await gateway.send({ symbol: LEGACY, quantity: 4, action: 'CLOSE_LONG' })).status).toBe(200);
    const { status, body } = await gateway.send({ symbol: LEGACY, quantity: 6, action: 'CLOSE_LONG' });
    expect([status, body.tradeResult.executedQty]).toEqual([200, 6]);
    expect((await gateway.request('GET', '/positions')).body.result).toEqual([]);
  });
});
