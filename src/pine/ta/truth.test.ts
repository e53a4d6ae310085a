// Every exported column of TradingView, computed by the kernels the way the case's script does.

import { afterEach, expect, test } from 'vitest';
import { Atr, Bb, Bbw, TrueRange } from './bands.ts';
import { FixNan } from './changes.ts';
import { Cross, Crossover, Crossunder, ValueWhen } from './events.ts';
import { Highest, HighestBars, Lowest, LowestBars } from './extremes.ts';
import { Mfi, Rsi, Stoch } from './oscillators.ts';
import { PivotHigh, PivotLow } from './pivots.ts';
import { Ema, Macd, Rma } from './recursive-averages.ts';
import { type Bar, openTruthCase, type TruthCase } from './testing/truth-case.ts';
import { Dmi, Supertrend } from './trend.ts';
import { AccDist, Pvi, Pvt, Vwap, Wad, Wvad } from './volume.ts';
import { Alma, Hma, Sma, Swma, Vwma, Wma } from './window-averages.ts';

const hl2 = ({ high, low }: Bar): number => (high + low) / 2;
const hlc3 = ({ high, low, close }: Bar): number => (high + low + close) / 3;
const ohlc4 = ({ open, high, low, close }: Bar): number => (open + high + low + close) / 4;
const hlcc4 = ({ high, low, close }: Bar): number => (high + low + close + close) / 4;

/** The three columns of a kernel with a tuple, each with a kernel of its own. */
function tuple<K extends { second: number; third?: number }>(make: () => K, step: (kernel: K, bar: Bar) => number) {
  const column = (read: (kernel: K, value: number) => number): ((bar: Bar) => number) => {
    const kernel = make();
    return (bar) => read(kernel, step(kernel, bar));
  };
  return {
    first: column((_, value) => value),
    second: column((kernel) => kernel.second),
    third: column((kernel) => kernel.third ?? Number.NaN),
  };
}

let truth: TruthCase;
afterEach(() => expect(truth.unchecked()).toEqual([]));

test('the moving averages are those of TradingView', () => {
  truth = openTruthCase('moving-averages');
  const sma = (longest: number, of: (bar: Bar) => number) => {
    const kernel = new Sma(longest);
    return (bar: Bar): number => kernel.next(of(bar), longest);
  };
  const close = (bar: Bar): number => bar.close;
  truth.check('ta.sma(close, 10)', sma(10, close));
  truth.check('ta.sma(hl2, 20)', sma(20, hl2));
  truth.check('ta.sma(hlc3, 15)', sma(15, hlc3));
  const ema20 = new Ema(20);
  truth.check('ta.ema(close, 20)', (bar) => ema20.next(bar.close));
  const ema10 = new Ema(10);
  truth.check('ta.ema(ohlc4, 10)', (bar) => ema10.next(ohlc4(bar)));
  const rma5 = new Rma(5);
  truth.check('ta.rma(hlcc4, 5)', (bar) => rma5.next(hlcc4(bar)));
  const rma15 = new Rma(15);
  truth.check('ta.rma(high, 15)', (bar) => rma15.next(bar.high));
  const alma5 = new Alma(5, 0.85, 6);
  truth.check('ta.alma(close, 5, 0.85, 6)', (bar) => alma5.next(bar.close, 5));
  const alma10 = new Alma(10, 0.55, 12);
  truth.check('ta.alma(close, 10, 0.55, 12)', (bar) => alma10.next(bar.close, 10));
  const wma5 = new Wma(5);
  truth.check('ta.wma(close, 5)', (bar) => wma5.next(bar.close, 5));
  const wma20 = new Wma(20);
  truth.check('ta.wma(close, 20)', (bar) => wma20.next(bar.close, 20));
  const hma9 = new Hma(9);
  truth.check('ta.hma(close, 9)', (bar) => hma9.next(bar.close));
  const hma20 = new Hma(20);
  truth.check('ta.hma(close, 20)', (bar) => hma20.next(bar.close));
  const swma = new Swma();
  truth.check('ta.swma(hlc3)', (bar) => swma.next(hlc3(bar)));
  const vwma = new Vwma(20);
  truth.check('ta.vwma(close, 20)', (bar) => vwma.next(bar.close, bar.volume, 20));
});

test('the bollinger bands are those of TradingView', () => {
  truth = openTruthCase('bollinger-bands');
  const { first, second, third } = tuple(
    () => new Bb(20),
    (bb, bar) => bb.next(bar.close, 20, 2),
  );
  truth.check('ta.bb(close, 20, 2).base', first);
  truth.check('ta.bb(close, 20, 2).upper', second);
  truth.check('ta.bb(close, 20, 2).lower', third);
  const width = new Bbw(20);
  truth.check('ta.bbw(close, 20, 2.1)', (bar) => width.next(bar.close, 20, 2.1));
});

