// The built-in variables that stay the same during a run: `syminfo.*`, `timeframe.*`, `chart.*`, and na for what no
// source of data here knows.

import type { PineVersion } from '../builtins/types.ts';
import type { ConstantValue } from '../check/tree.ts';
import { timeframes } from '../values/index.ts';
import type { SymbolInfo } from './market-symbol.ts';
import type { Tick } from './market-tick.ts';

/** First and last bar of the chart, both in view; na when nobody says. */
export interface View {
  readonly firstTimeMs: number;
  readonly lastTimeMs: number;
}

export interface MarketParts {
  readonly info: SymbolInfo;
  readonly tick: Tick;
  readonly frame: timeframes.Timeframe;
  readonly timezone: string;
  readonly isExtended: boolean;
  readonly version: PineVersion;
  readonly view: View;
}

type Facts = Record<string, ConstantValue>;

/** Numbers that need a data service: quotes, analysts, dividends, earnings. Scripts see na, as on a symbol without them. */
const UNKNOWN_NUMBERS = [
  'ask',
  'bid',
  ...['future_amount', 'future_ex_date', 'future_pay_date'].map((name) => `dividends.${name}`),
  ...['future_eps', 'future_period_end_time', 'future_revenue', 'future_time'].map((name) => `earnings.${name}`),
  ...['buy', 'buy_strong', 'date', 'hold', 'sell', 'sell_strong', 'total'].map(
    (name) => `syminfo.recommendations_${name}`,
  ),
  ...['average', 'date', 'estimates', 'high', 'low', 'median'].map((name) => `syminfo.target_price_${name}`),
];
const UNKNOWN: Readonly<Facts> = Object.fromEntries(UNKNOWN_NUMBERS.map((name) => [name, Number.NaN]));

/** Colors of a light chart: nobody here knows the theme of the client. On white TradingView writes in this black. */
const WHITE = 0xffffffff;
const NEARLY_BLACK = 0x0f0f0fff;
const CHART_KINDS = ['heikinashi', 'kagi', 'linebreak', 'pnf', 'range', 'renko'];

export function marketFacts(parts: MarketParts): Readonly<Facts> {
  return Object.freeze({ ...UNKNOWN, ...symbolFacts(parts), ...timeframeFacts(parts), ...chartFacts(parts.view) });
}

/** A symbol's three names, of which one is enough: "BINANCE:BTCUSDT" is prefix and ticker. */
export function namesOf({ ticker = '', tickerid = '', prefix = '' }: SymbolInfo) {
  const full = tickerid || (ticker.includes(':') || prefix === '' ? ticker : `${prefix}:${ticker}`);
  const colon = full.indexOf(':');
  return {
    tickerid: full,
    ticker: ticker !== '' && !ticker.includes(':') ? ticker : full.slice(colon + 1),
    prefix: prefix || full.slice(0, Math.max(colon, 0)),
  };
}

function symbolFacts({ info, tick, timezone, isExtended }: MarketParts): Facts {
  const { ticker, tickerid, prefix } = namesOf(info);
  const type = info.type || 'crypto';
  const facts: Facts = {
    ticker,
    tickerid,
    main_tickerid: tickerid,
    prefix,
    root: info.root || rootOf(ticker, type),
    description: info.description ?? ticker,
    type,
    timezone,
    session: isExtended || info.session === 'extended' ? 'extended' : 'regular',
    currency: info.currency || 'USD',
    basecurrency: info.basecurrency ?? '',
    ...tick,
    pointvalue: info.pointvalue ?? 1,
    // Coins are traded in fractions; of everything else one piece is the rule.
    mincontract: info.mincontract ?? (type === 'crypto' ? 0.000001 : 1),
    volumetype: info.volumetype || (type === 'forex' ? 'tick' : 'base'),
    isin: info.isin ?? '',
    country: info.country ?? null,
    sector: info.sector ?? null,
    industry: info.industry ?? null,
    current_contract: info.current_contract ?? null,
    expiration_date: info.expiration_date ?? Number.NaN,
    employees: info.employees ?? Number.NaN,
    shareholders: info.shareholders ?? Number.NaN,
    shares_outstanding_float: info.shares_outstanding_float ?? Number.NaN,
    shares_outstanding_total: info.shares_outstanding_total ?? Number.NaN,
  };
  return prefixed('syminfo.', facts);
}

/** "ES" of the continuous contract "ES1!" and of "ESZ2024"; of what is no future the ticker. */
function rootOf(ticker: string, type: string): string {
  return type === 'futures' ? (/^(.+?)(\d!|[FGHJKMNQUVXZ]\d{2,4})$/.exec(ticker)?.[1] ?? ticker) : ticker;
}

function timeframeFacts({ frame, version }: MarketParts): Facts {
  const period = periodText(frame, version);
  return prefixed('timeframe.', {
    period,
    main_period: period,
    multiplier: frame.multiplier,
    isticks: timeframes.isTicks(frame),
    isseconds: timeframes.isSeconds(frame),
    isminutes: timeframes.isMinutes(frame),
    isintraday: timeframes.isIntraday(frame),
    isdaily: timeframes.isDaily(frame),
    isweekly: timeframes.isWeekly(frame),
    ismonthly: timeframes.isMonthly(frame),
    isdwm: timeframes.isDwm(frame),
  });
}

/** "1D" since v6; v5 leaves the one of a day, a week or a month unsaid. */
function periodText(frame: timeframes.Timeframe, version: PineVersion): string {
  const isBare = version === 5 && frame.multiplier === 1 && timeframes.isDwm(frame);
  return isBare ? frame.unit : timeframes.formatTimeframe(frame);
}

function chartFacts({ firstTimeMs, lastTimeMs }: View): Facts {
  return prefixed('chart.', {
    bg_color: WHITE,
    fg_color: NEARLY_BLACK,
    is_standard: true,
    ...Object.fromEntries(CHART_KINDS.map((kind) => [`is_${kind}`, false])),
    left_visible_bar_time: firstTimeMs,
    right_visible_bar_time: lastTimeMs,
  });
}

const prefixed = (prefix: string, facts: Facts): Facts =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [prefix + name, value]));
