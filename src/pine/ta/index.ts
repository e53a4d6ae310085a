// The kernels by their names in Pine: what the emitter makes one of for each call site, and what it hands to `next`.

import { Atr, Bb, Bbw, Kc, Kcw, TrueRange } from './bands.ts';
import { Change, Cum, FixNan, Mom, Roc } from './changes.ts';
import { BarsSince, Cross, Crossover, Crossunder, ValueWhen } from './events.ts';
import { Falling, Highest, HighestBars, Lowest, LowestBars, Max, Min, Range, Rising } from './extremes.ts';
import type { Kernel } from './kernel.ts';
import { Median, Mode, PercentileLinearInterpolation, PercentileNearestRank, PercentRank } from './order-statistics.ts';
import { Cci, Cmo, Cog, Mfi, Rsi, Stoch, Wpr } from './oscillators.ts';
import { PivotHigh, PivotLow, PivotPointLevels } from './pivots.ts';
import { Rci } from './rank-correlation.ts';
import { Ema, Macd, Rma, Tsi } from './recursive-averages.ts';
import { Correlation, Dev, Stdev, Variance } from './statistics.ts';
import { Dmi, Sar, Supertrend } from './trend.ts';
import { AccDist, Iii, Nvi, Obv, Pvi, Pvt, Vwap, Wad, Wvad } from './volume.ts';
import { Alma, Hma, Linreg, Sma, Sum, Swma, Vwma, Wma } from './window-averages.ts';

export { ValueWhen } from './events.ts';
export { type Kernel, LONGEST_SERIES_LENGTH } from './kernel.ts';
export { LONGEST_LENGTH } from './length.ts';

export interface KernelSpec {
  /** Makes the state of one call site; the arguments are named by `settings`, a bool as 0 or 1. */
  readonly create: (...settings: number[]) => Kernel;
  /**
   * Parameters whose argument is known before the first bar. `longest` is the longest length the call site can ask for:
   * its length where that never changes (leftbars + rightbars + 1 of a pivot), else LONGEST_SERIES_LENGTH.
   */
  readonly settings: readonly string[];
  /** What `next` takes, in order: the function's own parameters by name, or a series of the chart as `chart.close[1]`. */
  readonly inputs: readonly string[];
  /** `value` is what `next` returns; the others are fields to read after it, in the order of the tuple. */
  readonly outputs: readonly string[];
}

const VALUE = ['value'];
const PAIR = ['value', 'second'];
const TRIPLE = ['value', 'second', 'third'];
const LENGTH = ['length'];
const LONGEST = ['longest'];
const SOURCE = ['source'];
const SOURCE_LENGTH = ['source', 'length'];
const TWO_SOURCES = ['source1', 'source2'];
const HIGH_LOW = ['chart.high', 'chart.low'];
const CLOSE_VOLUME = ['chart.close', 'chart.volume'];
const KELTNER = ['series', ...HIGH_LOW, 'chart.close[1]', 'mult', 'useTrueRange'];
const BANDS = ['series', 'length', 'mult'];

const spec = (
  create: KernelSpec['create'],
  settings: readonly string[],
  inputs: readonly string[],
  outputs: readonly string[] = VALUE,
): KernelSpec => Object.freeze({ create, settings, inputs, outputs });

