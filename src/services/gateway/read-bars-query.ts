// Reads what GET /bars and the endpoints below it are asked for: a market, a timeframe, and a stretch of time.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import { Refusal } from '../../http/errors.ts';
import { parseMoment } from '../../market-data/bar-time.ts';
import { parseChartTimeframe } from '../../market-data/timeframe.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import { wholeText } from './schemas.ts';

export const DEFAULT_BARS = 500;
/** Some hundred kilobytes; whoever wants more asks again from `next` on. */
export const MAX_BARS = 5_000;

const MOMENT_FORMS = '2026-03-01, 2026-03-01T14:30:00Z, or ms or s since 1970';
export const moment = (description: string) =>
  z
    .string()
    .max(40)
    // Here too, because what is described is what is sent.
    .meta({ description, examples: ['2026-03-01'] })
    .transform(readMoment)
    .refine((ms) => Number.isSafeInteger(ms) && ms >= 0, {
      error: `is no moment, send one such as ${MOMENT_FORMS}`,
    })
    .meta({ description, examples: ['2026-03-01'] });

const marketFields = {
  symbol: z
    .string()
    .min(1)
    .max(64)
    .meta({ description: 'BTCUSDT, in any of its spellings', examples: ['BTCUSDT'] }),
  timeframe: z
    .string()
    .min(1)
    .max(8)
    .meta({ description: 'Length of a bar: 5m, 4h, 1d, 1w, or as charts write it (60, 1D)', examples: ['1h'] }),
};

export const barsQuerySchema = z.strictObject({
  exchange: z
    .enum(EXCHANGES)
    .optional()
    .meta({ description: 'Changes nothing yet: paper accounts of all exchanges go by the prices of one source' }),
  ...marketFields,
  from: moment('Bars that start at or after it; without it the newest before `to`').optional(),
  to: moment('Bars that start before it; now when omitted').optional(),
  limit: wholeText(1, MAX_BARS)
    .optional()
    .meta({ description: `Bars at most; ${DEFAULT_BARS} when omitted` }),
});

export const gapsQuerySchema = z.strictObject({
  ...marketFields,
  from: moment('The beginning'),
  to: moment('The end; now when omitted').optional(),
});

/** A plus sign in an address is a blank; nobody writes one before an offset otherwise. */
function readMoment(text: string): number {
  return parseMoment(text.replace(/(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?) (\d\d:?\d\d)$/, '$1+$2'));
}

export interface AskedMarket {
  readonly market: string;
  readonly timeframeMs: number;
}

export function readMarket({ symbol, timeframe }: { symbol: string; timeframe: string }): AskedMarket {
  const market = marketOf(symbol);
  if (market === undefined)
    throw new Refusal('INVALID_QUERY', 'symbol: names no market, send one such as BTCUSDT; GET /markets lists them');
  try {
    return { market, timeframeMs: parseChartTimeframe(timeframe) };
  } catch (error) {
    throw new Refusal('INVALID_QUERY', `timeframe: ${(error as RangeError).message}`);
  }
}

export interface AskedStretch {
  readonly fromMs: number;
  readonly toMs: number;
  /** Where to go on, when the whole did not fit. */
  readonly nextMs: number | null;
}

/**
 * With a beginning the first so many bars from there, else the last so many before the end. Counted in timeframes, so
 * where nobody traded there are fewer.
 */
export function readStretch(
  {
    from,
    to,
    limit = DEFAULT_BARS,
  }: { from?: number | undefined; to?: number | undefined; limit?: number | undefined },
  timeframeMs: number,
  nowMs: number,
): AskedStretch {
  // The bar that forms began in the past: the next moment is behind it.
  const presentMs = nowMs + 1;
  const endMs = to ?? presentMs;
  if (from !== undefined && to !== undefined && from > to) throw backwards();
  if (from === undefined) {
    const lastMs = Math.min(endMs, presentMs);
    return { fromMs: Math.max(0, lastMs - limit * timeframeMs), toMs: lastMs, nextMs: null };
  }
  const toMs = Math.max(from, Math.min(endMs, from + limit * timeframeMs));
  return { fromMs: from, toMs, nextMs: toMs < Math.min(endMs, presentMs) ? toMs : null };
}

export const backwards = (): Refusal =>
  new Refusal('INVALID_QUERY', 'from: lies after to, send the earlier moment as from');
