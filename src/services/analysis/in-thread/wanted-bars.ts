// Reads which bars a run asks for by naming a market, and refuses one that both names and sends them.

import type { NeedsBars, RunLimits } from '../../../library/request-runner.ts';
import { parseChartTimeframe } from '../../../market-data/timeframe.ts';
import { marketOf } from '../../../trading/intake/market-symbol.ts';
import { refusal } from '../refusal.ts';
import type { EvaluateHead } from '../schemas.ts';
import { under } from './run-fields.ts';

/** Undefined where the request sends its bars. */
export function wantedBars(
  { data, bars, symbol, timeframe }: Pick<EvaluateHead, 'bars' | 'symbol' | 'timeframe'> & { readonly data?: unknown },
  { maxBars }: RunLimits,
  at: string,
): Omit<NeedsBars, 'body'> | undefined {
  const place = (field: string): string => under(at, field);
  if (bars === undefined) return undefined;
  if (data !== undefined)
    throw refusal('INVALID_FIELD', `${place('bars')}: cannot be sent with data, send the one or the other`);
  if (bars > maxBars) throw refusal('TOO_MANY_BARS', `${place('bars')}: is ${bars}, ask for at most ${maxBars}`);
  if (symbol === undefined)
    throw refusal('MISSING_FIELD', `${place('symbol')}: is missing, send the market that the bars are of`);
  if (timeframe === undefined)
    throw refusal('MISSING_FIELD', `${place('timeframe')}: is missing, send the length of the bars such as 1h`);
  const market = marketOf(symbol);
  if (market === undefined)
    throw refusal('INVALID_FIELD', `${place('symbol')}: names no market, send one such as BTCUSDT`);
  return { kind: 'needs-bars', symbol: market, timeframeMs: timeframeOf(timeframe, place('timeframe')), count: bars };
}

function timeframeOf(text: string, place: string): number {
  try {
    return parseChartTimeframe(text);
  } catch (error) {
    throw refusal('INVALID_FIELD', `${place}: ${(error as RangeError).message}`);
  }
}
