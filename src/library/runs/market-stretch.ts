// The closed bars of a market between two moments, as many as one run may have.

import { errorText } from '../../errors/error-text.ts';
import { type BarColumns, barColumns } from '../../pine/light.ts';
import type { MarketBar, MarketBars } from '../deployments/ports.ts';

/** Half a century of days, two years of 20-minute bars; sources are asked for them a thousand at a time. */
export const MAX_STRETCH_BARS = 50_000;
/** Sources bound what one question may cost; this is below the bound of each. */
const BARS_PER_CALL = 1000;

export interface Stretch {
  readonly market: string;
  readonly timeframeMs: number;
  readonly fromMs: number;
  /** Not included. */
  readonly toMs: number;
}

/** In words with the remedy. unavailable: they cannot be had just now. */
export interface NoBars {
  readonly kind: 'bad-market' | 'too-many-bars' | 'unavailable';
  readonly reason: string;
}

/** No such market or timeframe, or one of which so many bars are too much to ask for: asking again does not help. */
const HOPELESS = new Set(['FeedRefusal', 'RangeError']);

export async function marketStretch(
  source: Pick<MarketBars, 'bars'>,
  { market, timeframeMs, fromMs, toMs }: Stretch,
  nowMs: number,
): Promise<BarColumns | NoBars> {
  const lastMs = Math.min(toMs, nowMs);
  if ((lastMs - fromMs) / timeframeMs > MAX_STRETCH_BARS) {
    const reason = `these are more than ${MAX_STRETCH_BARS} bars; begin later, or take a longer interval`;
    return { kind: 'too-many-bars', reason };
  }
  const found: MarketBar[] = [];
  try {
    for (let startMs = fromMs; startMs < lastMs; startMs += BARS_PER_CALL * timeframeMs) {
      const endMs = Math.min(startMs + BARS_PER_CALL * timeframeMs, lastMs);
      // The forming bar is another one a moment later, and would have another digest.
      for (const bar of await source.bars(market, timeframeMs, startMs, endMs))
        if (bar.time > (found.at(-1)?.time ?? -1) && bar.time >= fromMs && bar.time + timeframeMs <= nowMs)
          found.push(bar);
    }
  } catch (error) {
    const reason = errorText(error);
    if (HOPELESS.has((error as Error).name)) return { kind: 'bad-market', reason };
    return {
      kind: 'unavailable',
      reason: `the bars of ${market} cannot be read just now (${reason}); try again later`,
    };
  }
  if (found.length === 0)
    return {
      kind: 'bad-market',
      reason: `${market} has no closed bars in this range; choose an earlier or a longer one`,
    };
  return barColumns(found);
}
