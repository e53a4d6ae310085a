// The simulated market as a feed of bars: the forming bar about once a second, each bar closed on time, never an outage.

import { type BarFeed, type FeedListener, FeedRefusal } from '../../../market-data/bar-feed.ts';
import type { Bar } from '../../../market-data/price-source.ts';
import { barStart, parseTimeframe } from '../../../market-data/timeframe.ts';
import type { Timers } from '../../../timing/timers.ts';
import type { SimulatedMarket } from './simulated-market.ts';

/** The simulated market can make any; these are the ones real venues have. */
const TIMEFRAMES = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '8h', '12h', '1d', '3d', '1w'];
/** As many as the simulated market gives in one call. */
const BARS_A_PAGE = 5_000;
const SECOND_MS = 1000;

export interface SimulatedFeedOptions {
  readonly market: SimulatedMarket;
  readonly nowMs: () => number;
  readonly timers: Timers;
}

export function createSimulatedFeed({ market: source, nowMs, timers }: SimulatedFeedOptions): BarFeed {
  const timeframesMs = TIMEFRAMES.map(parseTimeframe);
  const open = new Set<{ close(): void }>();

  const refuseUnknown = (market: string, timeframeMs: number): void => {
    const nearest = source.unlisted(market);
    if (nearest) throw new FeedRefusal(noSuchMarket(market.slice(0, MAX_SHOWN_CHARS), nearest));
    if (!timeframesMs.includes(timeframeMs))
      throw new FeedRefusal(`the simulated market has these timeframes: ${TIMEFRAMES.join(', ')}`);
  };

  const bars = async (market: string, timeframeMs: number, fromMs: number, toMs: number): Promise<Bar[]> => {
    refuseUnknown(market, timeframeMs);
    const endMs = Math.min(toMs, nowMs() + SECOND_MS);
    const found: Bar[] = [];
    for (let startMs = Math.max(fromMs, 0); startMs < endMs; startMs += BARS_A_PAGE * timeframeMs) {
      const pageEndMs = Math.min(endMs, startMs + BARS_A_PAGE * timeframeMs);
      for (const bar of await source.bars(market, timeframeMs, startMs, pageEndMs)) found.push(bar);
    }
    return found;
  };

  return {
    label: source.label,
    timeframesMs,
    marketNames: async () => source.names,
    bars,
    follow(market, timeframeMs, listener) {
      refuseUnknown(market, timeframeMs);
      const stream = followSeconds({
        listener,
        timeframeMs,
        nowMs,
        timers,
        bars: (...range) => bars(market, timeframeMs, ...range),
      });
      const handle = {
        close() {
          open.delete(handle);
          stream.close();
        },
      };
      open.add(handle);
      return handle;
    },
    close() {
      for (const handle of [...open]) handle.close();
    },
  };
}

const MAX_SHOWN_CHARS = 40;
const noSuchMarket = (market: string, nearest: readonly string[]): string =>
  `the simulated market has no ${JSON.stringify(market)}${nearest.length > 0 ? `; did you mean ${nearest.join(', ')}?` : ''}`;

interface SecondsOptions {
  readonly listener: FeedListener;
  readonly timeframeMs: number;
  readonly nowMs: () => number;
  readonly timers: Timers;
  readonly bars: (fromMs: number, toMs: number) => Promise<readonly Bar[]>;
}

/** Looks at the market at every full second: bars before the newest are closed. */
function followSeconds({ listener, timeframeMs, nowMs, timers, bars }: SecondsOptions): { close(): void } {
  let isClosed = false;
  let nextMs = barStart(nowMs(), timeframeMs);
  let callOff = timers.after(0, () => {
    listener.onState('live');
    void look();
  });

  const look = async (): Promise<void> => {
    const now = nowMs();
    // After a long sleep only the newest are told; the rest is history.
    const fromMs = Math.max(nextMs, barStart(now, timeframeMs) - BARS_A_PAGE * timeframeMs);
    const found = await bars(fromMs, now + 1);
    if (isClosed) return;
    for (const [index, bar] of found.entries()) listener.onBar({ ...bar, closed: index < found.length - 1 });
    nextMs = found.at(-1)?.time ?? nextMs;
    callOff = timers.after(SECOND_MS - (nowMs() % SECOND_MS), () => void look());
  };

  return {
    close() {
      isClosed = true;
      callOff();
    },
  };
}
