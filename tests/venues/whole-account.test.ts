// What an adapter tells of a whole account, against emulated venues: positions and orders of all markets, whoever sent them.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { decimal, toText } from '../../src/trading/decimal.ts';
import type { Venue } from '../../src/trading/venue.ts';
import { openEmulatedAccount } from '../support/emulated-account.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { startMexcVenue } from '../support/emulated-venues/mexc/mexc-venue.ts';
import { tradeByHand } from '../support/emulated-venues/owner.ts';

const VENUES: readonly { readonly exchange: Exchange; readonly start: () => Promise<EmulatedVenue> }[] = [
  { exchange: 'binance', start: startBinance },
  { exchange: 'bybit', start: startBybitVenue },
  { exchange: 'mexc', start: startMexcVenue },
];

describe.each(VENUES)('$exchange', ({ exchange, start }) => {
  let emulated: EmulatedVenue;
  let venue: Venue;

  beforeEach(async () => {
    emulated = await start();
    emulated.market.setPrice('BTCUSDT', '50000');
    emulated.market.setPrice('ETHUSDT', '3000');
    venue = await openEmulatedAccount(exchange, emulated);
  });

  afterEach(async () => {
    await venue.close();
    await emulated.close();
  });

  const requestsTo = (path: string): number => emulated.requests.filter((request) => request.path === path).length;

  test('its positions in all markets are told in base currency, the flat ones are not', async () => {
    expect(await venue.allPositions?.()).toEqual([]);
    tradeByHand(emulated, { exchange, symbol: 'BTCUSDT', side: 'BUY', quantity: '0.02' });
    tradeByHand(emulated, { exchange, symbol: 'ETHUSDT', side: 'SELL', quantity: '0.5' });
    const held = (await venue.allPositions?.()) ?? [];
    expect(held.map(({ market, side, quantity, entryPrice }) => [market, side, quantity, toText(entryPrice)])).toEqual([
      ['BTCUSDT', 'LONG', decimal('0.02'), '50000.1'],
      ['ETHUSDT', 'SHORT', decimal('0.5'), '2999.99'],
    ]);
    const each = [...(await venue.positions('BTCUSDT')), ...(await venue.positions('ETHUSDT'))];
    // Binance tells leverages apart from positions, a moment later.
    const withoutLeverage = each.map(({ leverage: _, ...position }) => position);
    expect(held.map(({ leverage: _, ...position }) => position)).toEqual(withoutLeverage);
  });

  test('a market more costs no request more', async () => {
    await venue.allPositions?.();
    tradeByHand(emulated, { exchange, symbol: 'BTCUSDT', side: 'BUY', quantity: '0.02' });
    tradeByHand(emulated, { exchange, symbol: 'ETHUSDT', side: 'BUY', quantity: '0.5' });
    // The leverages at Binance are asked for once, beside them.
    const asked = () => emulated.requests.filter(({ path: to }) => to !== '/fapi/v1/symbolConfig').length;
    const before = asked();
    await venue.allPositions?.();
    await venue.allOpenOrders?.();
    const path = { binance: '/fapi/v3/positionRisk', bybit: '', mexc: '/api/v1/private/position/open_positions' };
    if (exchange === 'bybit') expect(asked() - before).toBe(4);
    else expect([asked() - before, requestsTo(path[exchange])]).toEqual([2, 2]);
  });

  test('all that rests is told, ours and the owner’s, on as many pages as it takes', async () => {
    await venue.placeOrder({
      ...{ clientOrderId: 'sbx-ours', market: 'ETHUSDT', side: 'BUY', positionSide: 'LONG', reduceOnly: false },
      ...{ quantity: decimal('0.1'), price: decimal('2000') },
    });
    for (let number = 0; number < 120; number++)
      tradeByHand(emulated, { exchange, symbol: 'BTCUSDT', side: 'BUY', quantity: '0.01', price: '40000' });
    const orders = (await venue.allOpenOrders?.()) ?? [];
    expect(orders).toHaveLength(121);
    expect(new Set(orders.map(({ orderId }) => orderId)).size).toBe(121);
    expect(orders.filter((order) => 'clientOrderId' in order && order.clientOrderId === 'sbx-ours')).toMatchObject([
      { market: 'ETHUSDT', side: 'BUY', positionSide: 'LONG', quantity: decimal('0.1'), status: 'submitted' },
    ]);
    expect(orders.filter(({ market }) => market === 'BTCUSDT')).toHaveLength(120);
  });

  test('what has ended does not rest, and is no liquidation', async () => {
    await venue.placeOrder({
      ...{ clientOrderId: 'sbx-filled', market: 'BTCUSDT', side: 'BUY', positionSide: 'LONG', reduceOnly: false },
      quantity: decimal('0.01'),
    });
    tradeByHand(emulated, { exchange, symbol: 'BTCUSDT', side: 'BUY', quantity: '0.01' });
    expect(await venue.allOpenOrders?.()).toEqual([]);
    expect(await venue.forcedOrders?.()).toEqual([]);
  });
});

test('an order that MEXC tells although nobody asked for its kind is no liquidation', async () => {
  const emulated = await startMexcVenue();
  emulated.market.setPrice('BTCUSDT', '50000');
  tradeByHand(emulated, { exchange: 'mexc', symbol: 'BTCUSDT', side: 'BUY', quantity: '0.01' });
  const venue = await openEmulatedAccount('mexc', emulated);
  const path = '/api/v1/private/order/list/history_orders';
  const row = { orderId: '1', symbol: 'BTC_USDT', side: 1, vol: 100, dealVol: 0, state: 4, orderType: 1, category: 1 };
  emulated.faults.answerInstead({ path }, 200, { success: true, code: 0, data: [row] }, 2);
  expect(await venue.forcedOrders?.()).toEqual([]);
  await venue.close();
  await emulated.close();
});