test('the crosses are those of TradingView', () => {
  truth = openTruthCase('cross');
  const check = (title: string, kernel: Cross | Crossover | Crossunder, mark: number): void => {
    const fast = new Ema(5);
    const slow = new Ema(11);
    truth.check(title, (bar) => (kernel.next(fast.next(bar.close), slow.next(bar.close)) ? mark : 0));
  };
  check('ta.cross(ema1, ema2)', new Cross(), 0.5);
  check('ta.crossover(ema1, ema2)', new Crossover(), 1);
  check('ta.crossunder(ema1, ema2)', new Crossunder(), -1);
});

test('the directional movement is that of TradingView', () => {
  truth = openTruthCase('dmi');
  const { first, second, third } = tuple(
    () => new Dmi(17, 14),
    (dmi, { high, low, previous }) => dmi.next(high, low, previous.high, previous.low, previous.close),
  );
  truth.check('ta.dmi(17, 14).dip', first);
  truth.check('ta.dmi(17, 14).dim', second);
  truth.check('ta.dmi(17, 14).adx', third);
});

test('highest and lowest and where they stand are those of TradingView', () => {
  truth = openTruthCase('highest-lowest');
  const highs = [new Highest(10), new Highest(10), new HighestBars(10), new HighestBars(10)] as const;
  truth.check('ta.highest(10)', (bar) => highs[0].next(bar.high, 10));
  truth.check('ta.highest(close, 10)', (bar) => highs[1].next(bar.close, 10));
  truth.check('ta.highestbars(10)', (bar) => highs[2].next(bar.high, 10));
  truth.check('ta.highestbars(close, 10)', (bar) => highs[3].next(bar.close, 10));
  const lows = [new Lowest(10), new Lowest(10), new LowestBars(10), new LowestBars(10)] as const;
  truth.check('ta.lowest(10)', (bar) => lows[0].next(bar.low, 10));
  truth.check('ta.lowest(close, 10)', (bar) => lows[1].next(bar.close, 10));
  truth.check('ta.lowestbars(10)', (bar) => lows[2].next(bar.low, 10));
  truth.check('ta.lowestbars(close, 10)', (bar) => lows[3].next(bar.close, 10));
});

test('the macd is that of TradingView', () => {
  truth = openTruthCase('macd');
  const { first, second, third } = tuple(
    () => new Macd(12, 26, 9),
    (macd, bar) => macd.next(bar.close),
  );
  truth.check('ta.macd(close, 12, 26, 9).macd', first);
  truth.check('ta.macd(close, 12, 26, 9).signal', second);
  truth.check('ta.macd(close, 12, 26, 9).hist', third);
});

test('mfi, rsi and stoch are those of TradingView', () => {
  truth = openTruthCase('mfi-rsi-stoch');
  const mfi = new Mfi(14);
  truth.check('ta.mfi(close, 14)', (bar) => mfi.next(bar.close, bar.volume, 14));
  const rsi = new Rsi(14);
  truth.check('ta.rsi(close, 14)', (bar) => rsi.next(bar.close));
  const stoch = new Stoch(20);
  truth.check('ta.stoch(close, high, low, 20)', (bar) => stoch.next(bar.close, bar.high, bar.low, 20));
});

test('na is handled as in TradingView', () => {
  truth = openTruthCase('na-handling');
  const value = (bar: Bar): number => (bar.index % 2 === 0 ? bar.index : Number.NaN);
  const orElse = (bar: Bar, other: number): number => (Number.isNaN(value(bar)) ? other : value(bar));
  truth.check('val', value);
  truth.check('na(val)', (bar) => (Number.isNaN(value(bar)) ? 0 : 1));
  truth.check('nz(val)', (bar) => orElse(bar, 0));
  truth.check('nz(val, 2)', (bar) => orElse(bar, 2));
  const fixnan = new FixNan();
  truth.check('fixnan(val)', (bar) => fixnan.next(value(bar)));
});

test('the pivots are those of TradingView', () => {
  truth = openTruthCase('pivots');
  const highs = [new PivotHigh(16), new PivotHigh(16)] as const;
  truth.check('ta.pivothigh(10, 5)', (bar) => highs[0].next(bar.high, 10, 5));
  truth.check('ta.pivothigh(close, 10, 5)', (bar) => highs[1].next(bar.close, 10, 5));
  const lows = [new PivotLow(16), new PivotLow(16)] as const;
  truth.check('ta.pivotlow(10, 5)', (bar) => lows[0].next(bar.low, 10, 5));
  truth.check('ta.pivotlow(close, 10, 5)', (bar) => lows[1].next(bar.close, 10, 5));
});

