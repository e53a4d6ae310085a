// The bar magnifier: which timeframe it asks for, and what it does on bars that come live.

import { describe, expect, it } from 'vitest';
import { type Bar, barColumns, compile, type RunOptions } from '../index.ts';

const HOUR = 3_600_000;
const HEAD = '//@version=6\nstrategy("s", use_bar_magnifier = true)\n';
const ENTRY =
  'if bar_index == 0\n    strategy.entry("L", strategy.long)\n    strategy.exit("X", "L", limit = 108, stop = 96)\n';

const bar = (time: number, open: number, high: number, low: number, close: number): Bar => ({
  ...{ time, open, high, low, close },
  volume: 1,
});

/** By itself the second bar goes to 95 first; its halves go to 110 first. */
const BARS = [bar(0, 100, 100, 100, 100), bar(HOUR, 100, 110, 95, 101)];
const HALVES = barColumns([bar(HOUR, 100, 110, 100, 103), bar(1.5 * HOUR, 103, 103, 95, 101)]);
const OPTIONS: RunOptions = { timeframe: '60', symbolBars: [{ symbol: '', timeframe: '30', bars: HALVES }] };

const programOf = (source: string) => {
  const { program } = compile(source);
  if (program === null) throw new Error('it does not compile');
  return program;
};

describe('the bar magnifier', () => {
  it.each([
    ['1S', '1S'],
    ['29S', '1S'],
    ['30S', '5S'],
    ['59S', '5S'],
    ['1', '10S'],
    ['4', '10S'],
    ['5', '30S'],
    ['9', '30S'],
    ['10', '1'],
    ['14', '1'],
    ['15', '2'],
    ['29', '2'],
    ['30', '5'],
    ['59', '5'],
    ['60', '10'],
    ['239', '10'],
    ['240', '30'],
    ['1439', '30'],
    ['1D', '60'],
    ['2D', '60'],
    ['3D', '240'],
    ['6D', '240'],
    ['1W', '1D'],
    ['1M', '1D'],
  ])('of a chart of %s asks for bars of %s', (timeframe, inside) => {
    const { warnings } = programOf(`${HEAD}plot(close)`).run(barColumns([]), { timeframe, symbol: { ticker: 'X' } });
    expect(warnings).toMatchObject([{ code: 'PE403', line: 2, column: 1, endLine: 2 }]);
    expect(warnings[0]?.remedy).toContain(`--bars X:${inside}=FILE.csv`);
  });

  it('looks into bars of history', () => {
    const { broker, warnings } = programOf(HEAD + ENTRY).run(barColumns(BARS), OPTIONS);
    expect(broker?.ledger.closed).toMatchObject([{ exitPrice: 108 }]);
    expect(warnings).toEqual([]);
  });

  it('leaves bars alone that came live, when nobody had shorter ones, so that a repeated run gives the same', () => {
    const { broker, warnings } = programOf(HEAD + ENTRY).run(barColumns(BARS), { ...OPTIONS, liveSinceMs: HOUR });
    expect(broker?.ledger.closed).toMatchObject([{ exitPrice: 96 }]);
    expect(warnings).toEqual([]);
  });

  it('does not know on a tick what will come, and tells what an open inside of a bar fills from what its own does', () => {
    const run = programOf(HEAD + ENTRY).open(barColumns(BARS.slice(0, 1)), OPTIONS);
    const moments = (fills: readonly { readonly moment: string; readonly price: number }[]) =>
      fills.map(({ moment, price }) => `${moment} ${price}`);
    expect(moments(run.update(bar(HOUR, 100, 101, 95, 95)).fills)).toEqual(['open 100', 'inside 96']);
    expect(moments(run.close(BARS[1]!).fills)).toEqual(['open 100', 'inside 108']);
  });

  it("fills at the open of a shorter bar inside of the chart's bar, not at its open", () => {
    const gap = barColumns([bar(HOUR, 100, 104, 100, 104), bar(1.5 * HOUR, 110, 110, 95, 101)]);
    const options = { ...OPTIONS, symbolBars: [{ symbol: '', timeframe: '30', bars: gap }] };
    const run = programOf(HEAD + ENTRY).open(barColumns(BARS.slice(0, 1)), options);
    expect(run.close(BARS[1]!).fills).toMatchObject([{ moment: 'open' }, { moment: 'inside', price: 110 }]);
  });

  it('takes bars that miss an extreme by less than half a tick for the same prices', () => {
    const near = (by: number) =>
      barColumns([bar(HOUR, 100, 110 - by, 100, 103), bar(1.5 * HOUR, 103, 103, 95 + by, 101)]);
    const exitPrice = (by: number) => {
      const options = { ...OPTIONS, symbolBars: [{ symbol: '', timeframe: '30', bars: near(by) }] };
      return programOf(HEAD + ENTRY).run(barColumns(BARS), options).broker?.ledger.closed[0]?.exitPrice;
    };
    expect([0, 0.005, 0.006].map(exitPrice)).toEqual([108, 108, 96]);
  });
});
