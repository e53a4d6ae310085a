// A dry run on a live account: the venue is asked what is needed to tell the order, and nothing is sent, set or taken away there.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LIVE_VENUES, type LiveGateway, MARKET, openLiveGateway, WEBHOOK_KEY } from '../support/live-gateway.ts';

interface Told {
  readonly outcome: string;
  readonly code: string | null;
  readonly error: string | null;
  readonly accounts: readonly {
    readonly mode: string;
    readonly orders: readonly Readonly<Record<string, unknown>>[];
    readonly leverage: number | null;
    readonly leverageInForce: number | null;
    readonly margin: number | null;
    readonly fee: number | null;
    readonly cautions: readonly string[];
    readonly price: number | null;
    readonly cancels: readonly string[];
    readonly cancelsStops: readonly string[];
    readonly protection: { readonly stopLoss: number | null } | null;
  }[];
}

describe.each(LIVE_VENUES)('$exchange', (row) => {
  let gateway: LiveGateway;
  beforeEach(async () => {
    gateway = await openLiveGateway(row);
    gateway.emulated.market.setPrice(MARKET, { last: '50000', bid: '49990', ask: '50000' });
  });
  afterEach(() => gateway.close());

  const check = async (fields: object = {}): Promise<Told> => {
    const signal = { apiKey: WEBHOOK_KEY, exchange: row.exchange, action: 'LONG', symbol: MARKET, quantity: 0.01 };
    const body = JSON.stringify({ body: JSON.stringify({ ...signal, ...fields }) });
    return (await gateway.ask<{ readonly result: Told }>('/webhook/check', { method: 'POST', body })).result;
  };
  /** What changes something there. What keeps a stream alive does not. */
  const writes = (): string[] =>
    gateway.emulated.requests
      .filter(({ method, path }) => method !== 'GET' && !/listenKey/i.test(path))
      .map(({ method, path }) => `${method} ${path}`);

  it('tells order, leverage, price and stop, and sends nothing; then the real one sends exactly that', async () => {
    const before = writes();
    const fields = { leverage: 7, stopLoss: 49_000 };
    const told = await check(fields);
    expect(writes()).toEqual(before);
    expect(told).toMatchObject({ outcome: 'would_trade', code: null });
    const [account] = told.accounts;
    expect(account).toMatchObject({ mode: 'live', leverage: 7, price: 50_000, protection: { stopLoss: 49_000 } });
    expect(account?.orders).toMatchObject([{ side: 'BUY', quantity: 0.01, reduceOnly: false, type: 'market' }]);
    expect(await gateway.outcome(fields)).toMatchObject({ status: 'Filled', executedQty: 0.01 });
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED']);
  });

  it('tells the leverage that is set there, the margin and the fee, and cautions where the account has too little', async () => {
    await gateway.outcome({ leverage: 8 });
    const before = writes();
    const told = (await check({ quantity: 0.02 })).accounts[0];
    expect(told).toMatchObject({ leverage: null, leverageInForce: 8, margin: 125, cautions: [] });
    expect(told?.fee).toBeCloseTo(1000 * { binance: 0.0005, bybit: 0.00055, mexc: 0.0002 }[row.exchange], 6);
    const large = await check({ quantity: 3, leverage: 1 });
    // What it takes is for the venue to say.
    expect(large.outcome).toBe('would_trade');
    expect(large.accounts[0]?.cautions.at(-1)).toMatch(
      /^About 15\d{4}.* USDT are needed at 1x .* would most likely refuse it/,
    );
    expect(writes()).toEqual(before);
    expect((await gateway.outcome({ quantity: 3, leverage: 1 })).status).toBe('Rejected');
  });

  // An account at MEXC holds both sides: nothing is turned around there.
  if (row.exchange !== 'mexc')
    it('does not caution of margin that a reversal or the orders that it cancels give back, only of more than there ever is', async () => {
      const marginOf = async (fields: object) =>
        (await check(fields)).accounts[0]?.cautions.filter((words) => words.includes('are needed'));
      await gateway.outcome({ quantity: 1.5, leverage: 1 });
      const reversal = { action: 'SHORT', leverage: 1 };
      expect(await marginOf({ quantity: 1.5, leverage: 1 })).toHaveLength(1);
      expect(await marginOf({ ...reversal, quantity: 1.5 })).toEqual([]);
      expect(await marginOf({ ...reversal, quantity: 2.5 })).toEqual([
        expect.stringMatching(
          / USDT are needed at 1x .* and at most [\d.]+ USDT are free: .* would most likely refuse it/,
        ),
      ]);
      expect(await gateway.outcome({ ...reversal, quantity: 1.5 })).toMatchObject({ status: 'Filled' });
      await gateway.outcome({ action: 'CLOSE_SHORT', quantity: 1.5 });
      // Two strategies against each other hold nothing there, so that nothing is closed first, and an order is canceled.
      for (const [strategy, action] of [
        ['a', 'SHORT'],
        ['b', 'LONG'],
      ])
        await gateway.outcome({ strategy, action });
      await gateway.outcome({ strategy: 'a', action: 'SHORT', quantity: 1.5, price: 60_000 });
      expect(await marginOf({ strategy: 'b', quantity: 1 })).toHaveLength(1);
      const told = (await check({ strategy: 'a', quantity: 1 })).accounts[0];
      expect(told).toMatchObject({ orders: [{ reduceOnly: false }], cancels: [expect.any(String)] });
      expect(told?.cautions.filter((words) => words.includes('are needed'))).toEqual([]);
    });

  it('leaves resting orders and stops of the venue where they are, and names those that would go', async () => {
    await gateway.outcome({ strategy: 'a', stopLoss: 40_000 });
    await gateway.outcome({ strategy: 'b' });
    await gateway.outcome({ strategy: 'a', action: 'CLOSE_LONG', quantity: 0.005, price: 60_000 });
    const waiting = async () =>
      (await gateway
        .built()
        .gateway?.desk.accounts.list()
        .find(({ mode }) => mode === 'live')
        ?.stops?.waiting()) ?? [];
    await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), { timeout: 20_000, interval: 50 });
    const before = writes();
    const told = await check({ strategy: 'a', action: 'CLOSE_LONG', quantity: 1 });
    expect(writes()).toEqual(before);
    const [account] = told.accounts;
    expect(account?.orders).toMatchObject([{ side: 'SELL', quantity: 0.01, reduceOnly: true }]);
    const [order] = (await gateway.ask('/orders')).result;
    expect(account?.cancels).toEqual([order?.clientOrderId]);
    // Two strategies share the position, and the venue does not know whose is whose.
    expect(account?.cancelsStops).toEqual((await waiting()).map(({ clientStopId }) => clientStopId));
    expect(account?.cancelsStops).toHaveLength(1);
  });

  it('of a venue that cannot be reached says that it would wait', async () => {
    gateway.emulated.faults.dropBefore(row.positions, 1000);
    for (const action of ['LONG', 'CLOSE_LONG'])
      expect(await check({ action })).toMatchObject({ outcome: 'would_wait' });
  });

  it('by prices that are too old would be refused, and no alarm is raised for it', async () => {
    const quotedAtMs = Date.now() - 20_000;
    gateway.emulated.market.setPrice(MARKET, { last: '50000', bid: '49990', ask: '50000', quotedAtMs });
    expect(await check()).toMatchObject({ outcome: 'would_refuse', code: 'STALE_DATA' });
    expect(JSON.stringify(await gateway.ask('/ready'))).not.toContain('An entry was refused');
    await gateway.outcome();
    expect(JSON.stringify(await gateway.ask('/ready'))).toContain('An entry was refused');
  });

  it('of a position that the venue does not show for the moment says so, and adopts nothing', async () => {
    await gateway.outcome();
    gateway.emulated.faults.answerInstead(row.positions, 200, row.noPositions, 1000);
    const told = await check({ action: 'CLOSE_LONG' });
    expect(told.outcome).toBe('would_wait');
    expect(told.error).toContain('does not show');
    expect((await gateway.ask('/positions')).result).toMatchObject([{ quantity: 0.01 }]);
  });
});
