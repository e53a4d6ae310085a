// The lines of the owner's chat say of every position, trade, order and stop whose money it is.

import { expect, test } from 'vitest';
import { heldAt } from '../books/holding.ts';
import type { SentOrder, Trade } from '../books/journal.ts';
import { decimal, ZERO } from '../decimal.ts';
import type { VenueMode } from '../venue.ts';
import { orderLine, positionLine, tradeLine } from './render.ts';
import { nameOf } from './render-stops.ts';

const AT_MS = Date.UTC(2026, 10, 17, 12, 30, 15);
const at = (mode: VenueMode) => ({ exchange: 'binance', account: 'main', mode, market: 'BTCUSDT' }) as const;
const LONG = { side: 'LONG', strategy: '' } as const;

const order = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', market: 'BTCUSDT', quantity: decimal('0.01') };
const tradeOn = (mode: VenueMode) =>
  ({
    ...{ mode, account: 'main', order, state: 'filled', receivedAtMs: AT_MS },
    ...{ executedQuantity: decimal('0.01'), averagePrice: decimal('68000') },
  }) as unknown as Trade;
const sent = {
  ...{ side: 'BUY', positionSide: 'LONG', quantity: decimal('0.01'), price: decimal('60000'), reduceOnly: false },
  ...{ executedQuantity: ZERO, state: 'submitted', clientOrderId: 'sbx1' },
} as unknown as SentOrder['order'];

test.each([
  ['live', 'binance (LIVE)'],
  ['testnet', 'binance (testnet)'],
  ['paper', 'binance (paper)'],
] as const)('on a %s account', (mode, where) => {
  const held = { ...at(mode), ...LONG, ...heldAt(decimal('0.01'), decimal('68000')), entryPrice: decimal('68000') };
  const position = { ...held, realizedPnl: ZERO, fees: ZERO, updatedAtMs: AT_MS };
  expect(positionLine(position, undefined, undefined)).toBe(`<b>BTCUSDT</b> LONG 0.01 on ${where}, in at 68000`);
  expect(tradeLine(tradeOn(mode))).toBe(`11-17 12:30:15 LONG 0.01 BTCUSDT on ${where}: <b>Filled</b> 0.01 at 68000`);
  expect(orderLine({ trade: tradeOn(mode), order: sent })).toBe(
    `11-17 12:30:15 <b>BTCUSDT</b> BUY 0.01 at 60000, opens LONG on ${where}: Submitted\n<code>sbx1</code>`,
  );
});

test('stops on paper need no mode, and real money is told apart at a glance', () => {
  const names = (['live', 'testnet', 'paper'] as const).map((mode) => nameOf({ ...at(mode), ...LONG }));
  expect(names).toEqual([
    '<b>BTCUSDT</b> LONG on binance (LIVE)',
    '<b>BTCUSDT</b> LONG on binance (testnet)',
    '<b>BTCUSDT</b> LONG on binance',
  ]);
});
