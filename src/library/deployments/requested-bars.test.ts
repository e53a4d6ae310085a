// Bars of other markets for deployed scripts: asked for once they are missed, then before each run, and only what is over.

import { describe, expect, it } from 'vitest';
import type { MissingBars, SymbolBars } from '../../pine/index.ts';
import type { Refused } from '../script-runner.ts';
import type { MarketBar } from './ports.ts';
import { RequestedBars } from './requested-bars.ts';

const MINUTE_MS = 60_000;
const ETH: MissingBars = { symbol: 'BINANCE:ETHUSDT.P', timeframe: '5', timeframeMs: 5 * MINUTE_MS };
const DONE = { kind: 'result' } as const;

const missing = (missingBars: MissingBars): Refused => ({
  ...{ kind: 'runtime-error', message: 'no bars', barIndex: 0, line: 1, column: 1 },
  missingBars,
});

/** A source that has a bar for every stretch, and notes what it was asked. */
function openSource(fault?: Error) {
  const asked: [market: string, fromMs: number, toMs: number][] = [];
  const bars = async (market: string, timeframeMs: number, fromMs: number, toMs: number): Promise<MarketBar[]> => {
    asked.push([market, fromMs, toMs]);
    if (fault !== undefined) throw fault;
    const found: MarketBar[] = [];
    for (let time = fromMs; time < toMs; time += timeframeMs)
      found.push({ time, open: 1, high: 1, low: 1, close: 1, volume: 1 });
    return found;
  };
  return { asked, requested: new RequestedBars({ bars }) };
}

/** A script that needs these, in this order. */
function scriptOf(...needed: MissingBars[]) {
  const given: (readonly SymbolBars[])[] = [];
  return {
    given,
    run: async (bars: readonly SymbolBars[]) => {
      given.push(bars);
      const lacking = needed.find(({ symbol }) => !bars.some((one) => one.symbol === symbol));
      return lacking === undefined ? DONE : missing(lacking);
    },
  };
}

describe('bars that a script requests', () => {
  it('are fetched when it misses them, as the market is called, and it runs again', async () => {
    const { asked, requested } = openSource();
    const { given, run } = scriptOf(ETH, { ...ETH, symbol: 'SOLUSDT' });
    expect(await requested.runWith('a', { fromMs: 0, toMs: 12 * MINUTE_MS }, run)).toBe(DONE);
    expect(given.map((bars) => bars.map(({ symbol }) => symbol))).toEqual([
      [],
      ['BINANCE:ETHUSDT.P'],
      ['BINANCE:ETHUSDT.P', 'SOLUSDT'],
    ]);
    expect(asked[0]).toEqual(['ETHUSDT', 0, 12 * MINUTE_MS]);
    // The third began at minute 10 and is not over.
    expect([...(given[1]?.[0]?.bars.time ?? [])]).toEqual([0, 5 * MINUTE_MS]);
  });

  it('are there before the next run, which asks only for what came since', async () => {
    const { asked, requested } = openSource();
    const { given, run } = scriptOf(ETH);
    await requested.runWith('a', { fromMs: 0, toMs: 10 * MINUTE_MS }, run);
    const before = asked.length;
    await requested.runWith('a', { fromMs: 0, toMs: 15 * MINUTE_MS }, run);
    expect(given).toHaveLength(3);
    expect(given[2]?.[0]?.bars.count).toBe(3);
    expect(asked.slice(before)).toEqual([['ETHUSDT', 10 * MINUTE_MS, 15 * MINUTE_MS]]);
    requested.forget('a');
    await requested.runWith('a', { fromMs: 0, toMs: 15 * MINUTE_MS }, run);
    expect(given[3]).toEqual([]);
  });

  it('leave the error as it is where there is no such market, and go on failing where it is away', async () => {
    const stretch = { fromMs: 0, toMs: 10 * MINUTE_MS };
    const refusal = Object.assign(new Error('no such market'), { name: 'FeedRefusal' });
    const { run } = scriptOf(ETH);
    expect(await openSource(refusal).requested.runWith('a', stretch, run)).toMatchObject({ kind: 'runtime-error' });
    await expect(openSource(new Error('away')).requested.runWith('a', stretch, run)).rejects.toThrow('away');
  });

  it('are at most twenty series, of twenty thousand bars each', async () => {
    const { requested } = openSource();
    const many = Array.from({ length: 21 }, (_, place) => ({ ...ETH, symbol: `C${place}` }));
    const stretch = { fromMs: 0, toMs: 10 * MINUTE_MS };
    expect(await requested.runWith('a', stretch, scriptOf(...many.slice(1)).run)).toBe(DONE);
    expect(await requested.runWith('b', stretch, scriptOf(...many).run)).toMatchObject({ kind: 'runtime-error' });
    const long = scriptOf(ETH);
    await requested.runWith('c', { fromMs: 0, toMs: 30_000 * 5 * MINUTE_MS }, long.run);
    expect(long.given[1]?.[0]?.bars.count).toBe(20_000);
  });
});
