// The promises of a bar store, kept by every adapter.

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BarStore, Stretch } from '../../src/market-data/bar-store.ts';
import type { Bar } from '../../src/market-data/price-source.ts';

const MINUTE_MS = 60_000;

export const sampleBar = (index: number, timeframeMs = MINUTE_MS): Bar => ({
  time: index * timeframeMs,
  open: index + 0.1,
  high: index + 0.30000000000000004,
  low: 1e-7,
  close: index + 0.2,
  volume: index * 1e9,
});

export const sampleBars = (from: number, to: number): Bar[] =>
  Array.from({ length: to - from }, (_, i) => sampleBar(from + i));

export const minutes = (from: number, to: number): Stretch => ({ fromMs: from * MINUTE_MS, toMs: to * MINUTE_MS });

export function describeBarStore(
  name: string,
  open: () => Promise<{ readonly store: BarStore; remove(): Promise<void> }>,
): void {
  describe(name, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    const read = (from: number, to: number) => opened.store.read('BTCUSDT', MINUTE_MS, minutes(from, to));
    const write = (from: number, to: number, bars: readonly Bar[]) =>
      opened.store.write('BTCUSDT', MINUTE_MS, minutes(from, to), bars);

    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.remove());

    test('knows nothing at first', async () => {
      expect(await read(0, 1000)).toEqual({ bars: [], missing: [minutes(0, 1000)] });
    });

    test('gives back every number as it was, oldest first', async () => {
      await write(100, 700, sampleBars(100, 700));
      expect(await read(100, 700)).toEqual({ bars: sampleBars(100, 700), missing: [] });
      expect((await read(250, 260)).bars).toEqual(sampleBars(250, 260));
    });

    test('tells where nothing is known', async () => {
      await write(10, 20, sampleBars(10, 20));
      await write(300, 600, sampleBars(300, 600));
      expect(await read(0, 700)).toEqual({
        bars: [...sampleBars(10, 20), ...sampleBars(300, 600)],
        missing: [minutes(0, 10), minutes(20, 300), minutes(600, 700)],
      });
    });

    test('knows that there was no bar, too', async () => {
      await write(0, 10, [sampleBar(3), sampleBar(7)]);
      expect(await read(0, 10)).toEqual({ bars: [sampleBar(3), sampleBar(7)], missing: [] });
    });

    test('takes what is written last', async () => {
      await write(0, 10, sampleBars(0, 10));
      const corrected = { ...sampleBar(5), close: 42 };
      await write(5, 7, [corrected]);
      expect((await read(4, 8)).bars).toEqual([sampleBar(4), corrected, sampleBar(7)]);
    });

    test('keeps markets and timeframes apart', async () => {
      await write(0, 10, sampleBars(0, 10));
      const { store } = opened;
      expect((await store.read('ETHUSDT', MINUTE_MS, minutes(0, 10))).bars).toEqual([]);
      expect((await store.read('BTCUSDT', 5 * MINUTE_MS, minutes(0, 10))).bars).toEqual([]);
    });

    test('tells from where to where something is known, holes or not', async () => {
      const { store } = opened;
      expect(await store.span('BTCUSDT', MINUTE_MS)).toBeUndefined();
      expect(await store.series()).toEqual([]);
      await write(300, 600, sampleBars(300, 600));
      await write(10, 20, []);
      await store.write('ADAUSDT', 5 * MINUTE_MS, minutes(5, 10), [sampleBar(1, 5 * MINUTE_MS)]);
      await store.write('ADAUSDT', MINUTE_MS, minutes(255, 257), sampleBars(255, 257));
      expect(await store.span('BTCUSDT', MINUTE_MS)).toEqual(minutes(10, 600));
      expect(await store.span('BTCUSDT', 5 * MINUTE_MS)).toBeUndefined();
      expect(await store.series()).toEqual([
        { market: 'ADAUSDT', timeframeMs: MINUTE_MS, ...minutes(255, 257) },
        { market: 'ADAUSDT', timeframeMs: 5 * MINUTE_MS, ...minutes(5, 10) },
        { market: 'BTCUSDT', timeframeMs: MINUTE_MS, ...minutes(10, 600) },
      ]);
    });

    test('keeps fifty thousand bars', async () => {
      const bars = sampleBars(1_000_000, 1_050_000);
      await write(1_000_000, 1_050_000, bars);
      expect(await read(1_000_000, 1_050_000)).toEqual({ bars, missing: [] });
    });

    test('knows after any sequence of writes what was written last', async () => {
      let round = 0;
      const writes = fc.array(fc.tuple(fc.nat(600), fc.integer({ min: 1, max: 400 }), fc.nat(4)), { maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(writes, async (all) => {
          round += 1;
          const market = `M${round}`;
          const known = new Map<number, Bar | undefined>();
          for (const [from, length, skip] of all) {
            const bars = sampleBars(from, from + length).filter((_, i) => skip === 0 || i % (skip + 1) !== 0);
            await opened.store.write(market, MINUTE_MS, minutes(from, from + length), bars);
            for (let i = from; i < from + length; i += 1) known.set(i, undefined);
            for (const bar of bars) known.set(bar.time / MINUTE_MS, bar);
          }
          const { bars, missing } = await opened.store.read(market, MINUTE_MS, minutes(0, 1024));
          const expected = [...known.keys()].sort((a, b) => a - b).map((index) => known.get(index));
          expect(bars).toEqual(expected.filter((bar) => bar !== undefined));
          const missed = missing.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs) / MINUTE_MS, 0);
          expect(missed).toBe(1024 - known.size);
        }),
        { numRuns: 30 },
      );
    });
  });
}
