// A market and an interval as a request spells them, in every spelling that is needed of them.

import { parseChartTimeframe, timeframeText } from '../../market-data/timeframe.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import { refusal } from './refusal.ts';

export function marketFields(symbol: string, interval: string) {
  const market = marketOf(symbol);
  if (market === undefined) throw refusal('INVALID_FIELD', 'symbol: is no market, send a name such as BTCUSDT');
  try {
    const timeframeMs = parseChartTimeframe(interval);
    return { symbol, market, interval: timeframeText(timeframeMs), timeframeMs };
  } catch (error) {
    throw refusal('INVALID_FIELD', `interval: ${(error as Error).message}`, { cause: error });
  }
}
