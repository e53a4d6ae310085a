// The newest bars that live streams have ended: as long as they are remembered, nobody need ask the venue for them.

import { type Stretch, slotStart } from './bar-store.ts';
import type { Bar } from './price-source.ts';

/** Of one market and timeframe. When more are missing in the store they are fetched, all at once. */
const MAX_BARS = 200;
/** More than are followed at a time; the one added to longest ago is forgotten. */
const MAX_SERIES = 500;

export class LiveBars {
  readonly #series = new Map<string, Map<number, Bar>>();

  add(market: string, timeframeMs: number, { time, open, high, low, close, volume }: Bar): void {
    const name = `${market} ${timeframeMs}`;
    const bars = this.#series.get(name) ?? new Map<number, Bar>();
    // Again at the end, so that the first is the one added to longest ago.
    this.#series.delete(name);
    this.#series.set(name, bars);
    bars.set(slotStart(time, timeframeMs), { time, open, high, low, close, volume });
    dropFirst(bars, MAX_BARS);
    dropFirst(this.#series, MAX_SERIES);
  }

  /** Undefined unless every one of the stretch is remembered. */
  all(market: string, timeframeMs: number, { fromMs, toMs }: Stretch): Bar[] | undefined {
    const bars = this.#series.get(`${market} ${timeframeMs}`);
    if (bars === undefined || toMs - fromMs > MAX_BARS * timeframeMs) return undefined;
    const found: Bar[] = [];
    for (let slotMs = fromMs; slotMs < toMs; slotMs += timeframeMs) {
      const bar = bars.get(slotMs);
      if (bar === undefined) return undefined;
      found.push(bar);
    }
    return found;
  }
}

function dropFirst(map: Map<unknown, unknown>, max: number): void {
  const first = map.keys().next();
  if (map.size > max && !first.done) map.delete(first.value);
}