test('kernels called in a loop or only now and then go on as in TradingView', () => {
  truth = openTruthCase('series-in-if-and-for');
  // Each call of a bar starts from the state the bar before it left: the last one of the loop is what stays.
  const inLoop = (bar: Bar, ema: Ema): number => {
    ema.save();
    ema.next(bar.close);
    ema.restore();
    ema.next(bar.close * 2);
    ema.restore();
    return ema.next(bar.close * 3);
  };
  const later = (compute: (bar: Bar) => number, bars: number): ((bar: Bar) => number) => {
    const history: number[] = [];
    return (bar) => {
      history.push(compute(bar));
      return history.at(-1 - bars) ?? Number.NaN;
    };
  };
  const now = (ema: Ema) => (bar: Bar) => (bar.index % 4 === 3 ? ema.next(bar.close) : Number.NaN);
  const first = new Ema(5);
  truth.check('ema1', (bar) => inLoop(bar, first));
  const second = new Ema(5);
  truth.check(
    'ema1[1]',
    later((bar) => inLoop(bar, second), 1),
  );
  truth.check('ema2', now(new Ema(10)));
  truth.check('ema2[2]', later(now(new Ema(10)), 2));
});

test('the supertrend is that of TradingView', () => {
  truth = openTruthCase('supertrend');
  const column = (wanted: number): ((bar: Bar) => number) => {
    const kernel = new Supertrend(10);
    return ({ high, low, close, previous }) => {
      const line = kernel.next(high, low, close, previous.close, 3);
      return kernel.second === wanted ? line : Number.NaN;
    };
  };
  truth.check('ta.supertrend(3, 10).up', column(-1));
  truth.check('ta.supertrend(3, 10).down', column(1));
});

test('true range and its average are those of TradingView', () => {
  truth = openTruthCase('true-range');
  const range = new TrueRange();
  truth.check('ta.tr', (bar) => range.next(bar.high, bar.low, bar.previous.close, false));
  truth.check('ta.tr(false)', (bar) => range.next(bar.high, bar.low, bar.previous.close, false));
  truth.check('ta.tr(true)', (bar) => range.next(bar.high, bar.low, bar.previous.close, true));
  const atr = new Atr(14);
  truth.check('ta.atr(14)', (bar) => atr.next(bar.high, bar.low, bar.previous.close));
});

test('valuewhen is that of TradingView', () => {
  truth = openTruthCase('valuewhen');
  const slow = new Sma(7);
  const fast = new Sma(14);
  const cross = new Cross();
  const when = new ValueWhen(1, Number.NaN);
  truth.check('ta.valuewhen(ta.cross(slow, fast), close, 1)', ({ close }) =>
    when.next(cross.next(slow.next(close, 7), fast.next(close, 14)), close),
  );
});

test('the volume lines are those of TradingView', () => {
  truth = openTruthCase('volume-lines');
  const accdist = new AccDist();
  truth.check('ta.accdist', (bar) => accdist.next(bar.high, bar.low, bar.close, bar.volume));
  const pvi = new Pvi();
  truth.check('ta.pvi', (bar) => pvi.next(bar.close, bar.volume));
  const pvt = new Pvt();
  truth.check('ta.pvt', (bar) => pvt.next(bar.close, bar.volume));
  const wad = new Wad();
  truth.check('ta.wad', (bar) => wad.next(bar.high, bar.low, bar.close));
  const wvad = new Wvad();
  truth.check('ta.wvad', (bar) => wvad.next(bar.open, bar.high, bar.low, bar.close, bar.volume));
});

test('the anchored average price and its bands are those of TradingView', () => {
  truth = openTruthCase('vwap');
  const hourMs = 3_600_000;
  // The symbol's day starts at 17:00 New York, which is 21:00 UTC in the summer of these bars.
  const periodOf = (bar: Bar, hours: number): number => Math.floor((bar.time - 21 * hourMs) / (hours * hourMs));
  const isNew = (bar: Bar, hours: number): boolean =>
    bar.index > 0 && periodOf(bar, hours) !== periodOf(bar.previous, hours);
  const daily = new Vwap();
  truth.check('ta.vwap(close)', (bar) =>
    daily.next(bar.close, bar.volume, bar.index === 0 || isNew(bar, 24), Number.NaN),
  );
  const fourHours = new Vwap();
  truth.check('ta.vwap(close, timeframe.change("240"))', (bar) =>
    fourHours.next(bar.close, bar.volume, isNew(bar, 4), Number.NaN),
  );
  const { first, second, third } = tuple(
    () => new Vwap(),
    (vwap, bar) => vwap.next(bar.close, bar.volume, isNew(bar, 6), 2),
  );
  const title = 'ta.vwap(close, timeframe.change("360"), 2.0)';
  truth.check(`${title}.vwap`, first);
  truth.check(`${title}.upper_band`, second);
  truth.check(`${title}.lower_band`, third);
});
