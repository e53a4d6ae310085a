// Reads what every request over bars has, whatever is done with them: bars, inputs, libraries, the market, the time limit.

import type { RunLimits } from '../../../library/request-runner.ts';
import type { RunRequest } from '../../../library/script-runner.ts';
import { type DescribedMarket, describeMarket } from '../../../market-data/assumed-market.ts';
import { parseMoment } from '../../../market-data/bar-time.ts';
import { timeframeOfBars } from '../../../market-data/bar-timeframe.ts';
import type { BarColumns, LibrarySource, SymbolBars, SymbolInfo } from '../../../pine/index.ts';
import { timeframeFault } from '../../../pine/light.ts';
import { marketOf } from '../../../trading/intake/market-symbol.ts';
import { refusal } from '../refusal.ts';
import type { EvaluateHead } from '../schemas.ts';
import { readBarColumns, readBars } from './bars.ts';

type Columns = Readonly<Record<string, unknown>>;

export interface RunFields
  extends Pick<EvaluateHead, 'symbol' | 'symbol_info' | 'timeframe' | 'timeout_seconds' | 'symbol_bars'> {
  /** Left out where the bars are given. */
  readonly data?: readonly unknown[] | Columns | undefined;
  readonly inputs?: EvaluateHead['inputs'];
  readonly libraries?: EvaluateHead['libraries'];
  readonly trade_from?: Moment;
  readonly trade_to?: Moment;
}

type Moment = EvaluateHead['trade_from'];

export const under = (at: string, field: string): string => (at === '' ? field : `${at}.${field}`);

export function checkScript(source: string, { maxScriptChars }: RunLimits, at = '', field = 'script'): void {
  if (source.length <= maxScriptChars) return;
  const where = under(at, field);
  throw refusal('SCRIPT_TOO_LARGE', `${where}: has ${source.length} characters, send at most ${maxScriptChars}`);
}

export function checkLibraries(libraries: readonly LibrarySource[] = [], limits: RunLimits, at = ''): void {
  for (const [index, { source }] of libraries.entries())
    checkScript(source ?? '', limits, at, `libraries.${index}.source`);
}

export function readRun(
  { data, inputs, libraries, symbol, symbol_info, symbol_bars, timeframe, timeout_seconds, ...range }: RunFields,
  limits: RunLimits,
  at = '',
  given?: BarColumns,
): Omit<RunRequest, 'source'> & { readonly timeoutMs: number } {
  checkLibraries(libraries, limits, at);
  const traded = readRange(range, at);
  const bars = given ?? readData(data ?? [], limits, under(at, 'data'));
  const described = readMarket({ symbol, symbol_info }).symbol;
  const known = timeframe || described.period || timeframeOfBars(bars.time);
  const { runTimeoutMs } = limits;
  return {
    bars,
    symbol: described,
    timeoutMs: timeout_seconds === undefined ? runTimeoutMs : Math.min(timeout_seconds * 1000, runTimeoutMs),
    ...(known === undefined ? {} : { timeframe: known }),
    ...(inputs === undefined ? {} : { inputs }),
    ...(libraries === undefined ? {} : { libraries }),
    ...(symbol_bars === undefined ? {} : { symbolBars: readSymbolBars(symbol_bars, limits, under(at, 'symbol_bars')) }),
    ...traded,
  };
}

/** What the request says of the market, and what is assumed of one that it only names. */
export function readMarket({ symbol, symbol_info }: Pick<RunFields, 'symbol' | 'symbol_info'>): DescribedMarket {
  const info = withoutNulls(symbol_info ?? {});
  return describeMarket(info.ticker || info.tickerid || !symbol ? info : { ...info, ticker: symbol }, marketOf);
}

/** All of them together may have as many bars as the chart: they are held and read like it. */
function readSymbolBars(list: NonNullable<RunFields['symbol_bars']>, limits: RunLimits, at: string): SymbolBars[] {
  let left = limits.maxBars;
  return list.map(({ symbol = '', timeframe, data, symbol_info }, index) => {
    const place = `${at}.${index}`;
    checkTimeframe(timeframe, `${place}.timeframe`);
    const bars = readData(data, { ...limits, maxBars: left }, `${place}.data`);
    left -= bars.count;
    return { symbol, timeframe, bars, ...(symbol_info === undefined ? {} : { info: withoutNulls(symbol_info) }) };
  });
}

function checkTimeframe(text: string, at: string): void {
  const fault = timeframeFault(text);
  if (fault !== undefined) throw refusal('INVALID_FIELD', `${at}: ${fault}`);
}

/** When a strategy may trade. */
function readRange({ trade_from, trade_to }: Pick<RunFields, 'trade_from' | 'trade_to'>, at: string) {
  const tradeFromMs = readMoment(trade_from, under(at, 'trade_from'));
  const tradeToMs = readMoment(trade_to, under(at, 'trade_to'));
  if (tradeFromMs !== undefined && tradeToMs !== undefined && tradeFromMs >= tradeToMs)
    throw refusal('INVALID_FIELD', `${under(at, 'trade_to')}: is not after trade_from, send a later moment`);
  return { ...(tradeFromMs === undefined ? {} : { tradeFromMs }), ...(tradeToMs === undefined ? {} : { tradeToMs }) };
}

function readMoment(value: Moment, at: string): number | undefined {
  if (value === undefined) return undefined;
  const ms = parseMoment(String(value));
  if (Number.isSafeInteger(ms)) return ms;
  throw refusal('INVALID_FIELD', `${at}: is no moment, send ms since 1970 UTC or text such as 2024-03-01T14:30:00Z`);
}

/** As rows or, where the schema lets them through, as columns. */
function readData(data: readonly unknown[] | Columns, { maxBars }: RunLimits, at: string): BarColumns {
  const list = Array.isArray(data) ? data : (data as Columns).time;
  const count = Array.isArray(list) ? list.length : 0;
  if (count > maxBars) throw refusal('TOO_MANY_BARS', `${at}: has ${count} bars, send at most ${maxBars}`);
  return Array.isArray(data) ? readBars(data, at) : readBarColumns(data as Columns, at);
}

/** Null counts as not said, as it does in the engine. */
const withoutNulls = (info: Readonly<Record<string, string | number | null | undefined>>): SymbolInfo =>
  Object.fromEntries(Object.entries(info).filter(([, value]) => value !== null));
