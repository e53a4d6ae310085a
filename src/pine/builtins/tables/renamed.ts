// Names of Pine v4 and older and what stands in their place since v5, so that a diagnostic can name the remedy.

const moved = (namespace: string, names: string): [string, string][] =>
  names.split(' ').map((name) => [name, `${namespace}.${name}`]);

/** Old name to the new name, or to words where no name replaces it. */
export const RENAMED: ReadonlyMap<string, string> = new Map([
  ...moved(
    'ta',
    'accdist alma atr bb bbw cci cmo cog dmi ema hma iii kc kcw linreg macd mfi mom nvi obv pvi pvt rma roc',
  ),
  ...moved(
    'ta',
    'rsi sar sma stoch supertrend swma tr tsi vwap vwma wad wma wpr wvad barssince change correlation cross',
  ),
  ...moved('ta', 'crossover crossunder cum dev falling highest highestbars lowest lowestbars median mode'),
  ...moved('ta', 'percentile_linear_interpolation percentile_nearest_rank percentrank pivothigh pivotlow range rising'),
  ...moved('ta', 'stdev valuewhen variance'),
  ...moved(
    'math',
    'abs acos asin atan avg ceil cos exp floor log log10 max min pow random round round_to_mintick sign',
  ),
  ...moved('math', 'sin sqrt sum tan todegrees toradians'),
  ...moved('request', 'financial quandl security splits dividends earnings'),
  ...moved('ticker', 'heikinashi kagi linebreak pointfigure renko'),
  ...moved('str', 'tostring tonumber'),
  ['study', 'indicator'],
  ['tickerid', 'ticker.new'],
  ['input.integer', 'input.int'],
  ['input.resolution', 'input.timeframe'],
  ['iff', 'the ?: operator'],
  ['offset', 'the [] operator'],
  ['n', 'bar_index'],
  ['interval', 'timeframe.multiplier'],
  ['period', 'timeframe.period'],
  ['ticker', 'syminfo.ticker'],
  ...'aqua black blue fuchsia gray green lime maroon navy olive orange purple red silver teal white yellow'
    .split(' ')
    .map((name): [string, string] => [name, `color.${name}`]),
]);
