// The symbol: syminfo, ticker identifiers, and the dates of companies' announcements.

import type { TableSource } from '../model.ts';

export const SYMINFO: TableSource = {
  namespace: 'syminfo',
  text: `
basecurrency: simple string  # Currency or coin being traded in a pair; empty for other symbols.
country: simple string  # Two-letter code of the country where the symbol is traded.
currency: simple string  # Currency of the symbol's prices.
current_contract: simple string | v6  # Ticker of the contract behind a continuous future.
description: simple string  # The symbol's name in words.
employees: simple int  # Number of employees of the company.
expiration_date: simple int  # Start of the last day of a futures contract.
industry: simple string  # Industry of the company.
isin: simple string | v6  # International securities identification number; empty when unknown.
main_tickerid: simple string | v6  # Ticker identifier of the chart, also inside a request.
mincontract: simple float | v6  # Smallest amount that can be traded.
minmove: simple int  # Numerator of the tick: mintick is minmove / pricescale.
mintick: simple float  # Smallest step of the price.
pointvalue: simple float  # Money one point of price is worth per contract.
prefix: simple string  # Exchange in front of the symbol.
pricescale: simple int  # Denominator of the tick: mintick is minmove / pricescale.
recommendations_buy: series int  # Number of analysts who say buy.
recommendations_buy_strong: series int  # Number of analysts who say strong buy.
recommendations_date: series int  # Start of the last set of recommendations.
recommendations_hold: series int  # Number of analysts who say hold.
recommendations_sell: series int  # Number of analysts who say sell.
recommendations_sell_strong: series int  # Number of analysts who say strong sell.
recommendations_total: series int  # Number of recommendations.
root: simple string  # Root of a derivative's ticker: "ES" of "ES1!".
sector: simple string  # Sector of the company.
session: simple string  # Session of the chart: session.regular or session.extended.
shareholders: simple int  # Number of shareholders of the company.
shares_outstanding_float: simple float  # Number of shares in public hands.
shares_outstanding_total: simple int  # Number of all shares.
target_price_average: series float  # Mean of the analysts' yearly targets.
target_price_date: series int  # Start of the last set of targets.
target_price_estimates: series float  # Number of targets.
target_price_high: series float  # Highest of the analysts' yearly targets.
target_price_low: series float  # Lowest of the analysts' yearly targets.
target_price_median: series float  # Median of the analysts' yearly targets.
ticker: simple string  # The symbol without its exchange.
tickerid: simple string  # Exchange and symbol with all modifiers, as requests take it.
timezone: simple string  # Timezone of the exchange.
type: simple string  # Kind of market: "stock", "forex", "crypto", "futures"...
volumetype: simple string  # What the volume counts: "base", "quote", "tick" or "n/a".
prefix(symbol: series string) -> simple.. string
  # Exchange in front of a symbol.
ticker(symbol: series string) -> simple.. string
  # A symbol without its exchange.
`,
};

const MODIFIERS = `session: series string in session.regular|session.extended = syminfo.session,
    adjustment: series string in adjustment.* = {the symbol's},
    backadjustment: simple backadjustment in backadjustment.* = backadjustment.inherit,
    settlement_as_close: simple settlement in settlement_as_close.* = settlement_as_close.inherit`;
const BOXES = 'in "ATR"|"Traditional"|"PercentageLTP"';

export const TICKER: TableSource = {
  namespace: 'ticker',
  text: `
heikinashi(symbol: series string) -> simple.. string
  # Ticker identifier for Heikin Ashi bars.
inherit(from_tickerid: series string, symbol: series string) -> simple.. string
  # Ticker identifier of the symbol with the modifiers of another one.
kagi(symbol: series string, reversal: series float) -> simple.. string
kagi(symbol: series string, param: series float, style: series string ${BOXES}) -> simple.. string
  # Ticker identifier for Kagi lines.
linebreak(symbol: series string, number_of_lines: series int) -> simple.. string
  # Ticker identifier for line break bars.
modify(tickerid: series string, ${MODIFIERS}) -> simple.. string
  # Ticker identifier with other session, adjustment or settlement.
new(prefix: series string, ticker: series string, ${MODIFIERS}) -> simple.. string
  # Ticker identifier of an exchange's symbol.
pointfigure(symbol: series string, source: series string in "hl"|"close", style: series string ${BOXES},
    param: series float, reversal: series int) -> simple.. string
  # Ticker identifier for point and figure columns.
renko(symbol: series string, style: series string ${BOXES}, param: series float, request_wicks: series bool = false,
    source: series string in "Close"|"OHLC" = "Close") -> simple.. string
  # Ticker identifier for Renko bricks.
standard(symbol: series string = syminfo.tickerid) -> simple.. string
  # Ticker identifier without any modifiers.
`,
};

export const DIVIDENDS: TableSource = {
  namespace: 'dividends',
  text: `
gross: const string  # Dividends before deductions.
net: const string  # Dividends after deductions.
future_amount: series float  # Amount of the next dividend.
future_ex_date: series int  # Ex-date of the next dividend.
future_pay_date: series int  # Payment date of the next dividend.
`,
};

export const EARNINGS: TableSource = {
  namespace: 'earnings',
  text: `
actual: const string  # Earnings as reported.
estimate: const string  # Earnings as estimated.
standardized: const string  # Earnings made comparable.
future_eps: series float  # Estimated earnings per share of the next report.
future_period_end_time: series int  # End of the period of the next report.
future_revenue: series float  # Estimated revenue of the next report.
future_time: series int  # Expected time of the next report.
`,
};
