// The newest final bars of a market, page by page from a Signalbox that knows it.

import { timeframeText } from '../market-data/timeframe.ts';
import { type Bar, type BarColumns, barColumns } from '../pine/light.ts';
import type { LocalIo } from './command.ts';
import { refusalText, succeeded } from './refusal-text.ts';
import { fieldsOf, rowsOf } from './table.ts';

export interface MarketChoice {
  readonly symbol: string;
  readonly timeframeMs: number;
  readonly count: number;
  /** When the last of them begins; the newest if left out. */
  readonly upToMs?: number;
}

export interface MarketColumns {
  /** The plain name of the market. */
  readonly symbol: string;
  readonly columns: BarColumns;
  /** Where its prices come from: an exchange, or the simulated market; undefined where the instance does not say. */
  readonly priceSource: string | undefined;
}

/** As many as one answer holds. */
const PAGE = 5_000;

/** Throws the refusal in words. Fewer than asked for where the market has no more. */
export async function fetchMarketBars(
  { symbol, timeframeMs, count, upToMs }: MarketChoice,
  io: Pick<LocalIo, 'reach' | 'errPaint'>,
): Promise<MarketColumns> {
  const connection = await io.reach();
  const found: Bar[] = [];
  let name = symbol;
  let priceSource: string | undefined;
  try {
    for (let toMs = upToMs === undefined ? undefined : upToMs + 1; found.length < count; ) {
      // One more the first time: the newest is still forming, and is left out.
      const limit = Math.min(PAGE, count - found.length + (toMs === undefined ? 1 : 0));
      const query = new URLSearchParams({ symbol, timeframe: timeframeText(timeframeMs), limit: String(limit) });
      if (toMs !== undefined) query.set('to', new Date(toMs).toISOString());
      const answer = await connection.call('GET', `/bars?${query}`);
      if (!succeeded(answer)) throw new Error(refusalText(answer, io.errPaint));
      const result = fieldsOf(fieldsOf(answer.body).result);
      name = String(result.symbol);
      if (typeof result.source === 'string') priceSource = result.source;
      const page = rowsOf(result.bars);
      if (page.length === 0) break;
      found.unshift(...page.filter(({ closed }) => closed === true).map((row) => row as unknown as Bar));
      toMs = Number(page[0]?.time);
    }
  } finally {
    await connection.close();
  }
  if (found.length === 0) throw new Error(`${name} has no final bars of ${timeframeText(timeframeMs)} yet.`);
  return { symbol: name, columns: barColumns(found.slice(-count)), priceSource };
}
