// The request namespace: data of other symbols, timeframes and sources; and footprints of volume.

import type { TableSource } from '../model.ts';

/** Without dynamic requests, the rule in v5, what is requested must be known before the first bar. */
const TEXT = 'series string (v5 simple string)';
const GAPS = 'gaps: simple barmerge_gaps in barmerge.gaps_on|barmerge.gaps_off = barmerge.gaps_off';
const LOOKAHEAD =
  'lookahead: simple barmerge_lookahead in barmerge.lookahead_on|barmerge.lookahead_off = barmerge.lookahead_off';
const IGNORE = 'ignore_invalid_symbol: input bool = false';
const CURRENCY = `currency: ${TEXT} = syminfo.currency`;
const BARS = 'calc_bars_count: simple int = {all bars}';

export const REQUEST: TableSource = {
  namespace: 'request',
  text: `
currency_rate(from: ${TEXT}, to: ${TEXT}, ignore_invalid_currency: series bool = false) -> series float
  # Daily rate that turns money of one currency into another.
dividends(ticker: ${TEXT}, field: ${TEXT} in dividends.gross|dividends.net = dividends.gross, ${GAPS}, ${LOOKAHEAD},
    ${IGNORE}, ${CURRENCY}) -> series float
  # Dividends of a symbol.
earnings(ticker: ${TEXT}, field: ${TEXT} in earnings.actual|earnings.estimate|earnings.standardized = earnings.actual,
    ${GAPS}, ${LOOKAHEAD}, ${IGNORE}, ${CURRENCY}) -> series float
  # Earnings of a symbol.
economic(country_code: ${TEXT}, field: ${TEXT}, ${GAPS}, ${IGNORE}) -> series float
  # Economic figures of a country.
financial(symbol: ${TEXT}, financial_id: ${TEXT}, period: ${TEXT} in "TTM"|"FY"|"FQ"|"FH"|"D", ${GAPS}, ${IGNORE},
    ${CURRENCY}) -> series float
  # Figures from a company's financial reports.
footprint(ticks_per_row: simple int, va_percent: simple float = 70, imbalance_percent: simple float = 300)
    -> footprint | v6
  # Buy and sell volume of the bar per price row; na when there is none.
quandl(ticker: ${TEXT}, ${GAPS}, index: series int (v5 simple int) = 0, ${IGNORE}) -> series float
  # Data of the former Quandl feed, which no longer exists; kept so that old scripts compile.
security(symbol: ${TEXT}, timeframe: ${TEXT}, expression: series T, ${GAPS}, ${LOOKAHEAD}, ${IGNORE}, ${CURRENCY},
    ${BARS}) -> series T | stateful
  # The expression as it is on another symbol or timeframe.
security_lower_tf(symbol: ${TEXT}, timeframe: ${TEXT}, expression: series T,
    ignore_invalid_symbol: series bool (v5 input bool) = false, ${CURRENCY},
    ignore_invalid_timeframe: series bool (v5 input bool) = false, ${BARS}) -> array<T> | stateful
  # The expression on every bar of a lower timeframe inside this bar.
seed(source: ${TEXT}, symbol: ${TEXT}, expression: series T, ${IGNORE}, ${BARS}) -> series T | stateful
  # The expression on data kept in a public repository.
splits(ticker: ${TEXT}, field: ${TEXT} in splits.numerator|splits.denominator, ${GAPS}, ${LOOKAHEAD}, ${IGNORE})
    -> series float
  # Splits of a symbol.
`,
};

export const FOOTPRINT: TableSource = {
  namespace: 'footprint',
  text: `
buy_volume(id: footprint) -> series float | v6
  # Buy volume of all rows.
delta(id: footprint) -> series float | v6
  # Buy volume less sell volume of all rows.
get_row_by_price(id: footprint, price: series float) -> volume_row | v6
  # The row that holds the price; na when none does.
poc(id: footprint) -> volume_row | v6
  # The row with the most volume.
rows(id: footprint) -> array<volume_row> | v6
  # All rows, the lowest first.
sell_volume(id: footprint) -> series float | v6
  # Sell volume of all rows.
total_volume(id: footprint) -> series float | v6
  # Volume of all rows.
vah(id: footprint) -> volume_row | v6
  # The highest row of the value area.
val(id: footprint) -> volume_row | v6
  # The lowest row of the value area.
`,
};

export const VOLUME_ROW: TableSource = {
  namespace: 'volume_row',
  text: `
buy_volume(id: volume_row) -> series float | v6
  # Buy volume of the row.
delta(id: volume_row) -> series float | v6
  # Buy volume less sell volume of the row.
down_price(id: volume_row) -> series float | v6
  # Lower price of the row.
has_buy_imbalance(id: volume_row) -> series bool | v6
  # Whether buying outweighs the selling one row below.
has_sell_imbalance(id: volume_row) -> series bool | v6
  # Whether selling outweighs the buying one row above.
sell_volume(id: volume_row) -> series float | v6
  # Sell volume of the row.
total_volume(id: volume_row) -> series float | v6
  # Volume of the row.
up_price(id: volume_row) -> series float | v6
  # Upper price of the row.
`,
};
