// What is known before an order is always the venue's own word, whatever its stream has told or not: fills add up, positions and
// leverages are as they are there, also after somebody has traded or changed something by hand and no message of it came.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { decimal, toText } from '../../src/trading/decimal.ts';
import type { OrderReport, OrderRequest, Venue } from '../../src/trading/venue.ts';
import { openEmulatedAccount } from '../support/emulated-account.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { startMexcVenue } from '../support/emulated-venues/mexc/mexc-venue.ts';
import { tradeByHand } from '../support/emulated-venues/owner.ts';

const MARKETS = ['BTCUSDT', 'ETHUSDT', 'DOGEUSDT'] as const;
const [MARKET] = MARKETS;
const MANY = 1_000;

const VENUES: readonly { readonly exchange: Exchange; readonly start: () => Promise<EmulatedVenue> }[] = [
  { exchange: 'binance', start: startBinance },
  { exchange: 'bybit', start: startBybitVenue },
  { exchange: 'mexc', start: startMexcVenue },
];

describe.each(VENUES)('$exchange', ({ exchange, start }) => {
  let emulated: EmulatedVenue;
  let venue: Venue;
  let ids: number;

  beforeEach(async () => {
    ids = 0;
    emulated = await start();
    for (const [index, price] of ['50000', '3000', '0.1'].entries())
      emulated.market.setPrice(MARKETS[index] ?? MARKET, price);
    venue = await open();
    // The stream is there.
    await sleep(300);
  });

  afterEach(async () => {
    await venue.close();
    await emulated.close();
  });

  const open = (): Promise<Venue> => openEmulatedAccount(exchange, emulated);

  const order = (changes: Partial<OrderRequest> = {}): OrderRequest => {
    ids += 1;
    return {
      ...{ clientOrderId: `sbx-fresh-${ids}`, market: MARKET, side: 'BUY', positionSide: 'LONG', reduceOnly: false },
      ...{ quantity: decimal('0.01'), ...changes },
    };
  };
  const held = async (market: string = MARKET) =>
    (await venue.positions(market)).map(({ side, quantity }) => `${side} ${toText(quantity)}`).join(', ');
  const requestsTo = (pattern: RegExp): number => emulated.requests.filter(({ path }) => pattern.test(path)).length;
  const FILLS = /userTrades|execution\/list|deal_details/;
  const fillsOf = ({ fills }: OrderReport) => fills.toSorted((one, other) => Number(one.fillId) - Number(other.fillId));

  describe('the fills of an order', () => {
    beforeEach(() => emulated.market.setMaxTrade(MARKET, '0.004'));

    /** As somebody sees it who has heard nothing of the stream. */
    async function asRead(clientOrderId: string): Promise<OrderReport> {
      // The others have read them already, and MEXC lets its list of contracts be read once in five seconds.
      const other = exchange === 'binance' ? await open() : venue;
      try {
        const lookup = await other.findOrder(MARKET, clientOrderId);
        if (!lookup.found) throw new Error('the order is not there');
        return lookup.order;
      } finally {
        if (other !== venue) await other.close();
      }
    }

    test.each<[string, { readonly lost?: number; readonly repeated?: number; readonly isCut?: boolean }]>([
      ['everything is told', {}],
      ['everything is told twice', { repeated: MANY }],
      ['nothing is told', { lost: MANY }],
      ['the first messages are lost', { lost: 3 }],
      ['the stream is cut', { isCut: true }],
    ])('are the same as those that are read, and add up, where %s', async (_, { lost = 0, repeated = 0, isCut }) => {
      emulated.faults.loseEvents = lost;
      emulated.faults.repeatEvents = repeated;
      if (isCut) emulated.faults.cutStreams();
      const report = await venue.placeOrder(order());
      expect(report.fills).toHaveLength(3);
      expect(fillsOf(report)).toEqual(fillsOf(await asRead(report.clientOrderId)));
    });

    test('are read only where the stream has not told all of them', async () => {
      const before = requestsTo(FILLS);
      await venue.placeOrder(order());
      // Only Binance’s are so dear to read that they are taken from the stream.
      expect(requestsTo(FILLS) - before).toBe(exchange === 'binance' ? 0 : 1);
      emulated.faults.loseEvents = 3;
      await venue.placeOrder(order());
      expect(requestsTo(FILLS) - before).toBe(exchange === 'binance' ? 1 : 2);
    });
  });

  test('a position that changed by hand is known at once, also when many ask and no message of it came', async () => {
    await venue.placeOrder(order());
    emulated.faults.loseEvents = MANY;
    const closes =
      exchange === 'mexc' ? [{ closes: true, quantity: '0.01' }, { quantity: '0.02' }] : [{ quantity: '0.03' }];
    const first = Promise.all(MARKETS.map((market) => held(market)));
    for (const each of closes) tradeByHand(emulated, { exchange, symbol: MARKET, side: 'SELL', ...each });
    const then = await Promise.all([...MARKETS, ...MARKETS].map((market) => held(market)));
    await first;
    expect(then).toEqual(['SHORT 0.02', '', '', 'SHORT 0.02', '', '']);
    expect((await venue.positions(MARKET, 'urgent')).map(({ side }) => side)).toEqual(['SHORT']);
  });

  test('a leverage that was changed by hand is set again, also when no message of it came', async () => {
    await venue.ensureLeverage(MARKET, 5);
    await venue.placeOrder(order());
    emulated.faults.loseEvents = MANY;
    emulated.market.setLeverage(MARKET, 20);
    await venue.ensureLeverage(MARKET, 5);
    expect(emulated.market.account.settings(MARKET).leverage).toBe(5);
    await venue.placeOrder(order());
    expect(leverages()).toEqual([5, 5]);
  });

  /** As it was set, and as the last order has said it, which only MEXC asks for. */
  const leverages = (): readonly [number, number] => {
    const { leverage } = emulated.market.account.settings(MARKET);
    const sent = emulated.requests.findLast(({ path }) => path.endsWith('/order/create'))?.body ?? '{}';
    return [leverage, exchange === 'mexc' ? (JSON.parse(sent) as { leverage: number }).leverage : leverage];
  };

  test('an order without a leverage of its own leaves the one that was set by hand a moment ago', async () => {
    await venue.ensureLeverage(MARKET, 5);
    await venue.placeOrder(order());
    emulated.faults.loseEvents = MANY;
    emulated.market.setLeverage(MARKET, 20);
    await venue.placeOrder(order());
    expect(leverages()).toEqual([20, 20]);
  });
});
