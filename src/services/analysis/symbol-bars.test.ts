// `symbol_bars` of a run: bars of other symbols and timeframes, as rows or columns, read and bounded like those of the chart.

import { describe, expect, it } from 'vitest';
import { barsOf, LIMITS, openAnalysis, requestOf } from './testing/analysis-app.ts';

const HOUR_MS = 3_600_000;
const columns = { time: [1_700_000_000, 1_700_003_600], open: [1, 2], high: [3, 3], low: [0, 1], close: [2, 2.5] };

const answerTo = async (symbol_bars: unknown) => {
  const { post, asked } = openAnalysis();
  const { status, text } = await post('/run', requestOf({ symbol_bars }));
  return { status, text, given: asked[0]?.symbolBars };
};

describe('bars of other symbols', () => {
  it('are handed on in columns, whether they came as rows or as columns, with what differs of their market', async () => {
    const { status, given } = await answerTo([
      { symbol: 'ETHUSDT', timeframe: '60', data: barsOf(3, HOUR_MS), symbol_info: { mintick: 0.5, sector: null } },
      { timeframe: '1h', data: columns },
    ]);
    expect(status).toBe(200);
    expect(given).toMatchObject([
      { symbol: 'ETHUSDT', timeframe: '60', info: { mintick: 0.5 }, bars: { count: 3 } },
      { symbol: '', timeframe: '1h', bars: { count: 2 } },
    ]);
    expect(given?.[0]?.info).not.toHaveProperty('sector');
    expect([...(given?.[1]?.bars.time ?? [])]).toEqual([1_700_000_000_000, 1_700_003_600_000]);
    expect(given?.[1]?.bars.volume).toEqual(Float64Array.of(Number.NaN, Number.NaN));
  });

  it.each([
    [[{ symbol: 'A', data: barsOf(2) }], 'symbol_bars.0.timeframe'],
    [[{ symbol: 'A', timeframe: '7x', data: barsOf(2) }], 'symbol_bars.0.timeframe: Invalid timeframe'],
    [[{ symbol: 'A', timeframe: '60' }], 'symbol_bars.0.data'],
    [[{ symbol: 'A', timeframe: '60', data: [] }], 'symbol_bars.0.data: is empty'],
    [[{ symbol: 'A', timeframe: '60', data: barsOf(2).toReversed() }], 'symbol_bars.0.data.1.time'],
    [[{ symbol: 'A', timeframe: '60', data: barsOf(2), more: 1 }], 'more'],
    [{ symbol: 'A' }, 'symbol_bars'],
  ])('that cannot be read are refused with their place: %j', async (symbolBars, place) => {
    const { status, text, given } = await answerTo(symbolBars);
    expect([status, given]).toEqual([400, undefined]);
    expect(text).toContain(place);
  });

  it('are at most a hundred', async () => {
    const one = { symbol: 'A', timeframe: '60', data: barsOf(1) };
    expect((await answerTo(Array.from({ length: 100 }, () => one))).status).toBe(200);
    expect((await answerTo(Array.from({ length: 101 }, () => one))).status).toBe(400);
  });

  it('are together as many as those of the chart may be', async () => {
    const half = LIMITS.maxBars / 2;
    const of = (count: number) => ({ symbol: 'A', timeframe: '1', data: manyBars(count) });
    expect((await answerTo([of(half), of(half)])).status).toBe(200);
    const { status, text } = await answerTo([of(half), of(half + 1)]);
    expect(status).toBe(413);
    expect(text).toContain(`symbol_bars.1.data: has ${half + 1} bars, send at most ${half}`);
  });
});

function manyBars(count: number): Record<string, number[]> {
  const ones = Array.from({ length: count }, () => 1);
  return { time: ones.map((_, i) => 1_700_000_000 + i * 60), open: ones, high: ones, low: ones, close: ones };
}
