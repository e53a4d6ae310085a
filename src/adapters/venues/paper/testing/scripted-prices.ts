// A market for tests that trades exactly when and where the test says, on a clock that the test turns.

import type { RangeSource } from '../../../../market-data/price-source.ts';

export interface ScriptedPrices extends RangeSource {
  readonly nowMs: () => number;
  /** Turns the clock; markets stay where they are. */
  advance(byMs: number): void;
  /** A trade now. */
  trade(market: string, price: string): void;
  /** While true every question fails, as a lost connection does. */
  down: boolean;
}

export function createScriptedPrices(startMs: number): ScriptedPrices {
  const trades = new Map<string, { readonly atMs: number; readonly price: string }[]>();
  let nowMs = startMs;
  const prices: ScriptedPrices = {
    label: 'simulated',
    down: false,
    nowMs: () => nowMs,
    advance(byMs) {
      nowMs += byMs;
    },
    trade(market, price) {
      const list = trades.get(market) ?? [];
      trades.set(market, list);
      list.push({ atMs: nowMs, price });
    },
    async lastPrice(market) {
      const last = trades.get(market)?.at(-1);
      if (prices.down || !last) throw new Error('no connection');
      return last.price;
    },
    async bars() {
      throw new Error('a scripted market has no bars');
    },
    async range(market, fromMs, toMs) {
      if (prices.down) throw new Error('no connection');
      const within = (trades.get(market) ?? []).filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
      const sorted = within.map(({ price }) => price).sort((a, b) => Number(a) - Number(b));
      const [low, high] = [sorted[0], sorted.at(-1)];
      return low === undefined || high === undefined ? undefined : { low, high };
    },
  };
  return prices;
}
