// Floods of signals through the whole gateway to emulated venues with their published limits: the venue refuses none, orders cost it
// little, and what closes a position does not wait behind them. How much of the allowed rate is reached is measured by
// `npm run bench live-order-rate`, on a machine that does nothing else.

import { afterEach, describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { type FloodedGateway, type FloodReport, flood, floodMarket, openFlooded } from '../support/order-flood.ts';

/** More than the first window of each venue allows, so that some have to wait. */
const SIGNALS: Readonly<Record<Exchange, number>> = { binance: 320, bybit: 40, mexc: 60 };
/** So many entries go before one has to wait for the next window; one less, since the position to close was opened before. */
const FIRST_WINDOW: Readonly<Record<Exchange, number>> = { binance: 284, bybit: 9, mexc: 19 };
/** Of the rate that is allowed; far less than the benchmark asks for, because others use the machine too. */
const LEAST_SHARE = 0.5;

const countOf = ({ requests }: FloodReport, pattern: RegExp): number =>
  [...requests].filter(([name]) => pattern.test(name)).reduce((sum, [, count]) => sum + count, 0);

describe.each<Exchange>(['binance', 'bybit', 'mexc'])('%s', (exchange) => {
  test('takes a flood of signals without refusing a request, and what is asked before orders is shared', async () => {
    const signals = SIGNALS[exchange];
    const report = await flood({ exchange, signals, markets: 20, mode: 'async', leverage: 5 });
    expect(report).toMatchObject({ filled: signals, refused: 0 });
    expect(report.share).toBeGreaterThan(LEAST_SHARE);
    // Four times a second, and a few more at the beginning and the end, however many orders there are.
    const shared = 20 + (report.tookMs + 5_000) / 250;
    expect(countOf(report, /ticker/)).toBeLessThan(shared);
    // Twenty markets at MEXC ask for theirs before their leverage is changed, Bybit for two currencies.
    expect(countOf(report, /positionRisk|position\/list|open_positions/)).toBeLessThan(20 + 2 * shared);
    // Reading these would use up Binance’s limit of weight long before its limit of orders.
    expect(countOf(report, /userTrades/)).toBeLessThan(signals / 10);
  });

  describe('while a flood of entries waits', () => {
    let gateway: FloodedGateway;
    afterEach(() => gateway.close());

    test('what closes a position in another market is at the venue within a second or two', async () => {
      const [markets, other] = [50, floodMarket(50)];
      gateway = await openFlooded({ exchange, markets: markets + 1, mode: 'async' });
      await gateway.send({ symbol: other });
      await expect.poll(() => gateway.orders().length).toBe(1);
      const entries = Array.from({ length: SIGNALS[exchange] * 2 }, (_, index) =>
        gateway.send({ symbol: floodMarket(index % markets), quantity: 0.1 + Math.floor(index / markets) / 1000 }),
      );
      await Promise.all(entries);
      // Now the limit is used up as far as entries may use it.
      await expect.poll(() => gateway.orders().length, { interval: 5 }).toBeGreaterThan(FIRST_WINDOW[exchange]);
      const beganMs = Date.now();
      await gateway.send({ symbol: other, action: 'CLOSE_LONG' });
      const closing = () =>
        gateway.emulated.market.orders.find(({ symbol, side }) => symbol === other && side === 'SELL');
      await expect.poll(() => closing()?.status, { interval: 5 }).toBe('FILLED');
      // The limits let it go within a second; the rest is what a busy machine takes.
      expect(Date.now() - beganMs).toBeLessThan(2_000);
      const waiting = SIGNALS[exchange] * 2 + 1 - gateway.orders().length;
      expect(waiting).toBeGreaterThan(0);
    });
  });
});
