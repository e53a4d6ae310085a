// The functions of the public library TradingView/ta that scripts import most, written anew from their public descriptions:
// only those whose meaning is certain. Whoever needs the others publishes the library itself under the same name.

export const TRADINGVIEW_TA = `//@version=6
library("ta")

// Change from an old value to a new one, in percent of the old one.
export changePercent(series float newValue, series float oldValue) =>
    (newValue - oldValue) / oldValue * 100

// The highest and the lowest value since the first bar.
export allTimeHigh(series float src = high) =>
    var float top = na
    top := na(top) ? src : math.max(top, nz(src, top))
    top

export allTimeLow(series float src = low) =>
    var float bottom = na
    bottom := na(bottom) ? src : math.min(bottom, nz(src, bottom))
    bottom

// The highest and the lowest value since a condition was last true, that bar included; na before it ever was.
export highestSince(series bool cond, series float source = high) =>
    var float top = na
    top := cond ? source : math.max(top, source)
    top

export lowestSince(series bool cond, series float source = low) =>
    var float bottom = na
    bottom := cond ? source : math.min(bottom, source)
    bottom

// Double, triple and triangular moving averages.
export dema(series float source, simple int length) =>
    float once = ta.ema(source, length)
    2 * once - ta.ema(once, length)

export tema(series float source, simple int length) =>
    float once = ta.ema(source, length)
    float twice = ta.ema(once, length)
    3 * (once - twice) + ta.ema(twice, length)

export trima(series float source, simple int length) =>
    ta.sma(ta.sma(source, math.ceil(length / 2)), math.floor(length / 2) + 1)

// The root of the mean of squares.
export rms(series float source, simple int length) =>
    math.sqrt(ta.sma(source * source, length))

// Aroon: [up, down].
export aroon(simple int length) =>
    float up = 100 * (ta.highestbars(high, length + 1) + length) / length
    float down = 100 * (ta.lowestbars(low, length + 1) + length) / length
    [up, down]

// Awesome oscillator.
export ao(series float source = hl2, simple int shortLength = 5, simple int longLength = 34) =>
    ta.sma(source, shortLength) - ta.sma(source, longLength)

// Coppock curve.
export coppock(series float source, simple int longLength, simple int shortLength, simple int smoothLength) =>
    ta.wma(ta.roc(source, longLength) + ta.roc(source, shortLength), smoothLength)

// DeMarker.
export dm(simple int length) =>
    float up = ta.sma(math.max(high - high[1], 0), length)
    float down = ta.sma(math.max(low[1] - low, 0), length)
    up / (up + down)

// Ichimoku: [conversion line, base line, leading span A, leading span B]; the spans are not moved ahead.
middle(simple int length) =>
    (ta.highest(high, length) + ta.lowest(low, length)) / 2

export ichimoku(simple int conLength, simple int baseLength, simple int senkouLength) =>
    float conversion = middle(conLength)
    float base = middle(baseLength)
    [conversion, base, (conversion + base) / 2, middle(senkouLength)]

// Stochastics, of prices and of the RSI: [%K, %D].
export stochFull(simple int periodK, simple int smoothK, simple int periodD) =>
    float k = ta.sma(ta.stoch(close, high, low, periodK), smoothK)
    [k, ta.sma(k, periodD)]

export stochRsi(simple int lengthRsi, simple int periodK, simple int smoothK, simple int periodD, series float source) =>
    float rsi = ta.rsi(source, lengthRsi)
    float k = ta.sma(ta.stoch(rsi, rsi, rsi, periodK), smoothK)
    [k, ta.sma(k, periodD)]

// Ultimate oscillator.
pressure(series float bought, series float reach, simple int length) =>
    math.sum(bought, length) / math.sum(reach, length)

export uo(simple int fastLen, simple int midLen, simple int slowLen) =>
    float bottom = math.min(low, close[1])
    float bought = close - bottom
    float reach = math.max(high, close[1]) - bottom
    (4 * pressure(bought, reach, fastLen) + 2 * pressure(bought, reach, midLen) + pressure(bought, reach, slowLen)) / 7 * 100

// Vertical horizontal filter.
export vhf(series float source, simple int length) =>
    (ta.highest(source, length) - ta.lowest(source, length)) / math.sum(math.abs(source - source[1]), length)

// Vortex: [plus, minus].
export vi(simple int length) =>
    float all = math.sum(ta.tr(true), length)
    [math.sum(math.abs(high - low[1]), length) / all, math.sum(math.abs(low - high[1]), length) / all]
`;