/** Every `ta.*` function and variable, and the two functions outside the namespace that have a state. */
export const TA_KERNELS: Readonly<Record<string, KernelSpec>> = Object.freeze({
  fixnan: spec(() => new FixNan(), [], SOURCE),
  'math.sum': spec((longest) => new Sum(longest), LONGEST, SOURCE_LENGTH),
  'ta.accdist': spec(() => new AccDist(), [], [...HIGH_LOW, ...CLOSE_VOLUME]),
  'ta.alma': spec(
    (longest, offset, sigma, floor) => new Alma(longest!, offset!, sigma!, floor === 1),
    ['longest', 'offset', 'sigma', 'floor'],
    ['series', 'length'],
  ),
  'ta.atr': spec((length) => new Atr(length!), LENGTH, [...HIGH_LOW, 'chart.close[1]']),
  'ta.barssince': spec(() => new BarsSince(), [], ['condition']),
  'ta.bb': spec((longest) => new Bb(longest), LONGEST, BANDS, TRIPLE),
  'ta.bbw': spec((longest) => new Bbw(longest), LONGEST, BANDS),
  'ta.cci': spec((longest) => new Cci(longest), LONGEST, SOURCE_LENGTH),
  'ta.change': spec((longest) => new Change(longest), LONGEST, SOURCE_LENGTH),
  'ta.cmo': spec((longest) => new Cmo(longest), LONGEST, ['series', 'length']),
  'ta.cog': spec((longest) => new Cog(longest), LONGEST, SOURCE_LENGTH),
  'ta.correlation': spec((longest) => new Correlation(longest), LONGEST, [...TWO_SOURCES, 'length']),
  'ta.cross': spec(() => new Cross(), [], TWO_SOURCES),
  'ta.crossover': spec(() => new Crossover(), [], TWO_SOURCES),
  'ta.crossunder': spec(() => new Crossunder(), [], TWO_SOURCES),
  'ta.cum': spec(() => new Cum(), [], SOURCE),
  'ta.dev': spec((longest) => new Dev(longest), LONGEST, SOURCE_LENGTH),
  'ta.dmi': spec(
    (diLength, adxSmoothing) => new Dmi(diLength!, adxSmoothing!),
    ['diLength', 'adxSmoothing'],
    [...HIGH_LOW, 'chart.high[1]', 'chart.low[1]', 'chart.close[1]'],
    TRIPLE,
  ),
  'ta.ema': spec((length) => new Ema(length!), LENGTH, SOURCE),
  'ta.falling': spec((longest) => new Falling(longest), LONGEST, SOURCE_LENGTH),
  'ta.highest': spec((longest) => new Highest(longest), LONGEST, SOURCE_LENGTH),
  'ta.highestbars': spec((longest) => new HighestBars(longest), LONGEST, SOURCE_LENGTH),
  'ta.hma': spec((length) => new Hma(length!), LENGTH, SOURCE),
  'ta.iii': spec(() => new Iii(), [], [...HIGH_LOW, ...CLOSE_VOLUME]),
  'ta.kc': spec((length) => new Kc(length!), LENGTH, KELTNER, TRIPLE),
  'ta.kcw': spec((length) => new Kcw(length!), LENGTH, KELTNER),
  'ta.linreg': spec((longest) => new Linreg(longest), LONGEST, ['source', 'length', 'offset']),
  'ta.lowest': spec((longest) => new Lowest(longest), LONGEST, SOURCE_LENGTH),
  'ta.lowestbars': spec((longest) => new LowestBars(longest), LONGEST, SOURCE_LENGTH),
  'ta.macd': spec(
    (fast, slow, signal) => new Macd(fast!, slow!, signal!),
    ['fastlen', 'slowlen', 'siglen'],
    SOURCE,
    TRIPLE,
  ),
  'ta.max': spec(() => new Max(), [], SOURCE),
  'ta.median': spec((longest) => new Median(longest), LONGEST, SOURCE_LENGTH),
  'ta.mfi': spec((longest) => new Mfi(longest), LONGEST, ['series', 'chart.volume', 'length']),
  'ta.min': spec(() => new Min(), [], SOURCE),
  'ta.mode': spec((longest) => new Mode(longest), LONGEST, SOURCE_LENGTH),
  'ta.mom': spec((longest) => new Mom(longest), LONGEST, SOURCE_LENGTH),
  'ta.nvi': spec(() => new Nvi(), [], CLOSE_VOLUME),
  'ta.obv': spec(() => new Obv(), [], CLOSE_VOLUME),
  'ta.percentile_linear_interpolation': spec((longest) => new PercentileLinearInterpolation(longest), LONGEST, [
    'source',
    'length',
    'percentage',
  ]),
  'ta.percentile_nearest_rank': spec((longest) => new PercentileNearestRank(longest), LONGEST, [
    'source',
    'length',
    'percentage',
  ]),
  'ta.percentrank': spec((longest) => new PercentRank(longest), LONGEST, SOURCE_LENGTH),
  'ta.pivot_point_levels': spec(
    () => new PivotPointLevels(),
    [],
    ['chart.open', ...HIGH_LOW, 'chart.close', 'type', 'anchor', 'developing'],
  ),
  'ta.pivothigh': spec((longest) => new PivotHigh(longest), LONGEST, ['source', 'leftbars', 'rightbars']),
  'ta.pivotlow': spec((longest) => new PivotLow(longest), LONGEST, ['source', 'leftbars', 'rightbars']),
  'ta.pvi': spec(() => new Pvi(), [], CLOSE_VOLUME),
  'ta.pvt': spec(() => new Pvt(), [], CLOSE_VOLUME),
  'ta.range': spec((longest) => new Range(longest), LONGEST, SOURCE_LENGTH),
  'ta.rci': spec((length) => new Rci(length!), LENGTH, SOURCE),
  'ta.rising': spec((longest) => new Rising(longest), LONGEST, SOURCE_LENGTH),
  'ta.rma': spec((length) => new Rma(length!), LENGTH, SOURCE),
  'ta.roc': spec((longest) => new Roc(longest), LONGEST, SOURCE_LENGTH),
  'ta.rsi': spec((length) => new Rsi(length!), LENGTH, SOURCE),
  'ta.sar': spec(
    (start, increment, maximum) => new Sar(start!, increment!, maximum!),
    ['start', 'inc', 'max'],
    [
      'chart.bar_index',
      ...HIGH_LOW,
      'chart.close',
      'chart.high[1]',
      'chart.low[1]',
      'chart.close[1]',
      'chart.high[2]',
      'chart.low[2]',
    ],
  ),
  'ta.sma': spec((longest) => new Sma(longest), LONGEST, SOURCE_LENGTH),
  'ta.stdev': spec((longest) => new Stdev(longest), LONGEST, ['source', 'length', 'biased']),
  'ta.stoch': spec((longest) => new Stoch(longest), LONGEST, ['source', 'high', 'low', 'length']),
  'ta.supertrend': spec(
    (atrPeriod) => new Supertrend(atrPeriod!),
    ['atrPeriod'],
    [...HIGH_LOW, 'chart.close', 'chart.close[1]', 'factor'],
    PAIR,
  ),
  'ta.swma': spec(() => new Swma(), [], SOURCE),
  'ta.tr': spec(() => new TrueRange(), [], [...HIGH_LOW, 'chart.close[1]', 'handle_na']),
  'ta.tsi': spec((short, long) => new Tsi(short!, long!), ['short_length', 'long_length'], SOURCE),
  /** Of numbers; for colors and bools the emitter makes a ValueWhen with their na itself. */
  'ta.valuewhen': spec((occurrence) => new ValueWhen(occurrence!, Number.NaN), ['occurrence'], ['condition', 'source']),
  'ta.variance': spec((longest) => new Variance(longest), LONGEST, ['source', 'length', 'biased']),
  'ta.vwap': spec(() => new Vwap(), [], ['source', 'chart.volume', 'anchor', 'stdev_mult'], TRIPLE),
  'ta.vwma': spec((longest) => new Vwma(longest), LONGEST, ['source', 'chart.volume', 'length']),
  'ta.wad': spec(() => new Wad(), [], [...HIGH_LOW, 'chart.close']),
  'ta.wma': spec((longest) => new Wma(longest), LONGEST, SOURCE_LENGTH),
  'ta.wpr': spec((longest) => new Wpr(longest), LONGEST, [...HIGH_LOW, 'chart.close', 'length']),
  'ta.wvad': spec(() => new Wvad(), [], ['chart.open', ...HIGH_LOW, ...CLOSE_VOLUME]),
});
