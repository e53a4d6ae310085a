// A market whose every trade a test writes, and a gateway over it whose clock the test moves.

import type { RangeSource } from '../../src/market-data/price-source.ts';
import type { GatewayOptions, Sent, TestGateway } from '../support/gateway.ts';
import { freshGateway } from '../webhook/answers.ts';

export interface WrittenMarket extends RangeSource {
  /** A trade at this price, now. */
  trade(price: number): void;
  /** While set, nothing can be read. */
  silent: boolean;
  nowMs: () => number;
}

export function writtenMarket(price: number): WrittenMarket {
  const trades: { readonly atMs: number; readonly price: number }[] = [];
  let last = price;
  const market: WrittenMarket = {
    label: 'simulated',
    silent: false,
    nowMs: Date.now,
    trade(next) {
      last = next;
      trades.push({ atMs: market.nowMs(), price: next });
    },
    async lastPrice() {
      if (market.silent) throw new Error('no price');
      return String(last);
    },
    bars: async () => [],
    async range(_, fromMs, toMs) {
      if (market.silent) throw new Error('no stream');
      const seen = trades.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).map((trade) => trade.price);
      if (seen.length === 0) return undefined;
      return { low: String(Math.min(...seen)), high: String(Math.max(...seen)) };
    },
  };
  return market;
}

export interface Protected {
  readonly gateway: TestGateway;
  readonly market: WrittenMarket;
  /** Trades at these prices, two seconds apart, each followed by a look. */
  trade(...prices: number[]): Promise<void>;
  stops(): Promise<Sent['body'][]>;
  set(fields?: Record<string, unknown>): Promise<Sent>;
  positions(): Promise<Sent['body'][]>;
  /** The trades that stops made, oldest first. */
  closes(): Promise<Sent['body'][]>;
  /** Another gateway over the same folder and market, as after a restart this much later. */
  restart(awayMs?: number): Promise<Protected>;
}

export const PRICE = 50_000;
export const STOP = { exchange: 'binance', symbol: 'BTCUSDT', side: 'LONG', trailPercent: 2 };

export async function openProtected(options: GatewayOptions = {}, given?: WrittenMarket): Promise<Protected> {
  const market = given ?? writtenMarket(PRICE);
  const gateway = await freshGateway({ ...options, prices: market });
  market.nowMs = () => Date.now() + gateway.clock.offsetMs;
  const look = async (): Promise<void> => {
    await gateway.desk.protections.look();
    // A look of the gateway's own that had begun before the trade leaves nothing to this one.
    await new Promise((resolve) => setTimeout(resolve, 2));
    await gateway.desk.protections.look();
    // The close goes through the journal and a lane of its own.
    for (let tries = 0; tries < 4000; tries++) {
      const closing = gateway.desk.protections.list().some(({ fired }) => fired !== undefined);
      if (gateway.troubles.length > 0) return;
      // The position is gone from the books a moment before the outcome is on disk, where the next look reads it.
      if (!closing) return gateway.desk.dispatcher.settle(10_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const get = async (path: string): Promise<Sent['body'][]> => (await gateway.request('GET', path)).body.result;
  const pass = (ms: number): void => {
    gateway.clock.offsetMs += ms;
  };
  return {
    gateway,
    market,
    async trade(...prices) {
      for (const price of prices) {
        market.trade(price);
        pass(2000);
        await look();
      }
    },
    stops: () => get('/agent/trailing-stops'),
    set: (fields = {}) => gateway.request('POST', '/agent/trailing-stops', { ...STOP, ...fields }),
    positions: () => get('/positions'),
    closes: async () => (await get('/trades?limit=100')).filter(({ keyLabel }) => keyLabel === 'protection').reverse(),
    async restart(awayMs = 0) {
      await gateway.close();
      const again = await openProtected({ ...options, dataDir: gateway.dataDir }, market);
      again.gateway.clock.offsetMs = gateway.clock.offsetMs + awayMs;
      return again;
    },
  };
}
