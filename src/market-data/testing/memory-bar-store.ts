// A bar store in memory: the plainest thing that keeps the promises of the port.

import { type BarStore, type StoredSeries, type Stretch, slotStart } from '../bar-store.ts';
import type { Bar } from '../price-source.ts';

export function createMemoryBarStore(): BarStore {
  const slots = new Map<string, Bar | null>();
  const starts = ({ fromMs, toMs }: Stretch, timeframeMs: number): number[] =>
    Array.from({ length: Math.round((toMs - fromMs) / timeframeMs) }, (_, index) => fromMs + index * timeframeMs);

  const seriesOf = (): StoredSeries[] => {
    const spans = new Map<string, StoredSeries>();
    for (const key of slots.keys()) {
      const [market = '', ...numbers] = key.split(' ');
      const [timeframeMs = 0, startMs = 0] = numbers.map(Number);
      const known = spans.get(`${market} ${timeframeMs}`);
      const fromMs = Math.min(known?.fromMs ?? startMs, startMs);
      const toMs = Math.max(known?.toMs ?? 0, startMs + timeframeMs);
      spans.set(`${market} ${timeframeMs}`, { market, timeframeMs, fromMs, toMs });
    }
    return [...spans.values()].sort((a, b) => a.market.localeCompare(b.market, 'en') || a.timeframeMs - b.timeframeMs);
  };

  return {
    async read(market, timeframeMs, stretch) {
      const bars: Bar[] = [];
      const missing: Stretch[] = [];
      for (const fromMs of starts(stretch, timeframeMs)) {
        const bar = slots.get(`${market} ${timeframeMs} ${fromMs}`);
        if (bar === undefined) {
          const last = missing.at(-1)?.toMs === fromMs ? missing.pop() : undefined;
          missing.push({ fromMs: last?.fromMs ?? fromMs, toMs: fromMs + timeframeMs });
        } else if (bar !== null) bars.push(bar);
      }
      return { bars, missing };
    },
    async write(market, timeframeMs, stretch, bars) {
      const known = new Map(bars.map((bar) => [slotStart(bar.time, timeframeMs), bar]));
      for (const fromMs of starts(stretch, timeframeMs))
        slots.set(`${market} ${timeframeMs} ${fromMs}`, known.get(fromMs) ?? null);
    },
    async span(market, timeframeMs) {
      const known = seriesOf().find((series) => series.market === market && series.timeframeMs === timeframeMs);
      return known && { fromMs: known.fromMs, toMs: known.toMs };
    },
    series: async () => seriesOf(),
    async close() {},
  };
}
