// A paper venue for tests: Bitcoin at 100,000 on a scripted market, no timer, orders in few words.

import type { Timers } from '../../../../timing/timers.ts';
import { decimal } from '../../../../trading/decimal.ts';
import type { OrderRequest, PositionMode, PositionSide } from '../../../../trading/venue.ts';
import { openPaperVenue, type PaperVenue, type PaperVenueOptions } from '../paper-venue.ts';
import { createMemoryLedger, type MemoryLedger } from './memory-ledger.ts';
import { createScriptedPrices, type ScriptedPrices } from './scripted-prices.ts';

/** The position mode is one here. */
type Changes = Partial<Omit<PaperVenueOptions, 'positionMode'>> & { readonly positionMode?: PositionMode };

export interface TestVenue {
  readonly venue: PaperVenue;
  readonly ledger: MemoryLedger;
  readonly prices: ScriptedPrices;
  /** A second process on the same ledger and market. */
  reopen(changes?: Changes): Promise<PaperVenue>;
}

const START_MS = 1_750_000_000_000;
const noTimers: Timers = { after: () => () => undefined };

export async function openTestVenue(changes: Changes = {}): Promise<TestVenue> {
  const ledger = createMemoryLedger();
  const prices = createScriptedPrices(START_MS);
  prices.trade('BTCUSDT', '100000');
  prices.trade('ETHUSDT', '4000');
  prices.advance(1);
  const reopen = (more: Changes = {}): Promise<PaperVenue> => {
    const { positionMode = 'one-way', ...given } = { ...changes, ...more };
    return openPaperVenue({
      exchange: 'binance',
      account: 'main',
      ledger,
      prices,
      nowMs: prices.nowMs,
      startingBalance: '10000',
      positionMode: () => positionMode,
      timers: noTimers,
      ...given,
    });
  };
  return { venue: await reopen(), ledger, prices, reopen };
}

let orders = 0;

/** Opens unless told otherwise. */
export function order(side: PositionSide, quantity: string, more: Partial<OrderRequest> = {}): OrderRequest {
  const reduceOnly = more.reduceOnly ?? false;
  return {
    clientOrderId: `sbx${++orders}`,
    market: 'BTCUSDT',
    side: (side === 'LONG') === reduceOnly ? 'SELL' : 'BUY',
    positionSide: side,
    reduceOnly,
    quantity: decimal(quantity),
    ...more,
  };
}

export const closing = (side: PositionSide, quantity: string, more: Partial<OrderRequest> = {}): OrderRequest =>
  order(side, quantity, { reduceOnly: true, ...more });
