// The ta namespace: moving averages, oscillators, bands, statistics over bars, crossings and pivots.

import type { TableSource } from '../model.ts';

export const TA: TableSource = {
  namespace: 'ta',
  text: `
accdist: series float  # Accumulation/distribution: running total of volume weighted by where the bar closed in its range.
iii: series float  # Intraday intensity: where the bar closed in its range, from -1 to 1, divided by the volume.
nvi: series float  # Negative volume index: follows price only on bars whose volume fell.
obv: series float  # On-balance volume: running total of volume, signed by the direction of the close.
pvi: series float  # Positive volume index: follows price only on bars whose volume rose.
pvt: series float  # Price-volume trend: running total of volume times the relative change of the close.
tr: series float  # True range of the bar; na on the first bar.
vwap: series float  # Volume-weighted average of hlc3 since the start of the trading day.
wad: series float  # Williams accumulation/distribution: running total of price moves against the true range.
wvad: series float  # Williams variable accumulation/distribution: volume weighted by body over range.
alma(series: series float, length: series int, offset: simple float, sigma: simple float, floor: simple bool = false)
    -> series float | stateful
  # Arnaud Legoux moving average: weights of a bell curve whose centre is set by offset and width by sigma.
atr(length: simple int) -> series float | stateful
  # Average true range: the true range smoothed as ta.rma does.
barssince(condition: series bool) -> series int | stateful
  # Bars since the condition was last true; na when it never was.
bb(series: series float, length: series int, mult: simple float) -> [series float, series float, series float] | stateful
  # Bollinger bands as [middle, upper, lower]: a mean and mult population standard deviations around it.
bbw(series: series float, length: series int, mult: simple float) -> series float | stateful
  # Width of the Bollinger bands as a percentage of the middle band.
cci(source: series float, length: series int) -> series float | stateful
  # Commodity channel index: distance from the mean in units of the mean deviation.
change(source: series N, length: series int = 1) -> series N | stateful
change(source: series bool, length: series int = 1) -> series bool | stateful
  # Difference from the value length bars ago; for a bool, whether it differs.
cmo(series: series float, length: series int) -> series float | stateful
  # Chande momentum oscillator: gains minus losses over their total, from -100 to 100.
cog(source: series float, length: series int) -> series float | stateful
  # Centre of gravity of the last length values.
correlation(source1: series float, source2: series float, length: series int) -> series float | stateful
  # Correlation coefficient of two series over length bars.
cross(source1: series float, source2: series float) -> series bool | stateful
  # Whether the two series changed sides.
crossover(source1: series float, source2: series float) -> series bool | stateful
  # Whether the first series rose above the second on this bar.
crossunder(source1: series float, source2: series float) -> series bool | stateful
  # Whether the first series fell below the second on this bar.
cum(source: series float) -> series float | stateful
  # Running total of all values since the first bar; na where the value is.
dev(source: series float, length: series int) -> series float | stateful
  # Mean absolute distance of the last length values from their mean.
dmi(diLength: simple int, adxSmoothing: simple int) -> [series float, series float, series float] | stateful
  # Directional movement as [plus DI, minus DI, ADX].
ema(source: series float, length: simple int) -> series float | stateful
  # Exponential moving average with weight 2 / (length + 1), started by the mean of the first length values.
falling(source: series float, length: series int) -> series bool | stateful
  # Whether each of the last length changes from bar to bar was a fall.
highest(source: series float, length: series int) -> series float | stateful
highest(length: series int) -> series float | stateful
  # Highest of the last length values; of high when no source is given.
highestbars(source: series float, length: series int) -> series int | stateful
highestbars(length: series int) -> series int | stateful
  # Offset (zero or negative) to the bar with the highest of the last length values.
hma(source: series float, length: simple int) -> series float | stateful
  # Hull moving average: a weighted mean with most of its lag removed.
kc(series: series float, length: simple int, mult: simple float, useTrueRange: simple bool = true)
    -> [series float, series float, series float] | stateful
  # Keltner channels as [middle, upper, lower]: an exponential mean and mult average ranges around it.
kcw(series: series float, length: simple int, mult: simple float, useTrueRange: simple bool = true)
    -> series float | stateful
  # Width of the Keltner channels relative to the middle.
linreg(source: series float, length: series int, offset: simple int) -> series float | stateful
  # Value of the least-squares line through the last length values, offset bars back.
lowest(source: series float, length: series int) -> series float | stateful
lowest(length: series int) -> series float | stateful
  # Lowest of the last length values; of low when no source is given.
lowestbars(source: series float, length: series int) -> series int | stateful
lowestbars(length: series int) -> series int | stateful
  # Offset (zero or negative) to the bar with the lowest of the last length values.
macd(source: series float, fastlen: simple int, slowlen: simple int, siglen: simple int)
    -> [series float, series float, series float] | stateful
  # Moving average convergence/divergence as [line, signal, histogram].
max(source: series float) -> series float | stateful
  # Highest value since the first bar.
median(source: series N, length: series int) -> series N | stateful
  # Median of the last length values.
mfi(series: series float, length: series int) -> series float | stateful
  # Money flow index: volume on rising values against volume on falling ones, from 0 to 100.
min(source: series float) -> series float | stateful
  # Lowest value since the first bar.
mode(source: series N, length: series int) -> series N | stateful
  # Most frequent of the last length values; the smallest of several.
mom(source: series float, length: series int) -> series float | stateful
  # Momentum: difference from the value length bars ago.
percentile_linear_interpolation(source: series float, length: series int, percentage: simple float)
    -> series float | stateful
  # Percentile of the last length values, interpolated between neighbours.
percentile_nearest_rank(source: series float, length: series int, percentage: simple float) -> series float | stateful
  # Percentile of the last length values, always one of them.
percentrank(source: series float, length: series int) -> series float | stateful
  # Share of the length values before that do not exceed the value, in percent.
pivot_point_levels(type: series string in "Traditional"|"Fibonacci"|"Woodie"|"Classic"|"DM"|"Camarilla",
    anchor: series bool, developing: series bool = false) -> array<float> | stateful
  # Pivot point levels [P, R1, S1, ... R5, S5] of the period that anchor starts.
pivothigh(source: series float, leftbars: series float, rightbars: series float) -> series float | stateful
pivothigh(leftbars: series float, rightbars: series float) -> series float | stateful
  # Value of a high point that rightbars later is still above its neighbours; na otherwise.
pivotlow(source: series float, leftbars: series float, rightbars: series float) -> series float | stateful
pivotlow(leftbars: series float, rightbars: series float) -> series float | stateful
  # Value of a low point that rightbars later is still below its neighbours; na otherwise.
range(source: series N, length: series int) -> series N | stateful
  # Highest minus lowest of the last length values.
rci(source: series float, length: simple int) -> series float | stateful
  # Rank correlation of the last length values with time, from -100 to 100.
rising(source: series float, length: series int) -> series bool | stateful
  # Whether each of the last length changes from bar to bar was a rise.
rma(source: series float, length: simple int) -> series float | stateful
  # Moving average of the RSI: weight 1 / length, started by the mean of the first length values.
roc(source: series float, length: series int) -> series float | stateful
  # Rate of change from the value length bars ago, in percent.
rsi(source: series float, length: simple int) -> series float | stateful
  # Relative strength index: smoothed gains against smoothed losses, from 0 to 100.
sar(start: simple float, inc: simple float, max: simple float) -> series float | stateful
  # Parabolic stop and reverse.
sma(source: series float, length: series int) -> series float | stateful
  # Simple moving average: mean of the last length values.
stdev(source: series float, length: series int, biased: series bool = true) -> series float | stateful
  # Standard deviation of the last length values; of a sample when biased is false.
stoch(source: series float, high: series float, low: series float, length: series int) -> series float | stateful
  # Place of the source in the range of the last length bars, in percent.
supertrend(factor: series float, atrPeriod: simple int) -> [series float, series float] | stateful
  # Supertrend as [line, direction]: direction is -1 while the trend is up and 1 while it is down. The first factor stays.
swma(source: series float) -> series float | stateful
  # Symmetrically weighted mean of four values with weights 1, 2, 2, 1.
tr(handle_na: simple bool) -> series float
  # True range of the bar; on the first bar high - low when handle_na is true, else na.
tsi(source: series float, short_length: simple int, long_length: simple int) -> series float | stateful
  # True strength index: doubly smoothed momentum over its doubly smoothed size, from -1 to 1.
valuewhen(condition: series bool, source: series B, occurrence: simple int) -> series B | stateful
valuewhen(condition: series bool, source: series color, occurrence: simple int) -> series color | stateful
  # Source on the bar where the condition was true; occurrence 0 is the latest time, 1 the one before.
variance(source: series float, length: series int, biased: series bool = true) -> series float | stateful
  # Variance of the last length values; of a sample when biased is false.
vwap(source: series float, anchor: series bool = {a new trading day}) -> series float | stateful
vwap(source: series float, anchor: series bool, stdev_mult: series float)
    -> [series float, series float, series float] | stateful
  # Volume-weighted average since anchor was true; with stdev_mult as [middle, upper, lower].
vwma(source: series float, length: series int) -> series float | stateful
  # Mean of the last length values weighted by volume.
wma(source: series float, length: series int) -> series float | stateful
  # Mean of the last length values with weights falling in equal steps.
wpr(length: series int) -> series float | stateful
  # Williams %R: place of the close in the range of the last length bars, from -100 to 0.
`,
};
