// The paper venue through the venue port: market orders, positions, modes, fees.

import { describe, expect, test } from 'vitest';
import { type Decimal, decimal, toText } from '../../../trading/decimal.ts';
import type { PositionMode } from '../../../trading/venue.ts';
import { closing, openTestVenue, order } from './testing/open-test-venue.ts';

const rejection = (message: RegExp) => ({ failure: 'rejected', message: expect.stringMatching(message) });
const text = (value: bigint | undefined) => (value === undefined ? undefined : toText(value as Decimal));

describe('a market order', () => {
  test('fills at once half a spread from the last price, for the taker fee', async () => {
    const { venue, prices } = await openTestVenue();
    const report = await venue.placeOrder(order('LONG', '0.01', { clientOrderId: 'sbxa' }));
    expect(report).toMatchObject({ status: 'filled', orderId: 'paper-binance-000001', clientOrderId: 'sbxa' });
    expect(text(report.averagePrice)).toBe('100005');
    expect(text(report.executedQuantity)).toBe('0.01');
    expect(report.fills).toEqual([
      {
        fillId: 'paper-binance-000001-1',
        quantity: decimal('0.01'),
        price: decimal('100005'),
        fee: decimal('0.500025'),
        atMs: prices.nowMs(),
      },
    ]);
    expect(await venue.positions('BTCUSDT')).toEqual([
      {
        ...{ market: 'BTCUSDT', side: 'LONG', quantity: decimal('0.01'), entryPrice: decimal('100005') },
        ...{ leverage: 20, margin: decimal('50.0025') },
      },
    ]);
  });

  test.each([
    ['binance', '0.5', '20'],
    ['bybit', '0.55', '10'],
    ['mexc', '0.2', '20'],
  ] as const)(
    'on %s costs that exchange’s fee and binds margin at its usual leverage',
    async (exchange, fee, leverage) => {
      const { venue } = await openTestVenue({ exchange });
      const report = await venue.placeOrder(order('SHORT', '0.01'));
      expect(text(report.averagePrice)).toBe('99995');
      expect(Number(text(report.fills[0]!.fee))).toBeCloseTo(Number(fee), 3);
      const { marginInUse } = await venue.summary();
      expect(Number(text(marginInUse))).toBeCloseTo(999.95 / Number(leverage), 6);
    },
  );

  test('moves by one tick where half a basis point is less', async () => {
    const { venue, prices } = await openTestVenue();
    prices.trade('XRPUSDT', '0.5');
    const report = await venue.placeOrder(order('LONG', '100', { market: 'XRPUSDT' }));
    expect(text(report.averagePrice)).toBe('0.5001');
  });

  test('earns its profit in share on a partial close and loses the fees', async () => {
    const { venue, prices, ledger } = await openTestVenue();
    await venue.placeOrder(order('LONG', '0.02'));
    prices.trade('BTCUSDT', '110000');
    const { unrealizedPnl } = await venue.summary();
    expect(text(unrealizedPnl)).toBe('199.9');
    await venue.placeOrder(closing('LONG', '0.005'));
    expect(ledger.fills.at(-1)).toMatchObject({ realizedPnl: '49.9475', price: '109994.5' });
    expect(await venue.positions('BTCUSDT')).toMatchObject([
      { quantity: decimal('0.015'), entryPrice: decimal('100005') },
    ]);
    const { balance } = await venue.summary();
    expect(text(balance)).toBe('10048.67246375');
  });

  test('adds to a position at the average price', async () => {
    const { venue, prices } = await openTestVenue();
    await venue.placeOrder(order('SHORT', '0.01'));
    prices.trade('BTCUSDT', '110000');
    await venue.placeOrder(order('SHORT', '0.03'));
    expect(await venue.positions('BTCUSDT')).toMatchObject([
      { side: 'SHORT', quantity: decimal('0.04'), entryPrice: decimal('107494.625') },
    ]);
  });
});

describe('a closing order', () => {
  test.each(['one-way', 'hedge'] as const)(
    'never turns a position around in %s mode',
    async (positionMode: PositionMode) => {
      const { venue } = await openTestVenue({ positionMode });
      await venue.placeOrder(order('LONG', '0.01'));
      const report = await venue.placeOrder(closing('LONG', '5'));
      expect(report).toMatchObject({ status: 'filled', quantity: decimal('0.01'), executedQuantity: decimal('0.01') });
      expect(await venue.positions('BTCUSDT')).toEqual([]);
    },
  );

  test('without a position is refused in words', async () => {
    const { venue } = await openTestVenue();
    await expect(venue.placeOrder(closing('LONG', '0.01'))).rejects.toMatchObject(
      rejection(/^there is no long position in BTCUSDT to close$/),
    );
    await venue.placeOrder(order('LONG', '0.01'));
    await expect(venue.placeOrder(closing('SHORT', '0.01'))).rejects.toMatchObject(
      rejection(/^there is no short position in BTCUSDT to close$/),
    );
  });

  test('may be below the least notional, and takes the last rest with it', async () => {
    const { venue } = await openTestVenue();
    await venue.placeOrder(order('LONG', '0.003'));
    expect((await venue.placeOrder(closing('LONG', '0.001'))).status).toBe('filled');
  });

  test('takes resting reduce-only orders of the position with it', async () => {
    const { venue } = await openTestVenue();
    const heard: unknown[] = [];
    venue.watchOrders((report) => heard.push([report.clientOrderId, report.status]));
    await venue.placeOrder(order('LONG', '0.01'));
    await venue.placeOrder(closing('LONG', '0.01', { clientOrderId: 'sbxtp', price: decimal('120000') }));
    await venue.placeOrder(closing('LONG', '0.01'));
    expect(await venue.openOrders('BTCUSDT')).toEqual([]);
    expect(heard).toEqual([['sbxtp', 'canceled']]);
    expect(await venue.findOrder('BTCUSDT', 'sbxtp')).toMatchObject({
      order: { status: 'canceled', reason: expect.stringMatching(/closed/) },
    });
  });
});

describe('position modes', () => {
  test('a one-way account refuses to open against its position and says what to do', async () => {
    const { venue } = await openTestVenue();
    await venue.placeOrder(order('SHORT', '0.01'));
    await expect(venue.placeOrder(order('LONG', '0.01'))).rejects.toMatchObject(
      rejection(/one-way mode and holds a short position of 0.01 in BTCUSDT: close it first/),
    );
  });

  test('a hedge account holds both sides', async () => {
    const { venue } = await openTestVenue({ positionMode: 'hedge' });
    await venue.placeOrder(order('SHORT', '0.01'));
    await venue.placeOrder(order('LONG', '0.02'));
    expect(await venue.positionMode()).toBe('hedge');
    expect((await venue.positions('BTCUSDT')).map(({ side, quantity }) => [side, toText(quantity)])).toEqual([
      ['LONG', '0.02'],
      ['SHORT', '0.01'],
    ]);
  });
});

test('a quote has the prices that small market orders trade at', async () => {
  const { venue, prices } = await openTestVenue();
  const { bid, ask, atMs } = await venue.quote('BTCUSDT');
  expect([text(bid), text(ask), atMs]).toEqual(['99995', '100005', prices.nowMs()]);
  expect(text((await venue.placeOrder(order('LONG', '0.01'))).averagePrice)).toBe(text(ask));
  expect(text((await venue.placeOrder(closing('LONG', '0.01'))).averagePrice)).toBe(text(bid));
});
